"""The walk over all ways to hold joints at their limits, and the closest pose to a target by it."""

from __future__ import annotations

from ik2d_ros.kinematics.kernel import points
from ik2d_ros.kinematics.kernel.joint_table import Index, padded
from ik2d_ros.kinematics.kernel.lines import Lines
from ik2d_ros.kinematics.kernel.search import Search, Trial


class Walk(Search):
    """Holds joints at their limits, one after the other, depth first; subclasses say what to try.

    The walk goes up to joint ``end``, whose rows begin at ``row``; it has a pivot for each joint so
    far, with along and heading of the link before it.
    """

    def __init__(self, trial: Trial, lines: Lines) -> None:
        super().__init__(trial)
        self.lines = lines
        self.set_end(self.table.leading_count)
        self.heading = padded()
        self.pivot = padded()
        self.along = padded()

    def set_end(self, end: Index) -> None:
        """Choose the joint that the walk goes up to."""
        self.end = end
        self.row = self.lines.first_row[end]

    def walk(self, j: Index) -> None:
        """Try all poses with joint j on a line, or held at a limit, and the joints before j held.

        The end is in a ring about pivot j and in a disc (:class:`.Lines`): where these hold nothing
        that can improve on the best pose, no pose that holds more joints does.
        """
        first, after = 0, 0
        if j < self.end:
            first, after = self.lines.first[self.row + j], self.lines.first[self.row + j + 1]
        if not self.trial.spend(1 + after - first) or not self.may_improve(j):
            return
        if j == self.end:
            self.try_end()
            return
        for line in range(first, after):
            self.try_line(j, line)
        for limit in range(2 * j, 2 * j + self.table.limit_count[j]):
            self.trial.pose[j] = self.table.limit[limit]
            along = self.along[j] * self.table.limit_rotation[limit]
            pivot = self.pivot[j] + self.table.limit_length[limit] * along
            self.place_joint(j + 1, pivot, self.heading[j] + self.table.limit_bend[limit], along)
            self.walk(j + 1)

    def may_improve(self, j: Index) -> bool:
        """Tell whether a pose with the joints before j held may be better than the best."""
        return True

    def try_end(self) -> None:
        """Try the pose with all joints held."""

    def try_line(self, j: Index, line: Index) -> None:
        """Try the poses with joint j on a line or rail."""

    def place_joint(self, j: Index, pivot: complex, heading: float, along: complex) -> None:
        """Put joint j at a pivot, the link before it at a heading, of the unit vector along."""
        self.pivot[j] = pivot
        self.heading[j] = heading
        self.along[j] = along

    def point_line(self, j: Index, line: Index, ahead: complex) -> bool:
        """Put the end of a line or rail of joint j ahead of its pivot; tell if limits allow it."""
        if self.table.slides[j]:
            value = points.dot(ahead, self.slide_direction(j)) - self.lines.ahead[line]
        else:
            value = points.phase(ahead) - self.heading[j] - self.lines.direction[line]
        return self.trial.set_joint(j, value) and self.set_line(j, line)

    def set_line(self, f: Index, line: Index) -> bool:
        """Try the joints between f and the end as a line has them; tell if limits allow it."""
        for j in range(f + 1, self.end):
            if not self.trial.set_joint(j, self.lines.values[self.table.count * line + j]):
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
    """Holds joints from the base on at limits, and points each line at the target."""

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

    def may_improve(self, j: Index) -> bool:
        """Tell whether ring and disc come closer to the target than the best pose."""
        away = abs(self.target - self.pivot[j])
        closest = max(
            away - self.lines.farthest[self.row + j], self.lines.nearest[self.row + j] - away
        )
        if closest > self.best_cost + points.SAME_DISTANCE:
            return False
        off = abs(self.target - self.disc_centre(j)) - self.lines.radius[self.row + j]
        return off <= self.best_cost + points.TOUCHING

    def try_end(self) -> None:
        """Keep the pose if it is closer."""
        self.keep_closer(abs(self.target - self.pivot[self.end]))

    def try_line(self, j: Index, line: Index) -> None:
        """Point a line at the target, or slide a rail to the foot of its perpendicular."""
        ahead = self.target - self.pivot[j]
        if self.table.slides[j]:
            along = self.slide_direction(j)
            distance = abs((ahead * along.conjugate()).imag - self.lines.aside[line])
        else:
            distance = abs(abs(ahead) - self.lines.span[line])
        if distance <= self.best_cost + points.SAME_DISTANCE and self.point_line(j, line, ahead):
            self.keep_closer(distance)
