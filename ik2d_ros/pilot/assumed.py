"""Joints between base and tip that are not the arm's: do they stand where its numbers are true?"""

from __future__ import annotations

import math

from ik2d_ros.control.drive import Drive
from ik2d_ros.control.measurements import Measurements, Sensor


class AssumedJoints:
    """Hears of the joints that ``assumes`` names; one that is not measured is not doubted.

    Attributes:
        measurements: of these joints.
    """

    def __init__(self, drive: Drive) -> None:
        """Begin with nothing measured.

        Args:
            drive: names the joints.
        """
        # With a speed, no single wrong sample is believed.
        speed = drive.following.hold_velocity
        self.measurements = Measurements([Sensor(name, speed=speed) for name in drive.assumes])

    def fault(self, drive: Drive) -> str:
        """Return which joint stands elsewhere, and what to do; empty for none.

        A joint that the node itself takes there is none.

        Args:
            drive: where they are assumed to stand, how precisely, and which the node holds.
        """
        tolerance, measured = drive.following.goal_tolerance, self.measurements.positions
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
