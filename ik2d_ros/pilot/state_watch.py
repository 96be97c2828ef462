"""Whether the time and the pose of the arm are known, and the pose is one of the arm's numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ik2d_ros.control.measurements import Measurements, Sensor
from ik2d_ros.control.supervisor import Supervisor
from ik2d_ros.pilot.clock import Now
from ik2d_ros.pilot.outcome import across
from ik2d_ros.pilot.parameters import Configuration


class StateWatch:
    """Takes measurements: of the arm, and of joints before it that ``assumes`` names.

    One of the latter that is not measured is not doubted.

    Attributes:
        configuration: the arm, and where the joints are assumed to stand.
        supervisor: has the measurements of the arm.
    """

    def __init__(self, configuration: Configuration, supervisor: Supervisor) -> None:
        """Begin with nothing measured.

        Args:
            configuration: names the joints.
            supervisor: has the measurements of the arm.
        """
        self.configuration, self.supervisor = configuration, supervisor
        drive = configuration.drive
        # With a speed, no single wrong sample is believed.
        speed = drive.following.hold_velocity
        sensors = [Sensor(name, speed=speed) for name in drive.assumes]
        self._assumed = Measurements(sensors) if sensors else None
        self._is_told = False  # whether the arm is across a wall

    def pass_time(self, now: Now) -> None:
        """Let time pass to the present."""
        for measurements in (self.supervisor.measurements, self._assumed):
            if measurements is not None:
                measurements.pass_time(now.clock * 1e-9, now.steady)

    def measure(self, names: Sequence[str], positions: Sequence[float]) -> list[str]:
        """Take positions by the names of joints; return the problems that were not told before."""
        arm, measurements = self.configuration.arm, self.supervisor.measurements
        if measurements is None:
            return []
        problems = measurements.hear(names, positions)
        if self._assumed is not None:
            self._assumed.hear(names, positions)
        if not self._is_told and (measured := self.supervisor.measured) is not None:
            self._is_told = True
            problems.append(across(arm, measured[: len(arm.names)], 'the arm'))
        return [*filter(None, problems)]

    def confirm(self) -> None:
        """Believe the positions of joints that cannot have come there: a person says so."""
        for measurements in (self.supervisor.measurements, self._assumed):
            if measurements is not None:
                measurements.confirm()

    def fault(self, now: Now) -> str:
        """Return why the time or the pose is not known; empty if they are."""
        return now.fault or self.state_fault

    @property
    def state_fault(self) -> str:
        """Why the pose is not known, or not what the arm's numbers say; empty if it is."""
        return self.supervisor.fault or self.assumed_fault

    @property
    def assumed_fault(self) -> str:
        """Which joint stands elsewhere, and what to do; empty for none.

        A joint that the node itself takes there is none.
        """
        if self._assumed is None:
            return ''
        if jump := self._assumed.jump:
            return jump
        drive, measured = self.configuration.drive, self._assumed.positions
        tolerance = drive.following.goal_tolerance
        for (name, assumed), position in zip(drive.assumes.items(), measured, strict=True):
            off = math.remainder(position - assumed, math.tau)
            is_taken_there = abs(drive.holds.get(name, math.nan) - assumed) <= tolerance
            if abs(off) > tolerance and not is_taken_there:  # not if NaN
                return (
                    f"joint '{name}' is at {position:.4g} rad or m, but the arm's numbers are "
                    f'those with it at {assumed:.4g} (assumes.{name}): move it there, let the '
                    f'node hold it there (command_joints, hold.{name}), or describe the arm with '
                    f'it at {position:.4g}'
                )
        return ''

    @property
    def is_early(self) -> bool:
        """Whether the pose of the arm is not known yet, but may be in a moment."""
        measurements = self.supervisor.measurements
        return measurements is not None and measurements.are_new and bool(measurements.fault)
