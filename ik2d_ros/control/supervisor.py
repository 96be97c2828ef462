"""Decides whether and where an arm is commanded; no ROS imports.

Nothing else in the node moves an arm, stops it, or lets it go on.
"""

from __future__ import annotations

import copy
import enum
import math
from collections.abc import Iterator, Sequence

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.control.joints import CommandedJoints, Pose
from ik2d_ros.control.measurements import AGREEMENT, Measurements
from ik2d_ros.motion.mover import FreeJoints, Mover
from ik2d_ros.motion.way import Way
from ik2d_ros.parameters.sanitize import printable

PATIENCE = 0.25
"""For how long in s an arm may make no progress towards its command."""

LONGEST_TICK = 0.1
"""The most in s that one tick adds to that."""

SHORTEST = 1e-4
"""The shortest step of the motion in s where the arm is slow to follow."""

PROGRESS = 0.05
"""The least progress that counts, as a share of the tolerance."""

SETTLING = 1.0
"""For how long in s an arm may be off its last command before the status reports it."""

ENDING = 0.1
"""For how long in s the last command is repeated: a controller may lose a message."""


class Phase(enum.Enum):
    """The state of the commands; the values say what is commanded."""

    SILENT = 'nothing'
    WAITING = 'nothing before a controller listens and the pose is known'
    DRIVING = 'a motion, or to stand'
    ENDING = 'the last measured pose; then nothing'


class Supervisor:
    """Makes commands from targets (solved poses), measurements and time.

    With measurements, three rules hold:

    * A command is one step of the motion from the command before, or from the measured pose where
      commands begin. The measured pose is within ``following_tolerance`` of where the joint was
      commanded to be in the last ``following_delay`` of the motion, which waits for the arm.
    * The last command to an arm that makes no progress is its measured pose, in one step: a
      controller that listens again would jump to any other. An arm whose measurements stop may have
      followed unseen, and goes back to its last measured pose within its limits.
    * After that, and after a controller has ended, nothing is commanded before a new target. That
      motion starts at the measured pose.

    Attributes:
        phase: what is commanded.
        measurements: the measured positions; None without measurements.
        complaint: why the arm does not follow, if its target was forgotten for that; else empty.
        is_heard: whether the controller listens, where that is known.
        has_begun: whether anything was ever commanded.
        faults: how often a fault ended a motion.
        starts: how often commands began anew instead of continuing the ones before.
        origin: (k,) the pose at which they began last.
    """

    def __init__(self, joints: CommandedJoints, is_measured: bool) -> None:
        """Start without a target.

        Args:
            joints: the joints to command.
            is_measured: whether commands start from measurements, and wait for them.
        """
        self._joints = joints.paced() if is_measured else joints
        self.measurements = Measurements(self._joints.sensors) if is_measured else None
        self.phase = Phase.SILENT
        self.complaint = ''
        self.is_heard = True
        self.has_begun = False
        self.faults = self.starts = 0
        self._goal: Pose | None = None
        self._way: Way | None = None
        self._first: dict[str, float] = {}  # measured
        self._movers = [Mover(group) for group in self._groups()]
        self.origin = self.commanded
        self._trail: list[tuple[float, Pose]] = []  # s ago, and the pose; the newest is the last
        self._was_known = False
        self._stalled = self._away = self._standing = self._ending = 0.0  # s
        self._nearest = math.inf

    # --- what it says -----------------------------------------------------------------------------

    @property
    def arm(self) -> Mover:
        """The motion of the arm."""
        return self._movers[0]

    @property
    def names(self) -> tuple[str, ...]:
        """(k,) names of the joints."""
        return self._joints.names

    @property
    def commanded(self) -> Pose:
        """(k,) the commanded pose."""
        return _pose(self._movers)

    @property
    def fault(self) -> str:
        """Why the true pose is unknown; empty if it is known, or does not matter."""
        return self.measurements.fault if self.measurements else ''

    @property
    def measured(self) -> Pose | None:
        """(k,) the measured pose; None if it is unknown."""
        if self.measurements is None or self.measurements.fault:
            return None
        return self.measurements.positions

    @property
    def is_placed(self) -> bool:
        """Whether the commanded pose may be sent."""
        return self.measurements is None or self.starts > 0

    @property
    def is_commanding(self) -> bool:
        """Whether the commanded pose is to be sent."""
        return self.phase in (Phase.DRIVING, Phase.ENDING)

    @property
    def has_target(self) -> bool:
        """Whether there is a target that is not forgotten."""
        return self._goal is not None

    @property
    def is_at_rest(self) -> bool:
        """Whether the commanded pose stands."""
        return not self.is_commanding or all(mover.state.is_at_rest for mover in self._movers)

    @property
    def has_arrived(self) -> bool:
        """Whether the commanded pose is where it goes."""
        return all(mover.arrived for mover in self._movers)

    @property
    def is_at_goal(self) -> bool:
        """Whether the arm is at its target: with measurements, the measured arm."""
        is_there = self.has_arrived and self._away < PATIENCE
        return self.phase is Phase.DRIVING and self.has_target and is_there

    @property
    def is_under_way(self) -> bool:
        """Whether the arm is still going to its target."""
        return self.has_target and not self.is_at_goal

    @property
    def is_off_goal(self) -> bool:
        """Whether the measured arm stays away from its target."""
        is_standing = self.phase is Phase.DRIVING and self._standing > SETTLING
        return is_standing and self.is_under_way

    def start(self) -> Pose:
        """Return the pose of the arm, (m,), from which a motion to a new target starts."""
        measured = self.measured
        if measured is None or self.phase is Phase.DRIVING:
            return self.arm.state.positions
        return measured[: len(self.arm.goal)]

    # --- what it is told --------------------------------------------------------------------------

    def configure(self, joints: CommandedJoints) -> None:
        """Take over other settings of the same joints."""
        before, self._joints = self._joints, joints
        if self.measurements is not None:
            self._joints = joints.paced()
            self.measurements.sensors = self._joints.sensors
        is_over = self.phase is Phase.DRIVING and self.has_arrived
        for mover, group in zip(self._movers, self._groups(), strict=True):
            mover.configure(group)
        if self._way is not None and not is_over and _limits(before) != _limits(self._joints):
            self.stop()  # it was timed for the limits before
        if before.holds != joints.holds and self.phase is Phase.DRIVING:
            self._movers[-1].aim(self._holds())

    def go(self, goal: Pose, since: float | None = None, way: Way | None = None) -> None:
        """Go to a pose, for a new target.

        Args:
            goal: (m,) the arm's.
            since: as of :meth:`.Mover.aim`.
            way: leads on from the goal, if given.
        """
        self.complaint = ''
        self._goal, self._way = goal, way
        if self.phase is Phase.DRIVING:
            self._aim(since)
        else:
            self.phase, self._was_known = Phase.WAITING, not self.fault
            if self.measurements is None:  # else it begins with the next tick, as measured then
                self._wait()
        self._away = math.inf
        self._judge_arrival(0.0)

    def stop(self) -> None:
        """Brake, and stand; the target is forgotten."""
        self._goal = self._way = None
        if self.phase is Phase.WAITING:
            self.phase = Phase.SILENT
        elif self.phase is Phase.DRIVING:
            for mover in self._movers:
                mover.halt()

    def lose_clock(self) -> None:
        """Stand at the commanded pose, as no time passes any more."""
        if self.has_begun and self.phase is not Phase.SILENT:
            self._begin(self.commanded)
            self._forget(Phase.SILENT)

    def advance(self, dt: float, elapsed: float = 0.0) -> None:
        """Let time pass.

        Args:
            dt: s by which the motion goes on.
            elapsed: s that passed, if more.
        """
        measured = self.measured
        if measured is not None and not self._first:
            self._first = dict(zip(self._joints.names, measured, strict=True))
        if self.phase is Phase.WAITING:
            self._wait()
        if self.is_commanding and not self.is_heard:
            complaint = 'Its controller has ended or restarted'
            self._begin(self.commanded)
            self._forget(Phase.SILENT, complaint if self.phase is Phase.DRIVING else self.complaint)
        if self.phase is Phase.DRIVING and self.fault:
            self._forget(Phase.ENDING)
        if self.phase is Phase.DRIVING:
            self._drive(dt, max(dt, elapsed))
        elif self.phase is Phase.ENDING:
            self._end(dt)
        elif measured and (not self.is_placed or self._is_ahead(self.commanded)):
            self._begin()  # so that the next target finds the arm where it is
        self._judge_arrival(dt)

    # --- how it decides ---------------------------------------------------------------------------

    def _wait(self) -> None:
        """Begin if nothing is missing; forget a target if the pose is lost."""
        if self.fault:
            if self._was_known:
                self._forget(Phase.SILENT)
            return
        self._was_known = True
        if self.is_heard:
            self._begin()
            self.phase = Phase.DRIVING
            self._aim()

    def _drive(self, dt: float, elapsed: float) -> None:
        """Go on by as much as the arm can follow."""
        measured, part = self.measured, dt
        while dt > 0.0:
            trials = [copy.copy(mover) for mover in self._movers]
            for trial in trials:
                trial.advance(part, elapsed)
            trail = self._trail_after(part, _pose(trials)) if measured else []
            lead, joint = self._lead([q for _, q in trail], measured) if measured else (0.0, 0)
            if lead <= 0.0:
                self._movers, self._trail = trials, trail
                self._stalled, self._nearest = 0.0, math.inf
                return
            if part <= SHORTEST or self.has_arrived:
                break
            part = max(part / 2.0, SHORTEST)
        for mover in self._movers:
            mover.advance(0.0, elapsed)
        if not dt > 0.0:
            return
        if lead < self._nearest - PROGRESS:
            self._nearest, self._stalled = lead, 0.0
        elif self.measurements and self.measurements.silence <= AGREEMENT:
            self._stalled += min(dt, LONGEST_TICK)
        if self._stalled > PATIENCE and measured is not None:
            sensor = self._joints.sensors[joint]
            off = abs(self.commanded[joint] - measured[joint])
            self._begin()
            self._forget(
                Phase.ENDING,
                f"Joint '{printable(sensor.name)}' is {off:.3g} {sensor.unit} from where it was "
                'commanded, and comes no nearer',
            )

    def _end(self, dt: float) -> None:
        """Repeat the last command for a while: the measured pose, if that is known again."""
        if self._is_ahead(self.commanded):
            self._begin()
        elif not self.has_arrived:
            self._go_back()
        elif self._ending > ENDING:
            self.phase = Phase.SILENT
        else:
            self._ending += dt
        for mover in self._movers:
            mover.advance(dt)

    def _go_back(self) -> None:
        """Go to where the arm was measured last."""
        assert self.measurements is not None  # noqa: S101  # they are missed
        for mover, pose in self._split(self.measurements.positions):
            if self._nearest < math.inf:  # it waits; else it has to brake
                mover.place(mover.state.positions)
            mover.aim(mover.clamped(pose))
        self._nearest = math.inf

    def _trail_after(self, span: float, pose: Pose) -> list[tuple[float, Pose]]:
        """Return the trail of the last ``following_delay`` when a pose is added after a span."""
        delay = self._joints.following.delay
        trail = [*((age + span, before) for age, before in self._trail), (0.0, pose)]
        while len(trail) > 1 and trail[1][0] >= delay:
            del trail[0]
        age, begin = trail[0]
        if age > delay and len(trail) > 1:
            later, end = trail[1]
            share = (age - delay) / (age - later)
            between = (q + share * (p - q) for q, p in zip(begin, end, strict=True))
            trail[0] = delay, tuple(between)
        return trail

    def _is_ahead(self, pose: Pose) -> bool:
        """Return whether a (k,) pose is further from the measured one than the tolerance."""
        measured = self.measured
        return measured is not None and self._lead([pose], measured)[0] > 0.0

    def _lead(self, trail: Sequence[Pose], measured: Pose) -> tuple[float, int]:
        """Return how much too far ahead commands are, in tolerances, and for which joint.

        Args:
            trail: (n, k) the arm may be at any of these poses.
            measured: (k,) positions.
        """
        tolerance = self._joints.following.tolerance
        leads = [
            max(min(way) - there, there - max(way)) / (tolerance * sensor.reach) - 1.0
            for way, there, sensor in zip(
                zip(*trail, strict=True), measured, self._joints.sensors, strict=True
            )
        ]
        lead = max(leads, default=-1.0)
        return lead, leads.index(lead) if leads else 0

    def _judge_arrival(self, dt: float) -> None:
        """Note for how long the measured arm has been away from its goal."""
        measured, tolerance = self.measured, self._joints.following.goal_tolerance
        goal = [q for mover in self._movers for q in mover.end]
        if self.measurements is None or (
            measured is not None
            and all(
                abs(q - there) <= tolerance * sensor.reach
                for q, there, sensor in zip(goal, measured, self._joints.sensors, strict=True)
            )
        ):
            self._away = 0.0
        else:
            self._away += dt
        self._standing = self._standing + dt if self.has_arrived else 0.0

    def _forget(self, phase: Phase, complaint: str = '') -> None:
        """End a motion, and forget its target."""
        self._goal = self._way = None
        self.faults += 1
        self.phase, self.complaint, self._ending = phase, complaint, 0.0

    def _aim(self, since: float | None = None) -> None:
        """Set out to the target, and to the positions of held joints."""
        self.has_begun = True
        if self._way is not None:
            self.arm.follow(self._way)
        elif self._goal:  # not where all joints are held
            self.arm.aim(self._goal, since)
        if self._joints.holds:
            self._movers[-1].aim(self._holds())

    def _begin(self, pose: Pose | None = None) -> None:
        """Let the commands begin anew at a pose, or where the arm is measured.

        Where it stands, that is the average: one measurement has noise.
        """
        measured = self.measured
        if pose is None and measured is not None and self.measurements is not None:
            averages = self.measurements.averages
            pose = measured if self._is_ahead(averages) else averages
        for mover, part in self._split(pose or self.commanded):
            mover.place(part)
        self.starts, self.origin = self.starts + 1, self.commanded
        self._trail = [(0.0, self.origin)]
        self._stalled, self._away, self._nearest = 0.0, math.inf, math.inf

    def _split(self, pose: Pose) -> Iterator[tuple[Mover, Pose]]:
        """Yield each mover with its part of a (k,) pose."""
        for mover in self._movers:
            count = len(mover.goal)
            yield mover, pose[:count]
            pose = pose[count:]

    def _holds(self) -> Pose:
        """Return the positions of held joints."""
        return tuple(
            self._first.get(name, 0.0) if math.isnan(position) else position
            for name, position in self._joints.holds.items()
        )

    def _groups(self) -> Iterator[ArmDescription | FreeJoints]:
        """Yield the arm and the joints that are held, if there are any."""
        joints = self._joints
        if joints.arm is not None:
            yield joints.arm
        if joints.holds:
            yield FreeJoints(self._holds(), joints.following.hold_velocity)


def _pose(movers: Sequence[Mover]) -> Pose:
    return tuple(q for mover in movers for q in mover.state.positions)


def _limits(joints: CommandedJoints) -> object:
    return joints.arm and (joints.arm.motion, joints.arm.limits)
