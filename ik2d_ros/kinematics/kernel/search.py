"""Searches: the pose that is tried, the best one that is kept, and the walk over held joints."""

from __future__ import annotations

import math

from ik2d_ros.kinematics.kernel import points
from ik2d_ros.kinematics.kernel.joint_table import Index, JointTable, padded
from ik2d_ros.kinematics.kernel.lines import Lines

WRONG_SIDE = 1e6  # rad; the extra cost of a bend to the other side.


class Trial:
    """The pose from which a chain starts, and the one that is tried.

    Attributes:
        start: the value of each joint at the start; inside the limits; pose: that is tried.
        pivot, heading: after the joints that :meth:`start_first` has put at the start.
        moved: the sum of all moves from the start, as :meth:`largest_move` has found it.
        slack: how far past a limit a value may be, in rad or reaches; it is then put to the limit.
        budget: what is left of the work that this solve may do.
    """

    def __init__(self, table: JointTable) -> None:
        self.table = table
        self.start = padded()
        self.pose = padded()
        self.heading = self.moved = 0.0
        self.slack = points.SLACK
        self.budget = 0
        self.pivot = 0j

    def spend(self, work: Index) -> bool:
        """Take work from the budget; return whether any is left."""
        self.budget -= work
        return self.budget > 0

    def set_joint(self, j: Index, value: float) -> bool:
        """Try joint j at a value, in the turn nearest to its start; tell if limits allow any."""
        lower, upper = self.table.lower[j], self.table.upper[j]
        if not self.table.slides[j]:
            # Half a turn to either side differs by rounding alone: the positive one is taken.
            value += points.TAU * math.floor((self.start[j] - value) / points.TAU + (0.5 + 1e-13))
            value = points.turned_within(value, lower - self.slack, upper + self.slack)
        if value > upper + self.slack or value < lower - self.slack:
            return False
        self.pose[j] = points.clamp(value, lower, upper)
        return True

    def start_first(self, count: Index) -> None:
        """Copy ``count`` start values to the trial; store its pivot and heading."""
        self.heading, self.pivot = 0.0, 0j
        for j in range(count):
            self.pose[j] = self.start[j]
            if self.table.slides[j]:
                self.heading += self.table.fixed[j]
                self.pivot += self.start[j] * points.unit(self.heading)
            else:
                self.heading = self.start[j] + (0.0 if self.table.absolute[j] else self.heading)
                self.pivot += self.table.fixed[j] * points.unit(self.heading)

    def start_from(self, first: Index) -> None:
        """Copy the start values from one joint on to the trial."""
        for j in range(first, self.table.count):
            self.pose[j] = self.start[j]

    def largest_move(self, count: Index) -> float:
        """Return the largest move of the first joints from the start; store the sum in `moved`."""
        self.moved = 0.0
        largest: float = 0.0
        for j in range(count):
            move = abs(self.pose[j] - self.start[j])
            self.moved += move
            largest = max(largest, move)
        return largest


class Search:
    """Tries poses, and keeps the best. Subclasses implement some of the three searches.

    Attributes:
        counted: number of the first joints whose moves count: all but for :class:`.ClosestAngle`.
        side: +1 or -1 if the second of two joints is to bend to that side, else 0.
        best: the best pose; best_cost: its cost: the largest move, the distance in reaches, or the
            distance from the angle in rad; best_move, best_moved: the largest and sum of moves.
    """

    def __init__(self, trial: Trial) -> None:
        self.trial = trial
        self.table = trial.table
        self.counted = self.table.count
        self.side = 0
        self.best_cost = points.FAR
        self.best_move = self.best_moved = 0.0
        self.best = padded()

    def find_pose(self, target: complex, angle: float, try_all: bool, below: float) -> bool:
        """Find a pose at a target and an angle that moves the fewest joints, and these least.

        With ``try_all`` all movers are tried for the least move. Only poses count whose largest
        move is ``below``. If all joints are enumerated, ``below`` excludes no pose and budget is
        left, finding none proves that the target cannot be reached.
        """
        return False

    def find_closest(self, target: complex, below: float) -> None:
        """Find the pose that is closest to a target, and closer than a distance."""

    def find_closest_angle(self, target: complex, angle: float, below: float) -> None:
        """Find the pose at a target whose heading is closest to an angle, and closer than this."""

    def keep_trial(self, cost: float) -> None:
        """Keep the trial as the best pose."""
        self.best_cost = cost
        self.table.copy_pose(self.trial.pose, self.best)

    def keep_smaller_move(self) -> None:
        """Keep the trial if its largest move is smaller, or as small and the sum of moves is."""
        cost = self.cost_of_move(self.counted)
        same = self.best_cost + points.SAME_MOVE
        if cost < self.best_cost - points.SAME_MOVE or (
            cost < same and self.trial.moved < self.best_moved - points.SAME_MOVE
        ):
            self.keep_trial(cost)
            self.best_moved = self.trial.moved

    def cost_of_move(self, count: Index) -> float:
        """Return the largest move of the first joints, which costs more to the wrong side."""
        largest = self.trial.largest_move(count)
        if self.side != 0 and not self.bends_to_side():
            largest += WRONG_SIDE
        return largest

    def keep_closer(self, distance: float) -> None:
        """Keep the trial if it is closer, or as close and its move costs less."""
        if distance > self.best_cost + points.SAME_DISTANCE:
            return
        move = self.cost_of_move(self.table.count)
        if (
            distance < self.best_cost - points.SAME_DISTANCE
            or move < self.best_move - points.SAME_MOVE
        ):
            self.keep_trial(distance)
            self.best_move = move

    def bends_to_side(self) -> bool:
        """Tell whether the second of two joints bends to the wanted side.

        Where one slides: whether the tip is ahead of the revolute joint, seen along the slide.
        """
        bend = self.trial.pose[1]
        if self.table.slides[0]:
            return self.side * self.table.fixed[1] * math.cos(bend) >= 0
        if self.table.slides[1]:
            ahead = self.table.fixed[0] * math.cos(self.table.fixed[1]) + bend
            return self.side * ahead >= 0
        if self.table.absolute[1]:
            bend -= self.trial.pose[0]
        return self.side * math.sin(bend) >= 0


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
