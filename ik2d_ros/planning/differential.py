"""Joint moves for a small displacement of the tip: a solve nearby, else damped least squares."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics import Arm, Solution, Status
from ik2d_ros.kinematics.arguments import FloatArray
from ik2d_ros.kinematics.options import angle_refusal
from ik2d_ros.planning.branch import bias_start
from ik2d_ros.planning.settings import Settings

LARGEST_MOVE = 0.5  # rad, of a joint in a period: beyond, another branch was found
LEAST_FRACTION = 1e-3  # of its displacement that the tip must make, or it does not move
GOOD_FRACTION = 0.1  # below which least squares to first order are tried, too
STEP = 1e-6  # rad or reaches, of differences
DAMPING = 1e-4  # of squared joint moves: 1 rad weighs as much as 0.01 reaches of error
NEAR = 0.1  # rad or reaches: the largest move; limits and walls further away do not matter
ITERATIONS = 30  # over the limits and walls that matter
TINY = 1e-300  # in place of a divisor of 0
RETREAT = 0.3  # of the displacement, by which a part too close to a wall comes off it


def joint_moves(
    arm: ArmDescription,
    settings: Settings,
    start: Sequence[float],
    displacement: FloatArray,
    rotation: FloatArray,
    side: int,
    in_contact: bool,
) -> tuple[FloatArray, Solution]:
    """Return (m,) joint moves for a small displacement of the tip, and the solution for it.

    The moves lead to the pose closest to the displaced tip: the tip slides along a limit. As it
    starts at its command, there is no wind-up.

    Args:
        arm: the arm.
        settings: the parameters of the solver.
        start: (m,) positions.
        displacement: (3,) of the tip in m in the base frame.
        rotation: (3,) of the tip about the axes of the base frame in rad.
        side: the sign of the bend, as :func:`.side_of` returns it.
        in_contact: whether a wall has stopped the arm.

    Returns:
        Moves in rad or m, zeros if the tip would hardly be displaced; and the solver's solution.
    """
    plane, tip = arm.plane_at(tuple(start)), np.array(arm.kinematics.tip(start))
    normal = np.array(plane.axes[2])
    if arm.carrier is None:  # nothing takes the tip out of its plane
        displacement = displacement - (displacement @ normal) * normal
    turn = 0.0 if angle_refusal(arm.chain) else float(rotation @ normal)
    if turn:
        angle = arm.chain.tip_angle(arm.in_plane(tuple(start))) + turn
        settings = replace(settings, tip_angle=math.remainder(angle, math.tau))
    x, y, z = (tip + displacement).tolist()
    settings, begin = bias_start(replace(settings, roll=math.nan), arm, start, side)
    solution = settings.solve(arm.eased, (x, y, z), begin)

    def fraction(moves: FloatArray) -> float:
        """Return the fraction of its displacement that the tip makes."""
        made = arm.kinematics.tip((start + moves).tolist()) - tip
        return float(made @ displacement / max(float(displacement @ displacement), TINY))

    moves = solution.q - np.array(start)
    is_far = np.abs(moves).max() > LARGEST_MOVE
    if is_far or in_contact:
        moves = np.zeros(len(start))
    if is_far and not in_contact and solution.status is Status.REACHED:
        # The branch that reaches it is far: limits keep the present one from it.
        solution = solution._replace(status=Status.JOINT_LIMIT)
    made = fraction(moves)
    for retreat, good in (RETREAT, GOOD_FRACTION), (0.0, LEAST_FRACTION):
        if displacement.any() and made < good:
            slid = _slide(arm.eased.kinematics, start, displacement, settings.angle, retreat)
            if (more := fraction(slid)) > made:
                moves, made = slid, more
    if made < LEAST_FRACTION and not turn:
        moves = np.zeros(len(start))
    return moves, solution


def _slide(
    arm: Arm, start: Sequence[float], displacement: FloatArray, angle: float | None, retreat: float
) -> FloatArray:
    r"""Return (m,) joint moves for a displacement as far as limits and walls allow.

    They are damped least squares of the error, to first order, constrained by limits and walls; the
    multipliers :math:`\lambda \ge 0` are found in turn (Hildreth):

    .. math:: x = H^{-1} (J^T w + C^T \lambda), \quad \lambda_i (C x - d)_i = 0, \quad C x \ge d.

    The displacement, ``wanted``, is (3,) in m, the tip angle in rad or None for any. A part that is
    too close to a wall comes off it by at most a fraction ``retreat`` of the displacement.
    """
    units = arm.units_of_move
    poses = np.array(start) + STEP * np.vstack([np.zeros(len(units)), np.diag(units)])

    def slopes(values: FloatArray) -> FloatArray:
        found: FloatArray = (values[1:] - values[0]).T / STEP
        return found

    jacobian, wanted = slopes(arm.tips(poses)) / arm.size, displacement / arm.size
    if angle is not None:
        angles = arm.tip_angles(poses)
        turns = np.array([math.remainder(each - angle, math.tau) for each in angles.tolist()])
        jacobian, wanted = np.vstack([jacobian, slopes(turns)]), np.append(wanted, -turns[0])
    lower, upper = np.array(arm.limits).T
    rows = [(poses - lower).T / units[:, None], (upper - poses).T / units[:, None]]
    if arm.walls:
        rows.append(np.array(arm.clearances([*poses.T])) / arm.size)
    distances = np.vstack(rows)
    distances = distances[distances[:, 0] < NEAR]
    constraints = slopes(distances.T)
    if arm.roll is not None:  # the tip does not use it
        jacobian[:, -1] = constraints[:, -1] = 0.0
    inverse = np.linalg.inv(jacobian.T @ jacobian + DAMPING * np.eye(len(units)))
    bounds = np.minimum(-distances[:, 0], retreat * np.linalg.norm(wanted))
    x, gains = inverse @ jacobian.T @ wanted, inverse @ constraints.T
    multipliers = np.zeros(len(distances))
    for _ in range(ITERATIONS):
        for k, row in enumerate(constraints):
            more = (bounds[k] - row @ x) / max(row @ gains[:, k], DAMPING)
            more = max(more, -multipliers[k])
            multipliers[k] += more
            x = x + more * gains[:, k]
    moves: FloatArray = units * x
    return moves / max(1.0, float(np.abs(x).max()) / NEAR)
