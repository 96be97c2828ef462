"""A walk over all ways to hold joints at their limits, and the closest pose to a target on it."""

from __future__ import annotations

from ik2d_ros.kinematics.kernel import points
from ik2d_ros.kinematics.kernel.lines import Lines
from ik2d_ros.kinematics.kernel.linkage import Index, Linkage, Search, room


class Walk(Search):
    """Holds joints at their limits, one after the other, depth first.

    Subclasses say in :meth:`visit` what to try at a joint that is not held.

    Attributes:
        end: the joint that it goes up to; base: where its numbers begin in the tables of lines.
        pivot: of each joint so far; along and heading: of the link before it.
    """

    def __init__(self, linkage: Linkage, lines: Lines) -> None:
        super().__init__(linkage)
        self.lines = lines
        self.set_end(linkage.leading)
        self.heading = room()
        self.pivot = room()
        self.along = room()

    def set_end(self, end: Index) -> None:
        """Say up to which joint to go."""
        self.end = end
        self.base = self.lines.base[end]

    def first_line(self, j: Index) -> Index:
        """Return the number of the first line of joint j."""
        return self.lines.first[self.base + j]

    def walk(self, j: Index) -> None:
        """Visit joint j, and those behind it for each limit that it has."""
        if self.visit(j) and j < self.end:
            for side in range(self.linkage.limits[j]):
                self.hold(j, 2 * j + side)
                self.walk(j + 1)

    def visit(self, j: Index) -> bool:  # noqa: ARG002
        """Try all poses for which joint j need not be held; tell whether to hold it and go on."""
        return False

    def set_out(self, j: Index, pivot: complex, heading: float, along: complex) -> None:
        """Begin at joint j."""
        self.pivot[j] = pivot
        self.heading[j] = heading
        self.along[j] = along

    def hold(self, j: Index, limit: Index) -> None:
        """Hold joint j at a limit, and put the next pivot where that brings it."""
        self.linkage.trial[j] = self.linkage.limit[limit]
        self.heading[j + 1] = self.heading[j] + self.linkage.bend[limit]
        self.along[j + 1] = self.along[j] * self.linkage.turn[limit]
        self.pivot[j + 1] = self.pivot[j] + self.linkage.length[limit] * self.along[j + 1]

    def follow(self, f: Index, end: Index, line: Index) -> bool:
        """Try the joints between f and the end of a line as it has them."""
        for j in range(f + 1, end):
            if not self.linkage.fit(j, self.lines.values[self.lines.count * line + j]):
                return False
        return True

    def centre(self, j: Index) -> complex:
        """Return the centre of a disc that the end stays in, joints before j held."""
        middle = 2 * (self.base + j)
        seen = self.lines.centre[middle] + 1j * self.lines.centre[middle + 1]
        return self.pivot[j] + self.along[j] * seen

    def way(self, j: Index) -> complex:
        """Return the direction in which joint j slides."""
        return self.along[j] * self.linkage.turn[2 * j]


class Closest(Walk):
    """Holds joints from the base on at limits, and points each line at the target.

    Attributes:
        found: the distance of the best pose in reaches; poses that cannot be closer are left out.
    """

    def __init__(self, linkage: Linkage, lines: Lines) -> None:
        super().__init__(linkage, lines)
        self.target = 0j

    def seek(self, target: complex, enough: float) -> None:
        """Find the closest pose.

        Joints before the first that has lines stay where they start.
        """
        self.target = target
        self.found, self.move = enough, points.FAR
        self.linkage.rest(self.end)
        first = self.lines.deep
        self.linkage.stand(first)
        heading = self.linkage.heading
        self.set_out(first, self.linkage.pivot, heading, points.unit(heading))
        self.walk(first)

    def visit(self, j: Index) -> bool:
        """Point all lines of joint j at the target."""
        ahead = self.target - self.pivot[j]
        away = abs(ahead)
        closest = max(
            away - self.lines.farthest[self.base + j], self.lines.nearest[self.base + j] - away
        )
        if closest > self.found + points.SAME:
            return False
        radius = self.lines.radius[self.base + j]
        if abs(self.target - self.centre(j)) - radius > self.found + points.TOUCHING:
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
        if distance <= self.found + points.SAME:
            bend = points.phase(ahead) - self.heading[j] - self.lines.direction[line]
            if self.linkage.fit(j, bend) and self.follow(j, self.end, line):
                self.reach(distance)

    def slide_to(self, j: Index, ahead: complex, line: Index) -> None:
        """Slide the end to the foot of a target there."""
        way = self.way(j)
        distance = abs((ahead * way.conjugate()).imag - self.lines.direction[line])
        if distance <= self.found + points.SAME:
            value = points.dot(ahead, way) - self.lines.span[line]
            if self.linkage.fit(j, value) and self.follow(j, self.end, line):
                self.reach(distance)

    def reach(self, distance: float) -> None:
        """Keep the trial if it is closer, or as close and moves less."""
        if distance <= self.found + points.SAME:
            self.keep_closest(distance)
