"""Closing a chain by three joints of which one slides or two: lines that meet a circle, or a line.

Derived in ``docs/solvers.md``, section 11. Lengths are in reaches, angles are bends (see
:mod:`.chain`), points are complex.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeVar

import numpy as np

from ik2d_ros.kinematics.angles import wrapped
from ik2d_ros.kinematics.arrays import ComplexArray, Flags, FloatArray, Indices
from ik2d_ros.kinematics.proof.corners import SLACK
from ik2d_ros.kinematics.tip_angle.tip_angle_closures import Closures, Kinds, across, turning
from ik2d_ros.kinematics.tip_angle.tip_angle_lines import FLAT, LEANS
from ik2d_ros.kinematics.tip_angle.tip_angle_triangles import LOOSE
from ik2d_ros.kinematics.tuning import WORTH_SIDING

_Numbers = TypeVar('_Numbers', FloatArray, ComplexArray)


class Known(NamedTuple):
    """What is known for each closure and target, (e, m) or what broadcasts to that.

    Attributes:
        span: from the first joint to the target, in reaches.
        before: heading before the first joint in rad.
        ahead: unit vector of that.
        last: heading of the last link in rad, and
        behind: unit vector of that; or 0.
    """

    span: ComplexArray
    before: FloatArray
    ahead: ComplexArray
    last: FloatArray
    behind: ComplexArray


class Closed(NamedTuple):
    """Numbers of the three joints that close the chain, an element each.

    Attributes:
        entry: (c,) which closure.
        which: (c,) which target.
        numbers: (3, c) of the three joints in rad, or reaches; those of slides within the limits.
        strayed: (c,) how far slides were outside, in reaches.
    """

    entry: Indices
    which: Indices
    numbers: FloatArray
    strayed: FloatArray


def closed(
    kinds: Kinds,
    table: Closures,
    known: Known,
    lower: FloatArray,
    upper: FloatArray,
    alone: bool,
    loosely: tuple[float, float],
    worth: Callable[[Indices, Indices], Flags] | None = None,
) -> Iterator[Closed]:
    """Return numbers of the joints that close the chain; limits of revolute joints are ignored.

    Args:
        kinds: of the three joints.
        table: closures of that kind.
        known: what is known of targets.
        lower: (n + 1,) limits of joints, and of the tip.
        upper: the same.
        alone: whether nothing else makes up for slides that are parallel.
        loosely: by how much distances may be missed, and limits of slides, in reaches.
        worth: tells which closures and targets are worth it; all by default.
    """
    least, most = turning(kinds)
    near, loose = loosely
    # What does not depend on targets is a column, mostly.
    rigid = known.ahead * table.ahead[:, None] + known.behind * table.behind[:, None]
    span = known.span - rigid
    ways = [
        way[:, None]
        * (known.ahead if joint < least else known.behind if joint > most else np.ones((1, 1)))
        for joint, way in enumerate(table.ways)
    ]
    slides = [joint for joint in range(3) if not kinds[joint]]
    along = [ways[slide] for slide in slides]
    ends = [(lower[table.joints[k]][:, None], upper[table.joints[k]][:, None]) for k in slides]
    if len(slides) == 2:
        tried = _two_lines(span, along, ends, alone, loose)
    else:
        between = table.between[:, None]
        if most == least + 1:
            circle = span, np.abs(between)
            met = _met(table, span * along[0].conj(), circle[1], near + SLACK, loose)
        else:
            circle = -between, np.abs(span)
            met = _spanned(table, span, along[0], known.before, circle[1], (near + SLACK, loose))
        if worth is not None:
            some = np.flatnonzero(worth(*met))
            met = met[0][some], met[1][some]
        tried = _line_and_circle(met, circle, along[0], ends[0], loose)
    for entry, which, numbers in tried:
        if not len(entry):
            continue
        found, strayed = np.zeros((3, len(entry))), np.zeros(len(entry))
        left, place = span[entry, which], table.between[entry]
        for joint, number in zip(slides, numbers, strict=True):
            at = table.joints[joint, entry]
            found[joint] = np.clip(number, lower[at], upper[at])
            strayed = np.maximum(strayed, np.abs(number - found[joint]))
            moved = found[joint] * _picked(ways[joint], entry, which)
            if least < joint < most:
                place = place + moved
            else:
                left = left - moved
        before = _picked(known.before, entry, which) + table.leads[0, entry]
        after = _picked(known.last, entry, which) - table.leads[2, entry]
        if least == most:
            found[least] = after - before
        else:
            turned = np.angle(left) - np.angle(place)
            found[least] = turned - before
            found[most] = after - turned - table.leads[1, entry]
        yield Closed(entry, which, found, strayed)


# Which closures (c,) for which targets (c,), and numbers (c,) of each joint that slides.
_Tried = Iterator[tuple[Indices, Indices, list[FloatArray]]]

# (e, 1) limits of a slide.
_Ends = tuple[FloatArray, FloatArray]


def _two_lines(
    span: ComplexArray, ways: list[ComplexArray], ends: list[_Ends], alone: bool, loose: float
) -> _Tried:
    """Return how far to slide in two directions, within limits, for a sum (e, m)."""
    one, two = ways
    crossed = np.broadcast_to(across(one, two), span.shape)
    apart: Flags = np.abs(crossed) > FLAT
    found: list[tuple[list[FloatArray], Flags]] = []
    if alone and not apart.all():
        # Parallel: one of them can be at a limit, and the other goes to the foot from there.
        for end in zip(*ends, strict=True):
            first, second = (np.broadcast_to(each, span.shape) for each in end)
            for numbers in (
                [first, ((span - first * one) * two.conj()).real],
                [((span - second * two) * one.conj()).real, second],
            ):
                left = np.abs(span - numbers[0] * one - numbers[1] * two)
                found.append((numbers, ~apart & (left <= LOOSE)))
    crossed = np.where(apart, crossed, 1.0)
    found.append(([across(span, two) / crossed, across(one, span) / crossed], apart))
    for numbers, can in found:
        inside = [
            (lower - loose <= number) & (number <= upper + loose)
            for number, (lower, upper) in zip(numbers, ends, strict=True)
        ]
        entry, which = np.nonzero(np.logical_and.reduce([can, *inside]))
        yield entry, which, [number[entry, which] for number in numbers]


# Which closures (c,), and which targets (c,).
_Pairs = tuple[Indices, Indices]


def _met(
    table: Closures, seen: ComplexArray, length: FloatArray, near: float, loose: float
) -> _Pairs:
    """Return which closures have room for a point (e, m), as their slides at an end see it.

    By how much limits and distances are missed, the point may be off.
    """
    least, most = (each[:, :, None] for each in table.room)
    margin = near + loose * (1.0 + length)
    can = np.maximum(least[1] - margin, -length - near) <= seen.imag
    can &= seen.imag <= np.minimum(most[1] + margin, length + near)
    can &= least[0] - margin <= seen.real
    can &= seen.real <= most[0] + margin
    return _pairs(can)


def _spanned(
    table: Closures,
    span: ComplexArray,
    way: ComplexArray,
    before: FloatArray,
    distance: FloatArray,
    loosely: tuple[float, float],
) -> _Pairs:
    """Return which closures have room for what is to be spanned, with slides between joints.

    The distance (e, m) is no less than how far the line is from the first joint, wherever the slide
    is. The direction is one that the first joint can take.
    """
    near, loose = loosely
    least, most = (each[0][:, None] for each in table.room)
    least = np.maximum(least - near - loose, np.abs(across(table.between[:, None], way)) - near)
    entry, which = _pairs((least <= distance) & (distance <= most + (near + loose)))
    if len(entry) <= WORTH_SIDING:
        return entry, which
    least, most = (each[1][entry] for each in table.room)
    half = 0.5 * (most - least)
    with np.errstate(invalid='ignore'):  # Where any direction will do.
        off = np.angle(span[entry, which]) - _picked(before, entry, which) - (least + half)
        on = ~(np.abs(wrapped(off)) > half + (loose + LEANS))
    return entry[on], which[on]


def _pairs(can: Flags) -> _Pairs:
    entry, which = np.divmod(np.flatnonzero(can), can.shape[1])
    return entry, which


def _line_and_circle(
    met: _Pairs,
    circle: tuple[ComplexArray, FloatArray],
    way: ComplexArray,
    ends: _Ends,
    loose: float,
) -> _Tried:
    """Return how far to slide from 0, within limits, for a distance from a point.

    Args:
        met: which closures and targets.
        circle: the point and the distance, in reaches, (e, m) or what broadcasts to that.
        way: direction of the slide, likewise.
        ends: limits of the slide.
        loose: how far outside the limits the slide may be.
    """
    entry, which = met
    if not len(entry):
        return
    center, radius = _picked(circle[0], entry, which), _picked(circle[1], entry, which)
    seen = center * _picked(way, entry, which).conj()
    ahead, aside = seen.real, seen.imag
    lower, upper = ends
    root = np.sqrt(np.maximum(0.0, (radius - aside) * (radius + aside)))
    least, most = lower[entry, 0] - loose, upper[entry, 0] + loose
    for number in (ahead + root, ahead - root):
        some = np.flatnonzero((least <= number) & (number <= most))
        yield entry[some], which[some], [number[some]]


def _picked(values: _Numbers, entry: Indices, which: Indices) -> _Numbers:
    """Return some of what broadcasts to (e, m): for less than that takes."""
    if values.ndim == 1:
        values = values[None]
    rows, columns = values.shape
    if rows == columns == 1:
        return np.repeat(values[0], len(entry))
    if rows == 1 or columns == 1:
        return values.ravel().take(which if rows == 1 else entry)
    if not values.flags.c_contiguous:
        return np.asarray(values[entry, which])
    return values.ravel().take(entry * columns + which)


def flat(kinds: Kinds, table: Closures, known: Known) -> tuple[Indices, Indices]:
    """Return which closures come in families for which targets, as a joint moves nothing alone.

    Args:
        kinds: of the three joints; slides that are parallel are not meant.
        table: closures of that kind.
        known: what is known of targets.
    """
    least, most = turning(kinds)
    if most == least:
        return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
    length = np.abs(table.between)[:, None]
    if most == least + 1 and not (length <= FLAT).any():
        return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
    if most > least + 1:
        # Only what leaves room for no distance: few chains have any.
        some = np.flatnonzero(table.room.least[0] <= 2.0 * LOOSE)
        if not len(some):
            return some, some
        span = known.span - known.ahead * table.ahead[:, None]
        length = np.abs(span - known.behind * table.behind[:, None])
        length[table.room.least[0] > 2.0 * LOOSE] = np.inf
    entry, which = np.nonzero(
        np.broadcast_to(length <= FLAT, (len(table.ahead), known.span.shape[1]))
    )
    return entry, which
