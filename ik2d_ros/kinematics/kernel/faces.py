"""Chains with absolute joints: the poses in which limits hold as many joints as they can.

The headings of the links are the coordinates. Every limit then bounds one heading or the difference
of two that follow each other, and the tip is a sum of vectors. Limits that are met cut the chain
into *runs* of links that are rigid among themselves. A run has a constant heading if an absolute
joint in it is at a limit; otherwise it turns as a whole.

Where the tip is at the edge of what it can reach, the chords of the runs that turn are parallel.
Such a *face* is a constant vector, the *span* of those runs, and, to bring the tip to a point, one
run that turns freely: that of the *mover*. Span and mover are two sides of a triangle
(doc/solvers.md, section 11).
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from typing import Any

from ik2d_ros.kinematics.kernel import buffers, codes, points
from ik2d_ros.kinematics.kernel.headings import bounds_of_last
from ik2d_ros.kinematics.kernel.joint_table import SIZE, Index, Link, ends_of, padded, two_each
from ik2d_ros.kinematics.kernel.search import Search, Trial

MOST_FACES = 20_000  # Ways to hold joints that are all tried.
FACE = 30  # The work of one, in lines of a walk.

# How the heading of a run is known: constant, with the mover, along the line, from the tip angle.
FIXED, MOVER, LINE, AIMED = 0, 1, 2, 3
KINDS = 4

NONE = -1  # No mover.


class Faces(Search):
    """Tries all faces of a chain for a target, with or without a tip angle.

    A run is given by its first link, the link ``after`` it, and the chord from its first pivot to
    its end, seen from its first link.

    Attributes:
        count: number of links.
        first_link: the first link that is not at the start; mover: a joint whose run turns freely.
        target: seen from the pivot of the first link.
        bend_stop_count, bend_stop: how many bends each link can be held at, and these, two for
            each; heading_stop_count, heading_stop: the same of headings.
        heading_in_run: of each link, seen from the first one of its run.
        kind: how the heading of each link is known; offset: what is added to the one of its kind.
        chords: of each link, the sum of the chords before it, by their kinds, these at heading 0. A
            link's are overwritten only once all faces that share them are tried.
        mover_chord: sum of all that turn with the mover; span: of all along the line.
        headings: of the mover, the line and the tip, by their kinds; mover_start: at the start.
        closest_to: the angle to which the last link is to be closest; NO_ANGLE where moves count.
        bounds: ends of the ranges of headings that limits leave the last link.
        kept: the best pose of :meth:`find_closest_angle` at one of these.
        least_gain, largest_gain, fewest, most: of :meth:`choose_whole_turns`: whole turns that each
            heading may gain over the one before, and that it may be given.
    """

    def __init__(self, trial: Trial, links: Sequence[Link], enumerated_from: int) -> None:
        super().__init__(trial)
        self.enumerated_from = enumerated_from
        self.count = self.first_link = self.mover = 0
        self.aimed = False
        self.target = 0j
        self.closest_to = self.mover_start = self.span = 0.0
        self.mover_chord = 0j
        bends = [ends_of(link.bend_range) for link in links]
        headings = [ends_of(link.heading_range) for link in links]
        self.bend_stop_count = padded([len(row) for row in bends])
        self.bend_stop = two_each(bends)
        self.heading_stop_count = padded([len(row) for row in headings])
        self.heading_stop = two_each(headings)
        bounds = bounds_of_last(links)
        self.arrays: list[Any] = []
        self.bounds = buffers.doubles(array('d', bounds), self.arrays)
        self.bound_count = len(bounds)
        self.kind = padded()
        self.headings = padded([], KINDS)
        self.heading_in_run = padded()
        self.offset = padded()
        self.kept = padded()
        self.least_gain = padded()
        self.largest_gain = padded()
        self.fewest = padded()
        self.most = padded()
        self.chords = [[0j] * KINDS for _ in range(SIZE)]

    # --- the three searches ---

    def find_pose(self, target: complex, angle: float, try_all: bool, below: float) -> bool:
        """Try each joint as mover, from the tip."""
        self.best_cost, self.best_moved, self.closest_to = below, 0.0, codes.NO_ANGLE
        self.aimed = angle != codes.NO_ANGLE
        self.headings[AIMED] = angle if self.aimed else 0.0
        self.count = self.table.count if self.aimed else self.table.leading_count
        self.trial.start_from(self.count)
        for mover in range(self.count - 1, self.enumerated_from - 1, -1):
            if self.table.movable[mover]:
                self.trial.start_first(mover)
                self.mover_start = self.trial.start[mover]
                if not self.table.absolute[mover]:
                    self.mover_start += self.trial.heading
                self.try_faces(mover, mover, target - self.trial.pivot)
                if self.best_cost < below and not try_all:
                    return True
        return self.best_cost < below

    def find_closest(self, target: complex, below: float) -> None:
        """Point the line of each face at the target."""
        self.best_cost, self.best_move = below, points.FAR
        self.aimed = False
        self.count = self.table.leading_count
        self.trial.start_from(self.count)
        if self.enumerated_from == 0:
            self.trial.start_first(0)
            self.try_faces(0, NONE, target)

    def find_closest_angle(self, target: complex, angle: float, below: float) -> None:
        """Take the last run as mover, or its heading at an end of those that limits leave it."""
        for k in range(self.bound_count):
            off = abs(points.near_zero(self.bounds[k] - angle))
            if off < below and self.find_pose(target, self.bounds[k], False, points.FAR):
                below = off
                self.table.copy_pose(self.best, self.kept)
        self.table.copy_pose(self.kept, self.best)
        self.best_cost, self.closest_to, self.mover_start = below, angle, angle
        self.aimed = False
        self.count = self.table.count
        self.trial.start_first(0)
        self.try_faces(0, self.count - 1, target)

    # --- all faces, run by run ---

    def try_faces(self, first: Index, mover: Index, target: complex) -> None:
        """Try the faces of the links from one on, for a target seen from its pivot."""
        self.first_link, self.mover, self.target = first, mover, target
        for each in range(KINDS):
            self.chords[first][each] = 0j
        self.start_run(first)

    def start_run(self, first: Index) -> None:
        """Start a run with a link."""
        self.heading_in_run[first] = 0.0
        self.grow_run(first, first + 1, self.table.fixed[first] + 0j)

    def grow_run(self, first: Index, after: Index, chord: complex) -> None:
        """End a run before a link; and take that into it, at each bend at which it can be held."""
        if not self.trial.spend(FACE):
            return
        if after == self.count or self.table.absolute[after] or self.table.movable[after]:
            self.add_run(first, after, chord)
        if after < self.count:
            for stop in range(2 * after, 2 * after + self.bend_stop_count[after]):
                self.heading_in_run[after] = self.heading_in_run[after - 1] + self.bend_stop[stop]
                along = points.unit(self.heading_in_run[after])
                self.grow_run(first, after + 1, chord + self.table.fixed[after] * along)

    def add_run(self, first: Index, after: Index, chord: complex) -> None:
        """Try each way to fix a run's heading."""
        if self.aimed and after == self.count:
            self.fix_run(first, after, AIMED, -self.heading_in_run[after - 1], chord)
            return
        turns = True
        for j in range(first, after):
            if self.heading_stop_count[j] == 1:
                turns = False
            if not first <= self.mover < after:
                for stop in range(2 * j, 2 * j + self.heading_stop_count[j]):
                    heading = self.heading_stop[stop] - self.heading_in_run[j]
                    self.fix_run(first, after, FIXED, heading, chord)
        if turns and first <= self.mover < after:
            self.fix_run(first, after, MOVER, 0.0, chord if abs(chord) > points.TINY else 0j)
        elif turns:
            toward = -points.phase(chord)
            self.fix_run(first, after, LINE, toward, chord)
            self.fix_run(first, after, LINE, toward + math.pi, chord)

    def fix_run(
        self, first: Index, after: Index, kind: Index, heading: float, chord: complex
    ) -> None:
        """Fix a run's heading, seen from that of a kind, and go on if limits allow it."""
        for j in range(first, after):
            self.kind[j] = kind
            self.offset[j] = heading + self.heading_in_run[j]
            if not self.limits_allow(j):
                return
        for each in range(KINDS):
            self.chords[after][each] = self.chords[first][each]
        self.chords[after][kind] += chord * points.unit(heading)
        if after < self.count:
            self.start_run(after)
            return
        self.mover_chord = self.chords[after][MOVER]
        self.span = self.chords[after][LINE].real
        if self.span >= 0:
            aimed = self.chords[after][AIMED] * points.unit(self.headings[AIMED])
            ahead = self.target - self.chords[after][FIXED] - aimed
            if self.mover == NONE:
                self.point_span(ahead)
            else:
                self.close_triangle(ahead)

    def limits_allow(self, j: Index) -> bool:
        """Tell whether the limits of a link allow its heading for any target."""
        low, high, slack = self.table.least_heading[j], self.table.most_heading[j], self.trial.slack
        if self.kind[j] == FIXED and not points.is_within(self.offset[j], low, high, slack):
            return False
        if j == self.first_link or self.kind[j] != self.kind[j - 1]:
            return True
        return self.table.allows_bend(j, self.offset[j] - self.offset[j - 1], slack)

    # --- the pose of a face ---

    def point_span(self, ahead: complex) -> None:
        """Point the span at the target; keep that if it is the closest so far."""
        distance = abs(abs(ahead) - self.span)
        if distance <= self.best_cost + points.SAME_DISTANCE:
            self.headings[LINE] = points.phase(ahead)
            if self.set_joints():
                self.keep_closer(distance)

    def close_triangle(self, ahead: complex) -> None:
        """Try the two triangles of the mover's chord and the line that lead to the target."""
        away = abs(ahead)
        chord, span = abs(self.mover_chord), self.span
        touching = points.TOUCHING if span > points.TINY and chord > points.TINY else points.SLACK
        if away > chord + span + touching or away < abs(chord - span) - touching:
            return
        toward = points.phase(ahead)
        if away <= points.TINY:
            self.try_headings(self.mover_start, self.mover_start + math.pi)
        elif chord <= points.TINY or span <= points.TINY:
            self.try_headings(self.mover_start if chord <= points.TINY else toward, toward)
        else:
            corner = points.apex(away, chord, span)
            turn, back = points.phase(corner), -points.phase(away - corner)
            self.try_headings(toward + turn, toward - back)
            self.try_headings(toward - turn, toward + back)

    def try_headings(self, mover: float, line: float) -> None:
        """Try headings of the mover's chord and the line; keep the pose if it is better."""
        self.headings[MOVER] = mover - points.phase(self.mover_chord)
        self.headings[LINE] = line
        if not self.set_joints():
            return
        if self.closest_to == codes.NO_ANGLE:
            self.keep_smaller_move()
            return
        last = self.headings[self.kind[self.count - 1]] + self.offset[self.count - 1]
        off = abs(points.near_zero(last - self.closest_to))
        if off < self.best_cost:
            self.keep_trial(off)

    def set_joints(self) -> bool:
        """Try the joints as the headings of the face have them; tell whether limits allow it."""
        before: float = self.trial.heading
        for j in range(self.first_link, self.count):
            heading = self.headings[self.kind[j]] + self.offset[j]
            value = heading if self.table.absolute[j] else heading - before
            if not self.trial.set_joint(j, value):
                return False
            if not self.table.allows_bend(j, heading - before, self.trial.slack):
                return False
            before = heading
        return not self.table.limits_bends or self.choose_whole_turns()

    def choose_whole_turns(self) -> bool:
        """Add whole turns to headings from a joint on, so that all angles are within their limits.

        A limit bounds the whole turns of one heading, or how many more they are than those of the
        heading before: one range for each heading, from the tip to the base. It tells if any do
        that.
        """
        heading: float = self.trial.heading
        slack = self.trial.slack
        for j in range(self.first_link, self.table.count):
            bend = self.trial.pose[j] - (heading if self.table.absolute[j] else 0.0)
            heading = self.trial.pose[j] + (0.0 if self.table.absolute[j] else heading)
            self.fewest[j] = points.whole_turns_up(self.table.least_heading[j] - heading, slack)
            self.most[j] = points.whole_turns_down(self.table.most_heading[j] - heading, slack)
            self.least_gain[j], self.largest_gain[j] = -points.FAR, points.FAR
            if not self.table.any_turn[j]:
                self.least_gain[j] = points.whole_turns_up(self.table.least_bend[j] - bend, slack)
                self.largest_gain[j] = points.whole_turns_down(
                    self.table.most_bend[j] - bend, slack
                )
        low, high = -points.FAR, points.FAR
        for j in range(self.table.count - 1, self.first_link - 1, -1):
            self.fewest[j] = low = max(low, self.fewest[j])
            self.most[j] = high = min(high, self.most[j])
            low -= self.largest_gain[j]
            high -= self.least_gain[j]
        turns: float = 0.0
        for j in range(self.first_link, self.table.count):
            low = max(self.fewest[j], turns + self.least_gain[j])
            high = min(self.most[j], turns + self.largest_gain[j])
            if low > high:
                return False
            before = 0.0 if self.table.absolute[j] else turns
            turns = points.clamp(before, low, high)
            value = self.trial.pose[j] + points.TAU * (turns - before)
            self.trial.pose[j] = self.table.clamp_value(j, value)
        return True


def first_with_faces(links: Sequence[Link]) -> int:
    """Return the first joint from which on all faces can be tried: 0 for all."""
    if any(link.slides for link in links):
        return len(links)
    ways, first = 1, len(links)
    while first and ways <= MOST_FACES:
        first -= 1
        ranges = links[first].bend_range, links[first].heading_range
        ways *= 1 + sum(len(ends_of(each)) for each in ranges)
    return first + (ways > MOST_FACES)
