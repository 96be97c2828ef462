"""The hybrid: the smallest joint moves near the target, exact closures from afar.

A descent goes, in this order and only as far as it must:

1. from a pose already near the target, Gauss-Newton steps: the smallest joint moves that do it;
2. without limits, an exact closure with two joints, if those that split the chain evenly can;
3. sweeps within the limits, each followed by a closure with any two joints;
4. without limits, a closure of the whole chain, which always exists;
5. damped Gauss-Newton steps.

Units are those of :mod:`.pose`.
"""

from __future__ import annotations

from collections.abc import Sequence

from ik2d_ros.kinematics.ccd import approach, sweep
from ik2d_ros.kinematics.closing import close_all, close_first, close_two
from ik2d_ros.kinematics.pose import Pose, Problem, at, largest_turn
from ik2d_ros.kinematics.stepping import ENOUGH, ease_off_limits, gauss_newton, step

_NEAR = 0.15  # A tip this close, in reaches, is worth Gauss-Newton steps before any sweep.
_SHORT = 0.3  # rad; a turn that is no jump.
_FINE = 0.01  # rad; two joints may take up what needs no larger turn.

# More sweeps than these only creep; what follows them does not.
_FREE_METHODS = (close_first, sweep, close_two, close_all)
_LIMITED_METHODS = (sweep, close_two) * 3


def descend(
    problem: Problem, start: Sequence[float], tolerance: float, budget: int
) -> tuple[Pose, int]:
    """Bring the tip onto the target, or into a pose from which nothing here brings it closer.

    Args:
        problem: the links, their limits and the target.
        start: (n,) bends in rad to move from, inside the limits.
        tolerance: distance from the target that is good enough, in reaches.
        budget: how many passes over the chain there may be.

    Returns:
        The best pose, always inside the limits, and the number of passes made. Without limits and
        with a target inside the annulus, the budget is the only reason not to reach it.
    """
    begun = at(problem, start)
    methods = _FREE_METHODS if problem.limits is None else _LIMITED_METHODS
    if begun.error < _NEAR:
        pose, passes = _follow(problem, begun, tolerance, budget)
        if pose.error <= tolerance:
            return pose, passes
        return approach(methods, problem, pose, tolerance, passes, budget)
    pose, passes = approach(methods, problem, begun, tolerance, 0, budget)
    if problem.limits is not None and pose.error <= tolerance:
        pose, passes = ease_off_limits(problem, problem.limits, pose, tolerance, passes, budget)
    return pose, passes


def _follow(problem: Problem, begun: Pose, tolerance: float, budget: int) -> tuple[Pose, int]:
    """Reach a target that is near, with small moves."""
    if begun.error <= tolerance:
        return begun, 0
    if len(begun.bends) == 2:
        # Two joints have no other way.
        closed = close_two(problem, begun)
        if closed.error <= tolerance and largest_turn(begun, closed.bends) < _SHORT:
            return closed, 1
    pose = at(problem, step(problem, begun, 0.0, ease=True))
    if pose.error > begun.error:
        pose = begun
    passes = 1
    quick = problem.limits is None and tolerance < pose.error < 0.1 * begun.error
    if quick and passes < budget:
        # What one step leaves is so little that two joints can take it exactly.
        closed = close_two(problem, pose)
        passes += 1
        if closed.error <= tolerance and largest_turn(pose, closed.bends) < _FINE:
            return closed, passes
    if pose.error <= ENOUGH * begun.error:
        pose, passes = gauss_newton(problem, pose, tolerance, passes, budget)
    if pose.error <= tolerance or passes >= budget:
        return pose, passes
    # Next to a stretched or folded pose only a bend well beyond first order does it: by more and
    # shorter steps, or by two joints, whichever turns less.
    stepped, passes = gauss_newton(problem, begun, tolerance, passes, budget, enough=0.9)
    tried = [pose, stepped]
    if passes < budget:
        tried.append(close_two(problem, begun, least=True))
        passes += 1

    def rank(pose: Pose) -> tuple[bool, float]:
        missed = pose.error > tolerance
        return missed, pose.error if missed else largest_turn(begun, pose.bends)

    return min(tried, key=rank), passes
