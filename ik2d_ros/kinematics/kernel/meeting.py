"""The decision: whether the end of a chain can come to a point, and by which pose."""

from __future__ import annotations

import math

try:
    import cython
except ImportError:
    from ik2d_ros.kinematics.kernel import uncompiled as cython

from ik2d_ros.kinematics.kernel.lines import Lines
from ik2d_ros.kinematics.kernel.linkage import Index, Linkage
from ik2d_ros.kinematics.kernel.walk import Walk

if not cython.compiled:
    from ik2d_ros.kinematics.kernel.linkage import SLACK
    from ik2d_ros.kinematics.kernel.points import dot, phase, unit
    from ik2d_ros.kinematics.kernel.walk import FAR

TOUCHING = 1e-12  # reaches; curves that miss each other by no more touch.
PARALLEL = 1e-9  # The sine of an angle that is none.
SAME_MOVE = 1e-9  # rad or reaches; moves that differ by less are equal.
WRONG_SIDE = 1e6  # rad; what a bend to the other side counts in addition.


class Meeting(Walk):
    """Moves one joint, the mover; those behind it are at limits, up to a line.

    Seen from the mover's link, the target runs on a circle about the mover, or along a straight
    line if it slides. Where that meets the circle or the rail on which a line carries the end,
    there is a pose.

    Attributes:
        mover: the joint; it is in the origin, its link along the x-axis.
        gap: how far away the target is, and at which bearing; goal: where it is.
        middle: the direction of the middle of the target's circle, as far as the mover's limits let
            that run; narrow: the cosine of the angle to its ends, below -1 if it is wide.
        first: one end of it; last: the other one.
        side: +1 or -1 if the second of two joints is to bend to that side, else 0.
        moved: the sum of all moves of the best pose.
        aimed: whether the end is a pivot, whose joint turns its link to an angle.
    """

    def __init__(self, linkage: Linkage, lines: Lines) -> None:
        super().__init__(linkage, lines)
        self.mover = 0
        self.side = 0
        self.aimed = False
        self.gap = self.bearing = self.angle = self.moved = 0.0
        self.narrow = 0.0
        self.goal = self.middle = self.first = self.last = 0j

    def meet(self, target: complex, every: bool) -> bool:
        """Find poses with the end at the target: of those that move the fewest joints, the least.

        There is none for any mover if and only if the target cannot be reached.

        Args:
            target: in reaches.
            every: whether to look on for poses that move more joints, but none so far.
        """
        self.found = FAR
        if self.aimed:
            self.stand(target)
        for mover in range(self.end - 1, max(self.lines.deep - 1, 0) - 1, -1):
            if self.found < FAR and not every:
                return True
            if self.linkage.free[mover]:
                self.look(mover, target)
        return self.found < FAR

    def stand(self, target: complex) -> None:
        """Try the joints before the end where they start."""
        self.linkage.stand(self.end)
        if abs(target - self.linkage.pivot) <= SLACK and self.turn_end():
            self.keep(self.linkage.move(self.linkage.count))

    def look(self, mover: Index, target: complex) -> None:
        """Look for poses with the joints before the mover as they start."""
        self.linkage.stand(mover)
        heading = self.linkage.heading
        self.mover = mover
        onward: complex = 1.0 + 0j
        if self.linkage.slides[mover]:
            heading += self.linkage.fixed[mover]
            self.set_out(mover + 1, 0j, 0.0, onward)
        else:
            self.set_out(mover + 1, self.linkage.fixed[mover] + 0j, 0.0, onward)
        self.goal = (target - self.linkage.pivot) * unit(-heading)
        self.gap = abs(self.goal)
        self.bearing = phase(self.goal)
        self.bound_arc(mover)
        self.walk(mover + 1)

    def bound_arc(self, mover: Index) -> None:
        """Find where the target's circle begins and ends, if the mover's limits are narrow."""
        low, high = self.linkage.lower[mover], self.linkage.upper[mover]
        self.narrow = -2.0
        if not self.linkage.slides[mover] and high - low < math.pi:
            self.narrow = math.cos(0.5 * (high - low))
            self.middle = unit(self.bearing - 0.5 * (low + high))
            self.first = self.gap * unit(self.bearing - low)
            self.last = self.gap * unit(self.bearing - high)

    def visit(self, j: Index) -> bool:
        """Let the target's curve meet those of all lines of joint j."""
        if not self.may_reach(j):
            return False
        if j == self.end:
            self.reach(self.pivot[j])
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
        slack = TOUCHING if j == self.end and not self.aimed else SLACK
        if self.linkage.slides[self.mover]:
            return abs(self.goal.imag - pivot.imag) <= self.lines.farthest[self.base + j] + slack
        away = abs(pivot)
        if abs(self.gap - away) > self.lines.farthest[self.base + j] + slack:
            return False
        if self.gap + away < self.lines.nearest[self.base + j] - slack:
            return False
        return self.may_meet(self.centre(j), self.lines.radius[self.base + j] + SLACK)

    def may_meet(self, centre: complex, radius: float) -> bool:
        """Whether a disc meets the target's circle, as far as the mover's limits let that run."""
        if abs(self.gap - abs(centre)) > radius:
            return False
        if dot(centre, self.middle) >= self.narrow * abs(centre):
            return True
        return min(abs(centre - self.first), abs(centre - self.last)) <= radius

    def meet_circle(self, j: Index, line: Index) -> None:
        """Let joint j turn a line."""
        pivot = self.pivot[j]
        span = self.lines.span[line]
        if self.linkage.slides[self.mover]:
            height = self.goal.imag - pivot.imag
            if abs(height) <= span + TOUCHING:
                along = math.sqrt(max(0.0, span * span - height * height))
                self.close(j, line, pivot + along + 1j * height)
                self.close(j, line, pivot - along + 1j * height)
            return
        away = abs(pivot)
        if away > 0 and abs(away - span) - TOUCHING <= self.gap <= away + span + TOUCHING:
            onward = pivot / away
            # From the joint, or from the mover, whichever is nearer: so the short side is exact.
            if span < self.gap:
                beyond = (self.gap - away) * (self.gap + away)
                ahead = (beyond - span * span) / (2 * away)
                across = math.sqrt(max(0.0, span * span - ahead * ahead))
                self.close(j, line, onward * (away + ahead + 1j * across))
                self.close(j, line, onward * (away + ahead - 1j * across))
            else:
                beside = (away - span) * (away + span)
                ahead = (beside + self.gap * self.gap) / (2 * away)
                across = math.sqrt(max(0.0, self.gap * self.gap - ahead * ahead))
                self.close(j, line, onward * (ahead + 1j * across))
                self.close(j, line, onward * (ahead - 1j * across))

    def meet_rail(self, j: Index, line: Index) -> None:
        """Let joint j slide what is behind it: held joints, and a line across."""
        way = self.way(j)
        beside = self.pivot[j] + 1j * self.lines.direction[line] * way
        if self.linkage.slides[self.mover]:
            if abs(way.imag) > PARALLEL:
                self.close(j, line, beside + (self.goal.imag - beside.imag) / way.imag * way)
            return
        across = (beside * way.conjugate()).imag
        if abs(across) <= self.gap + TOUCHING:
            along = math.sqrt(max(0.0, self.gap * self.gap - across * across))
            self.close(j, line, way * (along + 1j * across))
            self.close(j, line, way * (-along + 1j * across))

    def close(self, j: Index, line: Index, tip: complex) -> None:
        """Try joint j with a line that ends there, seen from the mover's link."""
        ahead = tip - self.pivot[j]
        if self.linkage.slides[j]:
            value = dot(ahead, self.way(j)) - self.lines.span[line]
        else:
            value = phase(ahead) - self.heading[j] - self.lines.direction[line]
        if self.linkage.fit(j, value) and self.follow(j, self.end, line):
            self.reach(tip)

    def reach(self, tip: complex) -> None:
        """Move the mover until that tip is at the target; keep the trial if it moves less."""
        if self.linkage.slides[self.mover]:
            there = self.linkage.fit(self.mover, self.goal.real - tip.real)
        elif self.gap > 0:
            there = self.linkage.fit(self.mover, self.bearing - phase(tip))
        else:
            there = self.linkage.fit(self.mover, self.linkage.start[self.mover])
        if there and (not self.aimed or self.turn_end()):
            cost = self.linkage.move(self.linkage.count)
            if self.side != 0 and not self.is_on_side():
                cost += WRONG_SIDE
            same = self.found + SAME_MOVE
            if cost < self.found - SAME_MOVE or (
                cost < same and self.linkage.moved < self.moved - SAME_MOVE
            ):
                self.found = FAR
                self.keep(cost)
                self.moved = self.linkage.moved

    def turn_end(self) -> bool:
        """Turn the link at the end to the angle that is asked for."""
        bend = self.angle
        for j in range(self.end):
            bend -= self.linkage.fixed[j] if self.linkage.slides[j] else self.linkage.trial[j]
        return self.linkage.fit(self.end, bend)

    def is_on_side(self) -> bool:
        """Whether the second of two joints bends to the side that is asked for.

        Where one slides: whether the tip is ahead of the revolute joint in its direction.
        """
        if self.linkage.slides[0]:
            bend = self.linkage.trial[1]
            return self.side * self.linkage.fixed[1] * math.cos(bend) >= 0
        if self.linkage.slides[1]:
            bend = self.linkage.fixed[1]
            ahead = self.linkage.fixed[0] * math.cos(bend) + self.linkage.trial[1]
            return self.side * ahead >= 0
        return self.side * math.sin(self.linkage.trial[1]) >= 0
