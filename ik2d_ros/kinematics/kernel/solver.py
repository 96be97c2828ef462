"""Solves for a chain: a descent from the start, a decision where that sticks, the closest pose.

A solver is for one thread at a time; another one for the same chain takes over its tables.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ik2d_ros.kinematics.kernel import codes, points
from ik2d_ros.kinematics.kernel.descent import Descent
from ik2d_ros.kinematics.kernel.faces import Faces, first_with_faces
from ik2d_ros.kinematics.kernel.joint_table import Index, JointTable, Link, Numbers, padded
from ik2d_ros.kinematics.kernel.lines import Lines
from ik2d_ros.kinematics.kernel.meeting import (
    ClosestAngle,
    Meeting,
    MeetingAtAngle,
    backwards,
    ends_at_angle,
)
from ik2d_ros.kinematics.kernel.search import Closest, Search, Trial

POINT_JOINTS = 2  # So many joints all have to move for a point,
ANGLE_JOINTS = 3  # and so many for a point at a tip angle.
MOST_IN_LINES = 10  # Joints with limits that all have lines.
DESCENT_STEPS = 30  # At most.
POLISH_STEPS = 3  # At most, to take up rounding.
POLISHED = 1e-14  # reaches; an error at which these end.
ANNULUS_SLACK = 1e-13  # reaches; a target further outside of the annulus is out of reach.
BLAMED = 1e-8  # reaches; a smaller error is not blamed on a limit: rounding may decide.
REFINED = 1e-11  # reaches; a round of refinement that comes no closer is the last.
BUDGET = 60_000_000  # The work of one solve, in lines that are tried: about 0.2 s.
RESTARTS = 64  # Poses to start again from if not all joints are enumerated.
TURNS = 24  # Steps by which a pose is turned to an angle; one in vain halves the next.
LEAST_BEYOND = 0.3  # Tolerances; how far joints are let beyond their limits to look about there.
BEYOND = 3  # Times that this is done, ten times as far each time.
GOLDEN = 0.618033988749895


class Solver:
    """Solves for one chain.

    Attributes:
        trial: the start, and the pose that is tried.
        enumerated_from: the first joint from which on all ways to hold joints are tried; 0 for a
            proof.
        inner, outer: radii of the annulus in reaches; outer is 0 if no link has a length.
        method: tried before the decision: DESCENT, SWEEPS, or nothing for CLOSED_FORM.
        most_passes: passes that descent or sweeps may make; passes: those of the last solve.
        start: value of each joint; that of the trial is another one after a restart.
        pose: of the last solve; error: its distance from the target in reaches.
    """

    def __init__(
        self,
        links: Sequence[Link],
        inner: float,
        outer: float,
        like: Solver | None = None,
        decides: bool = True,
    ) -> None:
        """Make one, with the tables of another for the same chain; without, if it only descends."""
        self.links = links
        self.inner = inner
        self.outer = outer
        self.table: JointTable = like.table if like else JointTable(links)
        self.trial = Trial(self.table)
        self.descent = Descent(self.trial)
        self.lines: Lines | None = None
        self.angle_lines: list[Lines] = like.angle_lines if like else []
        # These find nothing.
        self.at_point = self.closest_point = Search(self.trial)
        self.at_angle = self.closest_angle = self.at_point
        self.is_ready_for_angles = self.table.linked or not decides
        self.enumerated_from = 0
        if decides and self.table.linked:
            self.enumerated_from = first_with_faces(links)
            self.at_point = self.closest_point = Faces(self.trial, links, self.enumerated_from)
            self.at_angle = self.closest_angle = self.at_point
        elif decides:
            self.enumerated_from = first_with_lines(links)
            ends = [self.table.leading_count]
            lines = like.lines if like else None
            lines = lines or Lines(links, ends, self.enumerated_from)
            self.at_point = Meeting(self.trial, lines)
            self.closest_point = Closest(self.trial, lines)
            self.lines = lines
        self.method = codes.DESCENT
        self.most_passes = 100
        self.passes = 0
        self.error = 0.0
        self.start = padded()
        self.pose = padded()

    def prepare_angles(self) -> None:
        """Make the tables for tip angles, if there are none: they take longer than others."""
        if self.is_ready_for_angles:
            return
        first, lines = self.enumerated_from, self.angle_lines
        if not lines:
            lines = [Lines(self.links, ends_at_angle(self.links, first), first)]
            if first == 0:
                reverse = [link for _, link in backwards(self.links)]
                lines.append(Lines(reverse, ends_at_angle(reverse, 0), 0))
        meeting = MeetingAtAngle(self.trial, lines[0])
        closest = ClosestAngle(self.trial, self.links, lines[1]) if first == 0 else None
        # All at once, at the end: another thread may solve, or make them, meanwhile.
        if not self.is_ready_for_angles:
            self.closest_angle = closest or self.closest_angle
            self.angle_lines, self.at_angle, self.is_ready_for_angles = lines, meeting, True

    def set_start(self, j: Index, value: float) -> None:
        """Start with joint j at a value, or at the limit next to it, with a full budget of work."""
        self.trial.budget = BUDGET
        self.start[j] = self.table.clamp_value(j, value)

    def begin(self, angle: float) -> None:
        """Begin a solve at the start, for a heading of the last link or NO_ANGLE."""
        self.error = points.FARTHEST * points.FARTHEST
        self.passes = 0
        self.table.copy_pose(self.start, self.trial.start)
        self.descent.set_angle(angle)

    # --- at any angle ---

    def solve_for_point(self, target: complex, tolerance: float) -> Index:
        """Bring the tip to a target, or as close as it can come; return the status."""
        self.begin(codes.NO_ANGLE)
        away = math.hypot(target.real, target.imag)
        if away > points.FARTHEST:
            target = points.FARTHEST * points.unit(points.phase(target))
        status = self.status_by_distance(away, tolerance)
        if status == codes.REACHED:
            status = self.approach(target, tolerance)
        if status not in (codes.REACHED, codes.NOT_CONVERGED):
            if self.enumerated_from == 0:
                self.take_closest(target)
            if self.enumerated_from > 0 or self.trial.budget <= 0:
                self.restart(target, tolerance)
            if status == codes.JOINT_LIMIT:
                status = self.status_of_miss(away, tolerance)
        return status

    def status_by_distance(self, away: float, tolerance: float) -> Index:
        """Return whether a target is too far or too near, by its distance from the base."""
        if away > self.outer + tolerance:
            return codes.TOO_FAR
        return codes.TOO_NEAR if away < self.inner - tolerance else codes.REACHED

    def status_of_miss(self, away: float, tolerance: float) -> Index:
        """Return the status of a target about the annulus by the distance of the closest pose."""
        if self.error <= tolerance:
            return codes.REACHED
        status = self.status_by_distance(away, ANNULUS_SLACK)
        if status != codes.REACHED:
            return status
        if self.error > BLAMED and self.trial.budget > 0:
            return codes.JOINT_LIMIT
        return codes.NOT_CONVERGED

    def approach(self, target: complex, enough: float) -> Index:
        """Go to a target from the start, by small steps or sweeps; decide if that ends short of it.

        Where all joints have to move anyway, it decides at once.
        """
        aimed = self.descent.aimed
        if self.table.count != ANGLE_JOINTS if aimed else self.method != codes.CLOSED_FORM:
            near = min(enough, points.DESCENT_TOLERANCE)
            self.descent.set_pose(self.trial.start)
            if self.method == codes.SWEEPS and not aimed:
                error = self.descent.sweep_to(target, self.most_passes, near)
            else:
                steps = min(self.most_passes, DESCENT_STEPS)
                error = self.descent.descend_to(target, steps, near)
            self.passes = self.descent.iterations
            self.take_if_closer(self.descent.pose, error)
            if self.error <= enough:
                return codes.REACHED
            if self.passes >= self.most_passes:
                return codes.NOT_CONVERGED
            self.passes += 1
        self.take_if_closer(self.descent.pose, self.decide(target))
        if self.error <= enough:
            return codes.REACHED
        return codes.TIP_ANGLE if aimed else codes.JOINT_LIMIT

    def decide(self, target: complex) -> float:
        """Put a pose with the tip at a target into the descent; return its error, FAR for none."""
        if self.descent.aimed:
            return self.polish_found(self.at_angle, target, self.table.count == ANGLE_JOINTS)
        return self.polish_found(
            self.at_point,
            target,
            self.method == codes.CLOSED_FORM and self.table.count == POINT_JOINTS,
        )

    def polish_found(self, search: Search, target: complex, try_all: bool) -> float:
        """Put the pose that a search finds into the descent, and take up its rounding."""
        if not search.find_pose(target, self.descent.angle, try_all, points.FAR):
            return points.FAR
        self.descent.set_pose(search.best)
        return self.descent.descend_to(target, POLISH_STEPS, POLISHED)

    def take_closest(self, target: complex) -> None:
        """Take the closest pose, if it is closer than the one there is."""
        self.closest_point.find_closest(target, self.error)
        self.take_if_closer(self.closest_point.best, self.closest_point.best_cost)

    # --- at a tip angle ---

    def solve_for_angle(
        self, target: complex, angle: float, tolerance: float, angle_tolerance: float
    ) -> Index:
        """Bring the tip to a target with a heading, or as close as it can come to that there.

        It returns the status: of a point that cannot be reached, that without the angle. Call
        :meth:`prepare_angles` before, once.

        If all joints are enumerated, two things are proven: that no pose has its tip at the target
        with the heading, and which heading is the closest one there. Between the two,
        :meth:`accept_nearby` searches for a pose within both tolerances: finding none is no proof.
        """
        self.begin(angle)
        status = codes.TIP_ANGLE
        if self.status_by_distance(abs(target), tolerance) == codes.REACHED:
            status = self.approach(target, min(tolerance, points.RADIAN * angle_tolerance))
            if status == codes.REACHED:
                return codes.REACHED
        passes = self.passes
        without = self.solve_for_point(target, tolerance)
        self.passes += passes
        if without != codes.REACHED or status == codes.NOT_CONVERGED:
            return status if without == codes.REACHED else without
        if self.enumerated_from > 0:
            off = self.restart_at_angle(target, angle, tolerance, angle_tolerance)
            off = self.turn_towards(target, angle, tolerance, off)
        else:
            off = self.take_closest_angle(target, angle)
        left = self.trial.budget
        if off <= angle_tolerance or self.accept_nearby(target, angle, tolerance, angle_tolerance):
            return codes.REACHED
        return codes.TIP_ANGLE if left > 0 else codes.NOT_CONVERGED

    def take_closest_angle(self, target: complex, angle: float) -> float:
        """Take the pose at the target with the closest heading; return how far that is off."""
        before = self.heading_error(angle)
        self.closest_angle.find_closest_angle(target, angle, before)
        off = self.closest_angle.best_cost
        if off < before:
            self.descent.set_pose(self.closest_angle.best)
            self.descent.forward(self.descent.pose)
            self.descent.set_angle(self.descent.heading)
            error = self.descent.descend_to(target, POLISH_STEPS, POLISHED)
            self.replace_pose(self.descent.pose, error)
        return off

    def accept_nearby(
        self, target: complex, angle: float, tolerance: float, angle_tolerance: float
    ) -> bool:
        """Accept a pose within both tolerances; tell if one is found.

        It is next to the pose there is, or to those that reach both with joints beyond their
        limits. These are where rounded targets of poses at limits are; others are not looked for.
        """
        self.descent.set_angle(angle)
        self.descent.radian = tolerance / angle_tolerance  # what a descent weighs them by
        is_near = self.is_near(self.pose, target, tolerance, angle_tolerance)
        self.trial.slack = LEAST_BEYOND * max(tolerance, angle_tolerance)
        for _ in range(BEYOND):
            if not is_near and self.at_angle.find_pose(target, angle, False, points.FAR):
                is_near = self.is_near(self.at_angle.best, target, tolerance, angle_tolerance)
            self.trial.slack = 10 * self.trial.slack
        self.trial.slack, self.descent.radian = points.SLACK, points.RADIAN
        return is_near

    def is_near(
        self, pose: Numbers, target: complex, tolerance: float, angle_tolerance: float
    ) -> bool:
        """Take the pose to which one descends, if it is within both tolerances."""
        self.descent.set_pose(pose)
        if not self.table.clamp_bends(self.descent.pose):
            return False
        self.descent.descend_to(target, DESCENT_STEPS, POLISHED)
        error = abs(target - self.descent.tip)
        off = abs(points.near_zero(self.descent.angle - self.descent.heading))
        if error > tolerance or off > angle_tolerance:
            return False
        self.replace_pose(self.descent.pose, error)
        return True

    # --- from other poses, where not all joints are enumerated ---

    def restart(self, target: complex, tolerance: float) -> None:
        """Start again from poses spread over all allowed ones, with values next to 0 first."""
        self.passes += 1
        for i in range(RESTARTS):
            if self.set_restart(i):
                error = self.descent.descend_to(target, DESCENT_STEPS, POLISHED)
                self.take_if_closer(self.descent.pose, error)
                if self.error > tolerance:
                    self.take_if_closer(self.descent.pose, self.decide(target))
                if self.error <= tolerance:
                    break
                # The last joints by their lines, the first ones where the descent has ended.
                self.table.copy_pose(self.descent.pose, self.trial.start)
                self.take_closest(target)
                # A descent ends before it is next to the closest pose about.
                self.take_if_closer(self.descent.pose, self.descent.sweep_joints(target))
        self.refine(target)
        self.table.copy_pose(self.start, self.trial.start)

    def restart_at_angle(
        self, target: complex, angle: float, tolerance: float, angle_tolerance: float
    ) -> float:
        """Start again from spread poses for the closest heading; return how far that is off."""
        found = self.heading_error(angle)
        enough = min(tolerance, points.RADIAN * angle_tolerance)
        self.passes += 1
        for i in range(RESTARTS):
            if found <= angle_tolerance:
                break
            self.descent.set_angle(angle)
            if not self.set_restart(i):
                continue
            error = self.descent.descend_to(target, DESCENT_STEPS, points.DESCENT_TOLERANCE)
            if error > enough and self.decide(target) > enough:
                self.descent.set_angle(codes.NO_ANGLE)
                self.descent.descend_to(target, DESCENT_STEPS, points.DESCENT_TOLERANCE)
            off = abs(points.near_zero(angle - self.descent.heading))
            error = abs(target - self.descent.tip)
            if off < found and error <= tolerance:
                found = off
                self.replace_pose(self.descent.pose, error)
        self.table.copy_pose(self.start, self.trial.start)
        return found

    def turn_towards(self, target: complex, angle: float, tolerance: float, off: float) -> float:
        """Turn the last link to an angle as far as small steps lead; return how far is left."""
        share: float = 1.0
        for _ in range(TURNS):
            self.descent.forward(self.pose)
            heading = self.descent.heading
            self.descent.set_angle(heading + share * points.near_zero(angle - heading))
            self.descent.set_pose(self.pose)
            self.descent.descend_to(target, DESCENT_STEPS, points.DESCENT_TOLERANCE)
            left = abs(points.near_zero(angle - self.descent.heading))
            error = abs(target - self.descent.tip)
            if error <= tolerance and left < off:
                off = left
                self.replace_pose(self.descent.pose, error)
            else:
                share = 0.5 * share
        return off

    def set_restart(self, i: Index) -> bool:
        """Start from a numbered restart pose; tell if limits and budget (after one) allow it.

        The first one is next to 0. In the others, multiples of a root of pose and joint, modulo 1,
        spread over the ranges of joints: so no two go together.
        """
        for j in range(self.descent.moving_count):
            share = i * math.sqrt(i + j + GOLDEN)
            share -= math.floor(share)
            low, width = 0.0, points.TAU
            if self.table.limit_count[j] > 0:
                low = self.table.lower[j]
                width = self.table.upper[j] - low
            value = low + share * width if i > 0 else self.table.clamp_value(j, 0.0)
            self.trial.start[j] = value
        is_left = self.trial.spend(DESCENT_STEPS * self.descent.moving_count)
        if not (is_left or i == 0) or not self.table.clamp_bends(self.trial.start):
            return False
        self.descent.set_pose(self.trial.start)
        return True

    def refine(self, target: complex) -> None:
        """Alternate the exact search of the last joints with a sweep."""
        before = points.FARTHEST
        work = DESCENT_STEPS * self.descent.moving_count
        while self.error < before - REFINED and self.trial.spend(work):
            before = self.error
            self.table.copy_pose(self.pose, self.trial.start)
            self.take_closest(target)
            self.descent.set_pose(self.pose)
            self.take_if_closer(self.descent.pose, self.descent.sweep_joints(target))

    # --- the pose ---

    def take_if_closer(self, pose: Numbers, error: float) -> None:
        """Take a pose, if it is closer to the target."""
        if error < self.error:
            self.replace_pose(pose, error)

    def replace_pose(self, pose: Numbers, error: float) -> None:
        """Take a pose."""
        self.error = error
        self.table.copy_pose(pose, self.pose)

    def tip(self) -> complex:
        """Return where the tip of the pose is, in reaches."""
        self.descent.forward(self.pose)
        return self.descent.tip

    def heading_error(self, angle: float) -> float:
        """Return how far the heading of the pose's last link is from an angle in rad."""
        self.descent.forward(self.pose)
        return abs(points.near_zero(angle - self.descent.heading))


def first_with_lines(links: Sequence[Link]) -> int:
    """Return the first joint from which on there are not too many lines."""
    limited = 0
    for j in range(len(links) - 1, -1, -1):
        limited += len(links[j].limits) == 2
        if limited > MOST_IN_LINES:
            return j + 1
    return 0
