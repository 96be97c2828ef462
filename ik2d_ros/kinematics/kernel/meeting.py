"""The decision: whether the tip can come to a point, at any or at one heading, and by which pose.

At a heading it also finds how near to it a pose with the tip there can be.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ik2d_ros.kinematics.kernel import points
from ik2d_ros.kinematics.kernel.joint_table import Index, JointTable, Link, padded
from ik2d_ros.kinematics.kernel.lines import Lines
from ik2d_ros.kinematics.kernel.search import Search, Trial, Walk

WIDE = -2.0  # Less than any cosine.


class Meeting(Walk):
    """Moves one joint, the mover, from the start; those after it are held at limits, up to a line.

    Seen from the mover's link, the target runs on a circle about the mover, or along a straight
    line if it slides. Where that meets the circle or the rail on which a line carries the end,
    there is a pose.

    Attributes:
        mover: the joint; it is at the origin, its link along the x-axis.
        zero: heading of this x-axis in the base's frame, less the bend of a revolute mover.
        goal, distance, bearing: from mover to target, turned back by that; its length and heading.
        arc_middle, arc_end, narrow: the arc that the mover's limits leave of the target's circle:
            directions of its middle and, from there, of an end; cosine of half of it, or WIDE.
        aimed: whether the end is a pivot, whose joint turns its link to the wanted angle.
    """

    def __init__(self, trial: Trial, lines: Lines) -> None:
        super().__init__(trial, lines)
        self.mover = 0
        self.aimed = False
        self.zero = self.distance = self.bearing = self.angle = 0.0
        self.narrow = WIDE
        self.goal = self.arc_middle = self.arc_end = 0j

    def find_pose(self, target: complex, angle: float, try_all: bool, below: float) -> bool:
        """Try each joint as mover, from the tip."""
        self.best_cost, self.best_moved, self.angle = below, 0.0, angle
        if self.aimed:
            self.try_start(target)
        else:
            self.trial.start_from(self.end)
        first = max(self.lines.enumerated_from - 1, 0)
        for mover in range(min(self.end, self.counted) - 1, first - 1, -1):
            if self.best_cost < below and not try_all:
                return True
            if self.table.movable[mover]:
                self.try_mover(mover, target)
        return self.best_cost < below

    def try_start(self, target: complex) -> None:
        """Try the joints before the end at the start."""
        self.trial.start_first(self.end)
        if abs(target - self.trial.pivot) <= self.trial.slack:
            self.complete_pose()

    def try_mover(self, mover: Index, target: complex) -> None:
        """Try all poses with the joints before a mover at the start."""
        self.set_mover(mover, target)
        self.distance = abs(self.goal)
        self.bearing = points.phase(self.goal)
        low, high = self.table.lower[mover], self.table.upper[mover]
        half = 0.5 * (high - low)
        self.narrow = math.cos(half) if half < 0.5 * math.pi else WIDE
        if self.narrow > WIDE:
            self.arc_middle = points.unit(self.bearing - 0.5 * (low + high))
            self.arc_end = self.distance * points.unit(half)
        self.walk(mover + 1)

    def set_mover(self, mover: Index, target: complex) -> None:
        """Put the origin at a mover, its link along the x-axis."""
        self.trial.start_first(mover)
        self.mover = mover
        self.zero = self.trial.heading
        fixed = self.table.fixed[mover]
        if self.table.slides[mover]:
            self.zero += fixed
            fixed = 0.0
        self.place_joint(mover + 1, fixed + 0j, 0.0, 1.0 + 0j)
        self.goal = (target - self.trial.pivot) * points.unit(-self.zero)

    def may_improve(self, j: Index) -> bool:
        """Tell whether the target's curve meets the ring about pivot j and the end's disc."""
        pivot = self.pivot[j]
        slack = points.TOUCHING if j == self.end and not self.aimed else self.trial.slack
        if self.table.slides[self.mover]:
            return abs(self.goal.imag - pivot.imag) <= self.lines.farthest[self.row + j] + slack
        away = abs(pivot)
        if abs(self.distance - away) > self.lines.farthest[self.row + j] + slack:
            return False
        if self.distance + away < self.lines.nearest[self.row + j] - slack:
            return False
        centre, radius = self.disc_centre(j), self.lines.radius[self.row + j] + self.trial.slack
        if abs(self.distance - abs(centre)) > radius:
            return False
        # Beside the arc, its end is the nearest point; both ends are mirror images.
        seen = centre * self.arc_middle.conjugate()
        off = seen.real + 1j * abs(seen.imag) - self.arc_end
        return seen.real >= self.narrow * abs(centre) or abs(off) <= radius

    def try_end(self) -> None:
        """Swing the mover until the end is at the target."""
        if self.swing_mover_to(self.pivot[self.end]):
            self.complete_pose()

    def try_line(self, j: Index, line: Index) -> None:
        """Try the points where the target's curve meets the circle or rail of a line of joint j."""
        pivot, span = self.pivot[j], self.lines.span[line]
        if self.table.slides[j]:
            along = self.slide_direction(j)
            foot = pivot + 1j * self.lines.aside[line] * along
            if not self.table.slides[self.mover]:
                self.cut_circle(j, line, 0j, self.distance, foot, along)
            elif abs(along.imag) > points.PARALLEL:
                self.try_tip(j, line, foot + (self.goal.imag - foot.imag) / along.imag * along)
        elif self.table.slides[self.mover]:
            self.cut_circle(j, line, pivot, span, self.goal, 1.0 + 0j)
        else:
            away, slack = abs(pivot), points.TOUCHING
            if away > 0 and abs(away - span) - slack <= self.distance <= away + span + slack:
                onward = pivot / away
                tip = points.apex(away, self.distance, span)
                self.try_tip(j, line, onward * tip)
                self.try_tip(j, line, onward * tip.conjugate())

    def cut_circle(
        self, j: Index, line: Index, centre: complex, radius: float, foot: complex, along: complex
    ) -> None:
        """Try where a circle is cut by the straight line in a direction through a foot."""
        across = ((foot - centre) * along.conjugate()).imag
        if abs(across) <= radius + points.TOUCHING:
            ahead = math.sqrt(max(0.0, radius * radius - across * across))
            self.try_tip(j, line, centre + along * (ahead + 1j * across))
            self.try_tip(j, line, centre + along * (-ahead + 1j * across))

    def try_tip(self, j: Index, line: Index, tip: complex) -> None:
        """Try joint j with a line or rail whose end is at a tip, seen from the mover's link."""
        if self.swing_mover_to(tip) and self.point_line(j, line, tip - self.pivot[j]):
            self.complete_pose()

    def swing_mover_to(self, tip: complex) -> bool:
        """Swing the mover so that ``tip`` meets the target; return whether it can beat the best."""
        if self.table.slides[self.mover]:
            allowed = self.trial.set_joint(self.mover, self.goal.real - tip.real)
        elif self.distance > 0:
            allowed = self.trial.set_joint(self.mover, self.bearing - points.phase(tip))
        else:
            allowed = self.trial.set_joint(self.mover, self.trial.start[self.mover])
        move = abs(self.trial.pose[self.mover] - self.trial.start[self.mover])
        return allowed and move < self.best_cost + points.SAME_MOVE

    def complete_pose(self) -> None:
        """Turn the link of the end to the wanted angle, if any; keep the trial if it moves less."""
        if self.aimed:
            bend: float = self.angle
            for j in range(self.end):
                bend -= self.table.fixed[j] if self.table.slides[j] else self.trial.pose[j]
            if not self.trial.set_joint(self.end, bend):
                return
        self.keep_smaller_move()


class MeetingOnTrack(Meeting):
    """Moves a mover, a line of free joints after it, and a slide that the line runs across.

    The heading of the slide, the last joint, is known: the end has to be on a known straight line,
    the ``track``, from the goal, where the slide is at 0; the line runs at a right angle to it.
    """

    def __init__(self, trial: Trial, lines: Lines) -> None:
        super().__init__(trial, lines)
        self.slide = 0
        self.track = self.track_seen = 0j

    def try_start(self, target: complex) -> None:
        """Try the joints before the end at the start."""
        self.trial.start_first(self.end)
        gap = target - self.trial.pivot
        allowed = self.trial.set_joint(self.slide, points.dot(gap, self.track))
        if allowed and abs((gap * self.track.conjugate()).imag) <= self.trial.slack:
            self.complete_pose()

    def try_mover(self, mover: Index, target: complex) -> None:
        """Try all poses with the joints before a mover at the start."""
        self.set_mover(mover, target)
        self.track_seen = self.track * points.unit(-self.zero)
        self.walk(mover + 1)

    def may_improve(self, j: Index) -> bool:
        """Tell whether to go on: always, as ring and disc are for points, not for a track."""
        return True

    def try_end(self) -> None:
        """Try the slide with all joints before it held."""
        self.cross_track(self.end, -1, 0j)

    def try_line(self, j: Index, line: Index) -> None:
        """Let a line of joint j run across the track, to either side."""
        if not self.table.slides[j]:
            chord = 1j * self.lines.span[line] * self.track_seen
            self.cross_track(j, line, chord)
            self.cross_track(j, line, -chord)

    def cross_track(self, j: Index, line: Index, chord: complex) -> None:
        """Try the slide where the mover can bring pivot j to the beginning of the line."""
        place = self.goal - chord
        pivot = self.pivot[j]
        if self.table.slides[self.mover]:
            if abs(self.track_seen.imag) > points.PARALLEL:
                self.try_slide(j, line, chord, (place.imag - pivot.imag) / self.track_seen.imag)
            return
        across = (place * self.track_seen.conjugate()).imag
        square = points.squared_length(pivot) - across * across
        if square >= -points.TOUCHING:
            root = math.sqrt(max(0.0, square))
            along = points.dot(place, self.track_seen)
            self.try_slide(j, line, chord, along - root)
            self.try_slide(j, line, chord, along + root)

    def try_slide(self, j: Index, line: Index, chord: complex, value: float) -> None:
        """Try a value of the slide, and turn joint j, its line and the last link to fit."""
        if not self.trial.set_joint(self.slide, value):
            return
        pivot = self.goal - chord - value * self.track_seen
        turned: float = 0.0
        if self.table.slides[self.mover]:
            allowed = self.trial.set_joint(self.mover, (pivot - self.pivot[j]).real)
        else:
            turned = points.phase(pivot) - points.phase(self.pivot[j])
            allowed = self.trial.set_joint(self.mover, turned)
        if allowed and line >= 0:
            bend = points.phase(chord) - self.lines.direction[line] - turned - self.heading[j]
            allowed = self.trial.set_joint(j, bend) and self.set_line(j, line)
        if allowed:
            self.complete_pose()


class MeetingAtAngle(Search):
    """Holds joints at limits from the tip on; the joints before them have to come to a point.

    A revolute joint that is not held takes up the angle, and it is known where its pivot has to be.
    With one free slide after it, its pivot has to be on a straight line; with two it can be
    anywhere.

    Attributes:
        try_all: whether to look for the least move of any joints; else of the fewest.
        goes_on: whether to go on after a pose is found, for the least move.
        slide, track: free slides after the joint, and the directions in which they move.
    """

    def __init__(self, trial: Trial, lines: Lines) -> None:
        super().__init__(trial)
        self.lines = lines
        self.meeting = Meeting(trial, lines)
        self.on_track = MeetingOnTrack(trial, lines)
        self.meeting.aimed = self.on_track.aimed = True
        self.try_all = self.goes_on = False
        self.slide = padded([], 2)
        self.track = padded([], 2)

    def find_pose(self, target: complex, angle: float, try_all: bool, below: float) -> bool:
        """Hold joints from the last one on."""
        self.best_cost, self.try_all = below, try_all
        self.try_joint(self.table.count - 1, target, angle, 0)
        return self.best_cost < below

    def try_joint(self, j: Index, link_end: complex, heading: float, free_slides: Index) -> bool:
        """Let joint j move, or hold it, so that link j ends at a point with a heading.

        The joints after it are held in the trial, but for some slides, at 0; it tells if that is
        all.
        """
        if j < self.lines.enumerated_from:
            return False
        if self.table.movable[j]:
            if self.table.slides[j]:
                is_over = self.free_slide(j, link_end, heading, free_slides)
            else:
                pivot = link_end - self.table.fixed[j] * points.unit(heading)
                is_over = self.turn_joint(j, pivot, heading, free_slides)
            if is_over:
                return True
        for limit in range(2 * j, 2 * j + self.table.limit_count[j]):
            self.trial.pose[j] = self.table.limit[limit]
            before = link_end - self.table.limit_length[limit] * points.unit(heading)
            if self.try_joint(j - 1, before, heading - self.table.limit_bend[limit], free_slides):
                return True
        return False

    def free_slide(self, j: Index, link_end: complex, heading: float, free_slides: Index) -> bool:
        """Leave slide j free; two may be, if they are not parallel."""
        track = points.unit(heading)
        if free_slides > 1 or (
            free_slides == 1 and abs((track * self.track[0].conjugate()).imag) <= points.PARALLEL
        ):
            return False
        self.slide[free_slides] = j
        self.track[free_slides] = track
        return self.try_joint(j - 1, link_end, heading - self.table.fixed[j], free_slides + 1)

    def turn_joint(self, j: Index, pivot: complex, heading: float, free_slides: Index) -> bool:
        """Let joint j take up the angle, and others bring its pivot where it has to be."""
        if free_slides > 1:
            return self.reach_by_slides(j, pivot, heading)
        if free_slides == 1:
            self.on_track.slide = self.slide[0]
            self.on_track.track = self.track[0]
            return self.reach_pivot(self.on_track, j, pivot, heading)
        if abs(pivot) > self.lines.farthest[self.lines.first_row[j]] + self.trial.slack:
            return False
        return self.reach_pivot(self.meeting, j, pivot, heading)

    def reach_pivot(self, meeting: Meeting, j: Index, pivot: complex, heading: float) -> bool:
        """Bring pivot j to a point by the joints before it, link j to a heading."""
        meeting.set_end(j)
        if not meeting.find_pose(pivot, heading, self.try_all, self.best_cost):
            return False
        self.best_cost = meeting.best_cost
        self.table.copy_pose(meeting.best, self.best)
        return not self.goes_on

    def reach_by_slides(self, j: Index, pivot: complex, heading: float) -> bool:
        """Bring pivot j to a point by two slides, with the joints before it at the start."""
        self.trial.start_first(j)
        gap = pivot - self.trial.pivot
        first, second = self.track[0], self.track[1]
        area = (second * first.conjugate()).imag
        if (
            self.trial.set_joint(j, heading - self.trial.heading)
            and self.trial.set_joint(self.slide[1], (gap * first.conjugate()).imag / area)
            and self.trial.set_joint(self.slide[0], (second * gap.conjugate()).imag / area)
        ):
            move = self.trial.largest_move(self.counted)
            if move < self.best_cost:
                self.keep_trial(move)
                return not self.goes_on
        return False


class ClosestAngle(MeetingAtAngle):
    """Finds the closest angle at which the tip can be at a point, by the chain backwards.

    From the tip to the base, the links add up to the same vector. The first joint of the chain
    backwards turns freely: it starts at the wanted angle. Its last link, the base, is to have the
    heading 0 at the same target; the first joint's least move for that is the least distance from
    the wanted angle. ``mirrored`` are the numbers of the joints there.
    """

    def __init__(self, forward: Trial, links: Sequence[Link], lines: Lines) -> None:
        rows = list(backwards(links))
        super().__init__(Trial(JointTable([link for _, link in rows])), lines)
        self.counted = self.meeting.counted = self.on_track.counted = 1
        self.goes_on = True
        self.forward = forward
        for k, (_, link) in enumerate(rows):
            self.trial.start[k] = 0.0 if link.movable else link.lower
        found = {j: k for k, (j, _) in enumerate(rows) if j >= 0}
        self.mirrored = padded([found[j] for j in range(len(links))])
        self.sign = padded([1.0 if link.slides else -1.0 for link in links])

    def find_closest_angle(self, target: complex, angle: float, below: float) -> None:
        """Start from the pose in which the chain does, at the wanted angle."""
        self.trial.start[0] = angle
        for j in range(self.forward.table.count):
            self.trial.start[self.mirrored[j]] = self.sign[j] * self.forward.start[j]
        self.trial.budget = self.forward.budget
        self.find_pose(target, 0.0, False, below)
        self.forward.budget = self.trial.budget
        # From the base on again: joint j of the chain is another one backwards.
        self.table.copy_pose(self.best, self.trial.pose)
        for j in range(self.forward.table.count):
            self.best[j] = self.sign[j] * self.trial.pose[self.mirrored[j]]


def backwards(links: Sequence[Link]) -> Iterator[tuple[int, Link]]:
    """Yield the links of the chain from its tip to its base, each with the joint that varies it.

    A revolute joint turns the link before it; before a slide, that takes a joint that cannot move.
    """
    before = [0.0, *(0.0 if link.slides else link.fixed for link in links)]
    yield -1, Link(False, before[len(links)], -math.inf, math.inf)
    for j in range(len(links) - 1, -1, -1):
        link = links[j]
        if link.slides:
            yield j, link._replace(fixed=0.0)
            yield -1, Link(False, before[j], -link.fixed, -link.fixed)
        else:
            yield j, Link(False, before[j], -link.upper, -link.lower)


def ends_at_angle(links: Sequence[Link], enumerated_from: int) -> list[int]:
    """Return the tip, and the joints that can take up an angle with all joints after them held."""
    ends = [len(links)]
    for j in range(len(links) - 1, enumerated_from - 1, -1):
        if links[j].movable and not links[j].slides:
            ends.append(j)
        if not links[j].limits:
            break
    return ends
