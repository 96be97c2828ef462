"""The decision at a tip angle, where the last joint that moves is a slide."""

from __future__ import annotations

import math

try:
    import cython
except ImportError:
    from ik2d_ros.kinematics.kernel import uncompiled as cython

from ik2d_ros.kinematics.kernel.lines import Lines
from ik2d_ros.kinematics.kernel.linkage import Index, Linkage
from ik2d_ros.kinematics.kernel.walk import Walk

if not cython.compiled:
    from ik2d_ros.kinematics.kernel.linkage import SLACK
    from ik2d_ros.kinematics.kernel.points import dot, norm, phase, unit
    from ik2d_ros.kinematics.kernel.walk import FAR

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
