"""The start and the trial pose of a search, and the base of all searches, which keep the best."""

from __future__ import annotations

import math

from ik2d_ros.kinematics.kernel import points
from ik2d_ros.kinematics.kernel.joint_table import Index, JointTable, padded

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
        cost = self.trial.largest_move(self.counted)
        if self.side != 0 and not self.bends_to_side():
            cost += WRONG_SIDE
        same = self.best_cost + points.SAME_MOVE
        if cost < self.best_cost - points.SAME_MOVE or (
            cost < same and self.trial.moved < self.best_moved - points.SAME_MOVE
        ):
            self.keep_trial(cost)
            self.best_moved = self.trial.moved

    def keep_closer(self, distance: float) -> None:
        """Keep the trial if it is closer, or as close and its largest move is smaller."""
        if distance > self.best_cost + points.SAME_DISTANCE:
            return
        move = self.trial.largest_move(self.table.count)
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
