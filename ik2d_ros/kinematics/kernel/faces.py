"""Chains with absolute joints: the poses in which limits hold as many joints as they can.

The headings of the links are the coordinates. Every limit then bounds one heading or the difference
of two that follow each other, and the tip is a sum of vectors. Limits that are met cut the chain
into *runs* of links that are rigid among themselves. A run has a constant heading if an absolute
joint in it is at a limit; otherwise it turns as a whole.

Where the tip is at the edge of what it can reach, the runs that turn are on parallel lines. Such
a *face* is a constant vector, the *span* of those runs, and, to bring the tip to a point, one run
that turns freely: the *mover*. Span and mover are two sides of a triangle.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from typing import Any

from ik2d_ros.kinematics.kernel import buffers, codes, points
from ik2d_ros.kinematics.kernel.headings import ends_of_last
from ik2d_ros.kinematics.kernel.linkage import Index, Link, Linkage, Search, room, two_each

MOST_FACES = 20_000  # Ways to hold joints that are all tried.

# How the heading of a run is known: constant, with the mover, along the line, from the tip angle.
FIXED, MOVER, LINE, AIMED = 0, 1, 2, 3

NONE = -1  # No mover.


class Faces(Search):
    """Tries all faces of a chain for a target, for a tip angle, too.

    Attributes:
        deep: the first joint from which on all faces are tried.
        count: how many links there are.
        begin: the first link that is not where it starts; mover: a link whose run turns freely.
        gap: from the pivot of the first link to the target.
        aimed: whether the last link has the tip angle.
        stops: how many bends each link can be held at; stop: those bends, two for each.
        bent: the heading of each link, seen from the first one of its run.
        kind: how the heading of each link is known; turn: what is added to it.
        fixed: the sum of the constant vectors up to each link; moving: of the chords that turn
            with the mover; pointing: of the chords at the tip angle; span: along the line.
        headings: of the mover, the line and the tip, by their kinds.
        started: the heading of the mover at the start; wanted: the heading that is asked for.
        ends: of the headings that limits leave the last link.
    """

    def __init__(self, linkage: Linkage, links: Sequence[Link], deep: int) -> None:
        super().__init__(linkage)
        self.deep = deep
        self.count = self.begin = self.mover = 0
        self.aimed = False
        self.gap = 0j
        self.wanted = self.started = 0.0
        self.stops = room([len(link.stops) for link in links])
        self.stop = two_each([link.stops for link in links])
        ends = ends_of_last(links)
        self.arrays: list[Any] = []
        self.ends = buffers.doubles(array('d', ends), self.arrays)
        self.end_count = len(ends)
        self.kind = room()
        self.headings = room([], 4)
        self.bent = room()
        self.turn = room()
        self.span = room()
        self.kept = room()
        self.fixed = room()
        self.moving = room()
        self.pointing = room()

    # --- what is asked ---

    def meet(self, target: complex, angle: float, every: bool, enough: float) -> bool:
        """Let the mover be the last joint first.

        There is no pose for any mover if and only if the target cannot be reached.
        """
        self.found, self.moved, self.wanted = enough, 0.0, codes.NO_ANGLE
        self.aimed = angle != codes.NO_ANGLE
        self.headings[AIMED] = angle if self.aimed else 0.0
        self.count = self.linkage.count if self.aimed else self.linkage.leading
        self.linkage.rest(self.count)
        for mover in range(self.count - 1, self.deep - 1, -1):
            if self.linkage.free[mover]:
                self.linkage.stand(mover)
                self.started = self.linkage.start[mover]
                if not self.linkage.absolute[mover]:
                    self.started += self.linkage.heading
                self.set_out(mover, mover, target - self.linkage.pivot)
                if self.found < enough and not every:
                    return True
        return self.found < enough

    def seek(self, target: complex, enough: float) -> None:
        """Lay the line of each face towards the target."""
        self.found, self.move = enough, points.FAR
        self.aimed = False
        self.count = self.linkage.leading
        self.linkage.rest(self.count)
        if self.deep == 0:
            self.linkage.stand(0)
            self.set_out(0, NONE, target)

    def seek_angle(self, target: complex, angle: float, enough: float) -> None:
        """Let the last run be the mover, or its heading at an end of those that limits leave it."""
        for end in range(self.end_count):
            off = abs(points.near_zero(self.ends[end] - angle))
            if off < enough and self.meet(target, self.ends[end], False, points.FAR):
                enough = off
                self.linkage.copy(self.best, self.kept)
        self.linkage.copy(self.kept, self.best)
        self.found, self.wanted, self.started = enough, angle, angle
        self.aimed = False
        self.count = self.linkage.count
        self.linkage.stand(0)
        self.set_out(0, self.count - 1, target)

    # --- all faces, run by run ---

    def set_out(self, begin: Index, mover: Index, gap: complex) -> None:
        """Try the faces of the links from one on."""
        self.begin, self.mover, self.gap = begin, mover, gap
        self.fixed[begin] = self.moving[begin] = self.pointing[begin] = 0j
        self.span[begin] = 0.0
        self.start_run(begin)

    def start_run(self, first: Index) -> None:
        """Begin a run with a link."""
        self.bent[first] = 0.0
        self.grow(first, first + 1, self.linkage.fixed[first] + 0j)

    def grow(self, first: Index, end: Index, chord: complex) -> None:
        """Let a run end before a link; and let that be in it, at each bend where it can be held.

        Args:
            first: the first link of the run.
            end: the link behind it.
            chord: from its first pivot to its end, seen from its first link.
        """
        if end == self.count or self.linkage.absolute[end] or self.linkage.free[end]:
            self.lay(first, end, chord)
        if end < self.count:
            for stop in range(2 * end, 2 * end + self.stops[end]):
                self.bent[end] = self.bent[end - 1] + self.stop[stop]
                along = points.unit(self.bent[end])
                self.grow(first, end + 1, chord + self.linkage.fixed[end] * along)

    def lay(self, first: Index, end: Index, chord: complex) -> None:
        """Lay a run in each way in which its heading can be known."""
        moves = self.is_carried(first, end)
        if self.aimed and end == self.count:
            self.put(first, end, AIMED, -self.bent[end - 1], chord)
            return
        turns = True
        for j in range(first, end):
            if self.linkage.absolute[j]:
                turns = turns and self.linkage.free[j]
                if not moves:
                    for limit in range(2 * j, 2 * j + self.linkage.limits[j]):
                        heading = self.linkage.limit[limit] - self.bent[j]
                        self.put(first, end, FIXED, heading, chord)
        if turns and moves:
            self.put(first, end, MOVER, 0.0, chord if abs(chord) > points.TINY else 0j)
        elif turns:
            toward = -points.phase(chord)
            self.put(first, end, LINE, toward, chord)
            self.put(first, end, LINE, toward + math.pi, chord)

    def is_carried(self, first: Index, end: Index) -> bool:
        """Tell whether the mover is in a run."""
        return first <= self.mover < end

    def put(self, first: Index, end: Index, kind: Index, heading: float, chord: complex) -> None:
        """Put a run with a heading of a kind behind the others, and go on if limits allow it."""
        for j in range(first, end):
            self.kind[j] = kind
            self.turn[j] = heading + self.bent[j]
            if not self.may_hold(j):
                return
        turned = chord * points.unit(heading)
        self.fixed[end] = self.fixed[first] + (turned if kind == FIXED else 0j)
        self.moving[end] = self.moving[first] + (turned if kind == MOVER else 0j)
        self.pointing[end] = self.pointing[first] + (turned if kind == AIMED else 0j)
        self.span[end] = self.span[first] + (turned.real if kind == LINE else 0.0)
        if end < self.count:
            self.start_run(end)
        elif self.span[end] >= 0:
            aimed = self.pointing[end] * points.unit(self.headings[AIMED])
            ahead = self.gap - self.fixed[end] - aimed
            if self.mover == NONE:
                self.point(ahead)
            else:
                self.close(ahead)

    def may_hold(self, j: Index) -> bool:
        """Tell whether the limits of a link allow its turn for any target."""
        if self.kind[j] == FIXED and self.linkage.absolute[j]:
            low, high = self.linkage.lower[j], self.linkage.upper[j]
            if not points.is_within(self.turn[j], low, high):
                return False
        if j == self.begin or self.kind[j] != self.kind[j - 1]:
            return True
        return self.linkage.bends_to(j, self.turn[j] - self.turn[j - 1])

    # --- the pose of a face ---

    def point(self, ahead: complex) -> None:
        """Point the line at the target; keep that if it is the closest so far."""
        distance = abs(abs(ahead) - self.span[self.count])
        if distance <= self.found + points.SAME:
            self.headings[LINE] = points.phase(ahead)
            if self.fit():
                self.keep_closest(distance)

    def close(self, ahead: complex) -> None:
        """Let mover and line lead to the target: two sides of a triangle."""
        away = abs(ahead)
        size, span = abs(self.moving[self.count]), self.span[self.count]
        touching = points.TOUCHING if span > points.TINY and size > points.TINY else points.SLACK
        if away > size + span + touching or away < abs(size - span) - touching:
            return
        toward = points.phase(ahead)
        if away <= points.TINY:
            self.lean(self.started, self.started + math.pi)
        elif size <= points.TINY or span <= points.TINY:
            self.lean(self.started if size <= points.TINY else toward, toward)
        else:
            corner = points.apex(away, size, span)
            turn, back = points.phase(corner), -points.phase(away - corner)
            self.lean(toward + turn, toward - back)
            self.lean(toward - turn, toward + back)

    def lean(self, mover: float, line: float) -> None:
        """Try the mover's chord and the line at headings; keep the pose if it is better."""
        self.headings[MOVER] = mover - points.phase(self.moving[self.count])
        self.headings[LINE] = line
        if not self.fit():
            return
        if self.wanted == codes.NO_ANGLE:
            self.keep_move()
            return
        last = self.headings[self.kind[self.count - 1]] + self.turn[self.count - 1]
        off = abs(points.near_zero(last - self.wanted))
        if off < self.found:
            self.keep(off)

    def fit(self) -> bool:
        """Try the joints as the headings of the face are; tell whether limits allow it."""
        before: float = self.linkage.heading
        for j in range(self.begin, self.count):
            heading = self.headings[self.kind[j]] + self.turn[j]
            value = heading if self.linkage.absolute[j] else heading - before
            if not self.linkage.fit(j, value) or not self.linkage.bends_to(j, heading - before):
                return False
            before = heading
        return not self.linkage.bent or self.linkage.wind(self.begin)


def first_with_faces(links: Sequence[Link]) -> int:
    """Return from which joint on all faces can be tried: 0 for all, their number for none."""
    if any(link.slides for link in links):
        return len(links)
    ways, first = 1, len(links)
    while first and ways <= MOST_FACES:
        first -= 1
        ways *= 1 + len(links[first].limits) + (links[first].absolute and len(links[first].stops))
    return first + (ways > MOST_FACES)
