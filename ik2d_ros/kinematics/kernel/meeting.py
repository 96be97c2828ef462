"""The decision: whether the end of a chain can come to a point, and by which pose."""

from __future__ import annotations

import math

from ik2d_ros.kinematics.kernel import points
from ik2d_ros.kinematics.kernel.lines import Lines
from ik2d_ros.kinematics.kernel.linkage import Index, Linkage
from ik2d_ros.kinematics.kernel.walk import Walk


class Meeting(Walk):
    """Moves one joint, the mover; those behind it are at limits, up to a line.

    Seen from the mover's link, the target runs on a circle about the mover, or along a straight
    line if it slides. Where that meets the circle or the rail on which a line carries the end,
    there is a pose.

    Attributes:
        mover: the joint; it is in the origin, its link along the x-axis.
        before: the heading in the base's frame that this x-axis has where the mover's bend is 0.
        goal: where the target is; gap: how far away, and at which bearing.
        middle: the direction of the middle of the arc that the mover's limits leave of the
            target's circle; narrow: the cosine of the angle to its ends, below -1 if it is wide.
        first: one end of it; last: the other one.
        aimed: whether the end is a pivot, whose joint turns its link to an angle.
    """

    def __init__(self, linkage: Linkage, lines: Lines) -> None:
        super().__init__(linkage, lines)
        self.mover = 0
        self.aimed = False
        self.before = self.gap = self.bearing = self.angle = self.narrow = 0.0
        self.goal = self.middle = self.first = self.last = 0j

    def meet(self, target: complex, angle: float, every: bool, enough: float) -> bool:
        """Let the mover be the last joint first.

        There is no pose for any mover if and only if the target cannot be reached.
        """
        self.found, self.moved, self.angle = enough, 0.0, angle
        if self.aimed:
            self.stand(target)
        else:
            self.linkage.rest(self.end)
        for mover in range(min(self.end, self.movers) - 1, max(self.lines.deep - 1, 0) - 1, -1):
            if self.found < enough and not every:
                return True
            if self.linkage.free[mover]:
                self.search(mover, target)
        return self.found < enough

    def stand(self, target: complex) -> None:
        """Try the joints before the end where they start."""
        self.linkage.stand(self.end)
        if abs(target - self.linkage.pivot) <= points.SLACK and self.turn_end():
            self.keep_move()

    def search(self, mover: Index, target: complex) -> None:
        """Search for poses with the joints before the mover as they start."""
        self.set_off(mover, target)
        self.gap = abs(self.goal)
        self.bearing = points.phase(self.goal)
        self.bound_arc(mover)
        self.walk(mover + 1)

    def set_off(self, mover: Index, target: complex) -> None:
        """Take the frame of a mover's link."""
        self.linkage.stand(mover)
        self.mover = mover
        self.before = self.linkage.heading
        ahead, onward = 0j, 1.0 + 0j
        if self.linkage.slides[mover]:
            self.before += self.linkage.fixed[mover]
        else:
            ahead = self.linkage.fixed[mover] + 0j
        self.set_out(mover + 1, ahead, 0.0, onward)
        self.goal = (target - self.linkage.pivot) * points.unit(-self.before)

    def bound_arc(self, mover: Index) -> None:
        """Find where the target's circle begins and ends, if the mover's limits are narrow."""
        low, high = self.linkage.lower[mover], self.linkage.upper[mover]
        self.narrow = -2.0
        if not self.linkage.slides[mover] and high - low < math.pi:
            self.narrow = math.cos(0.5 * (high - low))
            self.middle = points.unit(self.bearing - 0.5 * (low + high))
            self.first = self.gap * points.unit(self.bearing - low)
            self.last = self.gap * points.unit(self.bearing - high)

    def visit(self, j: Index) -> bool:
        """Let the target's curve meet the curves of all lines of joint j."""
        if not self.may_reach(j):
            return False
        if j == self.end:
            if self.bring(self.pivot[j]):
                self.take()
        elif self.linkage.free[j]:
            for line in range(self.first_line(j), self.first_line(j + 1)):
                if self.linkage.slides[j]:
                    self.meet_rail(j, line)
                else:
                    self.meet_circle(j, line)
        return True

    def may_reach(self, j: Index) -> bool:
        """Whether the end is near and far enough from pivot j somewhere on the target's curve."""
        pivot = self.pivot[j]
        slack = points.TOUCHING if j == self.end and not self.aimed else points.SLACK
        if self.linkage.slides[self.mover]:
            return abs(self.goal.imag - pivot.imag) <= self.lines.farthest[self.base + j] + slack
        away = abs(pivot)
        if abs(self.gap - away) > self.lines.farthest[self.base + j] + slack:
            return False
        if self.gap + away < self.lines.nearest[self.base + j] - slack:
            return False
        return self.may_meet(self.centre(j), self.lines.radius[self.base + j] + points.SLACK)

    def may_meet(self, centre: complex, radius: float) -> bool:
        """Whether a disc meets the arc that the mover's limits leave of the target's circle."""
        if abs(self.gap - abs(centre)) > radius:
            return False
        if points.dot(centre, self.middle) >= self.narrow * abs(centre):
            return True
        return min(abs(centre - self.first), abs(centre - self.last)) <= radius

    def meet_circle(self, j: Index, line: Index) -> None:
        """Let joint j turn a line."""
        pivot = self.pivot[j]
        span = self.lines.span[line]
        if self.linkage.slides[self.mover]:
            height = self.goal.imag - pivot.imag
            if abs(height) <= span + points.TOUCHING:
                along = math.sqrt(max(0.0, span * span - height * height))
                self.close(j, line, pivot + along + 1j * height)
                self.close(j, line, pivot - along + 1j * height)
            return
        away = abs(pivot)
        if (
            away > 0
            and abs(away - span) - points.TOUCHING <= self.gap <= away + span + points.TOUCHING
        ):
            onward = pivot / away
            tip = points.apex(away, self.gap, span)
            self.close(j, line, onward * tip)
            self.close(j, line, onward * tip.conjugate())

    def meet_rail(self, j: Index, line: Index) -> None:
        """Let joint j slide the held joints and the line across behind it."""
        way = self.way(j)
        beside = self.pivot[j] + 1j * self.lines.direction[line] * way
        if self.linkage.slides[self.mover]:
            if abs(way.imag) > points.PARALLEL:
                self.close(j, line, beside + (self.goal.imag - beside.imag) / way.imag * way)
            return
        across = (beside * way.conjugate()).imag
        if abs(across) <= self.gap + points.TOUCHING:
            along = math.sqrt(max(0.0, self.gap * self.gap - across * across))
            self.close(j, line, way * (along + 1j * across))
            self.close(j, line, way * (-along + 1j * across))

    def close(self, j: Index, line: Index, tip: complex) -> None:
        """Try joint j with a line that ends there, seen from the mover's link."""
        if not self.bring(tip):
            return
        ahead = tip - self.pivot[j]
        if self.linkage.slides[j]:
            value = points.dot(ahead, self.way(j)) - self.lines.span[line]
        else:
            value = points.phase(ahead) - self.heading[j] - self.lines.direction[line]
        if self.linkage.fit(j, value) and self.follow(j, self.end, line):
            self.take()

    def bring(self, tip: complex) -> bool:
        """Move the mover until that tip is at the target; tell if that may be the least move."""
        if self.linkage.slides[self.mover]:
            there = self.linkage.fit(self.mover, self.goal.real - tip.real)
        elif self.gap > 0:
            there = self.linkage.fit(self.mover, self.bearing - points.phase(tip))
        else:
            there = self.linkage.fit(self.mover, self.linkage.start[self.mover])
        move = abs(self.linkage.trial[self.mover] - self.linkage.start[self.mover])
        return there and move < self.found + points.SAME_MOVE

    def take(self) -> None:
        """Turn the end if it is aimed, and keep the trial if it moves less."""
        if not self.aimed or self.turn_end():
            self.keep_move()

    def turn_end(self) -> bool:
        """Turn the link at the end to the angle that is asked for."""
        bend = self.angle
        for j in range(self.end):
            bend -= self.linkage.fixed[j] if self.linkage.slides[j] else self.linkage.trial[j]
        return self.linkage.fit(self.end, bend)
