"""Can the SO-101 write on a table? Prints whether it can follow a square, and when it is where.

python3 02_path.py
"""

from ik2d_ros import load_arm
from ik2d_ros.kinematics import solve_path, timed

arm = load_arm('so101')
for far in (0.26, 0.50):
    square = [(0.18, -0.04), (far, -0.04), (far, 0.04), (0.18, 0.04), (0.18, -0.04)]
    path = solve_path(arm, [(x, y, 0.08) for x, y in square])
    print(f'to x = {far} m: {path.status.name} after {path.end:.3f} m')
    if path.status.name == 'REACHED':
        moves = timed(path, limits=[(2.0, 8.0)] * len(arm.names), speed=0.05)  # rad/s, rad/s^2; m/s
        print(f'  it takes {moves.duration:.1f} s; after 1 s: {moves.at(1.0)[0].round(2)} rad')
