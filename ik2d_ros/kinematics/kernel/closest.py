"""The closest pose to a target that cannot be reached."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from ik2d_ros.kinematics.kernel import uncompiled as cython

from ik2d_ros.kinematics.kernel.lines import Lines
from ik2d_ros.kinematics.kernel.linkage import Index, Linkage
from ik2d_ros.kinematics.kernel.walk import Walk

if not cython.compiled:
    from ik2d_ros.kinematics.kernel.points import dot, phase, unit
    from ik2d_ros.kinematics.kernel.walk import FAR

SAME = 1e-14  # reaches; distances that differ by no more are equal: the smaller move counts.
ROUNDING = 1e-12  # reaches
SAME_MOVE = 1e-9  # rad or reaches; so are moves.


class Closest(Walk):
    """Holds joints from the base on at limits, and points each line at the target.

    Attributes:
        found: the distance of the best pose in reaches; what cannot be closer is left out.
        move: how far the best pose is from the start.
    """

    def __init__(self, linkage: Linkage, lines: Lines) -> None:
        super().__init__(linkage, lines)
        self.move = 0.0
        self.target = 0j

    def seek(self, target: complex) -> None:
        """Find the closest pose, if it is closer than what was found.

        Joints from which there are no lines stay where they start.
        """
        self.target = target
        self.move = FAR
        first = self.lines.deep
        self.linkage.stand(first)
        heading = self.linkage.heading
        self.set_out(first, self.linkage.pivot, heading, unit(heading))
        self.walk(first)

    def visit(self, j: Index) -> bool:
        """Point all lines of joint j at the target."""
        ahead = self.target - self.pivot[j]
        away = abs(ahead)
        closest = max(
            away - self.lines.farthest[self.base + j], self.lines.nearest[self.base + j] - away
        )
        if closest > self.found + SAME:
            return False
        radius = self.lines.radius[self.base + j]
        if abs(self.target - self.centre(j)) - radius > self.found + ROUNDING:
            return False
        if j == self.end:
            self.reach(away)
        elif self.linkage.free[j]:
            for line in range(self.first_line(j), self.first_line(j + 1)):
                if self.linkage.slides[j]:
                    self.slide_to(j, ahead, line)
                else:
                    self.turn_to(j, ahead, line)
        return True

    def turn_to(self, j: Index, ahead: complex, line: Index) -> None:
        """Point a line from joint j at a target there."""
        distance = abs(abs(ahead) - self.lines.span[line])
        if distance <= self.found + SAME:
            bend = phase(ahead) - self.heading[j] - self.lines.direction[line]
            if self.linkage.fit(j, bend) and self.follow(j, self.end, line):
                self.reach(distance)

    def slide_to(self, j: Index, ahead: complex, line: Index) -> None:
        """Slide the end to the foot of a target there."""
        way = self.way(j)
        distance = abs((ahead * way.conjugate()).imag - self.lines.direction[line])
        if distance <= self.found + SAME:
            value = dot(ahead, way) - self.lines.span[line]
            if self.linkage.fit(j, value) and self.follow(j, self.end, line):
                self.reach(distance)

    def reach(self, distance: float) -> None:
        """Keep the trial if it is closer, or as close and moves less."""
        if distance > self.found + SAME:
            return
        move = self.linkage.move(self.linkage.count)
        if distance < self.found - SAME or move < self.move - SAME_MOVE:
            self.found = FAR
            self.keep(distance)
            self.move = move
