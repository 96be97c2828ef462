"""Decides whether and where an arm is commanded; no ROS imports.

Nothing else moves an arm, stops it, or lets it go on.
"""

from __future__ import annotations

import copy
import enum
import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ik2d_ros.control.joints import CommandedJoints, Pose
from ik2d_ros.control.lead import PATIENCE, Lead
from ik2d_ros.control.measurements import DROPPING, Measurements
from ik2d_ros.motion.held import HeldJoint
from ik2d_ros.motion.mover import Mover
from ik2d_ros.motion.way import Way

HALVINGS = 8  # of the step of a motion where the arm is slow to follow
WAITING = 0.05  # s for which the motion may wait for the arm before the status reports it
SETTLING = 1.0  # s for which an arm may be off its last command before the status reports it
LAGGING = 0.25  # s for which servos may still be on their way when the commands have ended
ENDING = 0.1  # s for which the last command is repeated, as a controller may lose a message
STILL, SINKING = 0.5, 3.0  # s: an arm that sinks is followed until it was still, and at most


class Phase(enum.Enum):
    """The state of the commands; the values say what is commanded."""

    SILENT = 'nothing'
    WAITING = 'nothing before a controller listens and the pose is known'
    DRIVING = 'a motion, braking, or an arm that sinks; then the last pose again'


class Course(NamedTuple):
    """A target.

    Attributes:
        goal: (m,) a pose of the arm; empty for one that stays where it is.
        way: leads on from there.
        velocities: in rad/s, by name, of its joints that move until told otherwise; others stand.
    """

    goal: Pose = ()
    way: Way | None = None
    velocities: Mapping[str, float] | None = None


class Supervisor:
    """Makes commands from targets (solved poses), measurements and time.

    Each command is one step of the motion from the one before, within the motion limits, until the
    arm has arrived, was stopped, or a fault has ended its motion. Then nothing is commanded until
    the next target. A motion begins at the last command where the arm is measured as that left it,
    so that servos that hang below their commands do not sink with each motion; else where it is
    measured.

    With measurements, the motion waits for the arm (:class:`.Lead`). An arm that makes no progress
    does not follow: the commands go back to it, and go on with it while it sinks, so that power or
    a controller that return find it where it is commanded.

    Attributes:
        phase: what is commanded.
        measurements: the measured positions; None without measurements.
        complaint: why the arm was stopped, if its target was forgotten for that; else empty.
        is_heard: whether the controller listens, where that is known.
        faults: how often a fault ended a motion.
        starts: how often commands began anew instead of continuing the ones before.
        origin: (k,) the pose at which they began last.
    """

    def __init__(self, joints: CommandedJoints, is_measured: bool) -> None:
        """Start without a target; measured joints start where they are, and are waited for."""
        self._joints = joints
        self.measurements = Measurements(joints.sensors) if is_measured else None
        self.phase = Phase.SILENT
        self.complaint = ''
        self.is_heard = True
        self.faults = self.starts = 0
        self._course: Course | None = None
        self._was_seen = False  # where held joints are
        self._movers: list[Mover | HeldJoint] = [
            Mover(joints.arm, joints.following.speed),
            *map(HeldJoint, joints.holdings),
        ]
        self.origin = self.commanded
        self._lead = Lead()
        self._sinking = 0.0  # s for which the commands will follow an arm that does not follow them
        self._standing, self._away = 0.0, math.inf  # s
        self._left: Pose | None = None  # where it was measured when the commands ended
        self._settling = 0.0  # s for which its servos may still be on their way there
        self._repeats = ENDING  # s for which the last command is repeated

    # --- what it says -----------------------------------------------------------------------------

    @property
    def arm(self) -> Mover:
        """The motion of the arm."""
        mover = self._movers[0]
        assert isinstance(mover, Mover)  # noqa: S101  # it is the first
        return mover

    @property
    def held_joints(self) -> list[HeldJoint]:
        """The joints that are held, each with its motion."""
        return [mover for mover in self._movers if isinstance(mover, HeldJoint)]

    @property
    def names(self) -> tuple[str, ...]:
        """(k,) names of the joints."""
        return self._joints.names

    @property
    def commanded(self) -> Pose:
        """(k,) the commanded pose."""
        return tuple(q for mover in self._movers for q in mover.state.positions)

    @property
    def held(self) -> dict[str, tuple[float, float]]:
        """Where each held joint is measured, or else commanded, and where it goes, by name."""
        held = self.held_joints
        here = (self.measured or self.commanded)[-len(held) :] if held else ()
        return {joint.name: (q, *joint.goal) for joint, q in zip(held, here, strict=True)}

    @property
    def fault(self) -> str:
        """Why the true pose is unknown; empty if it is known, or does not matter."""
        return self.measurements.fault if self.measurements else ''

    @property
    def measured(self) -> Pose | None:
        """(k,) the measured pose; None if it is unknown."""
        seen = self.measurements
        return None if seen is None or seen.fault else seen.positions

    @property
    def was_placed(self) -> bool:
        """Whether anything was ever commanded, or the true pose ever known."""
        return bool(self.starts or (self.measurements and self.measurements.were_known))

    @property
    def is_placed(self) -> bool:
        """Whether the commanded pose may be sent."""
        return self.measurements is None or self.starts > 0

    @property
    def is_known(self) -> bool:
        """Whether it is known where the joints are."""
        return self.is_placed or bool(self.measured)

    @property
    def is_commanding(self) -> bool:
        """Whether the commanded pose is to be sent."""
        return self.phase is Phase.DRIVING

    @property
    def has_target(self) -> bool:
        """Whether there is a target that is not forgotten."""
        return self._course is not None

    @property
    def is_at_rest(self) -> bool:
        """Whether the commanded pose stands."""
        return not self.is_commanding or all(mover.state.is_at_rest for mover in self._movers)

    @property
    def brakes(self) -> bool:
        """Whether the arm moves without being asked to."""
        return self._course in (None, Course()) and not self.arm.state.is_at_rest

    @property
    def has_arrived(self) -> bool:
        """Whether the commanded pose is where it goes."""
        return self.phase is not Phase.WAITING and all(mover.arrived for mover in self._movers)

    @property
    def is_at_goal(self) -> bool:
        """Whether the arm is at its target: with measurements, the measured arm."""
        course = self._course
        if course is None or not course.goal or not self.arm.arrived:
            return False
        has_begun = self.phase is not Phase.WAITING or course == Course(self.arm.goal)
        return has_begun and self._away < PATIENCE

    @property
    def is_under_way(self) -> bool:
        """Whether the arm is still going to its target."""
        return self._course not in (None, Course()) and not self.is_at_goal

    @property
    def is_settled(self) -> bool:
        """Whether the commands have stood for so long that all joints should be there."""
        return self._standing > SETTLING and self.has_arrived

    @property
    def is_off_goal(self) -> bool:
        """Whether the measured arm stays away from its target."""
        return self.is_settled and self.is_under_way

    @property
    def waits_for(self) -> str:
        """Name of the joint that the motion waits for; empty if it goes on."""
        waits = self.is_commanding and self.has_target and self._lead.stalled > WAITING
        return self.names[self._lead.late] if waits else ''

    def start(self) -> Pose:
        """Return the pose of the arm, (m,), from which a motion to a new target starts."""
        pose = self.commanded if self.is_commanding else self._begins_at()
        return pose[: len(self.arm.goal)]

    @property
    def occupied(self) -> list[tuple[float, float]]:
        """(m,) where each joint of the arm is, and can brake from there; empty if unknown.

        No limits may exclude it: no setting moves an arm.
        """
        if not self.is_known:
            return []
        return self.arm.stops if self.is_commanding else [(q, q) for q in self.start()]

    # --- what it is told --------------------------------------------------------------------------

    def configure(self, joints: CommandedJoints) -> None:
        """Take over other settings of the same joints.

        Those that are held elsewhere for that go there if there is a target.
        """
        before, self._joints = self._joints, joints
        if self.measurements is not None:
            self.measurements.configure(joints.sensors)
        arm, old = joints.arm, before.arm
        self.arm.configure(arm, joints.following.speed)
        is_new = (arm.motion, arm.limits) != (old.motion, old.limits)
        if is_new and self._course and self._course.way and self.phase is not Phase.SILENT:
            self.stop()  # the way was timed for the limits before
        moves = [*map(HeldJoint.configure, self.held_joints, joints.holdings)]
        if any(moves) and self.has_target:
            self._wake()

    def move_held(self, asked: Mapping[str, float], is_jog: bool = False) -> None:
        """Let held joints go to positions, or at velocities, by name; others go on, or stand."""
        for joint in self.held_joints:
            if joint.name in asked:
                (joint.steer if is_jog else joint.ask)(asked[joint.name])
        self._wake()

    def go(self, course: Course, since: float | None = None) -> None:
        """Go to a new target; ``since`` is as of :meth:`.Mover.aim`."""
        self.complaint, self._course, self._sinking = '', course, 0.0
        if self.is_commanding:
            self._aim(course, since)
        else:
            self.phase = Phase.WAITING
            if self.measurements is None:  # else it begins with the next tick, as measured then
                self._begin()
        self._judge_arrival(0.0, self.measured)

    def hand_over(self) -> None:
        """Stop, and let others command the joints as soon as they stand."""
        self.stop()
        self._repeats = 0.0
        if self.has_arrived:
            self._fall_silent()

    def stop(self) -> None:
        """Brake, and stand; the target is forgotten, and held joints stay where they are."""
        self._course, self._sinking = None, 0.0
        if self.phase is Phase.WAITING:
            self.phase = Phase.SILENT
            for joint in self.held_joints:
                joint.stay()
        elif self.is_commanding:
            for mover in self._movers:
                mover.halt()

    def brake(self) -> None:
        """Let the arm brake, and stand; its target is forgotten, and held joints go on."""
        if any(joint.is_asked for joint in self.held_joints):
            self._course = Course()
            self.arm.halt()
        else:
            self.stop()

    def cease(self, complaint: str = '') -> None:
        """Stand at the commanded pose: nobody listens, or no time passes any more."""
        if self.starts and (self.has_target or self.is_commanding):
            self._lose(self.complaint or complaint)
            for mover, part in self._split(self.commanded):
                mover.place(part)
            self._fall_silent()

    def advance(self, dt: float, elapsed: float = 0.0, lost: float = 0.0) -> None:
        """Go on by dt s, of those elapsed if they are more; any lost without ticks are a fault."""
        seen, measured = self.measurements, self.measured
        if measured and not self._was_seen:
            self._was_seen = True
            for joint, q in zip(reversed(self.held_joints), reversed(measured), strict=False):
                joint.measure(q)
        if seen and measured is None and seen.were_known and (self.has_target or self._sinking):
            self._lose(self.complaint)
        if self.is_commanding and (lost or not self.is_heard):
            busy = f'the computer was busy: nothing was commanded for {lost:.3g} s'
            self.cease(busy if self.is_heard else 'its controller has ended or restarted')
        self._begin()
        if self.is_commanding and dt > 0.0:
            self._command(dt, max(dt, elapsed))
        if seen is not None:
            seen.command(self.commanded if self.is_commanding else ())
            if measured and self._settling > 0.0 and self.phase is Phase.SILENT:
                self._left, self._settling = seen.averages, self._settling - dt
        self._judge_arrival(dt, measured)

    # --- how it decides ---------------------------------------------------------------------------

    def _wake(self) -> None:
        """Let held joints set out, also beside an arm that is not commanded."""
        if self.is_commanding and self.has_target:
            for joint in self.held_joints:
                joint.set_out()
        elif self.phase is not Phase.WAITING:
            # Others may have moved the arm.
            self.go(Course(self.arm.goal if self.is_at_goal else ()))

    def _begin(self) -> None:
        """Let a motion begin that waits, if nothing is missing."""
        if self.phase is not Phase.WAITING or not (self._course and self.is_heard):
            return
        if self.measurements is None or not self.measurements.are_late:
            self._place()
            self.phase = Phase.DRIVING
            self._aim(self._course)

    def _command(self, dt: float, elapsed: float) -> None:
        """Make the next command, or fall silent."""
        seen, following = self.measurements, self._joints.following
        if self.has_arrived and self._standing > (STILL if self._sinking else self._repeats):
            self._fall_silent()
            return
        if seen is not None:
            self._lead.look(seen.positions, elapsed, following.delay)
            self._sinking = max(self._sinking - dt, 0.0)
            if self._sinking:
                self._go_with(seen.averages, following.goal_tolerance)
            elif self.has_target and not (self.has_arrived or seen.fault):  # else it only brakes
                self._drive(seen, dt, elapsed)
                return
        for mover in self._movers:
            mover.advance(dt, elapsed)

    def _drive(self, seen: Measurements, dt: float, elapsed: float) -> None:
        """Go on by as much as the arm can follow; brake where that is nothing."""
        joints, lead = self._joints, self._lead
        # Limits on acceleration allow no shorter step, but to brake.
        is_smooth = any(mover.is_smooth for mover in self._movers)
        before = self._movers
        for part in [dt] if is_smooth else [dt / 2.0**i for i in range(HALVINGS)]:
            self._movers = [copy.copy(mover) for mover in before]
            for mover in self._movers:
                mover.advance(part, elapsed)
            if lead.allows(self.commanded, joints):
                return
        self._movers = before
        for mover in self._movers:
            mover.wait(dt, elapsed)
        if seen.silence <= DROPPING:
            lead.wait(dt)
        if lead.stalled > PATIENCE:
            sensor = joints.sensors[lead.late]
            off = abs(self.commanded[lead.late] - seen.positions[lead.late])
            self._lose(
                f"it does not follow its commands: joint '{sensor.name}' is {off:.3g} "
                f'{sensor.unit} from where it was commanded, and comes no nearer'
            )
            self._sinking = SINKING

    def _go_with(self, pose: Pose, tolerance: float) -> None:
        """Go where the arm is measured, if it is not measured near where the commands go."""
        goal = [q for mover in self._movers for q in mover.goal]
        if self._joints.are_apart(goal, pose, tolerance):
            self._standing = 0.0
            for mover, part in self._split(pose):
                mover.aim(mover.clamped(part))

    def _lose(self, complaint: str) -> None:
        """Let a fault end the motion, and forget its target."""
        self.stop()
        self.faults += 1
        self.complaint = complaint

    def _judge_arrival(self, dt: float, measured: Pose | None) -> None:
        """Note for how long commands have stood, and the measured arm was off their goal."""
        self._standing = self._standing + dt if self.has_arrived else 0.0
        mover = self._movers[0]  # held joints have goals of their own
        tolerance = self._joints.following.goal_tolerance
        is_near = measured and not self._joints.are_apart(mover.goal, measured, tolerance)
        is_away = self.measurements and not (is_near and mover.arrived)
        self._away = self._away + dt if is_away else 0.0

    def _aim(self, course: Course, since: float | None = None) -> None:
        """Set out to the target, and to the positions of held joints."""
        self._standing, self._away, self._repeats = 0.0, math.inf, ENDING
        if course.velocities is not None:
            names = self.names[: len(self.arm.goal)]
            self.arm.steer([course.velocities.get(name, 0.0) for name in names])
        elif course.way is not None:
            self.arm.follow(course.way)
        elif course.goal:
            self.arm.aim(course.goal, since)
        for joint in self.held_joints:
            joint.set_out()

    def _begins_at(self) -> Pose:
        """Return (k,) where commands begin: each joint at the last one, if it is as that left it.

        Else it is where it is measured: on average, as it stands. So is an arm whose joints have
        moved in part, if it would be further across a wall than it is measured.
        """
        seen, left, last, joints = self.measurements, self._left, self.commanded, self._joints
        if seen is None or seen.fault:
            return last
        here, following, pose = seen.averages, joints.following, [*seen.averages]
        for i, (q, reach) in enumerate(zip(here, joints.reaches, strict=True)):
            is_left = left is not None and abs(q - left[i]) <= following.goal_tolerance * reach
            if is_left and abs(q - last[i]) <= following.tolerance * reach:
                pose[i] = last[i]
        if (arm := joints.arm) is not None:
            count = len(arm.names)
            gaps = map(arm.kinematics.clearances, (pose[:count], here[:count]))
            if any(gap < min(least, 0.0) for gap, least in zip(*gaps, strict=True)):
                pose[:count] = here[:count]
        return tuple(pose)

    def _fall_silent(self) -> None:
        """Command nothing any more."""
        if self.is_commanding:
            self._left = self.measurements.averages if self.measurements and self.measured else None
            self._settling = LAGGING if self._left else 0.0
        self.phase, self._sinking = Phase.SILENT, 0.0

    def _place(self) -> None:
        """Let the commands begin anew."""
        pose = self._begins_at()
        for mover, part in self._split(pose):
            mover.place(part)
        self.starts, self.origin, self._lead = self.starts + 1, pose, Lead()

    def _split(self, pose: Pose) -> Iterator[tuple[Mover | HeldJoint, Pose]]:
        """Yield each mover with its part of a (k,) pose."""
        for mover in self._movers:
            count = len(mover.state.positions)
            yield mover, pose[:count]
            pose = pose[count:]
