"""Whether an arm can stop on this side of its walls."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from operator import mul, sub
from typing import NamedTuple

from ik2d_ros.arm.description import MotionLimits
from ik2d_ros.kinematics import Arm
from ik2d_ros.kinematics.crossing import crossing, floors
from ik2d_ros.motion.smooth import Plan


class Fence(NamedTuple):
    """The walls of an arm, and how far across them it may be: what is across only comes back.

    Attributes:
        arm: the arm.
        least: (c,) the least clearances in m that it may have.
    """

    arm: Arm
    least: Sequence[float]

    @classmethod
    def at(cls, arm: Arm, positions: Sequence[float]) -> Fence:
        """Return the fence of an arm at (m,) positions, wherever that is."""
        return cls(arm, floors(arm, arm.clearances(positions)))

    def behind(self, positions: Sequence[float]) -> Fence:
        """Return the fence behind what has come back at (m,) positions."""
        if min(self.least, default=0.0) >= self.arm.hair:
            return self
        here = Fence.at(self.arm, positions)
        return here._replace(least=[*map(max, self.least, here.least)])

    def crossed(
        self, positions: Sequence[float], stop: Plan | None, motion: Sequence[MotionLimits]
    ) -> Sequence[float] | None:
        """Return positions across a wall on the way to a stop; None if that keeps off.

        Args:
            positions: (m,) where it begins.
            stop: the way to a stop; None if the arm stands.
            motion: limits of the joints.
        """
        gaps = [*map(sub, self.arm.clearances(positions), self.least)]
        if min(gaps, default=0.0) < 0.0:
            return positions
        if stop is None or not gaps:
            return None
        travel = sum(map(mul, self.arm.levers, stop.travels))
        moving = partial(stop.moving, motion=motion)
        return crossing(self.arm, moving, stop.duration, self.least, gaps, travel)
