"""Solve for two links: prints the pose, or why a target is out of reach, and by how much.

python3 01_solve.py
"""

from ik2d_ros.kinematics import Chain, solve

chain = Chain.from_lengths([0.30, 0.25], limits=[(-2.6, 2.6), (-2.6, 2.6)])  # m, rad
for target in ((0.3, 0.2), (0.5, 0.4), (0.0, 0.1)):
    for solver in ('two_bone', 'ccd'):
        solution = solve(chain, target, solver=solver)
        degrees = ', '.join(f'{angle:.1f}' for angle in solution.q * 57.29578)
        miss = f'{solution.error * 1e3:.1f} mm off'
        print(f'{target} by {solver}: {solution.status.name}, {miss}, at {degrees} degrees')
