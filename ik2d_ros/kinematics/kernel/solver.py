"""Solves for a chain: a descent from the start, a decision where that sticks, the closest pose.

To build on it, in another compiled module::

    solver = Solver(links, inner, outer)  # once per chain
    solver.begin(j, value)                # for each joint: where it starts, in rad or reaches
    status = solver.point(target, tolerance)
    solver.pose[j], solver.error          # the answer; solver.tip(), solver.heading()

The same methods can be called without the interpreter's lock. Lengths are in reaches; a solver is
for one thread at a time, and :meth:`Solver.twin` makes another one with the same tables.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

try:
    import cython
except ImportError:
    from ik2d_ros.kinematics.kernel import uncompiled as cython

from ik2d_ros.kinematics.kernel.closest import Closest
from ik2d_ros.kinematics.kernel.closest_angle import ClosestAngle, Tails
from ik2d_ros.kinematics.kernel.descent import Descent
from ik2d_ros.kinematics.kernel.faces import Faces, FaceTables
from ik2d_ros.kinematics.kernel.lines import Lines
from ik2d_ros.kinematics.kernel.linkage import Index, Link, Linkage, Numbers, room
from ik2d_ros.kinematics.kernel.meeting import Meeting
from ik2d_ros.kinematics.kernel.tip_angle import MeetingAtAngle

if not cython.compiled:
    from ik2d_ros.kinematics.kernel.descent import RADIAN
    from ik2d_ros.kinematics.kernel.points import clamp, near_zero, phase, unit

# Values of Status.
REACHED, TOO_FAR, TOO_NEAR, JOINT_LIMIT, NOT_CONVERGED, TIP_ANGLE = 0, 1, 2, 3, 4, 5

# What is tried before the decision.
DESCENT, SWEEPS, MEETING = 0, 1, 2
METHODS = {'hybrid': DESCENT, 'ccd': SWEEPS, 'two_bone': MEETING}

TWO = 2  # Joints, of which both move anyway;
THREE = 3  # and of which all do at a tip angle.
MOST_IN_LINES = 10  # Joints with limits; the lines of more are too many.
ROUNDS = 30  # Of the descent, at the most.
POLISH = 3  # Of them, to take up rounding.
PRECISE = 1e-9  # reaches, where the descent ends,
EXACT = 1e-14  # and where it ends that takes up rounding.
ROUNDING = 1e-13  # reaches; no limit is to blame for an error that is not larger.
FARTHEST = 1e5  # reaches; beyond, the closest pose does not depend on the distance.
CREEP = 1e-11  # reaches; where sweeps come no closer they end.
RESTARTS = 64  # Where there are not lines from all joints.
GOLDEN = 0.618033988749895
TAU = 2 * math.pi


class Solver:
    """Solves for one chain.

    Attributes:
        inner: how near the tip can come to the base in reaches, whatever the limits of bends.
        outer: how far; 1, or 0 where nothing has a length.
        method: what is tried before the decision: DESCENT, SWEEPS, or MEETING for nothing.
        side: +1 or -1 if the second of two joints is to bend to that side, else 0.
        most: passes that the descent or the sweeps may make.
        passes: that the last solve has made.
        pose: of the last solve.
        error: its distance from the target in reaches.
    """

    def __init__(
        self,
        links: Sequence[Link],
        inner: float,
        outer: float,
        lines: Lines | None = None,
        tables: FaceTables | None = None,
    ) -> None:
        self.links = links
        self.inner = inner
        self.outer = outer
        self.linkage = Linkage(links)
        self.tables: Any = None
        self.faces: Any = None
        if self.linkage.linked:
            self.tables = tables or FaceTables(links)
            self.faces = Faces(self.linkage, self.tables)
            self.lines = lines or Lines(links, [], self.tables.deep)
        else:
            self.lines = lines or Lines(links, [len(links)], first_in_lines(links))
        self.descent = Descent(self.linkage)
        self.meeting = Meeting(self.linkage, self.lines)
        self.nearest = Closest(self.linkage, self.lines)
        self.angle_tables: tuple[Lines, Tails] | None = None
        self.at_angle: Any = None
        self.faces_at: Any = None
        self.closest_angle: Any = None
        self.method = DESCENT
        self.side = 0
        self.most = 100
        self.passes = 0
        self.error = 0.0
        self.start = room()
        self.pose = room()

    def twin(self) -> Solver:
        """Return another solver for the same chain, for another thread."""
        other = Solver(self.links, self.inner, self.outer, self.lines, self.tables)
        if self.angle_tables is not None:
            other.angle_tables = self.angle_tables
            other.prepare_angles()
        return other

    def begin(self, j: Index, value: float) -> None:
        """Start with joint j at a value, or at the limit next to it."""
        self.start[j] = clamp(value, self.linkage.lower[j], self.linkage.upper[j])

    def point(self, target: complex, tolerance: float) -> Index:
        """Bring the tip to a target, or as close as it can come, from the start.

        Args:
            target: in reaches.
            tolerance: the distance in reaches that counts as reached.

        Returns:
            The status.
        """
        self.set_out()
        away = math.hypot(target.real, target.imag)
        if away > FARTHEST:
            target = FARTHEST * unit(phase(target))
        status = self.outside(away, tolerance)
        if status == REACHED:
            status = self.approach(target, tolerance)
        if status not in (REACHED, NOT_CONVERGED):
            if self.lines.deep == 0:
                self.closest(target)
            else:
                self.search(target, tolerance)
            if status == JOINT_LIMIT:
                status = self.judge(away, tolerance)
        return status

    def judge(self, away: float, tolerance: float) -> Index:
        """Return the status of a target about the annulus by the distance of the closest pose."""
        if self.error <= tolerance:
            return REACHED
        if self.error <= ROUNDING:
            return NOT_CONVERGED
        status = self.outside(away, ROUNDING)
        return JOINT_LIMIT if status == REACHED else status

    def prepare_angles(self) -> None:
        """Make the tables for :meth:`point_at`, if there are none: they take longer than others."""
        if self.linkage.linked:
            self.tables.prepare_angles()
            self.faces_at = self.faces_at or Faces(self.linkage, self.tables, True)
            return
        if self.angle_tables is None:
            deep = self.lines.deep
            lines = Lines(self.links, ends_at_angle(self.links, deep), deep)
            self.angle_tables = lines, Tails(self.links, deep)
        if self.at_angle is None:
            self.at_angle = MeetingAtAngle(self.linkage, self.angle_tables[0])
            self.closest_angle = ClosestAngle(self.linkage, *self.angle_tables)

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
        self.set_out()
        status = TIP_ANGLE
        if self.outside(abs(target), tolerance) == REACHED:
            status = self.approach_at(target, angle, min(tolerance, RADIAN * slack))
            if status == REACHED:
                return REACHED
        passes = self.passes
        without = self.point(target, tolerance)
        self.passes += passes
        if without != REACHED or status == NOT_CONVERGED:
            return status if without == REACHED else without
        if self.lines.deep > 0:
            off = self.search_at(target, angle, tolerance, slack)
        else:
            off = self.turn_closest(target, angle)
        if off <= slack or self.give_way(target, angle, tolerance, slack):
            return REACHED
        return TIP_ANGLE

    def approach_at(self, target: complex, angle: float, enough: float) -> Index:
        """Go to a target with a heading from the start, and where that ends short of it, decide."""
        error = FARTHEST
        if self.linkage.count != THREE:
            self.descent.begin()
            error = self.descend_at(target, angle, min(self.most, ROUNDS), min(enough, PRECISE))
            self.passes = self.descent.rounds
        if error > enough:
            if self.passes >= self.most:
                return NOT_CONVERGED
            self.passes += 1
            error = self.decide_at(target, angle)
        if error > enough:
            return TIP_ANGLE
        self.take(self.descent.pose, abs(target - self.descent.tip))
        return REACHED

    def descend_at(self, target: complex, angle: float, rounds: Index, enough: float) -> float:
        """Go on with the descent to a target with a heading; return how far that stays away."""
        self.descent.aimed = True
        error = self.descent.run(target, angle, rounds, enough)
        self.descent.aimed = False
        return error

    def decide_at(self, target: complex, angle: float) -> float:
        """Go where the target has the heading, if there is such a pose; return what it misses."""
        if self.linkage.linked:
            if not self.faces_at.meet_at(target, angle, self.linkage.count == THREE):
                return FARTHEST
        elif not self.at_angle.meet(self.linkage.count - 1, target, angle):
            return FARTHEST
        self.descent.put(self.linkage.trial)
        return self.descend_at(target, angle, POLISH, EXACT)

    def turn_closest(self, target: complex, angle: float) -> float:
        """Take the pose with the closest heading, of those with the tip at the target."""
        before = abs(near_zero(angle - self.heading()))
        found = self.seek_angle(target, angle, before)
        if found < before:
            self.descent.forward(self.descent.pose)
            self.descend_at(target, self.descent.heading, POLISH, EXACT)
            self.error = FARTHEST
            self.take(self.descent.pose, abs(target - self.descent.tip))
        return found

    def seek_angle(self, target: complex, angle: float, enough: float) -> float:
        """Put the pose with the closest heading into the descent; return how far that is off."""
        if self.linkage.linked:
            self.faces_at.seek_angle(target, angle, enough)
            self.descent.put(self.faces_at.best)
            return self.faces_at.found
        self.closest_angle.found = enough
        self.closest_angle.seek(target, angle)
        self.descent.put(self.closest_angle.best)
        return self.closest_angle.found

    def give_way(self, target: complex, angle: float, tolerance: float, slack: float) -> bool:
        """Take a pose next to the one that was found, if both tolerances together allow it."""
        for j in range(self.linkage.count):
            self.descent.pose[j] = self.pose[j]
        self.descend_at(target, angle, ROUNDS, EXACT)
        error = abs(target - self.descent.tip)
        if error > tolerance or abs(near_zero(angle - self.descent.heading)) > slack:
            return False
        self.error = FARTHEST
        self.take(self.descent.pose, error)
        return True

    def search_at(self, target: complex, angle: float, tolerance: float, slack: float) -> float:
        """Begin again from poses spread over all that there are, for the closest heading."""
        found = abs(near_zero(angle - self.heading()))
        enough = min(tolerance, RADIAN * slack)
        self.passes += 1
        for i in range(RESTARTS):
            if found <= slack:
                break
            for j in range(self.linkage.count):
                self.linkage.start[j] = self.spread(i, j)
            if not self.linkage.bend_back(self.linkage.start):
                continue
            self.descent.begin()
            error = self.descend_at(target, angle, ROUNDS, PRECISE)
            if error > enough and self.decide_at(target, angle) > enough:
                self.descent.run(target, 0.0, ROUNDS, PRECISE)
            off = abs(near_zero(angle - self.descent.heading))
            error = abs(target - self.descent.tip)
            if off < found and error <= tolerance:
                found = off
                self.error = FARTHEST
                self.take(self.descent.pose, error)
        for j in range(self.linkage.count):
            self.linkage.start[j] = self.start[j]
        return found

    def set_out(self) -> None:
        """Go back to the start."""
        self.error = FARTHEST * FARTHEST
        self.passes = 0
        for j in range(self.linkage.count):
            self.linkage.start[j] = self.start[j]

    def outside(self, away: float, tolerance: float) -> Index:
        """Tell whether a target is too far or too near, by how far it is from the base."""
        if away > self.outer + tolerance:
            return TOO_FAR
        return TOO_NEAR if away < self.inner - tolerance else REACHED

    def approach(self, target: complex, tolerance: float) -> Index:
        """Go to a target from the start, and where that ends short of it, decide."""
        if self.method != MEETING:
            self.descent.begin()
            self.descend(target, tolerance)
            if self.error <= tolerance:
                return REACHED
            if self.passes >= self.most:
                return NOT_CONVERGED
            self.passes += 1
        return REACHED if self.decide(target, tolerance) else JOINT_LIMIT

    def descend(self, target: complex, tolerance: float) -> None:
        """Go to a target by small moves, or by sweeps."""
        enough = min(tolerance, PRECISE)
        if self.method == SWEEPS:
            error = self.sweep(target, enough)
        else:
            error = self.descent.run(target, 0.0, min(self.most, ROUNDS), enough)
            self.passes = self.descent.rounds
        self.take(self.descent.pose, error)

    def sweep(self, target: complex, enough: float) -> float:
        """Sweep over the joints until that creeps; return how far the tip stays away."""
        creeping = max(0.5, 1 - 1.5 / self.linkage.count)
        many = min(max(2 * self.linkage.count - 4, 2), 12)
        error = self.descent.measure(self.descent.pose, target, 0.0)
        before = FARTHEST * FARTHEST
        while error > enough and error <= creeping * before and self.passes < self.most:
            before = error
            self.passes += 1
            self.descent.sweep(target)
            if self.linkage.bent and not self.linkage.bend_back(self.descent.pose):
                return FARTHEST
            error = self.descent.measure(self.descent.pose, target, 0.0)
            if self.passes == many:
                creeping = 0.1
        return error

    def decide(self, target: complex, tolerance: float) -> bool:
        """Take a pose with the tip at a target, if there is one."""
        if self.linkage.linked:
            self.faces.side = self.side
            if not self.faces.meet(target, self.moves_both()):
                return False
            self.descent.put(self.faces.best)
        else:
            self.meeting.side = self.side
            if not self.meeting.meet(target, self.moves_both()):
                return False
            self.descent.put(self.meeting.best)
        self.take(self.descent.pose, self.descent.run(target, 0.0, POLISH, EXACT))
        return self.error <= tolerance

    def moves_both(self) -> bool:
        """Whether to look for the least move of both joints, not of as few as can be."""
        return self.method == MEETING and self.linkage.count == TWO

    def closest(self, target: complex) -> float:
        """Take the closest pose, if it is closer than what there is; return its distance."""
        if self.linkage.linked:
            self.faces.seek(target, self.error)
            self.take(self.faces.best, self.faces.found)
            return self.error
        self.nearest.found = self.error
        for j in range(self.linkage.count):
            self.nearest.best[j] = self.pose[j]
        self.nearest.seek(target)
        self.take(self.nearest.best, self.nearest.found)
        return self.error

    def search(self, target: complex, tolerance: float) -> None:
        """Begin again from straight, then from poses spread over all that there are."""
        self.passes += 1
        for i in range(RESTARTS):
            for j in range(self.linkage.count):
                self.linkage.start[j] = self.spread(i, j)
            if i == 0 and not self.linkage.slides[0]:
                self.linkage.start[0] = self.linkage.nearest(0, phase(target))
            if not self.linkage.bend_back(self.linkage.start):
                continue
            self.descent.begin()
            self.take(self.descent.pose, self.descent.run(target, 0.0, ROUNDS, EXACT))
            if self.error <= tolerance or self.decide(target, tolerance):
                break
        self.settle(target)
        for j in range(self.linkage.count):
            self.linkage.start[j] = self.start[j]

    def settle(self, target: complex) -> None:
        """Come closer by turns: the last joints by their lines, then each by itself."""
        before = FARTHEST
        while self.error < before - CREEP:
            before = self.error
            for j in range(self.linkage.count):
                self.linkage.start[j] = self.pose[j]
            self.closest(target)
            for j in range(self.linkage.count):
                self.descent.pose[j] = self.pose[j]
            self.descent.sweep(target)
            if self.linkage.bent and not self.linkage.bend_back(self.descent.pose):
                return
            error = self.descent.measure(self.descent.pose, target, 0.0)
            self.take(self.descent.pose, error)

    def spread(self, i: Index, j: Index) -> float:
        """Return where joint j is in the pose of a number, 0 for straight."""
        low = self.linkage.lower[j]
        if i == 0:
            return clamp(0.0, low, self.linkage.upper[j])
        share = i * (GOLDEN + 0.1 * j)
        share -= math.floor(share)
        if self.linkage.limits[j] == 0:
            return TAU * share
        return low + share * (self.linkage.upper[j] - low)

    def take(self, pose: Numbers, error: float) -> None:
        """Take a pose, if it is closer."""
        if error < self.error:
            self.error = error
            for j in range(self.linkage.count):
                self.pose[j] = pose[j]

    def tip(self) -> complex:
        """Return where the tip of the pose is, in reaches."""
        self.descent.forward(self.pose)
        return self.descent.tip

    def heading(self) -> float:
        """Return the heading of the pose's last link in rad."""
        self.descent.forward(self.pose)
        return self.descent.heading

    def solve(
        self, x: float, y: float, start: Sequence[float], tolerance: float = 1e-6
    ) -> tuple[list[float], int]:
        """Return the pose for a target, and the status."""
        for j in range(self.linkage.count):
            self.begin(j, start[j])
        status = self.point(x + 1j * y, tolerance)
        return [self.pose[j] for j in range(self.linkage.count)], status


def first_in_lines(links: Sequence[Link]) -> int:
    """Return from which joint on there are not too many lines."""
    limited = 0
    for j in range(len(links) - 1, -1, -1):
        limited += len(links[j].limits) == 2
        if limited > MOST_IN_LINES:
            return j + 1
    return 0


def ends_at_angle(links: Sequence[Link], deep: int) -> list[int]:
    """Return which joints can take up an angle, with all joints behind them held; and the tip."""
    ends = [len(links)]
    for j in range(len(links) - 1, deep - 1, -1):
        if links[j].free and not links[j].slides:
            ends.append(j)
        if not links[j].limits:
            break
    return ends
