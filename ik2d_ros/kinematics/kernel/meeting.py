"""The decision: whether the end of a chain can come to a point, and by which pose."""

from __future__ import annotations

import math

from ik2d_ros.kinematics.kernel import points
from ik2d_ros.kinematics.kernel.joint_table import Index
from ik2d_ros.kinematics.kernel.lines import Lines
from ik2d_ros.kinematics.kernel.search import Trial, Walk

WIDE = -2.0  # Less than any cosine.


class Meeting(Walk):
    """Moves one joint, the mover, from the start; those after it are held at limits, up to a line.

    Seen from the mover's link, the target runs on a circle about the mover, or along a straight
    line if it slides. Where that meets the circle or the rail on which a line carries the end,
    there is a pose.

    Attributes:
        mover: the joint; it is at the origin, its link along the x-axis.
        zero: heading of this x-axis in the base's frame, less the bend of a revolute mover.
        goal, distance, bearing: from mover to target, turned back by that; its length and heading.
        arc_middle, arc_end, narrow: the arc that the mover's limits leave of the target's circle:
            directions of its middle and, from there, of an end; cosine of half of it, or WIDE.
        aimed: whether the end is a pivot, whose joint turns its link to the wanted angle.
    """

    def __init__(self, trial: Trial, lines: Lines) -> None:
        super().__init__(trial, lines)
        self.mover = 0
        self.aimed = False
        self.zero = self.distance = self.bearing = self.angle = 0.0
        self.narrow = WIDE
        self.goal = self.arc_middle = self.arc_end = 0j

    def find_pose(self, target: complex, angle: float, try_all: bool, below: float) -> bool:
        """Try each joint as mover, from the tip."""
        self.best_cost, self.best_moved, self.angle = below, 0.0, angle
        if self.aimed:
            self.try_start(target)
        else:
            self.trial.start_from(self.end)
        first = max(self.lines.enumerated_from - 1, 0)
        for mover in range(min(self.end, self.counted) - 1, first - 1, -1):
            if self.best_cost < below and not try_all:
                return True
            if self.table.movable[mover]:
                self.try_mover(mover, target)
        return self.best_cost < below

    def try_start(self, target: complex) -> None:
        """Try the joints before the end at the start."""
        self.trial.start_first(self.end)
        if abs(target - self.trial.pivot) <= self.trial.slack:
            self.complete_pose()

    def try_mover(self, mover: Index, target: complex) -> None:
        """Try all poses with the joints before a mover at the start."""
        self.set_mover(mover, target)
        self.distance = abs(self.goal)
        self.bearing = points.phase(self.goal)
        low, high = self.table.lower[mover], self.table.upper[mover]
        half = 0.5 * (high - low)
        self.narrow = math.cos(half) if half < 0.5 * math.pi else WIDE
        if self.narrow > WIDE:
            self.arc_middle = points.unit(self.bearing - 0.5 * (low + high))
            self.arc_end = self.distance * points.unit(half)
        self.walk(mover + 1)

    def set_mover(self, mover: Index, target: complex) -> None:
        """Put the origin at a mover, its link along the x-axis."""
        self.trial.start_first(mover)
        self.mover = mover
        self.zero = self.trial.heading
        fixed = self.table.fixed[mover]
        if self.table.slides[mover]:
            self.zero += fixed
            fixed = 0.0
        self.place_joint(mover + 1, fixed + 0j, 0.0, 1.0 + 0j)
        self.goal = (target - self.trial.pivot) * points.unit(-self.zero)

    def may_improve(self, j: Index) -> bool:
        """Tell whether the target's curve meets the ring about pivot j and the end's disc."""
        pivot = self.pivot[j]
        slack = points.TOUCHING if j == self.end and not self.aimed else self.trial.slack
        if self.table.slides[self.mover]:
            return abs(self.goal.imag - pivot.imag) <= self.lines.farthest[self.row + j] + slack
        away = abs(pivot)
        if abs(self.distance - away) > self.lines.farthest[self.row + j] + slack:
            return False
        if self.distance + away < self.lines.nearest[self.row + j] - slack:
            return False
        centre, radius = self.disc_centre(j), self.lines.radius[self.row + j] + self.trial.slack
        if abs(self.distance - abs(centre)) > radius:
            return False
        # Beside the arc, its end is the nearest point; both ends are mirror images.
        seen = centre * self.arc_middle.conjugate()
        off = seen.real + 1j * abs(seen.imag) - self.arc_end
        return seen.real >= self.narrow * abs(centre) or abs(off) <= radius

    def try_end(self) -> None:
        """Swing the mover until the end is at the target."""
        if self.swing_mover_to(self.pivot[self.end]):
            self.complete_pose()

    def try_line(self, j: Index, line: Index) -> None:
        """Try the points where the target's curve meets the circle or rail of a line of joint j."""
        pivot, span = self.pivot[j], self.lines.span[line]
        if self.table.slides[j]:
            along = self.slide_direction(j)
            foot = pivot + 1j * self.lines.aside[line] * along
            if not self.table.slides[self.mover]:
                self.cut_circle(j, line, 0j, self.distance, foot, along)
            elif abs(along.imag) > points.PARALLEL:
                self.try_tip(j, line, foot + (self.goal.imag - foot.imag) / along.imag * along)
        elif self.table.slides[self.mover]:
            self.cut_circle(j, line, pivot, span, self.goal, 1.0 + 0j)
        else:
            away, slack = abs(pivot), points.TOUCHING
            if away > 0 and abs(away - span) - slack <= self.distance <= away + span + slack:
                onward = pivot / away
                tip = points.apex(away, self.distance, span)
                self.try_tip(j, line, onward * tip)
                self.try_tip(j, line, onward * tip.conjugate())

    def cut_circle(
        self, j: Index, line: Index, centre: complex, radius: float, foot: complex, along: complex
    ) -> None:
        """Try where a circle is cut by the straight line in a direction through a foot."""
        across = ((foot - centre) * along.conjugate()).imag
        if abs(across) <= radius + points.TOUCHING:
            ahead = math.sqrt(max(0.0, radius * radius - across * across))
            self.try_tip(j, line, centre + along * (ahead + 1j * across))
            self.try_tip(j, line, centre + along * (-ahead + 1j * across))

    def try_tip(self, j: Index, line: Index, tip: complex) -> None:
        """Try joint j with a line or rail whose end is at a tip, seen from the mover's link."""
        if self.swing_mover_to(tip) and self.point_line(j, line, tip - self.pivot[j]):
            self.complete_pose()

    def swing_mover_to(self, tip: complex) -> bool:
        """Swing the mover so that ``tip`` meets the target; return whether it can beat the best."""
        if self.table.slides[self.mover]:
            allowed = self.trial.set_joint(self.mover, self.goal.real - tip.real)
        elif self.distance > 0:
            allowed = self.trial.set_joint(self.mover, self.bearing - points.phase(tip))
        else:
            allowed = self.trial.set_joint(self.mover, self.trial.start[self.mover])
        move = abs(self.trial.pose[self.mover] - self.trial.start[self.mover])
        return allowed and move < self.best_cost + points.SAME_MOVE

    def complete_pose(self) -> None:
        """Turn the link of the end to the wanted angle, if any; keep the trial if it moves less."""
        if self.aimed:
            bend: float = self.angle
            for j in range(self.end):
                bend -= self.table.fixed[j] if self.table.slides[j] else self.trial.pose[j]
            if not self.trial.set_joint(self.end, bend):
                return
        self.keep_smaller_move()
