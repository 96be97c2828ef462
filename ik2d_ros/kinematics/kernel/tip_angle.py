"""The decision at a tip angle: whether the tip can come to a point with a heading, or how near."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ik2d_ros.kinematics.kernel import points
from ik2d_ros.kinematics.kernel.joint_table import Index, JointTable, Link, padded
from ik2d_ros.kinematics.kernel.lines import Lines
from ik2d_ros.kinematics.kernel.meeting import Meeting
from ik2d_ros.kinematics.kernel.search import Search, Trial


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
