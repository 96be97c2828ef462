"""Solves for a chain: a descent from the start, a decision where that sticks, the closest pose.

To build on it, in another compiled module::

    solver = Solver(links, inner, outer)  # once per chain
    solver.begin(j, value)                # for each joint: where it starts, in rad or reaches
    status = solver.point(target, tolerance)
    solver.pose[j], solver.error          # the answer; solver.tip()

The same methods can be called without the interpreter's lock. Lengths are in reaches; a solver is
for one thread at a time, and :meth:`Solver.twin` makes another one with the same tables.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ik2d_ros.kinematics.kernel import codes, points
from ik2d_ros.kinematics.kernel.descent import Descent
from ik2d_ros.kinematics.kernel.faces import Faces, first_with_faces
from ik2d_ros.kinematics.kernel.lines import Lines
from ik2d_ros.kinematics.kernel.linkage import Index, Link, Linkage, Numbers, Search, room
from ik2d_ros.kinematics.kernel.meeting import Meeting
from ik2d_ros.kinematics.kernel.tip_angle import (
    ClosestAngle,
    MeetingAtAngle,
    backwards,
    ends_at_angle,
)
from ik2d_ros.kinematics.kernel.walk import Closest

TWO = 2  # Joints that all have to move.
THREE = 3  # Joints that all have to move at a tip angle.
MOST_IN_LINES = 10  # Joints with limits that all have lines.
ROUNDS = 30  # At most, of the descent.
POLISH = 3  # Rounds that take up rounding.
EXACT = 1e-14  # reaches; where these rounds end.
ROUNDING = 1e-13  # reaches; a point that is further outside of the annulus is out of reach.
BLAMED = 1e-8  # reaches; a smaller error is not blamed on a limit: rounding may decide.
CREEP = 1e-11  # reaches; sweeps that come no closer end.
RESTARTS = 64  # Poses to begin again from if not all joints have lines.
GOLDEN = 0.618033988749895


class Solver:
    """Solves for one chain.

    Attributes:
        deep: the first joint from which on all ways to hold joints are tried; 0 for a proof.
        inner: how near the tip can come to the base in reaches, limits of bends ignored.
        outer: how far; 1, or 0 if no link has a length.
        method: tried before the decision: DESCENT, SWEEPS, or MEETING for nothing.
        side: +1 or -1 if the second of two joints is to bend to that side, else 0.
        most: passes that the descent or the sweeps may make.
        passes: that the last solve has made.
        pose: of the last solve.
        error: its distance from the target in reaches.
    """

    def __init__(
        self, links: Sequence[Link], inner: float, outer: float, like: Solver | None = None
    ) -> None:
        """Make one, with the tables of another for the same chain if there is one."""
        self.links = links
        self.inner = inner
        self.outer = outer
        self.linkage = Linkage(links)
        self.descent = Descent(self.linkage)
        self.lines: Any = None
        self.angle_lines: list[Lines] = []
        self.at_angle: Any = None
        self.closest_angle: Any = None
        if self.linkage.linked:
            self.deep = first_with_faces(links)
            self.meeting: Any = Faces(self.linkage, links, self.deep)
            self.nearest: Any = self.meeting
            self.at_angle = self.closest_angle = Faces(self.linkage, links, self.deep)
        else:
            self.deep = first_in_lines(links)
            ends = [self.linkage.leading]
            self.lines = like.lines if like else Lines(links, ends, self.deep)
            self.meeting = Meeting(self.linkage, self.lines)
            self.nearest = Closest(self.linkage, self.lines)
        self.method = codes.DESCENT
        self.side = 0
        self.most = 100
        self.passes = 0
        self.error = 0.0
        self.start = room()
        self.pose = room()
        if like and like.angle_lines:
            self.angle_lines = like.angle_lines
            self.prepare_angles()

    def twin(self) -> Solver:
        """Return another solver for the same chain, for another thread."""
        return Solver(self.links, self.inner, self.outer, self)

    def begin(self, j: Index, value: float) -> None:
        """Start with joint j at a value, or at the limit next to it."""
        self.start[j] = points.clamp(value, self.linkage.lower[j], self.linkage.upper[j])

    def point(self, target: complex, tolerance: float) -> Index:
        """Bring the tip to a target, or as close as it can come, from the start.

        Args:
            target: in reaches.
            tolerance: the distance in reaches that counts as reached.

        Returns:
            The status.
        """
        self.set_out(codes.NO_ANGLE)
        away = math.hypot(target.real, target.imag)
        if away > points.FARTHEST:
            target = points.FARTHEST * points.unit(points.phase(target))
        status = self.outside(away, tolerance)
        if status == codes.REACHED:
            status = self.approach(target, tolerance)
        if status not in (codes.REACHED, codes.NOT_CONVERGED):
            if self.deep == 0:
                self.closest(target)
            else:
                self.search(target, tolerance)
            if status == codes.JOINT_LIMIT:
                status = self.judge(away, tolerance)
        return status

    def judge(self, away: float, tolerance: float) -> Index:
        """Return the status of a target about the annulus by the distance of the closest pose."""
        if self.error <= tolerance:
            return codes.REACHED
        status = self.outside(away, ROUNDING)
        if status != codes.REACHED:
            return status
        return codes.JOINT_LIMIT if self.error > BLAMED else codes.NOT_CONVERGED

    def prepare_angles(self) -> None:
        """Make the tables for :meth:`point_at`, if there are none: they take longer than others."""
        if self.at_angle is not None:
            return
        deep, lines = self.deep, self.angle_lines
        if not lines:
            lines = [Lines(self.links, ends_at_angle(self.links, deep), deep)]
            if deep == 0:
                reverse = [link for _, link in backwards(self.links)]
                lines.append(Lines(reverse, ends_at_angle(reverse, 0), 0))
        meeting = MeetingAtAngle(self.linkage, lines[0])
        closest = ClosestAngle(self.linkage, self.links, lines[1]) if deep == 0 else None
        # All at once, at the end: another thread may solve, or make them, meanwhile.
        if self.at_angle is None:
            self.angle_lines, self.closest_angle, self.at_angle = lines, closest, meeting

    def point_at(self, target: complex, angle: float, tolerance: float, slack: float) -> Index:
        """Bring the tip to a target with a heading, or as close as it can come to that there.

        Call :meth:`prepare_angles` before, once.

        Args:
            target: in reaches.
            angle: of the last link in rad.
            tolerance: the distance in reaches that counts as reached.
            slack: the distance from the angle in rad that does.

        Returns:
            The status. If the point cannot be reached, it is that without the angle.
        """
        self.set_out(angle)
        status = codes.TIP_ANGLE
        if self.outside(abs(target), tolerance) == codes.REACHED:
            status = self.approach(target, min(tolerance, points.RADIAN * slack))
            if status == codes.REACHED:
                return codes.REACHED
        passes = self.passes
        without = self.point(target, tolerance)
        self.passes += passes
        if without != codes.REACHED or status == codes.NOT_CONVERGED:
            return status if without == codes.REACHED else without
        if self.deep > 0:
            off = self.search_at(target, angle, tolerance, slack)
        else:
            off = self.turn_closest(target, angle)
        if off <= slack or self.give_way(target, angle, tolerance, slack):
            return codes.REACHED
        return codes.TIP_ANGLE

    def turn_closest(self, target: complex, angle: float) -> float:
        """Take the pose with the tip at the target whose heading is closest."""
        before = self.off(angle)
        self.closest_angle.seek_angle(target, angle, before)
        found = self.closest_angle.found
        if found < before:
            self.descent.put(self.closest_angle.best)
            self.descent.forward(self.descent.pose)
            self.descent.aim(self.descent.heading)
            self.error = points.FARTHEST
            self.take(self.descent.pose, self.descent.run(target, POLISH, EXACT))
        return found

    def give_way(self, target: complex, angle: float, tolerance: float, slack: float) -> bool:
        """Take a pose next to the one that was found, if both tolerances together allow it."""
        self.descent.put(self.pose)
        self.descent.aim(angle)
        self.descent.run(target, ROUNDS, EXACT)
        error = abs(target - self.descent.tip)
        if error > tolerance or abs(points.near_zero(angle - self.descent.heading)) > slack:
            return False
        self.error = points.FARTHEST
        self.take(self.descent.pose, error)
        return True

    def search_at(self, target: complex, angle: float, tolerance: float, slack: float) -> float:
        """Begin again from poses spread over all allowed ones, for the closest heading."""
        found = self.off(angle)
        enough = min(tolerance, points.RADIAN * slack)
        self.passes += 1
        for i in range(RESTARTS):
            if found <= slack:
                break
            self.descent.aim(angle)
            if not self.begin_again(i, target):
                continue
            error = self.descent.run(target, ROUNDS, points.PRECISE)
            if error > enough and self.decide(target) > enough:
                self.descent.aim(codes.NO_ANGLE)
                self.descent.run(target, ROUNDS, points.PRECISE)
            off = abs(points.near_zero(angle - self.descent.heading))
            error = abs(target - self.descent.tip)
            if off < found and error <= tolerance:
                found = off
                self.error = points.FARTHEST
                self.take(self.descent.pose, error)
        self.linkage.copy(self.start, self.linkage.start)
        return found

    def set_out(self, angle: float) -> None:
        """Go back to the start, for an angle of the last link or NO_ANGLE."""
        self.error = points.FARTHEST * points.FARTHEST
        self.passes = 0
        self.linkage.copy(self.start, self.linkage.start)
        self.descent.aim(angle)

    def outside(self, away: float, tolerance: float) -> Index:
        """Tell whether a target is too far or too near, by how far it is from the base."""
        if away > self.outer + tolerance:
            return codes.TOO_FAR
        return codes.TOO_NEAR if away < self.inner - tolerance else codes.REACHED

    def approach(self, target: complex, enough: float) -> Index:
        """Go to a target from the start; decide if that ends short of it."""
        aimed = self.descent.aimed
        if not self.decides_at_once():
            self.descend(target, enough)
            if self.error <= enough:
                return codes.REACHED
            if self.passes >= self.most:
                return codes.NOT_CONVERGED
            self.passes += 1
        self.take(self.descent.pose, self.decide(target))
        if self.error <= enough:
            return codes.REACHED
        return codes.TIP_ANGLE if aimed else codes.JOINT_LIMIT

    def descend(self, target: complex, enough: float) -> None:
        """Go to a target by small moves, or by sweeps."""
        self.descent.begin()
        enough = min(enough, points.PRECISE)
        if self.method == codes.SWEEPS and not self.descent.aimed:
            error = self.sweep(target, enough)
        else:
            error = self.descent.run(target, min(self.most, ROUNDS), enough)
            self.passes = self.descent.rounds
        self.take(self.descent.pose, error)

    def sweep(self, target: complex, enough: float) -> float:
        """Sweep over the joints until that creeps; return how far the tip stays away."""
        creeping = max(0.5, 1 - 1.5 / self.linkage.count)
        many = min(max(2 * self.linkage.count - 4, 2), 12)
        error = self.descent.measure(self.descent.pose, target)
        before = points.FARTHEST * points.FARTHEST
        while error > enough and error <= creeping * before and self.passes < self.most:
            before = error
            self.passes += 1
            self.descent.sweep(target)
            if not self.linkage.bend_back(self.descent.pose):
                return points.FARTHEST
            error = self.descent.measure(self.descent.pose, target)
            if self.passes == many:
                creeping = 0.1
        return error

    def decides_at_once(self) -> bool:
        """Tell whether to decide without a descent, as all joints have to move anyway."""
        if self.descent.aimed:
            return self.linkage.count == THREE
        return self.method == codes.MEETING

    def decide(self, target: complex) -> float:
        """Put a pose with the tip at a target into the descent, and return what it misses."""
        if self.descent.aimed:
            return self.meet(self.at_angle, target, self.linkage.count == THREE)
        self.meeting.side = self.side
        if self.method == codes.MEETING:
            return self.meet(self.meeting, target, self.linkage.count == TWO)
        return self.meet(self.meeting, target, False)

    def meet(self, search: Search, target: complex, every: bool) -> float:
        """Put the pose that a search finds into the descent; return its miss, FAR for none."""
        if not search.meet(target, self.descent.angle, every, points.FAR):
            return points.FAR
        self.descent.put(search.best)
        return self.descent.run(target, POLISH, EXACT)

    def closest(self, target: complex) -> None:
        """Take the closest pose, if it is closer than the one there is."""
        self.nearest.seek(target, self.error)
        self.take(self.nearest.best, self.nearest.found)

    def search(self, target: complex, tolerance: float) -> None:
        """Begin again from straight, then from poses spread over all allowed ones."""
        self.passes += 1
        for i in range(RESTARTS):
            if self.begin_again(i, target):
                self.take(self.descent.pose, self.descent.run(target, ROUNDS, EXACT))
                if self.error > tolerance:
                    self.take(self.descent.pose, self.decide(target))
                if self.error <= tolerance:
                    break
                # The last joints by their lines, the first ones where the descent has ended.
                self.linkage.copy(self.descent.pose, self.linkage.start)
                self.closest(target)
        self.settle(target)
        self.linkage.copy(self.start, self.linkage.start)

    def begin_again(self, i: Index, target: complex) -> bool:
        """Start from the pose of a number, 0 for straight; tell whether limits allow it."""
        for j in range(self.descent.movers):
            self.linkage.start[j] = self.spread(i, j)
        if i == 0 and not self.linkage.slides[0]:
            self.linkage.start[0] = self.linkage.nearest(0, points.phase(target))
        if not self.linkage.bend_back(self.linkage.start):
            return False
        self.descent.begin()
        return True

    def settle(self, target: complex) -> None:
        """Come closer by turns: the last joints by their lines, then each by itself."""
        before = points.FARTHEST
        while self.error < before - CREEP:
            before = self.error
            self.linkage.copy(self.pose, self.linkage.start)
            self.closest(target)
            self.descent.put(self.pose)
            self.descent.sweep(target)
            if self.linkage.bend_back(self.descent.pose):
                error = self.descent.measure(self.descent.pose, target)
                self.take(self.descent.pose, error)

    def spread(self, i: Index, j: Index) -> float:
        """Return where joint j is in the pose of a number, 0 for straight."""
        low = self.linkage.lower[j]
        if i == 0:
            return points.clamp(0.0, low, self.linkage.upper[j])
        share = i * (GOLDEN + 0.1 * j)
        share -= math.floor(share)
        if self.linkage.limits[j] == 0:
            return points.TAU * share
        return low + share * (self.linkage.upper[j] - low)

    def take(self, pose: Numbers, error: float) -> None:
        """Take a pose, if it is closer."""
        if error < self.error:
            self.error = error
            self.linkage.copy(pose, self.pose)

    def tip(self) -> complex:
        """Return where the tip of the pose is, in reaches."""
        self.descent.forward(self.pose)
        return self.descent.tip

    def off(self, angle: float) -> float:
        """Return how far the heading of the pose's last link is from an angle in rad."""
        self.descent.forward(self.pose)
        return abs(points.near_zero(angle - self.descent.heading))


def first_in_lines(links: Sequence[Link]) -> int:
    """Return from which joint on there are not too many lines."""
    limited = 0
    for j in range(len(links) - 1, -1, -1):
        limited += len(links[j].limits) == 2
        if limited > MOST_IN_LINES:
            return j + 1
    return 0
