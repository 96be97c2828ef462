"""A walk over all ways to hold joints at their limits, one after the other."""

from __future__ import annotations

from ik2d_ros.kinematics.kernel.lines import Lines
from ik2d_ros.kinematics.kernel.linkage import Index, Linkage, room

FAR = 1e300  # A cost that nothing has.


class Walk:
    """Holds joints at their limits, one after the other, depth first.

    What is found on the way is for those who derive from it: they say in :meth:`visit` what a joint
    that is not held offers.

    Attributes:
        end: the joint that it goes up to; base: where its numbers begin in the tables of lines.
        pivot: where the joints so far are; along and heading: those of the link before each.
        found: the cost of the best pose; best: that pose.
    """

    def __init__(self, linkage: Linkage, lines: Lines) -> None:
        self.linkage = linkage
        self.lines = lines
        self.set_end(lines.count)
        self.found = FAR
        self.best = room()
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
        """Take what joint j offers; tell whether to hold it and go on."""
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

    def keep(self, cost: float) -> None:
        """Remember the trial if it is better than what was found."""
        if cost < self.found:
            self.found = cost
            for j in range(self.linkage.count):
                self.best[j] = self.linkage.trial[j]
