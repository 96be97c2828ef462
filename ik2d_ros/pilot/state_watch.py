"""Whether the time and the pose of the arm are known, and the pose is one of the arm's numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ik2d_ros.control.measurements import MeasurementBounds, Measurements
from ik2d_ros.control.supervisor import Supervisor
from ik2d_ros.pilot.clock import Now
from ik2d_ros.pilot.outcome import across
from ik2d_ros.pilot.parameters import Configuration
from ik2d_ros.pilot.request import Jog, JogJoints, Joints, Path, Target


class StateWatch:
    """Takes measurements: of the arm, and of joints before it that ``assumes`` names.

    One of the latter that is not measured is not doubted.

    Attributes:
        configuration: the arm, and where the joints are assumed to stand.
        supervisor: has the measurements of the arm.
    """

    def __init__(self, configuration: Configuration, supervisor: Supervisor) -> None:
        """Begin with nothing measured."""
        self.configuration, self.supervisor = configuration, supervisor
        drive = configuration.drive
        # With a speed, no single wrong sample is believed.
        speed = drive.following.hold_velocity
        self._others = [name for name in drive.assumes if name not in supervisor.names]
        self._measured_others = Measurements(
            [MeasurementBounds(name, velocity=speed) for name in self._others]
        )
        self._measured = [*filter(None, (supervisor.measurements, self._measured_others))]
        self._was_judged = False  # whether the arm is across a wall
        self._was_placed, self._faults = False, (False, 0)  # when they were noted last

    def pass_time(self, now: Now) -> None:
        """Let time pass to the present."""
        for measurements in self._measured:
            measurements.pass_time(now.clock * 1e-9, now.steady)

    def measure(self, names: Sequence[str], positions: Sequence[float]) -> list[str]:
        """Take positions by the names of joints; return the problems that are new."""
        if self.supervisor.measurements is None:
            return []
        problems = self.supervisor.measurements.update(names, positions)
        self._measured_others.update(names, positions)
        if not self._was_judged and (measured := self.supervisor.measured) is not None:
            self._was_judged, arm = True, self.configuration.arm
            if words := across(arm, measured[: len(arm.names)], 'the arm'):
                problems.append(words)
        return problems

    def confirm(self) -> None:
        """Believe the positions of joints that cannot have come there: a person says so."""
        for measurements in self._measured:
            measurements.confirm()

    def fault(self, now: Now) -> str:
        """Return why the time or the pose is not known; empty if they are."""
        return now.fault or self.state_fault

    def note_placed(self, now: Now) -> None:
        """Note whether the arm was placed once, at a valid time."""
        is_placed = self.supervisor.was_placed and not self.fault(now)
        self._was_placed = self._was_placed or is_placed

    def has_new_faults(self, now: Now) -> bool:
        """Note the faults; return whether they are others than before, of an arm once placed."""
        was_placed = self._was_placed or self.supervisor.start.number > 0
        faults = bool(self.fault(now)), self.supervisor.fault_count
        before, self._faults = self._faults, faults
        self.note_placed(now)
        return was_placed and before != faults

    @property
    def state_fault(self) -> str:
        """Why the pose is not known, or not what the arm's numbers say; empty if it is."""
        return self.supervisor.fault or self.assumed_fault

    def fault_for(self, target: Target) -> str:
        """Return the same for a target: joints that are held go without knowing of others."""
        names = target.names if isinstance(target, Joints | JogJoints) else ()
        if names and {*names} <= {*self.configuration.drive.holds}:
            return self.supervisor.fault
        if problem := self.state_fault:
            return problem
        drive = self.configuration.drive
        for name, q in self.strays.items() if isinstance(target, Jog | Path) else ():
            if drive.off(name, q) > drive.following.tolerance:
                return (
                    f"joint '{name}' is at {q:.5g}, and the tip is on no line before it is at "
                    f'{drive.assumes[name]:.5g}: send it there first (~/joint_target)'
                )
        return ''

    @property
    def strays(self) -> dict[str, float]:
        """Positions of the joints that are not where ``assumes`` has them, by name."""
        drive, ours = self.configuration.drive, self.supervisor.measurements
        if ours is None or not drive.assumes:
            return {}
        measured = dict(zip(self._others, self._measured_others.positions, strict=True))
        measured |= dict(zip(self.supervisor.names, ours.positions, strict=True))
        return {
            name: q
            for name, needed in drive.assumes.items()
            if drive.off(name, q := measured.get(name, needed)) > drive.following.goal_tolerance
        }

    @property
    def assumed_fault(self) -> str:
        """The joint that stays off its assumed position, and the remedy; empty if all are there."""
        drive = self.configuration.drive
        if not drive.assumes:
            return ''
        if jump := self._measured_others.jump:
            return jump
        goals = {joint.name: joint.destination for joint in self.supervisor.others}
        for name, q in self.strays.items():
            needed, goal = drive.assumes[name], goals.get(name, math.nan)
            if not drive.off(name, goal) <= drive.following.goal_tolerance:
                hold = f'move it there, let the node hold it there (command_joints, hold.{name})'
                remedy = 'send it there (~/joint_target)' if name in goals else hold
                return (
                    f"joint '{name}' is at {q:.5g} rad or m, but the arm's numbers are those with "
                    f'it at {needed:.5g} (assumes.{name}): {remedy}, or describe the arm with it '
                    f'at {q:.5g}'
                )
        return ''

    @property
    def is_returning(self) -> bool:
        """Whether a joint may be on its way to where the tip needs it."""
        is_moving = self.supervisor.has_target and not self.supervisor.is_settled
        return is_moving and bool(self.strays)

    @property
    def is_early(self) -> bool:
        """Whether the pose of the arm is not known yet, but may be in a moment."""
        measurements = self.supervisor.measurements
        return measurements is not None and measurements.are_new and bool(measurements.fault)
