"""Decides what is commanded, and whether anything is; no ROS imports.

Nothing else in the node moves an arm, stops it, or lets it go on.
"""

from __future__ import annotations

import copy
import enum
import math
from collections.abc import Sequence

from ik2d_ros.control.joints import CommandedJoints, HeldJoints, Pose
from ik2d_ros.control.measurements import AGREEMENT, Measurements
from ik2d_ros.motion.mover import Mover
from ik2d_ros.motion.way import Way
from ik2d_ros.parameters.wording import printable

PATIENCE = 0.25
"""For how long in s an arm may make no way towards its command."""

LONGEST_TICK = 0.1
"""How much in s one tick counts of that at most."""

SHORTEST = 1e-3
"""The shortest time in s by which the motion goes on where the arm is slow to follow."""

NOTICEABLE = 0.05
"""What counts as a way, as a share of the tolerance."""

SETTLING = 1.0
"""How long in s an arm may take to come to where it was commanded, before that is told."""


class Phase(enum.Enum):
    """What a controller is told."""

    SILENT = 'nothing'
    WAITING = 'nothing before it listens'
    DRIVING = 'to go somewhere, or to stand'
    ENDING = 'to be where the arm was measured last; then nothing'


class Supervisor:
    """Decides what is commanded.

    It is told of targets (as solved poses), measurements, who listens, and time. With measurements,
    three things hold:

    * A command is one step of the motion from the command before, or from the measured pose where
      commands begin, and no further ahead of that than ``following`` allows: the motion waits for
      the arm.
    * The last command to an arm that makes no way is where it stands. A step on the way there would
      be ahead of a controller that listens again. Without measurements, the arm may have followed:
      it goes back to where it was measured last within its limits.
    * After that, and after a controller has ended, nothing is commanded until there is a new
      target. That motion starts at the measured pose.

    Attributes:
        phase: what the controller is told.
        measurements: what was measured; None if nothing is.
        complaint: why the arm does not follow, if its target was forgotten for that; else empty.
        is_heard: whether the controller listens, as far as that is known.
        starts: how often commands have begun anew, not where the ones before had ended.
        origin: (k,) the pose at which they began last.
    """

    def __init__(self, joints: CommandedJoints, is_measured: bool) -> None:
        """Start without a target.

        Args:
            joints: the joints to command.
            is_measured: whether commands start from measurements, and wait for them.
        """
        self._joints = joints
        self.measurements = Measurements(joints.sensors) if is_measured else None
        self.phase = Phase.SILENT
        self.complaint = ''
        self.is_heard = True
        self.starts = 0
        self._goal: Pose | None = None
        self._way: Way | None = None
        self._first: dict[str, float] = {}
        self._has_begun = self._waits = False
        self._arm = Mover(joints.arm) if joints.arm else None
        self._held = Mover(self._held_joints()) if joints.holds else None
        self.origin = self.commanded
        self._stalled = self._away = self._standing = 0.0  # s
        self._nearest = math.inf

    # --- what it says -----------------------------------------------------------------------------

    @property
    def arm(self) -> Mover:
        """The motion of the arm."""
        assert self._arm is not None  # noqa: S101  # there is an arm
        return self._arm

    @property
    def names(self) -> tuple[str, ...]:
        """(k,) names of the joints."""
        return self._joints.names

    @property
    def commanded(self) -> Pose:
        """(k,) the commanded pose."""
        return tuple(q for mover in self._movers for q in mover.state.positions)

    @property
    def fault(self) -> str:
        """Why the true pose is not known; empty if it is, or if it does not matter."""
        return self.measurements.fault if self.measurements else ''

    @property
    def measured(self) -> Pose | None:
        """(k,) the measured pose; None if it is not known."""
        if self.measurements is None or self.measurements.fault:
            return None
        return self.measurements.positions

    @property
    def is_placed(self) -> bool:
        """Whether the commanded pose is one that the arm may be told."""
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
    def has_begun(self) -> bool:
        """Whether anything was ever commanded."""
        return self._has_begun

    @property
    def takes_time(self) -> bool:
        """Whether a motion does; else a goal is commanded at once."""
        return self.arm.takes_time

    @property
    def way_time(self) -> float | None:
        """How far the arm is along a way, in s; None without one."""
        return self.arm.way_time

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
        """Whether the arm is where it was told to go: with measurements, the measured one."""
        is_there = self.has_arrived and self._away < PATIENCE
        return self.phase is Phase.DRIVING and self.has_target and is_there

    @property
    def is_under_way(self) -> bool:
        """Whether the arm is still going to where it was told to."""
        return self.has_target and not self.is_at_goal

    @property
    def is_off_goal(self) -> bool:
        """Whether the measured arm stays away from where it was told to go."""
        is_standing = self.phase is Phase.DRIVING and self._standing > SETTLING
        return is_standing and self.has_target and not self.is_at_goal

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
            self.measurements.sensors = joints.sensors
        if self._arm is not None and joints.arm is not None:
            self._arm.configure(joints.arm)
        if self._held is not None:
            self._held.configure(self._held_joints())
            if before.holds != joints.holds and self.phase is Phase.DRIVING:
                self._held.aim(self._holds())

    def go(self, goal: Pose, since: float | None = None, way: Way | None = None) -> None:
        """Go to a pose, for a new target.

        Args:
            goal: (m,) the arm's.
            since: as of :meth:`.Mover.aim`.
            way: leads on from the goal, if given.
        """
        self.complaint = ''
        self._note_first()
        if self.phase is not Phase.DRIVING:
            since = None
            self._begin()
            is_ready = self.is_heard and not self.fault
            self.phase = Phase.DRIVING if is_ready else Phase.WAITING
        self._goal, self._way = goal, way
        if self.phase is Phase.DRIVING:
            self._has_begun = True
            self._aim(since)
        self._judge_arrival(0.0)

    def stop(self) -> None:
        """Brake, and stand; the target is forgotten."""
        self._goal = self._way = None
        if self.phase is Phase.WAITING:
            self.phase = Phase.SILENT
        elif self.phase is Phase.DRIVING:
            self._halt()

    def lose_clock(self) -> None:
        """Stand where the arm was commanded, as no time passes any more."""
        if self.is_commanding:
            self._place(self.commanded)
            self._forget(Phase.SILENT)

    def advance(self, dt: float, elapsed: float = 0.0) -> None:
        """Let time pass.

        Args:
            dt: s by which the motion goes on.
            elapsed: s that passed, if more.
        """
        self._note_first()
        if self.phase is Phase.WAITING and self.is_heard and not self.fault:
            self._begin()
            self.phase, self._has_begun = Phase.DRIVING, True
            self._aim()
        if self.phase is Phase.DRIVING and not self.is_heard:
            self._place(self.commanded)
            self._forget(Phase.SILENT, 'Its controller has ended, or began anew')
        if self.phase is Phase.DRIVING and self.fault:
            self._forget(Phase.ENDING)
            self._go_back()
        if self.phase is Phase.DRIVING:
            self._drive(dt, max(dt, elapsed))
        else:
            self._rest(dt)
        self._judge_arrival(dt)

    # --- how it decides ---------------------------------------------------------------------------

    @property
    def _movers(self) -> list[Mover]:
        return [mover for mover in (self._arm, self._held) if mover is not None]

    def _rest(self, dt: float) -> None:
        """Go the rest of the way, or stay where the arm is, as what comes next begins there."""
        measured = self.measured
        if self.phase is Phase.ENDING:
            if self.has_arrived:
                self.phase = Phase.SILENT
            for mover in self._movers:
                mover.advance(dt)
        elif measured and (not self.is_placed or self._lead(self._movers, measured)[0] > 0.0):
            self._begin()

    def _drive(self, dt: float, elapsed: float) -> None:
        """Go on by as much as the arm can follow."""
        measured, part = self.measured, dt
        while True:
            trials = [copy.copy(mover) for mover in self._movers]
            for trial in trials:
                trial.advance(part, elapsed)
            lead, joint = self._lead(trials, measured) if measured else (0.0, 0)
            if lead <= 0.0:
                self._take(trials)
                self._stalled, self._nearest, self._waits = 0.0, math.inf, False
                return
            if part <= SHORTEST or self.has_arrived:
                break
            part = max(part / 2.0, SHORTEST)
        self._waits = True
        for mover in self._movers:
            mover.wait(elapsed)
        if lead < self._nearest - NOTICEABLE:
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

    def _lead(self, movers: Sequence[Mover], measured: Pose) -> tuple[float, int]:
        """Return how much too far ahead a pose is, in tolerances, and of which joint."""
        following = self._joints.following
        positions = [q for mover in movers for q in mover.state.positions]
        velocities = [v for mover in movers for v in mover.state.velocities]
        columns = zip(positions, velocities, measured, self._joints.reaches, strict=True)
        leads = [
            (abs(q - there) - following.delay * abs(v)) / (following.tolerance * reach) - 1.0
            for q, v, there, reach in columns
        ]
        lead = max(leads, default=-1.0)
        return lead, leads.index(lead) if leads else 0

    def _judge_arrival(self, dt: float) -> None:
        """Note for how long the measured arm has not been where it goes."""
        measured, tolerance = self.measured, self._joints.following.goal_tolerance
        goal = [q for mover in self._movers for q in mover.goal]
        if self.measurements is None or (
            measured is not None
            and all(
                abs(q - there) <= tolerance * reach
                for q, there, reach in zip(goal, measured, self._joints.reaches, strict=True)
            )
        ):
            self._away = 0.0
        else:
            self._away += dt
        self._standing = self._standing + dt if self.has_arrived else 0.0

    def _forget(self, phase: Phase, complaint: str = '') -> None:
        """End a motion, and forget its target."""
        self._goal = self._way = None
        self.phase, self.complaint = phase, complaint

    def _go_back(self) -> None:
        """Go to where the arm was measured last."""
        assert self.measurements is not None  # noqa: S101  # they are missed
        measured = self.measurements.positions
        for mover in self._movers:
            if self._waits:  # and stands; else it has to brake
                mover.place(mover.state.positions)
            count = len(mover.goal)
            mover.aim(mover.clamped(measured[:count]))
            measured = measured[count:]

    def _aim(self, since: float | None = None) -> None:
        if self._arm is not None and self._way is not None:
            self._arm.follow(self._way)
        elif self._arm is not None and self._goal is not None:
            self._arm.aim(self._goal, since)
        if self._held is not None:
            self._held.aim(self._holds())

    def _halt(self) -> None:
        for mover in self._movers:
            mover.halt()

    def _begin(self) -> None:
        """Let the commands begin anew where the arm is."""
        seen = self.measurements
        self._place(self.commanded if seen is None or seen.fault else seen.averages)

    def _place(self, pose: Pose) -> None:
        """Let the commands begin anew at a pose."""
        for mover in self._movers:
            count = len(mover.goal)
            mover.place(pose[:count])
            pose = pose[count:]
        self.starts, self.origin = self.starts + 1, self.commanded
        self._stalled, self._away, self._nearest = 0.0, math.inf, math.inf

    def _take(self, movers: Sequence[Mover]) -> None:
        movers = [*movers]
        self._held = movers.pop() if self._held is not None else None
        self._arm = movers.pop() if self._arm is not None else None

    def _note_first(self) -> None:
        """Note where the joints to be held were measured first."""
        if not self._first and (measured := self.measured) is not None:
            self._first = dict(zip(self._joints.names, measured, strict=True))

    def _holds(self) -> Pose:
        """Return where the others are held."""
        return tuple(
            self._first.get(name, 0.0) if math.isnan(position) else position
            for name, position in self._joints.holds.items()
        )

    def _held_joints(self) -> HeldJoints:
        return HeldJoints(self._holds(), self._joints.following.hold_velocity)
