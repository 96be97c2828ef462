"""The lines of a chain: all ways in which free joints are in a row, the others held at limits.

Where the end of a chain is nearest to a point, or at the edge of what it can reach, every joint is
held, or its pivot lies on one straight line with those of all others that are not. A line is one
such choice, from one free joint to the end: a constant of the chain. It is made of *parts*, rigid
from one free joint to the next; each points on along the line, or back (doc/solvers.md,
section 8).
"""

from __future__ import annotations

import math
import time
from array import array
from cmath import phase, rect
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ik2d_ros.kinematics.kernel import buffers, points
from ik2d_ros.kinematics.kernel.annulus import annulus
from ik2d_ros.kinematics.kernel.joint_table import Link

AT_PIVOT = 1e-6  # Share of the largest distance; a smaller one may be 0 but for rounding.
WAYS_AT_ONCE = 64  # Then other threads get their turn, which takes as long as some ways.
NONE = -1  # instead of an index

# A joint at one of two limits: its index, which limit (-1 lower, 1 upper), and its pivot. Of a
# slide, no index, and the direction in which it slides, turned to the left.
Held = tuple[int, int, complex]
# Joints held up to one: its index; chord, heading and values as of a `Part`; those at limits; the
# slide at its foot, or none, and the direction in which it slides.
Way = tuple[int, complex, float, tuple[float, ...], tuple[Held, ...], int, complex]


class Part(NamedTuple):
    """Joints held at limits, from a joint up to the free one or end that it leads to.

    Attributes:
        chord: from its first pivot to its last, in its first link's frame; heading: of its last
            link.
        values: of its joints.
        longest, shortest: whether no move of its joints off their limits makes it longer, or
            shorter.
    """

    to: int
    chord: complex
    heading: float
    values: tuple[float, ...]
    longest: bool
    shortest: bool


class Line(NamedTuple):
    """Free joints in a row, from joint f to the end.

    Attributes:
        span: its length.
        direction: of the end in link f's frame in rad; heading: of the last link there.
        values: of the joints after f.
        longest, shortest: whether no small move of the joints after f makes it longer, or shorter:
            of the free ones to second order, of held ones to first.
    """

    span: float
    direction: float
    heading: float
    values: tuple[float, ...]
    longest: bool = False
    shortest: bool = False


class Rail(NamedTuple):
    """The straight line on which a free slide f moves the end, in reaches: how far ahead and left.

    That is seen from its pivot with the slide at 0; values are those of the joints after f.
    """

    ahead: float
    aside: float
    values: tuple[float, ...]


class Lines:
    """The lines and rails from each joint to some ends, as tables that C reads.

    A joint has lines if it is revolute, rails if it slides; both are numbered in one sequence. Of
    several ends, all but the last are free joints that turn.

    Attributes:
        enumerated_from: the first joint with lines; 0 if all joints have theirs.
        first_row: number of the first row of each end; a row is of one joint and one end.
        first: number of the first line of each row.
        span, direction: of each line; ahead, aside: of each rail; 0 of the other kind.
        values: of all joints in each line; only the joints between f and the end count.
        nearest, farthest: bounds of the end's distance from the joint's pivot, of each row.
        centre, radius: x and y, and the radius, of a disc that the end stays in, seen from the link
            before the joint, of each row.
    """

    def __init__(self, links: Sequence[Link], ends: Sequence[int], enumerated_from: int) -> None:
        self.enumerated_from = enumerated_from
        first_row = [0] * (len(links) + 1)
        first: list[int] = []
        bounds: list[tuple[float, float, complex, float]] = []
        sides: list[tuple[float, float, float, float]] = []
        values: list[float] = []
        last = max(ends)
        held = [parts(links, f, last) if f >= enumerated_from else [] for f in range(last)]
        for end in ends:
            first_row[end] = len(first)
            found = lines(links, end, held)
            for f, from_slide in enumerate(rails(links, end, found, held)):
                first.append(len(sides))
                centre, radius = disc(links[f:end])
                near, far = distances(links[f:end], found[f], abs(centre) - radius)
                bounds.append((near, far, centre, radius))
                sides += [(line.span, line.direction, 0.0, 0.0) for line in found[f]]
                sides += [(0.0, 0.0, rail.ahead, rail.aside) for rail in from_slide]
                rows: list[Line | Rail] = [*found[f], *from_slide]
                for row in rows:
                    values += [*[0.0] * (f + 1), *row.values, *[0.0] * (len(links) - end)]
        columns = [array('d', column) for column in zip(*sides)] or [array('d') for _ in range(4)]
        self.arrays: list[Any] = []
        self.first_row = buffers.integers(array('i', first_row), self.arrays)
        self.first = buffers.integers(array('i', first), self.arrays)
        self.span = buffers.doubles(columns[0], self.arrays)
        self.direction = buffers.doubles(columns[1], self.arrays)
        self.ahead = buffers.doubles(columns[2], self.arrays)
        self.aside = buffers.doubles(columns[3], self.arrays)
        self.values = buffers.doubles(array('d', values), self.arrays)
        nearest, farthest, discs, radii = zip(*bounds)
        centres = [part for centre in discs for part in (centre.real, centre.imag)]
        self.nearest = buffers.doubles(array('d', nearest), self.arrays)
        self.farthest = buffers.doubles(array('d', farthest), self.arrays)
        self.centre = buffers.doubles(array('d', centres), self.arrays)
        self.radius = buffers.doubles(array('d', radii), self.arrays)


def parts(links: Sequence[Link], f: int, end: int) -> list[Part]:
    """Return all ways to hold joints after a free one, up to each free one and to the end.

    From a joint that turns, one slide may be at its foot instead, where the chord is shortest;
    parts that small moves make longer and shorter are left out.
    """
    from_slide = links[f].slides
    found: list[Part] = []
    holds = [[(value, *link.bend_and_length(value)) for value in link.limits] for link in links]
    begin = 0j if from_slide else complex(links[f].fixed)
    waiting: list[Way] = [(f + 1, begin, 0.0, (), (), NONE, 0j)] if links[f].movable else []
    tried = 0
    while waiting:
        tried += 1
        if tried % WAYS_AT_ONCE == 0:
            time.sleep(0)
        j, chord, heading, values, held, foot, along = way = waiting.pop()
        if j == end or (links[j].movable and not links[j].slides):
            longest, shortest = _extremes(chord, held)
            if foot != NONE:
                found += _put_at_foot(links[foot], way)
            elif longest or shortest or from_slide:
                found.append(Part(j, chord, heading, values, longest, shortest))
        if j == end:
            continue
        link = links[j]
        if link.slides and link.movable and foot == NONE and not from_slide:
            turned = heading + link.fixed
            waiting.append((j + 1, chord, turned, (*values, math.nan), held, j, rect(1.0, turned)))
        side = len(holds[j]) - 1  # the upper limit comes first; of a fixed joint there is none
        for value, bend, length in reversed(holds[j]):
            turned = heading + bend
            out = rect(1.0, turned)
            at = (NONE, side, 1j * out) if link.slides else (j, side, chord)
            now = (*held, at) if side else held
            onward = chord + length * out
            waiting.append((j + 1, onward, turned, (*values, value), now, foot, along))
            side = -side
    return found


def _put_at_foot(link: Link, way: Way) -> list[Part]:
    """Return the part with a slide at its foot, if its limits allow that and it is shortest."""
    to, chord, heading, values, held, slide, along = way
    x = -(chord * along.conjugate()).real
    # Pivots distal to the slide move with it.
    moved = [(j, side, at + x * along if j > slide else at) for j, side, at in held]
    _, shortest = _extremes(chord + x * along, moved)
    values = tuple(x if math.isnan(value) else value for value in values)
    part = Part(to, chord + x * along, heading, values, False, shortest)
    return [part] if shortest and link.lower <= x <= link.upper else []


def _extremes(chord: complex, held: Sequence[Held]) -> tuple[bool, bool]:
    """Tell whether no move of joints off their limits makes a chord longer, or shorter.

    With the chord as x-axis, turning a pivot at (x, y) by dq makes the chord longer by y dq, a
    slide along (u, v) by u dq; off an upper limit dq is negative.
    """
    back = chord.conjugate() / abs(chord) if abs(chord) >= points.TINY else complex(1.0)
    pushes = [0.0, *[side * (at * back).imag for _, side, at in held]]
    return min(pushes) >= -points.TINY, max(pushes) <= points.TINY


def lines(links: Sequence[Link], end: int, held: list[list[Part]]) -> list[list[Line]]:
    """Return the lines from each joint to the end that no small move makes longer, or shorter."""
    found: list[list[Line]] = [[] for _ in range(end + 1)]
    for f in range(end - 1, -1, -1):
        for part in held[f]:
            # Two free joints in one place can turn on to a limit of one of them.
            joined = [links[f], *links[part.to : end][:1]]
            is_line = abs(part.chord) >= points.TINY or not any(link.limits for link in joined)
            if part.to <= end and is_line and not links[f].slides:
                found[f] += _lines_from(links, end, part, found[part.to])
    return found


def _lines_from(links: Sequence[Link], end: int, part: Part, rest: list[Line]) -> Iterator[Line]:
    r"""Yield the lines that begin with a part: it alone, or joined to each of the rest after it.

    Turning parts of the signed lengths a by small angles y changes the length of their sum by

    .. math:: -\tfrac12 \sum a_k (y_k - \bar y)^2, \qquad \bar y = \sum a_k y_k / \sum a_k ,

    which is never positive if all parts point on, and never negative if one points on and all
    others back. So the longest lines have all parts on, each as long as its held joints allow; in
    the shortest one part outweighs all others, which point back and are as long as they can be.
    """
    chord = part.chord if abs(part.chord) >= points.TINY else complex(points.TINY)
    length, toward = abs(chord), phase(chord)
    if part.to == end:
        yield Line(length, toward, part.heading, part.values, part.longest, part.shortest)
    for line in rest:
        bend = toward - part.heading - line.direction
        if part.longest and line.longest and links[part.to].allows(bend):
            span = length + line.span
            yield _joined(part, bend, line, span, toward, True)
        bend += math.pi
        span = length - line.span
        back = part.shortest and line.longest if span > 0 else part.longest and line.shortest
        if back and abs(span) > points.TINY and links[part.to].allows(bend):
            yield _joined(part, bend, line, abs(span), toward + math.pi * (span < 0), False)


def _joined(part: Part, bend: float, line: Line, span: float, direction: float, on: bool) -> Line:
    """Return the line of a part and a line after it, at a bend."""
    values = (*part.values, bend, *line.values)
    return Line(span, direction, part.heading + bend + line.heading, values, on, not on)


def rails(
    links: Sequence[Link], end: int, found: list[list[Line]], held: list[list[Part]]
) -> list[list[Rail]]:
    """Return the rails of each slide: joints held, then a found line across it, to either side."""
    result: list[list[Rail]] = [[] for _ in range(end + 1)]
    for f in range(end):
        for part in held[f] if links[f].slides else []:
            if part.to == end:
                result[f].append(Rail(part.chord.real, part.chord.imag, part.values))
            for line in found[part.to] if part.to < end else []:
                for side in (1, -1):
                    bend = side * math.pi / 2 - part.heading - line.direction
                    if line.longest and links[part.to].allows(bend):
                        aside = part.chord.imag + side * line.span
                        values = (*part.values, bend, *line.values)
                        result[f].append(Rail(part.chord.real, aside, values))
    return result


def distances(links: Sequence[Link], found: Sequence[Line], outside: float) -> tuple[float, float]:
    """Return bounds of the end's distance from the first pivot, by the lines found from there.

    They are exact if the end cannot be at the pivot, which is ``outside`` of its disc by so much.
    """
    inner, outer = annulus(links)
    if not found or links[0].slides:
        return inner, outer
    farthest = max(line.span for line in found)
    if any(link.slides for link in links) or max(inner, outside) <= AT_PIVOT * outer:
        return inner, farthest
    return min(line.span for line in found), farthest


def disc(links: Sequence[Link]) -> tuple[complex, float]:
    """Return centre and radius of a disc in which the end is, seen from the first pivot.

    From the end on: turning a disc about a pivot at the distance d of its centre, by up to h to
    either side, keeps it in the disc over the chord of the centre's arc: at d cos(h), larger by d
    sin(h); beyond h = pi / 2 in the disc about the pivot, larger by d. Sliding adds half the range.
    """
    centre, radius = 0j, 0.0
    for link in reversed(links):
        if link.slides:
            half = 0.5 * (link.upper - link.lower)
            centre = rect(1.0, link.fixed) * (0.5 * link.lower + 0.5 * link.upper + centre)
            radius += half
            continue
        half = 0.5 * (link.upper - link.lower)
        arm = link.fixed + centre
        if half < 0.5 * math.pi:
            centre = arm * rect(math.cos(half), 0.5 * link.lower + 0.5 * link.upper)
            radius += abs(arm) * math.sin(half)
        else:
            centre = 0j
            radius += abs(arm)
    return centre, radius
