"""The closed form for two joints (see :mod:`.two_bone`) on arrays of targets.

Lengths are in any one unit, angles are bends (see :mod:`.chain`). Arrays have one element for each
target.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.angles import ANGLE_ROUNDING, SAME_MOVE, Limits, into_range_many
from ik2d_ros.kinematics.arrays import Flags, FloatArray
from ik2d_ros.kinematics.closed_form.two_bone import SAME_DISTANCE, closest
from ik2d_ros.kinematics.tuning import FEW_CLOSEST

BendPairs = tuple[FloatArray, FloatArray]


def two_bone_free(
    lengths: Sequence[float], places: FloatArray, pair: FloatArray, spare: FloatArray
) -> NDArray[np.bool_] | None:
    """Turn targets into bends without limits; the elbow bends to the side of the sign of ``y``.

    With the distance d, ``s = sqrt(((l1 + l2)^2 - d^2) (d^2 - (l1 - l2)^2))`` is ``2 l1 l2`` times
    the sine of the elbow's bend and ``d^2 - l1^2 - l2^2`` is as much its cosine. The shoulder leads
    the target by the angle of ``l1 + l2 exp(i elbow)``, which is that of
    ``d^2 + l1^2 - l2^2 + i s``: turning the target back by it is one complex product. Two arc
    tangents, one root, no division. What rounding takes from ``s`` near the edges of the annulus
    does not move the tip, for there a little more bend hardly changes the distance. Outside the
    annulus ``s`` is no number.

    Each line is a pass over memory, and they are what takes the time: there are as few as can be,
    and all but the first and the arc tangents keep to what is in the cache.

    Args:
        lengths: (2,) lengths of the links, above 0; digits are lost where one is less than a
            thousandth of the other.
        places: (2, m) x and y of the targets.
        pair: (2, m) for the shoulder's and the elbow's bends in rad, at most half a turn each.
        spare: (5, m) to work in.

    Returns:
        Which of the bends are not to be used: where the target is on the edge of the annulus or
        outside it, or not finite, or so near to the x-axis that rounding picks the side (and maybe
        where it is next to both); None where none are.
    """
    first, second = lengths
    outer, inner = first + second, first - second
    shoulder, elbow = pair
    x, y, square, sine, other = spare
    # Read once: next to each other, numbers take half the time in all that follows.
    np.copyto(x, places[0])
    np.copyto(y, places[1])
    np.multiply(x, x, out=square)
    np.multiply(y, y, out=other)
    square += other
    np.subtract(outer * outer, square, out=sine)
    np.subtract(square, inner * inner, out=other)
    sine *= other
    np.sqrt(sine, out=sine)
    np.copysign(sine, y, out=sine)
    np.subtract(square, first * first + second * second, out=other)
    np.arctan2(sine, other, out=elbow)
    np.multiply(y, sine, out=other)
    # Of two factors that are not negative: where either is next to nothing, this is, too.
    least = SAME_MOVE * outer * (2.0 * first * second)
    away = None if other.min() > least else ~(other > least)
    square += inner * outer
    sine *= x
    x *= square
    x += other
    y *= square
    y -= sine
    np.arctan2(y, x, out=shoulder)
    return away


def elbow_bend_many(
    first: float | FloatArray, second: float | FloatArray, distance: FloatArray
) -> FloatArray:
    """Do what :func:`.reach.elbow_bend` does, element by element."""
    a, b = np.maximum(first, second), np.minimum(first, second)
    to_stretched = (a - distance) + b
    from_folded = np.where(b >= distance, distance - (a - b), b - (a - distance))
    bend: FloatArray = 2.0 * np.arctan2(
        np.sqrt(np.maximum(to_stretched, 0.0) * (a + (b + distance))),
        np.sqrt(np.maximum(from_folded, 0.0) * (distance + (a - b))),
    )
    return bend


def two_bone_many(
    lengths: Sequence[float],
    limits: Limits,
    x: FloatArray,
    y: FloatArray,
    start: BendPairs,
    bend: str,
) -> BendPairs:
    """Do what :func:`.two_bone.two_bone` does, for many targets.

    Args:
        lengths: (2,) lengths of the links.
        limits: (2,) pairs (lower, upper) of each bend in rad, infinite for none.
        x: targets.
        y: targets.
        start: bends in rad to move from, inside the limits.
        bend: ``nearest``, ``positive`` or ``negative``.

    Returns:
        The shoulder's and the elbow's bends in rad, inside the limits.
    """
    best, found = reaching_many(lengths, limits, x, y, start, bend)
    if not found.all():
        rest = np.flatnonzero(~found)
        some = (start[0][rest], start[1][rest])
        if len(rest) < FEW_CLOSEST:
            for k in rest.tolist():
                target, begun = complex(x[k], y[k]), (float(start[0][k]), float(start[1][k]))
                best[0][k], best[1][k] = closest(lengths, limits, target, begun)
            return best
        for at, nearer in zip(
            best, _closest_many(lengths, limits, x[rest], y[rest], some), strict=True
        ):
            at[rest] = nearer
    return best


def reaching_many(
    lengths: Sequence[float],
    limits: Limits,
    x: FloatArray,
    y: FloatArray,
    start: BendPairs,
    bend: str,
    rounding: float = ANGLE_ROUNDING,
) -> tuple[BendPairs, Flags]:
    """Return what :func:`two_bone_many` does, the start where limits forbid it, and where not.

    What is outside of a limit by no more than the rounding, in rad, is at it.
    """
    elbows = [start[1]]  # With a link of no length it changes nothing but the shoulder's zero.
    if all(lengths):
        elbow = elbow_bend_many(lengths[0], lengths[1], np.hypot(x, y))
        elbows = [-elbow, elbow] if bend == 'negative' else [elbow, -elbow]
    sides = [(_shoulder_many(lengths, x, y, elbow, start), elbow) for elbow in elbows]
    best, found = start, np.zeros(len(x), dtype=np.bool_)
    for pose in sides:
        turned, allowed = _fit_many(pose, limits, start, rounding)
        # The asked bend where it is allowed; for 'nearest', the smallest largest move.
        wins = allowed & ~found
        if bend == 'nearest' and found.any():
            wins |= allowed & moves_less_many(turned, best, start)
        best = _replaced(best, turned, wins)
        found |= allowed
    return best, found


def _shoulder_many(
    lengths: Sequence[float], x: FloatArray, y: FloatArray, elbow: FloatArray, start: BendPairs
) -> FloatArray:
    along, across = lengths[0] + lengths[1] * np.cos(elbow), lengths[1] * np.sin(elbow)
    anywhere = ((x == 0.0) & (y == 0.0)) | ((along == 0.0) & (across == 0.0))
    return np.where(anywhere, start[0], np.arctan2(y, x) - np.arctan2(across, along))


def _fit_many(
    pose: BendPairs, limits: Limits, start: BendPairs, rounding: float = ANGLE_ROUNDING
) -> tuple[BendPairs, NDArray[np.bool_]]:
    """Return the pose in the turns nearest to the start, and where the limits allow it."""
    shoulder, shoulder_allowed = into_range_many(pose[0], *limits[0], start[0], rounding)
    elbow, elbow_allowed = into_range_many(pose[1], *limits[1], start[1], rounding)
    return (shoulder, elbow), shoulder_allowed & elbow_allowed


def moves_less_many(pose: BendPairs, other: BendPairs, start: BendPairs) -> NDArray[np.bool_]:
    """Return whether a pose moves the joints less than another one, by more than rounding."""
    moves = np.abs(pose[0] - start[0]), np.abs(pose[1] - start[1])
    others = np.abs(other[0] - start[0]), np.abs(other[1] - start[1])
    large, small = np.maximum(*moves), np.minimum(*moves)
    other_large, other_small = np.maximum(*others), np.minimum(*others)
    less: NDArray[np.bool_] = np.where(
        np.abs(large - other_large) > SAME_MOVE,
        large < other_large,
        small < other_small - SAME_MOVE,
    )
    return less


def _replaced(poses: BendPairs, by: BendPairs, where: NDArray[np.bool_]) -> BendPairs:
    return np.where(where, by[0], poses[0]), np.where(where, by[1], poses[1])


def _closest_many(
    lengths: Sequence[float], limits: Limits, x: FloatArray, y: FloatArray, start: BendPairs
) -> BendPairs:
    same = SAME_DISTANCE * (lengths[0] + lengths[1])
    best, closest = start, np.full_like(x, np.inf)
    for pose in _candidates_many(lengths, limits, x, y, start):
        turned, allowed = _fit_many(pose, limits, start)
        distance = _tip_distance_many(lengths, turned, x, y)
        wins = allowed & (
            (distance < closest - same)
            | ((distance <= closest + same) & moves_less_many(turned, best, start))
        )
        best, closest = _replaced(best, turned, wins), np.where(wins, distance, closest)
    return best


def _tip_distance_many(
    lengths: Sequence[float], pose: BendPairs, x: FloatArray, y: FloatArray
) -> FloatArray:
    """Return the distances from the tips to the targets, by forward kinematics."""
    world = pose[0] + pose[1]
    away: FloatArray = np.hypot(
        lengths[0] * np.cos(pose[0]) + lengths[1] * np.cos(world) - x,
        lengths[0] * np.sin(pose[0]) + lengths[1] * np.sin(world) - y,
    )
    return away


def _candidates_many(
    lengths: Sequence[float], limits: Limits, x: FloatArray, y: FloatArray, start: BendPairs
) -> Iterator[BendPairs]:
    shoulders = [np.full_like(x, end) for end in limits[0] if np.isfinite(end)]
    elbows = [np.full_like(x, end) for end in limits[1] if np.isfinite(end)]
    for elbow in (*elbows, np.zeros_like(x), np.full_like(x, np.pi)):
        yield _shoulder_many(lengths, x, y, elbow, start), elbow
    for shoulder in shoulders:
        to_x, to_y = x - lengths[0] * np.cos(shoulder), y - lengths[0] * np.sin(shoulder)
        anywhere = (to_x == 0.0) & (to_y == 0.0)
        yield shoulder, np.where(anywhere, start[1], np.arctan2(to_y, to_x) - shoulder)
        for elbow in elbows:
            yield shoulder, elbow
    yield start
