"""Inverse kinematics of three joints of which one slides or two, for a target and a tip angle.

In closed form: what :mod:`.three_bone` is for revolute joints, and :mod:`.tip_angle_closures` for
many targets. Derived in ``docs/solvers.md``, section 11. Lengths are in reaches; a pose is one
number per joint (see :mod:`.columns`).
"""

from __future__ import annotations

from cmath import rect
from collections.abc import Iterator, Sequence
from math import inf, sqrt

from ik2d_ros.kinematics.angles import SAME_MOVE, Limits, into_range, phase
from ik2d_ros.kinematics.proof.corners import SLACK
from ik2d_ros.kinematics.tip_angle.tip_angle_lines import FLAT


def sliding_three(
    lengths: Sequence[float],
    fixed: Sequence[float | None],
    limits: Limits,
    target: complex,
    heading: float,
    start: Sequence[float],
) -> list[float] | None:
    """Return the pose of three joints with the tip on the target and the last link so directed.

    Args:
        lengths: (3,) of the links of revolute joints.
        fixed: (3,) bends of prismatic joints in rad, None for revolute ones.
        limits: (3,) pairs (lower, upper) of each number.
        target: where the tip is to go.
        heading: direction of the last link in rad.
        start: (3,) numbers to move from, inside the limits.

    Returns:
        (3,) numbers, of all solutions those with the smallest largest joint move; None where there
        are none within the limits, or where a joint does nothing that others do not do.
    """
    best, least = None, inf
    for numbers in _solutions(lengths, fixed, target, heading):
        pose: list[float] = []
        for number, bend, (lower, upper), now in zip(numbers, fixed, limits, start, strict=True):
            if bend is None:
                allowed = into_range(number, lower, upper, now, SLACK)
            else:
                inside = lower - SLACK <= number <= upper + SLACK
                allowed = min(max(number, lower), upper) if inside else None
            if allowed is None:
                break
            pose.append(allowed)
        else:
            move = max(abs(number - now) for number, now in zip(pose, start, strict=True))
            if move < least - SAME_MOVE:
                best, least = pose, move
    return best


def _solutions(
    lengths: Sequence[float], fixed: Sequence[float | None], target: complex, heading: float
) -> Iterator[list[float]]:
    """Return numbers of the joints, limits ignored."""
    turning = [joint for joint, bend in enumerate(fixed) if bend is None]
    slides = [joint for joint, bend in enumerate(fixed) if bend is not None]
    if not turning:
        return
    first, last = turning[0], turning[-1]
    # What is before the first revolute joint has its direction from the base, what comes from the
    # last one on from the last link.
    before, after, ways = 0.0, heading, [0j] * 3
    for joint in range(first):
        before += fixed[joint] or 0.0
        ways[joint] = rect(1.0, before)
    for joint in range(2, last, -1):
        ways[joint] = rect(1.0, after)
        after -= fixed[joint] or 0.0
    span = target - rect(lengths[last], after)
    if first == last:
        one, two = (ways[joint] for joint in slides)
        across = _cross(one, two)
        if abs(across) > FLAT:
            numbers = [after - before] * 3
            numbers[slides[0]], numbers[slides[1]] = (
                _cross(span, two) / across,
                _cross(one, span) / across,
            )
            yield numbers
        return
    (slide,), length, bent = slides, complex(lengths[first]), 0.0
    between = first < slide < last
    if between:
        bent = fixed[slide] or 0.0
        ways[slide] = rect(1.0, bent)
    center, radius = (-length, abs(span)) if between else (span, length.real)
    seen = center * ways[slide].conjugate()
    if radius <= FLAT or abs(seen.imag) > radius + SLACK:
        return
    root = sqrt(max(0.0, (radius - seen.imag) * (radius + seen.imag)))
    for number in (seen.real + root, seen.real - root):
        moved = number * ways[slide]
        turned = phase(span) - phase(length + moved) if between else phase(span - moved)
        numbers = [number] * 3
        numbers[first], numbers[last] = turned - before, after - turned - bent
        yield numbers


def _cross(one: complex, two: complex) -> float:
    return (one.conjugate() * two).imag
