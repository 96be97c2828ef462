"""Constrained differential inverse kinematics: joint moves for a small displacement of the tip."""

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

LARGEST_MOVE = 0.5  # rad, of a joint in a period: beyond, the tip would jump
LEAST_SHARE = 1e-3  # of its displacement that the tip must make, or it does not move
GOOD_SHARE = 0.1  # below which least squares to first order are tried, too
STEP = 1e-6  # rad or reaches, of differences
DAMPING = 1e-4  # of joint moves: a displacement that is longer by a hundredth is not worth them
NEAR = 0.1  # rad or reaches: limits and walls that far away do not matter in a period
ROUNDS = 30  # through those that do
TINY = 1e-300  # in place of a divisor of 0
BACK = 0.3  # of the displacement: by how much what is too close to a wall comes off it, if it can


def joint_moves(
    arm: ArmDescription,
    settings: Settings,
    start: Sequence[float],
    way: FloatArray,
    rotation: FloatArray,
    side: int,
    is_stopped: bool,
) -> tuple[FloatArray, Solution]:
    """Return (m,) joint moves for a small displacement of the tip, and the pose it leads to.

    That is the pose closest to the displaced tip. So the tip slides along an edge, and as it starts
    from where it is commanded to be, nothing winds up beyond.

    Args:
        arm: the arm.
        settings: how targets are answered.
        start: (m,) positions.
        way: (3,) of the tip in m in the base frame.
        rotation: (3,) of the tip about the axes of the base frame in rad.
        side: to which the arm bends, as :func:`.side_of` returns it.
        is_stopped: whether a wall has stopped the arm.

    Returns:
        Moves in rad or m, zeros if the tip would hardly go its way; and the solver's solution.
    """
    plane, tip = arm.plane_at(tuple(start)), np.array(arm.kinematics.tip(start))
    normal = np.array(plane.axes[2])
    if arm.carrier is None:  # nothing takes the tip out of its plane
        way = way - (way @ normal) * normal
    turn = 0.0 if angle_refusal(arm.chain) else float(rotation @ normal)
    if turn:
        angle = arm.chain.tip_angle(arm.in_plane(tuple(start))) + turn
        settings = replace(settings, tip_angle=math.remainder(angle, math.tau))
    x, y, z = (tip + way).tolist()
    settings, begin = bias_start(replace(settings, roll=math.nan), arm, start, side)
    solution = settings.solve(arm.eased, (x, y, z), begin)

    def share(moves: FloatArray) -> float:
        """Return which share of its way the tip makes."""
        made = arm.kinematics.tip((start + moves).tolist()) - tip
        return float(made @ way / max(float(way @ way), TINY))

    moves = solution.q - np.array(start)
    is_far = np.abs(moves).max() > LARGEST_MOVE
    if is_far or is_stopped:
        moves = np.zeros(len(start))
    if is_far and not is_stopped and solution.status is Status.REACHED:
        # That is what keeps the near poses from it.
        solution = solution._replace(status=Status.JOINT_LIMIT)
    made = share(moves)
    for back, good in (BACK, GOOD_SHARE), (0.0, LEAST_SHARE):
        if way.any() and made < good:
            slid = _slid(arm.eased.kinematics, start, way, settings.angle, back)
            if (more := share(slid)) > made:
                moves, made = slid, more
    if made < LEAST_SHARE and not turn:
        moves = np.zeros(len(start))
    return moves, solution


def _slid(
    arm: Arm, start: Sequence[float], way: FloatArray, angle: float | None, back: float
) -> FloatArray:
    r"""Return the joint moves (m,) that take the tip along a way as far as joints and walls let it.

    They are the least squares of what is missed, to first order, where no joint passes a limit and
    nothing a wall, by multipliers :math:`\lambda \ge 0` that are found in turn (Hildreth):

    .. math:: x = H^{-1} (J^T w + C^T \lambda), \quad \lambda_i (C x - d)_i = 0, \quad C x \ge d.

    The way is (3,) in m, the tip angle in rad or None for any. A part that is too close to a wall
    comes off it by at most a share ``back`` of the way.
    """
    units = arm.units_of_move
    poses = np.array(start) + STEP * np.vstack([np.zeros(len(units)), np.diag(units)])

    def slopes(values: FloatArray) -> FloatArray:
        found: FloatArray = (values[1:] - values[0]).T / STEP
        return found

    rows, wanted = slopes(arm.tips(poses)) / arm.size, way / arm.size
    if angle is not None:
        angles = arm.tip_angles(poses)
        turns = np.array([math.remainder(each - angle, math.tau) for each in angles.tolist()])
        rows, wanted = np.vstack([rows, slopes(turns)]), np.append(wanted, -turns[0])
    lower, upper = np.array(arm.limits).T
    room = [(poses - lower).T / units[:, None], (upper - poses).T / units[:, None]]
    if arm.walls:
        room.append(np.array(arm.clearances([*poses.T])) / arm.size)
    left = np.vstack(room)
    left = left[left[:, 0] < NEAR]
    across = slopes(left.T)
    if arm.roll is not None:  # it is not for the tip's sake that it turns
        rows[:, -1] = across[:, -1] = 0.0
    inverse = np.linalg.inv(rows.T @ rows + DAMPING * np.eye(len(units)))
    least = np.minimum(-left[:, 0], back * np.linalg.norm(wanted))
    x, along = inverse @ rows.T @ wanted, inverse @ across.T
    multipliers = np.zeros(len(left))
    for _ in range(ROUNDS):
        for k, row in enumerate(across):
            more = (least[k] - row @ x) / max(row @ along[:, k], DAMPING)
            more = max(more, -multipliers[k])
            multipliers[k] += more
            x = x + more * along[:, k]
    moves: FloatArray = units * x
    return moves / max(1.0, float(np.abs(x).max()) / NEAR)
