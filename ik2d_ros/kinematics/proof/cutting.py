"""Arcs and segments of an edge cut where they meet: of what is between two cuts, all is alike.

Pieces of the same circle, or of the same line, are first made one. A cut too many does no harm, so
whatever may be one is taken for one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import TURN
from ik2d_ros.kinematics.arrays import ComplexArray, Flags, FloatArray, Indices
from ik2d_ros.kinematics.proof.pieces import EdgePieces

WELD = 2e-6  # Reaches; what is shorter is a point.
_SAME = 1e-10  # Reaches; circles and lines that differ by less are one.
_ON = 1e-9  # Reaches; a point that is so near to a piece is on it.
_TOUCH = 1e-12  # Squared reaches; circles that overlap by no more have one point in common.


class Strokes(NamedTuple):
    """Arcs and segments, an element each: ``center + radius * exp(1j * to) + along * to``.

    Attributes:
        center: (a,) in reaches.
        radius: (a,) in reaches; 0 of a segment.
        along: (a,) unit vector along a segment; 0 of an arc.
        begin: (a,) ``to`` at one end: rad, of a segment reaches.
        length: (a,) how far it is to the other end, with a sign; a turn is a whole circle.
    """

    center: ComplexArray
    radius: FloatArray
    along: ComplexArray
    begin: FloatArray
    length: FloatArray

    def at(self, chosen: Flags | Indices | list[int]) -> Strokes:
        """Return some of them."""
        return Strokes(
            self.center[chosen],
            self.radius[chosen],
            self.along[chosen],
            self.begin[chosen],
            self.length[chosen],
        )

    def points(self, to: FloatArray) -> ComplexArray:
        """Return one point of each."""
        arc: ComplexArray = self.center + self.radius * np.exp(1j * to)
        return arc + self.along * to

    @property
    def sizes(self) -> FloatArray:
        """(a,) how long they are, in reaches."""
        sizes: FloatArray = np.where(self.radius > 0.0, self.radius, 1.0) * np.abs(self.length)
        return sizes


def strokes_of(pieces: EdgePieces) -> Strokes:
    """Return the pieces of an edge that are longer than a point, those of one circle as one."""
    along = pieces.along
    back = (along.imag < -_ON) | ((np.abs(along.imag) <= _ON) & (along.real < 0.0))
    begin = np.where(back, -pieces.begin - pieces.length, pieces.begin)
    along = np.where(back, -along, along)
    # A line is given by its point that is nearest to the origin.
    ahead = (pieces.center * along.conj()).real
    given = Strokes(
        pieces.center - ahead * along,
        pieces.radius,
        along,
        begin + ahead,
        np.minimum(pieces.length, TURN),
    )
    given = given.at(given.sizes > WELD)
    left: Flags = np.ones(len(given.center), dtype=np.bool_)
    found: list[Strokes] = []
    while left.any():
        one = given.at([int(left.argmax())])
        same = left & (np.abs(given.center - one.center) <= _SAME)
        same &= np.abs(given.radius - one.radius) <= _SAME
        same &= np.abs(given.along - one.along) <= _SAME
        left &= ~same
        found += [
            one._replace(begin=np.array([start]), length=np.array([length]))
            for start, length in _united(given.at(same), bool(one.radius[0] > 0.0))
        ]
    return _joined(found)


def _united(strokes: Strokes, turns: bool) -> list[tuple[float, float]]:
    """Return where the union of some on the same circle or line begins, and how far it goes."""
    gap = _ON / float(strokes.radius[0]) if turns else _ON
    begin = strokes.begin % TURN if turns else strokes.begin
    ranges: list[tuple[float, float]] = []
    for start, length in sorted(zip(begin.tolist(), strokes.length.tolist(), strict=True)):
        if ranges and start <= ranges[-1][0] + ranges[-1][1] + gap:
            first, extent = ranges.pop()
            ranges.append((first, max(extent, start + length - first)))
        else:
            ranges.append((start, length))
    while turns and len(ranges) > 1 and sum(ranges[-1]) + gap >= ranges[0][0] + TURN:
        first, extent = ranges.pop(0)
        start, length = ranges.pop()
        ranges.append((start, max(length, first + TURN + extent - start)))
    if turns and ranges[-1][1] >= TURN - gap:
        return [(0.0, TURN)]
    return ranges


def _joined(parts: list[Strokes]) -> Strokes:
    if parts:
        return Strokes(*(np.concatenate(values) for values in zip(*parts, strict=True)))
    none, nothing = np.zeros(0), np.zeros(0, complex)
    return Strokes(nothing, none, nothing, none, none)


def cut(strokes: Strokes) -> Strokes:
    """Return what is between the points where strokes meet others, end or are touched."""
    ends = np.concatenate(
        [strokes.points(strokes.begin), strokes.points(strokes.begin + strokes.length)]
    )
    parts = []
    for k in range(len(strokes.center)):
        one = strokes.at([k])
        met = _meetings(one, strokes)
        points = np.concatenate([met[_is_on(strokes, met)], ends[_away(one, ends) <= _ON]])
        places = _cuts(one, points)
        begin, length = places[:-1], np.diff(places)
        count = len(begin)
        parts.append(
            Strokes(
                np.repeat(one.center, count),
                np.repeat(one.radius, count),
                np.repeat(one.along, count),
                begin,
                length,
            )
        )
    return _joined(parts)


def _cuts(one: Strokes, points: ComplexArray) -> FloatArray:
    """Return (c + 1,) where a stroke is cut, its own ends the first and last."""
    begin, length, radius = float(one.begin[0]), float(one.length[0]), float(one.radius[0])
    scale = radius or 1.0
    if radius:
        to = begin + (np.angle(points - one.center) - begin) % TURN
    else:
        to = ((points - one.center) * one.along.conj()).real
    to.sort()
    if length >= TURN and len(to):  # A whole circle is cut from its first point to the same.
        begin = float(to[0])
    places = [begin]
    for place in to.tolist():
        if scale * min(place - places[-1], begin + length - place) > WELD:
            places.append(place)
    return np.array([*places, begin + length])


def _away(one: Strokes, points: ComplexArray) -> FloatArray:
    """Return how far points are from the circle or the line of a stroke."""
    spans = points - one.center
    if one.radius[0]:
        return np.abs(np.abs(spans) - one.radius)
    return np.abs((spans * one.along.conj()).imag)


def _is_on(strokes: Strokes, points: ComplexArray) -> Flags:
    """Return whether points (2, a) of circles or lines are on the strokes, more or less."""
    spans = points - strokes.center
    arc = strokes.radius > 0.0
    slack = WELD / np.where(arc, strokes.radius, 1.0)
    after = np.where(
        arc,
        (np.angle(spans) - strokes.begin + slack) % TURN - slack,
        (spans * strokes.along.conj()).real - strokes.begin,
    )
    # A comparison with NaN, where nothing is met, is false.
    return np.asarray((-slack <= after) & (after <= strokes.length + slack))


def _meetings(one: Strokes, others: Strokes) -> ComplexArray:
    """Return (2, a) where the circle or line of one meets those of others; NaN where it does not.

    Circles that all but touch do so in one point.
    """
    span = others.center - one.center
    away = np.abs(span)
    with np.errstate(divide='ignore', invalid='ignore'):
        if one.radius[0]:
            # The foot of the centre on the common chord, or on the line.
            ahead = (one.radius**2 - others.radius**2 + away**2) / (2.0 * away)
            way = span / away
            height = (span * others.along.conj()).imag
            line = others.radius == 0.0
            ahead = np.where(line, height, ahead)
            way = np.where(line, 1j * others.along, way)
            half = _half_chord(one.radius**2 - ahead**2)
            foot = one.center + ahead * way
            return np.stack([foot + 1j * way * half, foot - 1j * way * half])
        height = -(span * one.along.conj()).imag
        foot = others.center + 1j * one.along * height
        half = _half_chord(others.radius**2 - height**2)
        line = others.radius == 0.0
        slope = (others.along * one.along.conj()).imag
        crossed = others.center + others.along * height / np.where(
            np.abs(slope) > _ON, slope, np.nan
        )
        return np.stack(
            [
                np.where(line, crossed, foot + one.along * half),
                np.where(line, np.nan, foot - one.along * half),
            ]
        )


def _half_chord(square: FloatArray) -> FloatArray:
    """Return the root of what it is the square of, NaN where that is negative."""
    touches = np.abs(square) <= _ON
    return np.where(touches & (square <= _TOUCH), 0.0, np.sqrt(square))
