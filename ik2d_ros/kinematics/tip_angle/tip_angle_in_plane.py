"""One target and a tip angle for a chain in its plane: in the user's terms, and judged."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import TURN
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.planar.strategy import in_plane
from ik2d_ros.kinematics.planar.verdict import why_not
from ik2d_ros.kinematics.pose import problem_of
from ik2d_ros.kinematics.positions import commanded
from ik2d_ros.kinematics.proof.proof import is_proven
from ik2d_ros.kinematics.solution import Solution, Status
from ik2d_ros.kinematics.targets import goal_of
from ik2d_ros.kinematics.tip_angle.sliding_three import sliding_three
from ik2d_ros.kinematics.tip_angle.three_bone import three_bone
from ik2d_ros.kinematics.tip_angle.tip_angle import Aimed, Wanted, reach_at_angle
from ik2d_ros.kinematics.tip_angle.tip_angle_search import search_at_angle
from ik2d_ros.kinematics.tip_angle.tip_angle_steps import Aim

_OUT_OF_REACH = Aimed(None, False, True, 0)


class AnswerAtAngle(NamedTuple):
    """What a chain does for a target and an angle.

    Attributes:
        q: (n,) positions in rad, inside the limits.
        tip: where the tip is, x + iy, in m.
        error: its distance from the target in m.
        status: whether target and angle are reached, or why not.
        passes: over the chain.
        proven: whether the status is a proof.
        angle: of the tip in rad.
        angle_error: its distance from the one asked for in rad.
    """

    q: Sequence[float]
    tip: complex
    error: float
    status: Status
    passes: int
    proven: bool
    angle: float
    angle_error: float

    def solution(self, solver: str) -> Solution:
        """Return it as the answer of a solver."""
        q, tip, error, status, passes, proven, angle, angle_error = self
        flat = np.array((tip.real, tip.imag))
        # The same as `Solution(...)`, which takes twice the time.
        return tuple.__new__(
            Solution,
            (np.array(q), flat, error, status, solver, passes, proven, angle, angle_error),
        )


def in_plane_at_angle(
    chain: Chain,
    x: float,
    y: float,
    wanted: Wanted,
    start_q: Sequence[float],
    solver: str,
    tolerance: float,
    max_iterations: int,
) -> AnswerAtAngle:
    """Return what a chain does for a target (x, y) in m and an angle; arguments are checked."""
    start = chain.bends_at(start_q)
    size = chain.size
    limits = chain.bend_limits if chain.limited else None
    goal, heading = goal_of(x, y, size), wanted.angle + chain.tip_direction
    found, passes, settled = _OUT_OF_REACH, 0, False
    bends: Sequence[float] | None = None
    fixed = chain.fixed_bends
    if len(start) == 3:
        if fixed is None:
            bends = three_bone(chain.unit_lengths, limits, goal, heading, start)
        elif limits is not None:
            bends = sliding_three(chain.unit_lengths, fixed, limits, goal, heading, start)
    if bends is None:
        problem = problem_of(chain, goal)
        aim = tuple.__new__(Aim, (problem, heading, tolerance / size, wanted.tolerance))
        if math.hypot(x, y) <= chain.reach.outer + tolerance:
            found = reach_at_angle(chain, aim, solver, start, max_iterations)
            bends, passes = found.bends, found.passes
    if bends is None:
        q, tip, error, settled, more = in_plane(
            chain, x, y, start_q, solver, 'nearest', tolerance, max_iterations
        )
        passes += more
        if error <= tolerance and not found.proven and passes < max_iterations:
            found = search_at_angle(chain, aim, start, q)
            bends = found.bends
    if bends is not None:
        q, tip = commanded(chain, bends, start_q, found.tip)
        error = math.hypot(x - tip.real, y - tip.imag)
    angle = chain.tip_angle(q)
    off = abs(math.remainder(angle - wanted.angle, TURN))
    if error > tolerance:
        status = why_not(chain, math.hypot(x, y), error, settled)
        proven = is_proven(status, chain)
    elif off <= wanted.tolerance:
        status, proven = Status.REACHED, True
    else:
        stopped = bends is None and not found.proven
        status = Status.NOT_CONVERGED if stopped else Status.TIP_ANGLE
        proven = bends is not None and found.proven
    # As there.
    return tuple.__new__(AnswerAtAngle, (q, tip, error, status, passes, proven, angle, off))
