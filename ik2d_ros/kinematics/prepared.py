"""Solving one target after the other for a chain, with what does not depend on them looked at once.

As a node does, which has checked its options when they were set, and moves on from where it is.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.closed_form.pair import pair_solver
from ik2d_ros.kinematics.options import check_options
from ik2d_ros.kinematics.solution import Solution, Status
from ik2d_ros.kinematics.solve import ANGLE_TOLERANCE, solve

# What one goes on with at once, the (n,) positions as plain floats and the status; and what returns
# the whole answer, as to make its arrays takes a good part of the time of solving.
Reply = tuple[tuple[float, ...], Status, Callable[[], Solution]]

# Takes finite x, y in m in the plane, and (n,) finite positions to move from, as plain floats.
Prepared = Callable[[float, float, tuple[float, ...]], Reply]


def reply_of(solution: Solution) -> Reply:
    """Return an answer that is there as a whole."""
    return tuple(solution.q.tolist()), solution.status, lambda: solution


def prepared(
    chain: Chain,
    solver: str = 'auto',
    bend: str = 'nearest',
    tolerance: float = 1e-6,
    max_iterations: int = 100,
    angle: float | None = None,
    angle_tolerance: float = ANGLE_TOLERANCE,
) -> Prepared:
    """Return what solves targets of a chain as :func:`.solve` does: with the same answers.

    Two revolute joints in closed form take half of its time, as the arrays of the answer can wait.

    Args:
        chain: the chain.
        solver: as for :func:`.solve`, and all that follows.
        bend: for ``two_bone``.
        tolerance: distance from the target in m that counts as reached.
        max_iterations: passes over the chain.
        angle: the direction in rad that the tip is to have, or None for any.
        angle_tolerance: distance from the angle in rad that counts as reached.

    Raises:
        ArgumentError: an option is not of its kind or out of its range.
    """
    method, side, near, most = check_options(len(chain), solver, bend, tolerance, max_iterations)

    def anyhow(x: float, y: float, start: tuple[float, ...]) -> Reply:
        return reply_of(
            solve(chain, (x, y), method, start, side, near, most, angle, angle_tolerance)
        )

    if method != 'two_bone' or chain.has_slides or angle is not None:
        return anyhow
    find = pair_solver(chain, side, near)

    def whole(q: tuple[float, ...], tip: complex, error: float) -> Solution:
        flat, turned = np.array((tip.real, tip.imag)), chain.tip_angle(q)
        # The same as `Solution(...)`, which takes twice the time.
        return tuple.__new__(
            Solution, (np.array(q), flat, error, Status.REACHED, method, 0, True, turned, 0.0)
        )

    def at_once(x: float, y: float, start: tuple[float, ...]) -> Reply:
        found = find(x, y, start)
        if found is None or found[2] > near:
            return anyhow(x, y, start)
        return found[0], Status.REACHED, partial(whole, *found)

    return at_once
