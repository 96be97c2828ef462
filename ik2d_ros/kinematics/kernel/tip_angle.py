"""The decision at a tip angle: whether the tip can come to a point with a heading, or how near."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ik2d_ros.kinematics.kernel import points
from ik2d_ros.kinematics.kernel.lines import Lines
from ik2d_ros.kinematics.kernel.linkage import Index, Link, Linkage, Search, room
from ik2d_ros.kinematics.kernel.meeting import Meeting


class Crossing(Meeting):
    """Moves a mover, a line of free joints behind it, and a slide that the line runs across.

    The heading of the slide is known, so the end of the line has to be on a known straight line,
    and the line of joints runs at a right angle to that.

    Attributes:
        slide: the last joint; the goal is the place of the end while the slide is at 0.
        slid: the direction in which the slide moves, in the base's frame; toward: in the mover's.
    """

    def __init__(self, linkage: Linkage, lines: Lines) -> None:
        super().__init__(linkage, lines)
        self.slide = 0
        self.slid = self.toward = 0j

    def stand(self, place: complex) -> None:
        """Try the joints before the end where they start."""
        self.linkage.stand(self.end)
        gap = place - self.linkage.pivot
        beside = (gap * self.slid.conjugate()).imag
        if (
            abs(beside) <= points.SLACK
            and self.linkage.fit(self.slide, points.dot(gap, self.slid))
            and self.turn_end()
        ):
            self.keep_move()

    def search(self, mover: Index, place: complex) -> None:
        """Search for poses with the joints before the mover as they start."""
        self.set_off(mover, place)
        self.toward = self.slid * points.unit(-self.before)
        self.walk(mover + 1)

    def visit(self, j: Index) -> bool:
        """Let all lines of joint j run across the slide, to either side."""
        if j == self.end:
            self.cross(j, -1, 0j)
        elif self.linkage.free[j] and not self.linkage.slides[j]:
            for line in range(self.first_line(j), self.first_line(j + 1)):
                chord = 1j * self.lines.span[line] * self.toward
                self.cross(j, line, chord)
                self.cross(j, line, -chord)
        return True

    def cross(self, j: Index, line: Index, chord: complex) -> None:
        """Let the slide go where the mover can bring pivot j to the beginning of the line."""
        place = self.goal - chord
        pivot = self.pivot[j]
        if self.linkage.slides[self.mover]:
            if abs(self.toward.imag) > points.PARALLEL:
                self.shift(j, line, chord, (place.imag - pivot.imag) / self.toward.imag)
            return
        across = (place * self.toward.conjugate()).imag
        square = points.norm(pivot) - across * across
        if square >= -points.TOUCHING:
            root = math.sqrt(max(0.0, square))
            along = points.dot(place, self.toward)
            self.shift(j, line, chord, along - root)
            self.shift(j, line, chord, along + root)

    def shift(self, j: Index, line: Index, chord: complex, shift: float) -> None:
        """Try the slide there, and turn joint j, its line and the end as they have to be."""
        if not self.linkage.fit(self.slide, shift):
            return
        pivot = self.goal - chord - shift * self.toward
        turned: float = 0.0
        if self.linkage.slides[self.mover]:
            there = self.linkage.fit(self.mover, (pivot - self.pivot[j]).real)
        else:
            turned = points.phase(pivot) - points.phase(self.pivot[j])
            there = self.linkage.fit(self.mover, turned)
        if there and line >= 0:
            bend = points.phase(chord) - self.lines.direction[line] - turned - self.heading[j]
            there = self.linkage.fit(j, bend) and self.follow(j, self.end, line)
        if there and self.turn_end():
            self.keep_move()


class MeetingAtAngle(Search):
    """Holds joints at limits from the tip on; the joints before them have to come to a point.

    A revolute joint that is not held takes up the angle, and it is known where its pivot has to be.
    Where slides behind it are not held, its pivot has to be on a line, or can be anywhere.

    Attributes:
        every: whether to look for the least move of any joints; else of the fewest.
        all_held: whether to try all ways to hold joints; else only up to the first with a pose.
        slide: joints behind that slide; toward: the directions in which they do.
    """

    def __init__(self, linkage: Linkage, lines: Lines) -> None:
        super().__init__(linkage)
        self.lines = lines
        self.meeting = Meeting(linkage, lines)
        self.crossing = Crossing(linkage, lines)
        self.meeting.aimed = self.crossing.aimed = True
        self.every = self.all_held = False
        self.slide = room([], 2)
        self.toward = room([], 2)

    def meet(self, target: complex, angle: float, every: bool, enough: float) -> bool:
        """Hold joints from the last one on."""
        self.found, self.every = enough, every
        self.hold(self.linkage.count - 1, target, angle, 0)
        return self.found < enough

    def hold(self, j: Index, place: complex, heading: float, slides: Index) -> bool:
        """Let joint j move, or hold it, so that link j ends at a place with a heading.

        Args:
            j: the joint; those behind it are held in the trial, but for slides.
            place: of its link's end, slides at 0.
            heading: of its link.
            slides: how many slides behind it are not held.

        Returns:
            Whether the search ends.
        """
        if j < self.lines.deep:
            return False
        if self.linkage.free[j]:
            if self.linkage.slides[j]:
                if self.let_slide(j, place, heading, slides):
                    return True
            elif self.turn(
                j, place - self.linkage.fixed[j] * points.unit(heading), heading, slides
            ):
                return True
        for limit in range(2 * j, 2 * j + self.linkage.limits[j]):
            self.linkage.trial[j] = self.linkage.limit[limit]
            before = place - self.linkage.length[limit] * points.unit(heading)
            if self.hold(j - 1, before, heading - self.linkage.bend[limit], slides):
                return True
        return False

    def let_slide(self, j: Index, place: complex, heading: float, slides: Index) -> bool:
        """Let slide j move; two may, if they are not parallel."""
        toward = points.unit(heading)
        if slides > 1 or (
            slides == 1 and abs((toward * self.toward[0].conjugate()).imag) <= points.PARALLEL
        ):
            return False
        self.slide[slides] = j
        self.toward[slides] = toward
        return self.hold(j - 1, place, heading - self.linkage.fixed[j], slides + 1)

    def turn(self, j: Index, pivot: complex, heading: float, slides: Index) -> bool:
        """Let joint j take up the angle, and others bring its pivot where it has to be."""
        if slides > 1:
            return self.bring_by_slides(j, pivot, heading)
        if slides == 1:
            self.crossing.slide = self.slide[0]
            self.crossing.slid = self.toward[0]
            return self.bring(self.crossing, j, pivot, heading)
        if abs(pivot) > self.lines.farthest[self.lines.base[j]] + points.SLACK:
            return False
        return self.bring(self.meeting, j, pivot, heading)

    def bring(self, meeting: Meeting, j: Index, pivot: complex, heading: float) -> bool:
        """Bring the pivot there by the joints before it."""
        meeting.set_end(j)
        if not meeting.meet(pivot, heading, self.every, self.found):
            return False
        self.found = meeting.found
        self.linkage.copy(meeting.best, self.best)
        return not self.all_held

    def bring_by_slides(self, j: Index, pivot: complex, heading: float) -> bool:
        """Bring the pivot there by both slides, with the joints before it as they start."""
        self.linkage.stand(j)
        gap = pivot - self.linkage.pivot
        first, second = self.toward[0], self.toward[1]
        area = (second * first.conjugate()).imag
        if (
            self.linkage.fit(j, heading - self.linkage.heading)
            and self.linkage.fit(self.slide[1], (gap * first.conjugate()).imag / area)
            and self.linkage.fit(self.slide[0], (second * gap.conjugate()).imag / area)
        ):
            move = self.linkage.move(self.movers)
            if move < self.found:
                self.keep(move)
                return not self.all_held
        return False


class ClosestAngle(MeetingAtAngle):
    """Finds the closest angle at which the tip can be at a point, by the chain backwards.

    From the tip to the base, the links add up to the same vector. The first joint of the chain
    backwards turns freely: it starts at the angle that is asked for. Its least move with the end at
    the same target, and there with the base's heading, is what the closest angle is off.

    Attributes:
        forward: the chain as it is.
        place: where in the chain backwards each joint is; sign: -1 where its number changes sign.
    """

    def __init__(self, forward: Linkage, links: Sequence[Link], lines: Lines) -> None:
        rows = list(backwards(links))
        super().__init__(Linkage([link for _, link in rows]), lines)
        self.movers = self.meeting.movers = self.crossing.movers = 1
        self.all_held = True
        self.forward = forward
        for k, (_, link) in enumerate(rows):
            self.linkage.start[k] = 0.0 if link.free else link.lower
        places = {j: place for place, (j, _) in enumerate(rows) if j >= 0}
        self.place = room([places[j] for j in range(len(links))])
        self.sign = room([1.0 if link.slides else -1.0 for link in links])

    def seek_angle(self, target: complex, angle: float, enough: float) -> None:
        """Start from the pose in which the chain does, at the angle that is asked for."""
        self.linkage.start[0] = angle
        for j in range(self.forward.count):
            self.linkage.start[self.place[j]] = self.sign[j] * self.forward.start[j]
        self.meet(target, 0.0, False, enough)
        self.linkage.copy(self.best, self.linkage.trial)
        for j in range(self.forward.count):
            self.best[j] = self.sign[j] * self.linkage.trial[self.place[j]]


def backwards(links: Sequence[Link]) -> Iterator[tuple[int, Link]]:
    """Yield the links of the chain from its tip to its base, each with the joint that varies it.

    A revolute joint turns the link before it. A slide moves its own link; the bend to the link
    before is then a joint that cannot move.
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


def ends_at_angle(links: Sequence[Link], deep: int) -> list[int]:
    """Return which joints can take up an angle, with all joints behind them held; and the tip."""
    ends = [len(links)]
    for j in range(len(links) - 1, deep - 1, -1):
        if links[j].free and not links[j].slides:
            ends.append(j)
        if not links[j].limits:
            break
    return ends
