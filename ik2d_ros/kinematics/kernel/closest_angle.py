"""The closest angle at which the tip can come to a point, and the tails that it is found by.

A tail is one way to hold the joints behind one, up to the tip.
"""

from __future__ import annotations

import math
from array import array
from cmath import rect
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

try:
    import cython
except ImportError:
    from ik2d_ros.kinematics.kernel import uncompiled as cython

from ik2d_ros.kinematics.kernel.lines import Lines
from ik2d_ros.kinematics.kernel.linkage import Index, Link, Linkage
from ik2d_ros.kinematics.kernel.walk import Walk

if not cython.compiled:
    from ik2d_ros.kinematics.kernel.linkage import SLACK, doubles, integers
    from ik2d_ros.kinematics.kernel.points import near_zero, phase, unit

TOUCHING = 1e-12  # reaches; curves that miss each other by no more touch.
PARALLEL = 1e-9  # The sine of an angle that is none.
QUARTER = math.pi / 2


class Tail(NamedTuple):
    """The joints behind one, held at limits; one slide among them may move.

    Attributes:
        tip: where it is in the frame of that joint's link, the slide at 0.
        heading: of the last link in that frame.
        values: of the joints.
        slide: the joint that moves, or -1.
        toward: the heading of its direction in that frame.
    """

    tip: complex
    heading: float
    values: tuple[float, ...]
    slide: int = -1
    toward: float = 0.0


def tails(links: Sequence[Link], first: int, tail: Tail) -> Iterator[Tail]:
    """Yield all ways in which a tail up to a joint goes on to the tip."""
    if first == len(links):
        yield tail
        return
    link = links[first]
    for value in link.limits:
        bend, length = link.place(value)
        heading = tail.heading + bend
        tip = tail.tip + rect(length, heading)
        values = (*tail.values, value)
        held = tail._replace(tip=tip, heading=heading, values=values)
        yield from tails(links, first + 1, held)
    if link.slides and link.free and tail.slide < 0:
        heading = tail.heading + link.fixed
        values = (*tail.values, 0.0)
        moved = Tail(tail.tip, heading, values, first, heading)
        yield from tails(links, first + 1, moved)


class Tails:
    """The tails of each joint, as tables that C reads.

    Attributes:
        shortest: the least distance of a tip from the joint.
        first: of each joint, the number of its first tail.
        sliding: of each joint, the number of its first tail with a slide that moves.
        slide: of each tail, the joint that does, and so toward, the heading of its direction.
        along: of each tail, where the tip is in the direction of the joint's link.
        beside: how far to its left.
        heading: that of the last link.
        values: those of all joints; only those behind the joint count, and not the slide's.
    """

    def __init__(self, links: Sequence[Link], deep: int) -> None:
        rows: list[Tail] = []
        first, sliding = [], []
        values: list[float] = []
        for j, link in enumerate(links):
            size = 0.0 if link.slides else link.fixed
            found = tails(links, j + 1, Tail(complex(size), 0.0, ())) if j >= deep else ()
            ordered = sorted(found, key=lambda tail: tail.slide >= 0)
            first.append(len(rows))
            sliding.append(len(rows) + sum(tail.slide < 0 for tail in ordered))
            rows += ordered
            for tail in ordered:
                values += [0.0] * (j + 1)
                values += tail.values
        first.append(len(rows))
        self.shortest = min((abs(row.tip) for row in rows), default=0.0)
        self.kept: tuple[Any, ...] = (
            *(array('i', numbers) for numbers in (first, sliding, [row.slide for row in rows])),
            array('d', [row.tip.real for row in rows]),
            array('d', [row.tip.imag for row in rows]),
            array('d', [row.heading for row in rows]),
            array('d', [row.toward for row in rows]),
            array('d', values),
        )
        self.first = integers(self.kept[0])
        self.sliding = integers(self.kept[1])
        self.slide = integers(self.kept[2])
        self.along = doubles(self.kept[3])
        self.beside = doubles(self.kept[4])
        self.heading = doubles(self.kept[5])
        self.toward = doubles(self.kept[6])
        self.values = doubles(self.kept[7])


class ClosestAngle(Walk):
    """Holds joints at limits from the base and from the tip on: between is a line of free joints.

    Two unknowns are left, which bring the tip to the point: a triangle, where both joints at the
    ends of the line are revolute. One of them may slide, across the line.

    Attributes:
        crowded: whether joints can be in one place, or one at the tip.
        found: how far the best heading is from the one that is wanted; what is not closer is left.
    """

    def __init__(self, linkage: Linkage, lines: Lines, tails: Tails) -> None:
        super().__init__(linkage, lines)
        self.tails = tails
        self.crowded = min(lines.shortest, tails.shortest) < SLACK
        self.wanted = 0.0
        self.target = 0j

    def seek(self, target: complex, angle: float) -> None:
        """Find the pose with the closest heading, if it is closer than what was found."""
        self.target = target
        self.wanted = angle
        onward: complex = 1.0 + 0j
        self.set_out(0, 0j, 0.0, onward)
        self.walk(0)

    def visit(self, f: Index) -> bool:
        """Let all lines and tails of joint f come to the target."""
        away = abs(self.target - self.pivot[f])
        if away > self.lines.farthest[self.base + f] + SLACK:
            return False
        if f == self.end:
            if self.crowded:
                self.keep(abs(near_zero(self.heading[f] - self.wanted)))
            return False
        if away < self.lines.nearest[self.base + f] - SLACK:
            return False
        if self.linkage.free[f]:
            for g in range(f + 1, self.end):
                if self.linkage.free[g] and not self.linkage.slides[g]:
                    self.visit_lines(f, g)
            self.visit_tails(f)
        return True

    def visit_tails(self, f: Index) -> None:
        """Do so with the tails of joint f, which it moves alone or with a slide in them."""
        first, last = self.tails.sliding[f], self.tails.first[f + 1]
        if self.crowded:
            first = self.tails.first[f]
        for tail in range(first, last):
            if self.tails.slide[tail] < 0:
                self.move_alone(f, tail)
            elif self.linkage.slides[f]:
                self.slide_tail(f, tail)
            else:
                self.turn_tail(f, tail)

    def visit_lines(self, f: Index, g: Index) -> None:
        """Do so with all lines from f to g and the tails behind."""
        base = self.lines.base[g] + f
        for line in range(self.lines.first[base], self.lines.first[base + 1]):
            for tail in range(self.tails.first[g], self.tails.sliding[g]):
                if self.linkage.slides[f]:
                    self.slide_line(f, g, line, tail)
                else:
                    self.turn_line(f, g, line, tail)
            if not self.linkage.slides[f]:
                for tail in range(self.tails.sliding[g], self.tails.first[g + 1]):
                    self.cross(f, g, line, tail, QUARTER)
                    self.cross(f, g, line, tail, -QUARTER)

    def turn_line(self, f: Index, g: Index, line: Index, tail: Index) -> None:
        """Line and tail are two sides of a triangle."""
        ahead = self.target - self.pivot[f]
        away = abs(ahead)
        span = self.lines.span[line]
        size = abs(self.tip(tail))
        if away <= 0 or span <= 0 or size <= 0:
            return
        if abs(span - size) - TOUCHING <= away <= span + size + TOUCHING:
            along = (span * span + away * away - size * size) / (2 * away)
            across = math.sqrt(max(0.0, span * span - along * along))
            self.put_line(f, g, line, tail, ahead / away * (along + 1j * across))
            self.put_line(f, g, line, tail, ahead / away * (along - 1j * across))

    def put_line(self, f: Index, g: Index, line: Index, tail: Index, chord: complex) -> None:
        """Turn a line from f to g along a chord, and the tail of g to the target."""
        last = phase(self.target - self.pivot[f] - chord) - phase(self.tip(tail))
        if self.is_closer(last + self.tails.heading[tail]):
            first = phase(chord) - self.lines.direction[line]
            if (
                self.linkage.fit(f, first - self.heading[f])
                and self.linkage.fit(g, last - first - self.lines.heading[line])
                and self.follow(f, g, line)
                and self.follow_tail(g, tail)
            ):
                self.keep(abs(near_zero(last + self.tails.heading[tail] - self.wanted)))

    def slide_line(self, f: Index, g: Index, line: Index, tail: Index) -> None:
        """Slide f brings the end of its rail where the tail of g reaches the target."""
        way = self.way(f)
        size = abs(self.tip(tail))
        ahead = (self.target - self.pivot[f]) * way.conjugate()
        across = ahead.imag - self.lines.direction[line]
        if size > 0 and abs(across) <= size + TOUCHING:
            root = math.sqrt(max(0.0, size * size - across * across))
            along = ahead.real - self.lines.span[line]
            self.put_rail(f, g, line, tail, along - root, way * (root + 1j * across))
            self.put_rail(f, g, line, tail, along + root, way * (-root + 1j * across))

    def put_rail(
        self, f: Index, g: Index, line: Index, tail: Index, value: float, rest: complex
    ) -> None:
        """Slide f there, and turn the tail of g along the rest."""
        last = phase(rest) - phase(self.tip(tail))
        if self.is_closer(last + self.tails.heading[tail]):
            before = self.heading[f] + self.linkage.fixed[f] + self.lines.heading[line]
            if (
                self.linkage.fit(f, value)
                and self.linkage.fit(g, last - before)
                and self.follow(f, g, line)
                and self.follow_tail(g, tail)
            ):
                self.keep(abs(near_zero(last + self.tails.heading[tail] - self.wanted)))

    def cross(self, f: Index, g: Index, line: Index, tail: Index, quarter: float) -> None:
        """Let the slide in the tail of g run across the line, to one side.

        Seen along the line, its link heads for a quarter of a turn, so the bend of g is known.
        """
        link = quarter - self.tails.toward[tail]
        bend = self.lines.direction[line] + link - self.lines.heading[line]
        if not self.linkage.fit(g, bend):
            return
        away = abs(self.target - self.pivot[f])
        tip = self.lines.span[line] + self.tip(tail) * unit(link)
        if abs(tip.real) <= away + TOUCHING:
            root = math.sqrt(max(0.0, away * away - tip.real * tip.real))
            side = 1.0 if quarter > 0 else -1.0
            ahead = tip.real + 0j
            shift = (root - tip.imag) * side
            self.put_crossed(f, g, line, tail, link, shift, ahead + 1j * root)
            shift = (-root - tip.imag) * side
            self.put_crossed(f, g, line, tail, link, shift, ahead - 1j * root)

    def put_crossed(
        self,
        f: Index,
        g: Index,
        line: Index,
        tail: Index,
        link: float,
        shift: float,
        tip: complex,
    ) -> None:
        """Turn the line from f so that the tip, which is seen along it, is at the target."""
        turned = phase(self.target - self.pivot[f]) - phase(tip)
        heading = turned + link + self.tails.heading[tail]
        if self.is_closer(heading):
            bend = turned - self.lines.direction[line] - self.heading[f]
            if (
                self.linkage.fit(f, bend)
                and self.follow(f, g, line)
                and self.follow_tail(g, tail)
                and self.linkage.fit(self.tails.slide[tail], shift)
            ):
                self.keep(abs(near_zero(heading - self.wanted)))

    def move_alone(self, f: Index, tail: Index) -> None:
        """Joint f alone brings its tail to the target, where nothing moves but it.

        As a triangle, where joints are in one place, this would have a side without length.
        """
        gap, tip = self.target - self.pivot[f], self.tip(tail)
        heading = self.heading[f] + self.tails.heading[tail]
        if self.linkage.slides[f]:
            rest = gap * self.way(f).conjugate() - tip
            value, missed = rest.real, rest.imag
            heading += self.linkage.fixed[f]
        else:
            value = phase(gap) - phase(tip) - self.heading[f]
            missed = abs(gap) - abs(tip)
            heading += value
        if abs(missed) <= SLACK and self.is_closer(heading) and self.linkage.fit(f, value):
            self.follow_tail(f, tail)
            self.keep(abs(near_zero(heading - self.wanted)))

    def turn_tail(self, f: Index, tail: Index) -> None:
        """Joint f alone turns its tail, in which a slide moves."""
        seen = self.tip(tail) * unit(-self.tails.toward[tail])
        away = abs(self.target - self.pivot[f])
        if abs(seen.imag) <= away + TOUCHING:
            root = math.sqrt(max(0.0, away * away - seen.imag * seen.imag))
            self.put_tail(f, tail, root - seen.real)
            self.put_tail(f, tail, -root - seen.real)

    def put_tail(self, f: Index, tail: Index, shift: float) -> None:
        """Move the slide there, and turn the tail to the target."""
        tip = self.tip(tail) + shift * unit(self.tails.toward[tail])
        turned = phase(self.target - self.pivot[f]) - phase(tip)
        heading = turned + self.tails.heading[tail]
        if (
            self.is_closer(heading)
            and self.linkage.fit(f, turned - self.heading[f])
            and self.follow_tail(f, tail)
            and self.linkage.fit(self.tails.slide[tail], shift)
        ):
            self.keep(abs(near_zero(heading - self.wanted)))

    def slide_tail(self, f: Index, tail: Index) -> None:
        """Two slides bring the tip to the target; nothing turns."""
        heading = self.heading[f] + self.linkage.fixed[f] + self.tails.heading[tail]
        toward = unit(self.tails.toward[tail])
        if abs(toward.imag) > PARALLEL and self.is_closer(heading):
            way = self.way(f)
            rest = (self.target - self.pivot[f]) * way.conjugate() - self.tip(tail)
            shift = rest.imag / toward.imag
            if (
                self.linkage.fit(f, rest.real - shift * toward.real)
                and self.follow_tail(f, tail)
                and self.linkage.fit(self.tails.slide[tail], shift)
            ):
                self.keep(abs(near_zero(heading - self.wanted)))

    def is_closer(self, heading: float) -> bool:
        """Whether a heading of the last link is closer than what was found."""
        return abs(near_zero(heading - self.wanted)) < self.found

    def follow_tail(self, g: Index, tail: Index) -> bool:
        """Hold the joints behind g as a tail has them, but for the slide that moves."""
        for j in range(g + 1, self.end):
            if j != self.tails.slide[tail]:
                self.linkage.trial[j] = self.tails.values[self.linkage.count * tail + j]
        return True

    def tip(self, tail: Index) -> complex:
        """Return where the tip of a tail is, seen from the joint before it."""
        return self.tails.along[tail] + 1j * self.tails.beside[tail]
