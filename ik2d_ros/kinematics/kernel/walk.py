"""The walk over all ways to hold joints at their limits, and the closest pose to a target by it."""

from __future__ import annotations

from ik2d_ros.kinematics.kernel import points
from ik2d_ros.kinematics.kernel.joint_table import Index, padded
from ik2d_ros.kinematics.kernel.lines import Lines
from ik2d_ros.kinematics.kernel.search import Search, Trial


class Walk(Search):
    """Holds joints at their limits, one after the other, depth first.

    Subclasses say in :meth:`visit` what to try at a joint that is not held.

    Attributes:
        end: the joint that the walk goes up to; row: where its rows begin in the tables of
            lines.
        pivot: of each joint so far; along and heading: of the link before it.
    """

    def __init__(self, trial: Trial, lines: Lines) -> None:
        super().__init__(trial)
        self.lines = lines
        self.set_end(self.table.leading)
        self.heading = padded()
        self.pivot = padded()
        self.along = padded()

    def set_end(self, end: Index) -> None:
        """Choose the joint that the walk goes up to."""
        self.end = end
        self.row = self.lines.first_row[end]

    def first_line(self, j: Index) -> Index:
        """Return the number of the first line of joint j."""
        return self.lines.first[self.row + j]

    def walk(self, j: Index) -> None:
        """Visit joint j, and those after it for each of its limits."""
        lines = self.first_line(j + 1) - self.first_line(j) if j < self.end else 0
        if self.trial.spend(1 + lines) and self.visit(j) and j < self.end:
            for side in range(self.table.limit_count[j]):
                self.hold_joint(j, 2 * j + side)
                self.walk(j + 1)

    def visit(self, j: Index) -> bool:
        """Try all poses for which joint j need not be held; tell whether to hold it and go on.

        With the joints before j held, the end is in a ring about pivot j and in a disc
        (:class:`.Lines`). Where no point of their intersection can improve on the best pose, no
        pose that holds more joints does: the walk turns back.
        """
        return False

    def place_joint(self, j: Index, pivot: complex, heading: float, along: complex) -> None:
        """Put joint j at a pivot, the link before it at a heading, of the unit vector along."""
        self.pivot[j] = pivot
        self.heading[j] = heading
        self.along[j] = along

    def hold_joint(self, j: Index, limit: Index) -> None:
        """Hold joint j at a limit, and place the next one there."""
        self.trial.pose[j] = self.table.limit[limit]
        self.heading[j + 1] = self.heading[j] + self.table.limit_bend[limit]
        self.along[j + 1] = self.along[j] * self.table.limit_rotation[limit]
        self.pivot[j + 1] = self.pivot[j] + self.table.limit_length[limit] * self.along[j + 1]

    def set_line(self, f: Index, line: Index) -> bool:
        """Try the joints between f and the end as a line has them; tell if limits allow it."""
        for j in range(f + 1, self.end):
            if not self.trial.set_joint(j, self.lines.values[self.lines.count * line + j]):
                return False
        return True

    def disc_centre(self, j: Index) -> complex:
        """Return the centre of a disc that the end stays in, joints before j held."""
        x = 2 * (self.row + j)
        seen = self.lines.centre[x] + 1j * self.lines.centre[x + 1]
        return self.pivot[j] + self.along[j] * seen

    def slide_direction(self, j: Index) -> complex:
        """Return the direction in which joint j slides."""
        return self.along[j] * self.table.limit_rotation[2 * j]


class Closest(Walk):
    """Holds joints from the base on at limits, and points each line at the target.

    The cost is the distance in reaches; poses that cannot be closer than the best are left out.
    """

    def __init__(self, trial: Trial, lines: Lines) -> None:
        super().__init__(trial, lines)
        self.target = 0j

    def find_closest(self, target: complex, below: float) -> None:
        """Find the closest pose; joints before the first with lines stay at the start."""
        self.target = target
        self.best_cost, self.best_move = below, points.FAR
        self.trial.start_from(self.end)
        first = self.lines.enumerated_from
        self.trial.start_first(first)
        heading = self.trial.heading
        self.place_joint(first, self.trial.pivot, heading, points.unit(heading))
        self.walk(first)

    def visit(self, j: Index) -> bool:
        """Point all lines of joint j at the target, unless ring and disc are too far from it."""
        ahead = self.target - self.pivot[j]
        away = abs(ahead)
        closest = max(
            away - self.lines.farthest[self.row + j], self.lines.nearest[self.row + j] - away
        )
        if closest > self.best_cost + points.SAME_DISTANCE:
            return False
        radius = self.lines.radius[self.row + j]
        if abs(self.target - self.disc_centre(j)) - radius > self.best_cost + points.TOUCHING:
            return False
        if j == self.end:
            self.keep_closer(away)
        elif self.table.movable[j]:
            for line in range(self.first_line(j), self.first_line(j + 1)):
                if self.table.slides[j]:
                    self.slide_rail(j, ahead, line)
                else:
                    self.point_line(j, ahead, line)
        return True

    def point_line(self, j: Index, ahead: complex, line: Index) -> None:
        """Turn joint j until a line points at a target that is ahead of it."""
        distance = abs(abs(ahead) - self.lines.span[line])
        if distance <= self.best_cost + points.SAME_DISTANCE:
            bend = points.phase(ahead) - self.heading[j] - self.lines.direction[line]
            if self.trial.set_joint(j, bend) and self.set_line(j, line):
                self.keep_closer(distance)

    def slide_rail(self, j: Index, ahead: complex, rail: Index) -> None:
        """Slide joint j until the end is at the foot of the perpendicular from the target."""
        along = self.slide_direction(j)
        distance = abs((ahead * along.conjugate()).imag - self.lines.aside[rail])
        if distance <= self.best_cost + points.SAME_DISTANCE:
            value = points.dot(ahead, along) - self.lines.ahead[rail]
            if self.trial.set_joint(j, value) and self.set_line(j, rail):
                self.keep_closer(distance)
