"""A pose of the chain as the solvers see it, and how far its tip is from the target.

Lengths are in units of the chain's reach, angles are bends (see :mod:`.chain`), points of the
plane are complex numbers, so that a rotation is one product.
"""

from __future__ import annotations

from cmath import rect
from collections.abc import Sequence
from itertools import accumulate
from operator import sub
from typing import NamedTuple

from ik2d_ros.kinematics.angles import Limits
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.columns import FixedBends, links

_new = tuple.__new__  # The same as to call a named tuple, in half of the time.

LENGTH_ROUNDING = 1e-15  # Of a sum of a few lengths, in reaches; what is shorter has no length.


class Problem(NamedTuple):
    """The task of a descent.

    Attributes:
        lengths: (n,) lengths of the links, in reaches.
        limits: (n,) pairs (lower, upper) of each bend in rad, infinite for a continuous joint; or
            None where all are continuous, which is faster.
        target: where the tip is to go, x + iy, in reaches.
        fixed: (n,) bends in rad of prismatic joints, None for revolute ones; or None where all are
            revolute. The numbers of prismatic joints are lengths, see :mod:`.columns`.
    """

    lengths: Sequence[float]
    limits: Limits | None
    target: complex
    fixed: FixedBends = None


class Pose(NamedTuple):
    """A pose of the chain, and its distance from the target.

    Attributes:
        bends: (n,) rad.
        points: (n + 1,) the joints and, last, the tip, in reaches.
        error: distance of the tip from the target, in reaches.
    """

    bends: list[float]
    points: list[complex]
    error: float


def problem_of(chain: Chain, target: complex) -> Problem:
    """Return the task of bringing the tip of a chain to a target in reaches."""
    lengths, limits, fixed = chain.task
    return _new(Problem, (lengths, limits, target, fixed))


def at(problem: Problem, bends: Sequence[float]) -> Pose:
    """Return the pose with these bends (n,) in rad."""
    lengths, _, target, fixed = problem
    turns = bends
    if fixed is not None:
        lengths, turns = links(fixed, lengths, bends)
    elif len(bends) == 3:  # The commonest of what has no closed form: in two thirds of the time.
        first, second, third = bends
        angle = first + second
        elbow = rect(lengths[0], first)
        wrist = elbow + rect(lengths[1], angle)
        tip = wrist + rect(lengths[2], angle + third)
        return _new(Pose, ([first, second, third], [0j, elbow, wrist, tip], abs(target - tip)))
    point = 0j
    points = [point]
    for link in map(rect, lengths, accumulate(turns)):
        point += link
        points.append(point)
    return _new(Pose, (list(bends), points, abs(target - point)))


def tip_at(lengths: Sequence[float], bends: Sequence[float], fixed: FixedBends = None) -> complex:
    """Return where the tip of links (n,) with these bends (n,) in rad is: :func:`at` for less."""
    if fixed is not None:
        lengths, bends = links(fixed, lengths, bends)
    return sum(map(rect, lengths, accumulate(bends)), 0j)


def largest_turn(pose: Pose, bends: Sequence[float]) -> float:
    """Return the largest turn in rad of a joint from the pose to these bends (n,) in rad."""
    largest: float = max(map(abs, map(sub, bends, pose.bends)))
    return largest


def error_of(pose: Pose) -> float:
    """Return the distance of the tip from the target, in reaches: to sort poses by."""
    return pose.error
