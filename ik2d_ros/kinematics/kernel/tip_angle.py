"""The decision at a tip angle: whether the tip can come to a point with a heading."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from ik2d_ros.kinematics.kernel import uncompiled as cython

from ik2d_ros.kinematics.kernel.crossing import Crossing
from ik2d_ros.kinematics.kernel.lines import Lines
from ik2d_ros.kinematics.kernel.linkage import Index, Linkage, Numbers
from ik2d_ros.kinematics.kernel.meeting import Meeting

if not cython.compiled:
    from ik2d_ros.kinematics.kernel.linkage import SLACK
    from ik2d_ros.kinematics.kernel.points import unit

THREE = 3  # Joints, of which all move anyway.
PARALLEL = 1e-9  # The sine of an angle that is none.


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
