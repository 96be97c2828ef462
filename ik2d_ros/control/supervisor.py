"""Decides whether and where an arm is commanded; no ROS imports.

Nothing else moves an arm, stops it, or lets it go on.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from ik2d_ros.control.commanded_joints import AuxiliaryJoint, CommandedJoints
from ik2d_ros.control.measurements import RECENT, Measurements
from ik2d_ros.motion.motion import Motion, at_rest
from ik2d_ros.motion.state import Positions
from ik2d_ros.motion.trajectory import Trajectory

STALL_TIME = 0.25  # s without progress towards the command: a controller is switched in less
MOST_STALL_PER_TICK = 0.1  # s, of that: no single tick may use it up
PROGRESS = 0.05  # the least that counts, as a share of the tolerance: more than noise
HALVINGS = 8  # of a step where the arm is slow to follow: the least is a hundredth of its speed
REPORT_STALL_AFTER = 0.05  # s: as long as an ordinary servo is late
OFF_GOAL_TIME = 0.25  # s off its goal after which the measured arm is not at it: no flicker
SETTLING_TIME = 1.0  # s for which an arm may be off its last command without a report, as it creeps
REPEAT_TIME = 0.1  # s for which the last command is repeated, as a controller may lose a message
SAG_SETTLED = 0.5  # s for which an arm that sags must be at rest before it is left alone
SAG_TIMEOUT = 3.0  # s for which commands follow it at most: an arm has come down by then


class Phase(enum.Enum):
    """The state of the commands."""

    SILENT = enum.auto()  # nothing is commanded
    PENDING = enum.auto()  # nothing yet: no controller listens, or the pose is unknown
    DRIVING = enum.auto()  # a motion, braking, or an arm that sags; then the last pose again


class Goal(NamedTuple):
    """The goal of the arm: a pose, a trajectory or velocities."""

    pose: Positions = ()  # (m,) goal, or a trajectory's first pose; empty to stay
    trajectory: Trajectory | None = None  # leads on from there
    velocities: Mapping[str, float] | None = None  # rad/s, of joints until the next goal, by name


STAY = Goal()
"""The goal of an arm that stays where it is, while auxiliary joints move."""


class RestTimers(NamedTuple):
    """Timers of arrival, repeated commands and sagging, in s."""

    settled_time: float = 0.0  # for which commands have been at rest at their goal
    off_goal_time: float = math.inf  # for which the measured arm was off its goal
    repeat_time: float = REPEAT_TIME  # for which the last command is to be repeated
    sag_time_left: float = 0.0  # for which commands are still to follow an arm that sags
    # (k,) where joints were nearest to the last command since; None while commands are sent, or if
    # it was not measured.
    rest_pose: Positions | None = None


class FollowingError(NamedTuple):
    """Measures how far commands are ahead of the arm, and how long the motion has waited for it."""

    samples: tuple[tuple[float, Positions], ...] = ()  # age in s, (k,) measured pose; newest last
    worst_joint: int = 0  # index of the joint whose command was furthest ahead
    stalled: float = 0.0  # s for which the motion has waited for it without progress
    best_excess: float = math.inf  # the least since it waits, in tolerances

    def with_sample(self, pose: Positions, dt: float, delay: float) -> FollowingError:
        """Return it dt s later with a (k,) measured pose; those of a delay in s are kept."""
        aged = [(age + dt, before) for age, before in self.samples]
        recent = [(age, before) for age, before in aged if age <= delay + 1e-9]
        return self._replace(samples=(*(recent or aged[-1:]), (0.0, pose)))

    def excess(self, command: Positions, joints: CommandedJoints) -> tuple[float, int]:
        """Return by how much a (k,) command is too far ahead, in tolerances, and which joint's."""
        (age, before), (_, now) = self.samples[0], self.samples[-1]
        following = joints.control.following
        # The travel of a joint towards its command in the last delay counts as following.
        fraction = min(following.delay / age, 1.0) if age else 0.0
        excesses = []
        for q, p0, p1, scale in zip(command, before, now, joints.tolerance_scales, strict=True):
            error = q - p1
            travel = math.copysign(fraction, error) * (p1 - p0)
            excesses.append((abs(error) - max(travel, 0.0)) / (following.tolerance * scale) - 1.0)
        worst = max(excesses)
        return worst, excesses.index(worst)


class Supervisor:
    """Makes commands from goals, measurements and time.

    Each command is one step of the motion from the one before, within the motion limits, until the
    arm has arrived, was stopped, or a fault has ended its motion. Then nothing is commanded until
    the next goal. A motion begins at the last command where the arm is measured as that left it, so
    that the steady-state errors of servos do not add up; else where it is measured.

    With measurements, the motion waits for the arm. If that makes no progress, the commands go back
    to it, and follow it while it sags: power that returns finds it where it is commanded.

    Attributes:
        measurements: the measured positions; None without measurements.
        controller_fault: why the controller takes no commands; empty if it does, or might.
        start_pose: (k,) where commands began last, each time a new tuple; empty before that.
        fault_count: how many faults have ended motions.
        stop_reason: why the arm was stopped, if its goal was forgotten for that; else empty.
    """

    def __init__(self, joints: CommandedJoints, is_measured: bool) -> None:
        """Start without a goal; measured joints start where they are, and are waited for."""
        self._joints = joints
        self.measurements = Measurements(joints.measurement_bounds) if is_measured else None
        self.phase = Phase.SILENT
        self.controller_fault = ''
        arm = joints.arm
        self.arm_motion: Motion = at_rest(joints.limits, arm.home, arm.kinematics)
        self.auxiliary = joints.auxiliary
        self.start_pose: Positions = ()
        self.fault_count = 0
        self.stop_reason = ''
        self._goal: Goal | None = None
        self._following = FollowingError()
        self._timers = RestTimers()

    # --- its state --------------------------------------------------------------------------------

    @property
    def motions(self) -> tuple[Motion, ...]:
        """The motions of the arm, (m,), and of each auxiliary joint, (1,)."""
        return (self.arm_motion, *(joint.motion for joint in self.auxiliary))

    @property
    def commanded(self) -> Positions:
        """The commanded pose, (k,)."""
        pose = self.arm_motion.state.positions
        return (*pose, *(joint.motion.state.positions[0] for joint in self.auxiliary))

    @property
    def names(self) -> tuple[str, ...]:
        """(k,) names of the joints."""
        return self._joints.names

    @property
    def auxiliary_positions(self) -> dict[str, tuple[float, float]]:
        """Positions of auxiliary joints, measured or else commanded, and their goals, by name."""
        here = (self.measured or self.commanded)[len(self.arm_motion.goal) :]
        joints = zip(self.auxiliary, here, strict=True)
        return {joint.name: (q, joint.motion.goal[0]) for joint, q in joints}

    @property
    def fault(self) -> str:
        """Why the measured pose is unknown; empty if it is known, or nothing is measured."""
        return self.measurements.fault if self.measurements else ''

    @property
    def measured(self) -> Positions | None:
        """The measured pose, (k,); None if it is unknown."""
        return None if self.measurements is None or self.fault else self.measurements.positions

    @property
    def was_ever_known(self) -> bool:
        """Whether anything was ever commanded, or all joints were ever measured."""
        return bool(self.start_pose or (self.measurements and self.measurements.were_known))

    @property
    def is_commanding(self) -> bool:
        """Whether the commanded pose is to be sent."""
        return self.phase is Phase.DRIVING

    @property
    def has_goal(self) -> bool:
        """Whether there is a goal that is not forgotten."""
        return self._goal is not None

    @property
    def is_at_rest(self) -> bool:
        """Whether the commanded pose is at rest."""
        return not self.is_commanding or all(motion.state.is_at_rest for motion in self.motions)

    @property
    def is_braking(self) -> bool:
        """Whether the arm moves, but has no goal."""
        return self._goal in (None, STAY) and not self.arm_motion.state.is_at_rest

    @property
    def has_arrived(self) -> bool:
        """Whether the commanded pose is where it goes."""
        are_there = all(motion.has_arrived for motion in self.motions)
        return are_there and self.phase is not Phase.PENDING

    @property
    def is_at_goal(self) -> bool:
        """Whether the arm is at its goal: with measurements, the measured arm."""
        goal, motion = self._goal, self.arm_motion
        if goal is None or not goal.pose or not motion.has_arrived or motion.blocked:
            return False
        has_begun = self.phase is not Phase.PENDING or goal == Goal(self.arm_motion.goal)
        return has_begun and self._timers.off_goal_time < OFF_GOAL_TIME

    @property
    def is_under_way(self) -> bool:
        """Whether the arm is still going to its goal."""
        return self._goal not in (None, STAY) and not self.is_at_goal

    @property
    def is_settled(self) -> bool:
        """Whether commands have been at rest for so long that all joints should be there."""
        return self._timers.settled_time > SETTLING_TIME and self.has_arrived

    @property
    def is_off_goal(self) -> bool:
        """Whether the measured arm has settled off its goal."""
        return self.is_settled and self.is_under_way

    @property
    def waits_for(self) -> str:
        """The joint that the motion waits for, or the controller and why; empty for none."""
        if self.phase is Phase.PENDING and self.controller_fault:
            return f'its controller: {self.controller_fault}'
        is_stalled = self._following.stalled > REPORT_STALL_AFTER
        waits = self.is_commanding and self.has_goal and is_stalled
        return f'joint {self.names[self._following.worst_joint]}' if waits else ''

    @property
    def planning_start(self) -> Positions:
        """The positions of the arm, (m,), from which a motion to a new goal starts."""
        if self.is_commanding:
            return self.arm_motion.state.positions
        return self._first_command()[: len(self.arm_motion.goal)]

    @property
    def braking_ranges(self) -> list[tuple[float, float]]:
        """(m,) the range of each joint of the arm if it brakes; empty if that is unknown."""
        if not self.start_pose and self.measurements and not self.measured:
            return []
        if self.is_commanding:
            return self.arm_motion.braking_ranges
        return [(q, q) for q in self.planning_start]

    # --- input ------------------------------------------------------------------------------------

    def configure(self, joints: CommandedJoints) -> None:
        """Take over other settings of the same joints; with a goal, auxiliary ones follow."""
        before, self._joints = self._joints, joints
        if self.measurements is not None:
            self.measurements.configure(joints.measurement_bounds)
        arm, old = joints.arm, before.arm
        self.arm_motion = self.arm_motion.with_limits(joints.limits, arm.kinematics)
        is_new = (arm.motion, arm.limits) != (old.motion, old.limits)
        if is_new and self._goal and self._goal.trajectory and self.phase is not Phase.SILENT:
            self.stop()  # the trajectory was timed for the limits before
        self.auxiliary = tuple(map(AuxiliaryJoint.with_settings, self.auxiliary, joints.auxiliary))
        if self.has_goal and str(joints.control.holds) != str(before.control.holds):  # or NaN
            self._start_auxiliary()

    def move_auxiliary(self, asked: Mapping[str, float], is_jog: bool = False) -> None:
        """Move auxiliary joints to positions, or at velocities, by name; the others go on."""
        move = AuxiliaryJoint.jogged if is_jog else AuxiliaryJoint.held_at
        self.auxiliary = tuple(
            move(joint, asked[joint.name]) if joint.name in asked else joint
            for joint in self.auxiliary
        )
        self._start_auxiliary()

    def go(self, goal: Goal, since: float | None = None) -> None:
        """Go to a new goal; ``since`` is as of :meth:`.Motion.to`."""
        self._goal, self.stop_reason = goal, ''
        if self.is_commanding:
            self._start_motions(goal, since)
        else:
            self.phase = Phase.PENDING
            if self.measurements is None:  # else it begins with the next tick, as measured then
                self._activate()
        self._update_timers(0.0, self.measured)

    def hand_over(self) -> None:
        """Stop, and command nothing as soon as the joints are at rest."""
        self.stop()
        self._timers = self._timers._replace(repeat_time=0.0)
        if self.has_arrived:
            self._fall_silent()

    def stop(self) -> None:
        """Brake, and forget the goal; auxiliary joints are held where they come to rest."""
        self._goal, self._timers = None, self._timers._replace(sag_time_left=0.0)
        if self.phase is Phase.PENDING:
            self.phase = Phase.SILENT
        elif self.is_commanding:
            self._keep(motion.stopping() for motion in self.motions)
        else:
            return
        self.auxiliary = tuple(joint.stopped() for joint in self.auxiliary)

    def stop_arm(self) -> None:
        """Let the arm brake, and forget its goal; auxiliary joints go on."""
        goals = [(joint.nearest_target,) for joint in self.auxiliary]
        are_there = goals == [joint.motion.state.positions for joint in self.auxiliary]
        if not are_there or any(joint.velocity for joint in self.auxiliary):
            self._goal, self.arm_motion = STAY, self.arm_motion.stopping()
        else:
            self.stop()

    def abort(self, stop_reason: str = '') -> None:
        """End goal and commands at once: no controller listens, or time has stopped."""
        if self.start_pose and (self.has_goal or self.is_commanding):
            self._fail(self.stop_reason or stop_reason)
            self._keep(motion.reset(motion.state.positions) for motion in self.motions)
            self._fall_silent()

    def advance(self, dt: float, elapsed: float = 0.0, lost: float = 0.0) -> None:
        """Go on by dt s; more may have elapsed, and ``lost`` s without ticks are a fault."""
        seen, measured = self.measurements, self.measured
        if measured:
            here = measured[len(self.arm_motion.goal) :]
            self.auxiliary = tuple(map(AuxiliaryJoint.measured_first, self.auxiliary, here))
        has_motion = self.has_goal or self._timers.sag_time_left
        if seen and measured is None and seen.were_known and has_motion:
            self._fail(self.stop_reason)  # the fault of the measurements is the reason
        if self.is_commanding and (lost or self.controller_fault):
            busy = f'the computer was busy: nothing was commanded for {lost:.3g} s'
            self.abort('its controller has ended or restarted' if self.controller_fault else busy)
        self._activate()
        if self.is_commanding and dt > 0.0:
            self._command(dt, max(dt, elapsed))
        if seen is not None:
            seen.note_command(self.commanded if self.is_commanding else ())
            if measured and (rest := self._timers.rest_pose):  # servos may be on their way there
                joints = zip(measured, rest, self.commanded, strict=True)
                nearest = tuple(q if abs(q - c) < abs(p - c) else p for q, p, c in joints)
                self._timers = self._timers._replace(rest_pose=nearest)
        self._update_timers(dt, measured)

    # --- decisions --------------------------------------------------------------------------------

    def _keep(self, motions: Iterable[Motion]) -> None:
        """Take over motions of the arm and of each auxiliary joint, in their order."""
        self.arm_motion, *rest = motions
        joints = zip(self.auxiliary, rest, strict=True)
        self.auxiliary = tuple(replace(joint, motion=motion) for joint, motion in joints)

    def _move_each(self, move: Callable[[Motion, Positions], Motion], pose: Positions) -> None:
        """Move each motion by its part of a (k,) pose."""
        count = len(self.arm_motion.goal)
        parts = [pose[:count], *((q,) for q in pose[count:])]
        self._keep(map(move, self.motions, parts))

    def _start_auxiliary(self) -> None:
        """Start the motions of auxiliary joints; if nothing is commanded, by a goal for the arm."""
        if self.is_commanding and self.has_goal:
            self.auxiliary = tuple(joint.started() for joint in self.auxiliary)
        elif self.phase is not Phase.PENDING:
            # Others may have moved the arm.
            self.go(Goal(self.arm_motion.goal) if self.is_at_goal else STAY)

    def _activate(self) -> None:
        """Begin a pending motion, if nothing is missing."""
        if self.phase is not Phase.PENDING or not self._goal or self.controller_fault:
            return
        if self.measurements is None or not self.measurements.are_late:
            self.start_pose = self._first_command()
            self._move_each(Motion.reset, self.start_pose)
            self._following = FollowingError()
            self.phase = Phase.DRIVING
            self._start_motions(self._goal)

    def _start_motions(self, goal: Goal, since: float | None = None) -> None:
        """Start the motions to a goal of the arm, and of auxiliary joints to theirs."""
        self._timers, motion = RestTimers(), self.arm_motion
        if goal.velocities is not None:
            names = self._joints.arm.names
            motion = motion.at_velocities([goal.velocities.get(name, 0.0) for name in names])
        elif goal.trajectory is not None:
            motion = motion.along(goal.trajectory)
        elif goal.pose:
            motion = motion.to(goal.pose, since)
        self.arm_motion = motion
        self.auxiliary = tuple(joint.started() for joint in self.auxiliary)

    def _command(self, dt: float, elapsed: float) -> None:
        """Make the next command, or fall silent."""
        seen, timers, following = self.measurements, self._timers, self._joints.control.following
        ends_after = SAG_SETTLED if timers.sag_time_left else timers.repeat_time
        if self.has_arrived and timers.settled_time > ends_after:
            self._fall_silent()
            return
        if seen is not None:
            here = seen.positions
            self._following = self._following.with_sample(here, elapsed, following.delay)
            if timers.sag_time_left:
                left = max(timers.sag_time_left - dt, 0.0)
                self._timers = timers._replace(sag_time_left=left)
            if self._timers.sag_time_left:
                goal = [q for motion in self.motions for q in motion.goal]
                if self._joints.are_apart(goal, here, following.goal_tolerance):  # it sags further
                    self._timers = self._timers._replace(settled_time=0.0)
                    self._move_each(lambda each, part: each.to(each.limits.clamped(part)), here)
            elif self.has_goal and not (self.has_arrived or seen.fault):  # else it only brakes
                self._advance_within_tolerance(seen, dt, elapsed)
                return
        self._keep(motion.after(dt, elapsed) for motion in self.motions)

    def _advance_within_tolerance(self, seen: Measurements, dt: float, elapsed: float) -> None:
        """Go on by the largest step within the following tolerance; brake if there is none."""
        joints, error = self._joints, self._following
        # Limits on acceleration allow no shorter step, but to brake.
        halvings = 1 if self.arm_motion.limits.has_acceleration else HALVINGS
        for part in [dt / 2.0**i for i in range(halvings)]:
            motions = tuple(motion.after(part, elapsed) for motion in self.motions)
            pose = tuple(q for motion in motions for q in motion.state.positions)
            excess, worst = error.excess(pose, joints)
            if excess <= 0.0:
                self._keep(motions)
                self._following = FollowingError(error.samples, worst)
                return
        self._keep(each.after(dt, elapsed, is_held_back=True) for each in self.motions)
        if excess < error.best_excess - PROGRESS:
            self._following = FollowingError(error.samples, worst, best_excess=excess)
            return
        # Time without ticks, or in which nothing is measured, does not count as a stall.
        waited = min(dt, MOST_STALL_PER_TICK) if seen.silence <= RECENT else 0.0
        self._following = error._replace(worst_joint=worst, stalled=error.stalled + waited)
        if self._following.stalled > STALL_TIME:
            bounds = joints.measurement_bounds[worst]
            off = abs(self.commanded[worst] - seen.positions[worst])
            self._fail(
                f"it does not follow its commands: joint '{bounds.name}' is {off:.3g} "
                f'{bounds.unit} from where it was commanded, and comes no nearer'
            )
            self._timers = self._timers._replace(sag_time_left=SAG_TIMEOUT)

    def _fail(self, stop_reason: str) -> None:
        """End the motion by a fault, and forget its goal."""
        self.stop()
        self.fault_count, self.stop_reason = self.fault_count + 1, stop_reason

    def _update_timers(self, dt: float, measured: Positions | None) -> None:
        """Update for how long commands have been at rest, and the measured arm off its goal."""
        joints, following, timers = self._joints, self._joints.control.following, self._timers
        goal = self.arm_motion.goal  # auxiliary joints have goals of their own
        here = measured or ()
        is_there = self.arm_motion.has_arrived and bool(here)
        is_off = not is_there or joints.are_apart(goal, here, following.goal_tolerance)
        self._timers = timers._replace(
            settled_time=timers.settled_time + dt if self.has_arrived else 0.0,
            off_goal_time=timers.off_goal_time + dt if self.measurements and is_off else 0.0,
        )
        if self.phase is Phase.SILENT and joints.are_apart(goal, here, following.tolerance):
            self._goal = None  # others have moved it

    def _first_command(self) -> Positions:
        """Return where commands begin, (k,): of each joint, at the last one if that left it here.

        Else where it is measured. So do all joints of an arm that would be deeper in collision at
        the last commands of some.
        """
        here, rest, last = self.measured, self._timers.rest_pose, self.commanded
        if here is None:
            return last
        joints, following, pose = self._joints, self._joints.control.following, [*here]
        for i, (q, scale) in enumerate(zip(here, joints.tolerance_scales, strict=True)):
            is_as_left = rest is not None and abs(q - rest[i]) <= following.goal_tolerance * scale
            if is_as_left and abs(q - last[i]) <= following.tolerance * scale:
                pose[i] = last[i]
        arm, count = joints.arm, len(self.arm_motion.goal)
        gaps = map(arm.kinematics.clearances, (pose[:count], here[:count]))
        if any(gap < min(least, 0.0) for gap, least in zip(*gaps, strict=True)):
            pose[:count] = here[:count]
        return tuple(pose)

    def _fall_silent(self) -> None:
        """Command nothing any more."""
        if self.is_commanding:
            self._timers = self._timers._replace(rest_pose=self.measured, sag_time_left=0.0)
        self.phase = Phase.SILENT
