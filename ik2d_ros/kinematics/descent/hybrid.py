"""Small moves to a target that is near: what the hybrid begins with.

Gauss-Newton steps are the smallest joint moves that do it; what they leave, two joints can mostly
take exactly. Units are those of :mod:`.pose`.
"""

from __future__ import annotations

from collections.abc import Sequence

from ik2d_ros.kinematics.descent.closing import close_two
from ik2d_ros.kinematics.descent.stepping import ease_towards, gauss_newton, step
from ik2d_ros.kinematics.pose import Pose, Problem, at, largest_turn
from ik2d_ros.kinematics.tuning import DEVIOUS, ENOUGH, FINE, LITTLE, NEAR


def follow(problem: Problem, begun: Pose, tolerance: float, budget: int) -> tuple[Pose, int]:
    """Reach a target that is near, with small moves.

    Args:
        problem: the links, their limits and the target.
        begun: the pose to move from, not on the target.
        tolerance: distance from the target that is good enough, in reaches.
        budget: how many passes over the chain there may be.

    Returns:
        The best pose, always inside the limits, and the number of passes made.
    """
    pose = at(problem, step(problem, begun, 0.0, True))
    error, before = pose.error, begun.error
    if error > before:
        pose, error = begun, before
    passes = 1
    quick = problem.limits is None and tolerance < error < LITTLE * before
    if quick and passes < budget:
        # What one step leaves is so little that two joints can take it exactly.
        closed = close_two(problem, pose)
        passes += 1
        if closed.error <= tolerance and largest_turn(pose, closed.bends) < FINE:
            return closed, passes
    if error <= ENOUGH * before:
        pose, passes = gauss_newton(problem, pose, tolerance, passes, budget)
    if pose.error <= tolerance or passes >= budget:
        return pose, passes
    return bend_in(problem, begun, pose, tolerance, passes, budget)


def bend_in(
    problem: Problem, begun: Pose, pose: Pose, tolerance: float, passes: int, budget: int
) -> tuple[Pose, int]:
    """Reach a target that is near from a pose next to which small steps do not lead there.

    Next to a stretched or folded pose only a bend well beyond first order does it: by more and
    shorter steps, or by two joints, whichever turns less.

    Args:
        problem: the links, their limits and the target.
        begun: the pose to move from.
        pose: where small steps have led from there.
        tolerance: distance from the target that is good enough, in reaches.
        passes: made before.
        budget: how many passes over the chain there may be.

    Returns:
        The best pose, and ``passes`` plus the number of passes made.
    """
    stepped, passes = gauss_newton(problem, begun, tolerance, passes, budget, DEVIOUS)
    tried = [pose, stepped]
    if passes < budget:
        tried.append(close_two(problem, begun, least=True))
        passes += 1

    def rank(pose: Pose) -> tuple[bool, float]:
        missed = pose.error > tolerance
        return missed, pose.error if missed else largest_turn(begun, pose.bends)

    return min(tried, key=rank), passes


def settle_near(
    problem: Problem,
    pose: Pose,
    start: Sequence[float],
    tolerance: float,
    passes: int,
    budget: int,
) -> tuple[Pose, int]:
    """Bring a pose that reaches a target nearer to the start, where that is near to the target.

    What is proven to reach it has joints at a limit, and others that need not have moved: along a
    path, that would be a larger jump than the end of a shape takes. From afar it is as good.

    Args:
        problem: the links, their limits and the target.
        pose: on the target.
        start: (n,) bends in rad to move from.
        tolerance: distance from the target that is good enough, in reaches.
        passes: made before.
        budget: how many passes over the chain there may be.

    Returns:
        The pose, and ``passes`` plus the number of passes made.
    """
    if problem.limits is None or not at(problem, start).error < NEAR:
        return pose, passes
    return ease_towards(problem, problem.limits, pose, start, tolerance, passes, budget)
