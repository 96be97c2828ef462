"""The decision at a tip angle: whether the tip can come to a point with a heading."""

from __future__ import annotations

import math

try:
    import cython
except ImportError:
    from ik2d_ros.kinematics.kernel import uncompiled as cython

from ik2d_ros.kinematics.kernel.lines import Lines
from ik2d_ros.kinematics.kernel.linkage import Index, Linkage, Numbers
from ik2d_ros.kinematics.kernel.meeting import Meeting
from ik2d_ros.kinematics.kernel.walk import Walk

if not cython.compiled:
    from ik2d_ros.kinematics.kernel.linkage import SLACK
    from ik2d_ros.kinematics.kernel.points import dot, norm, phase, unit
    from ik2d_ros.kinematics.kernel.walk import FAR

THREE = 3  # Joints, of which all move anyway.
TOUCHING = 1e-12  # reaches; curves that miss each other by no more touch.
PARALLEL = 1e-9  # The sine of an angle that is none.


class Crossing(Walk):
    """Moves a mover, a line of free joints behind it, and a slide that the line runs across.

    The heading of the slide is known, and with it where the pivot at the end of the line may be: on
    a straight line. So is the direction of the line of joints, at a right angle to that.

    Attributes:
        mover: the first joint; it is in the origin, its link along the x-axis if it slides.
        slide: the last one.
        place: where the end has to be while the slide is at 0.
        toward: the direction in which the slide moves what is behind it.
        heading_there: of the link behind the end.
    """

    def __init__(self, linkage: Linkage, lines: Lines) -> None:
        super().__init__(linkage, lines)
        self.mover = self.slide = 0
        self.heading_there = 0.0
        self.place = self.toward = 0j

    def meet(self, place: complex, heading: float, slide: Index, toward: complex) -> bool:
        """Find poses with the end at a place, but for the slide, and the link there at a heading.

        Args:
            place: in the base's frame, and so are heading and direction.
            heading: of the link behind the end, in rad.
            slide: the joint that slides.
            toward: the direction in which it does.
        """
        self.found = FAR
        self.slide = slide
        self.stand(place, heading, toward)
        for mover in range(self.end - 1, max(self.lines.deep - 1, 0) - 1, -1):
            if self.found < FAR:
                return True
            if self.linkage.free[mover]:
                self.look(mover, place, heading, toward)
        return self.found < FAR

    def stand(self, place: complex, heading: float, toward: complex) -> None:
        """Try the joints before the end where they start."""
        self.linkage.stand(self.end)
        gap = place - self.linkage.pivot
        if abs((gap * toward.conjugate()).imag) <= SLACK:
            bend = heading - self.linkage.heading
            if self.linkage.fit(self.slide, dot(gap, toward)) and self.linkage.fit(self.end, bend):
                self.keep(self.linkage.move(self.linkage.count))

    def look(self, mover: Index, place: complex, heading: float, toward: complex) -> None:
        """Look for poses with the joints before the mover as they start."""
        self.linkage.stand(mover)
        self.mover = mover
        before = self.linkage.heading
        ahead = 0j
        if self.linkage.slides[mover]:
            before += self.linkage.fixed[mover]
        else:
            ahead = self.linkage.fixed[mover] + 0j
        self.place = (place - self.linkage.pivot) * unit(-before)
        self.toward = toward * unit(-before)
        self.heading_there = heading - before
        onward: complex = 1.0 + 0j
        self.set_out(mover + 1, ahead, 0.0, onward)
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
        place = self.place - chord
        pivot = self.pivot[j]
        if self.linkage.slides[self.mover]:
            if abs(self.toward.imag) > PARALLEL:
                self.close(j, line, chord, (place.imag - pivot.imag) / self.toward.imag)
            return
        across = (place * self.toward.conjugate()).imag
        square = norm(pivot) - across * across
        if square >= -TOUCHING:
            root = math.sqrt(max(0.0, square))
            along = dot(place, self.toward)
            self.close(j, line, chord, along - root)
            self.close(j, line, chord, along + root)

    def close(self, j: Index, line: Index, chord: complex, shift: float) -> None:
        """Try the slide there; keep the trial if it moves less than what was found."""
        if not self.linkage.fit(self.slide, shift):
            return
        pivot = self.place - chord - shift * self.toward
        turned: float = 0.0
        if self.linkage.slides[self.mover]:
            there = self.linkage.fit(self.mover, (pivot - self.pivot[j]).real)
        else:
            turned = phase(pivot) - phase(self.pivot[j])
            there = self.linkage.fit(self.mover, turned)
        if there and self.turn_there(j, line, chord, turned + self.heading[j]):
            cost = self.linkage.move(self.linkage.count)
            if cost < self.found:
                self.keep(cost)

    def turn_there(self, j: Index, line: Index, chord: complex, before: float) -> bool:
        """Turn joint j, those of its line, and the one at the end, as they have to be."""
        if line < 0:
            return self.linkage.fit(j, self.heading_there - before)
        heading = phase(chord) - self.lines.direction[line]
        if not (self.linkage.fit(j, heading - before) and self.follow(j, self.end, line)):
            return False
        return self.linkage.fit(self.end, self.heading_there - heading - self.lines.heading[line])


class MeetingAtAngle:
    """Holds joints at limits from the tip on; what is left has to come to a point.

    Each joint that is not held says what is left: of a revolute one it is known where its pivot has
    to be, for it takes up the angle; of a slide it is known along which straight line.

    Attributes:
        every: whether to look for the least move of all; else for that of the fewest joints.
    """

    def __init__(self, linkage: Linkage, lines: Lines) -> None:
        self.linkage = linkage
        self.lines = lines
        self.meeting = Meeting(linkage, lines)
        self.meeting.aimed = True
        self.crossing = Crossing(linkage, lines)
        self.every = linkage.count == THREE

    def meet(self, j: Index, place: complex, heading: float) -> bool:
        """Put a pose into the trial whose link j has a heading and ends at a place, if any has.

        Joints behind j are held in the trial.
        """
        if j < max(self.lines.deep, 1):
            return False
        if self.linkage.free[j]:
            if not self.linkage.slides[j]:
                if self.turn(j, place, heading):
                    return True
            elif self.cross(j - 1, place, heading - self.linkage.fixed[j], j, unit(heading)):
                return True
        for limit in range(2 * j, 2 * j + self.linkage.limits[j]):
            self.linkage.trial[j] = self.linkage.limit[limit]
            before = place - self.linkage.length[limit] * unit(heading)
            if self.meet(j - 1, before, heading - self.linkage.bend[limit]):
                return True
        return False

    def turn(self, j: Index, place: complex, heading: float) -> bool:
        """Let joint j take up the angle, and those before it bring its pivot where it has to be."""
        pivot = place - self.linkage.fixed[j] * unit(heading)
        if abs(pivot) > self.lines.farthest[self.lines.base[j]] + SLACK:
            return False
        self.meeting.set_end(j)
        self.meeting.angle = heading
        if not self.meeting.meet(pivot, self.every):
            return False
        self.take(self.meeting.best)
        return True

    def cross(
        self, j: Index, place: complex, heading: float, slide: Index, toward: complex
    ) -> bool:
        """Do the same for link j, where a slide behind it moves: the place is one on a line."""
        if j < self.lines.deep:
            return False
        if self.linkage.free[j]:
            if self.linkage.slides[j]:
                across = unit(heading)
                before = heading - self.linkage.fixed[j]
                if self.pair(j - 1, place, before, slide, toward, j, across):
                    return True
            else:
                self.crossing.set_end(j)
                pivot = place - self.linkage.fixed[j] * unit(heading)
                if self.crossing.meet(pivot, heading, slide, toward):
                    self.take(self.crossing.best)
                    return True
        for limit in range(2 * j, 2 * j + self.linkage.limits[j]):
            self.linkage.trial[j] = self.linkage.limit[limit]
            before_it = place - self.linkage.length[limit] * unit(heading)
            if self.cross(j - 1, before_it, heading - self.linkage.bend[limit], slide, toward):
                return True
        return False

    def pair(
        self,
        j: Index,
        place: complex,
        heading: float,
        slide: Index,
        toward: complex,
        other: Index,
        across: complex,
    ) -> bool:
        """Do the same where two slides behind link j move: the first revolute joint turns it."""
        if j < 0 or abs((across * toward.conjugate()).imag) <= PARALLEL:
            return False
        if self.linkage.free[j] and not self.linkage.slides[j]:
            pivot = place - self.linkage.fixed[j] * unit(heading)
            if self.close_pair(j, pivot, heading, slide, toward, other, across):
                return True
        for limit in range(2 * j, 2 * j + self.linkage.limits[j]):
            self.linkage.trial[j] = self.linkage.limit[limit]
            before = place - self.linkage.length[limit] * unit(heading)
            turned = heading - self.linkage.bend[limit]
            if self.pair(j - 1, before, turned, slide, toward, other, across):
                return True
        return False

    def close_pair(
        self,
        j: Index,
        pivot: complex,
        heading: float,
        slide: Index,
        toward: complex,
        other: Index,
        across: complex,
    ) -> bool:
        """Turn joint j to the heading, with those before it as they start, and move both slides."""
        self.linkage.stand(j)
        gap = pivot - self.linkage.pivot
        area = (across * toward.conjugate()).imag
        return (
            self.linkage.fit(j, heading - self.linkage.heading)
            and self.linkage.fit(other, (gap * toward.conjugate()).imag / area)
            and self.linkage.fit(slide, (across * gap.conjugate()).imag / area)
        )

    def take(self, pose: Numbers) -> None:
        """Put a pose into the trial."""
        for j in range(self.linkage.count):
            self.linkage.trial[j] = pose[j]
