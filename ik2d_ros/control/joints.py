"""The joints that are commanded, and how closely they have to follow; no ROS imports."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ik2d_ros.arm.description import ArmDescription, MotionLimits
from ik2d_ros.control.measurements import Sensor

Pose = tuple[float, ...]


@dataclass(frozen=True)
class Following:
    """How closely an arm has to follow its commands, checked.

    Attributes:
        tolerance: how far a command may be ahead of the measured pose in rad; for joints that
            slide, in reaches.
        delay: in s; what the joint does meanwhile at its commanded speed comes on top.
        goal_tolerance: how far from its goal each joint may be for the arm to be there; as
            tolerance.
        hold_velocity: rad/s (m/s) at which joints that are not the arm's go where they are held.
    """

    tolerance: float = 0.1
    delay: float = 0.05
    goal_tolerance: float = 0.02
    hold_velocity: float = 0.5


@dataclass(frozen=True)
class HeldJoints:
    """Joints that move at one speed, without limits."""

    home: Pose
    velocity: float
    has_motion_limits: bool = True

    @property
    def limits(self) -> tuple[tuple[float, float], ...]:
        """No limits of the positions."""
        return ((-math.inf, math.inf),) * len(self.home)

    @property
    def motion(self) -> tuple[MotionLimits, ...]:
        """The speed of each."""
        return (MotionLimits(self.velocity),) * len(self.home)

    def clamped(self, positions: Sequence[float]) -> Pose:
        """Return the positions as they are."""
        return tuple(positions)


@dataclass(frozen=True)
class CommandedJoints:
    """The (k,) joints that are commanded: the arm's, then those that are held.

    Attributes:
        arm: the arm; None where there are only others.
        holds: where the others are held, by name; NaN for where each was measured first.
        following: how closely all of them have to follow.
    """

    arm: ArmDescription | None
    holds: Mapping[str, float] = field(default_factory=dict)
    following: Following = field(default_factory=Following)

    @property
    def names(self) -> tuple[str, ...]:
        """(k,) names."""
        return (*(self.arm.names if self.arm else ()), *self.holds)

    @property
    def reaches(self) -> Pose:
        """(k,) what tolerances are multiplied with: the reach in m of joints that slide."""
        if self.arm is None:
            return (1.0,) * len(self.holds)
        reach = self.arm.chain.reach.outer or 1.0
        return (
            *(reach if unit == 'm' else 1.0 for unit in self.arm.units),
            *(1.0 for _ in self.holds),
        )

    @property
    def sensors(self) -> tuple[Sensor, ...]:
        """(k,) what can be measured of each."""
        others = (Sensor(name, speed=self.following.hold_velocity) for name in self.holds)
        if self.arm is None:
            return tuple(others)
        own = zip(self.arm.names, self.arm.limits, self.arm.motion, self.arm.units, strict=True)
        return (
            *(
                Sensor(
                    name,
                    *ends,
                    speed=math.inf if motion.velocity is None else motion.velocity,
                    unit=unit,
                    turns=unit == 'rad' and ends[0] == -math.inf,
                )
                for name, ends, motion, unit in own
            ),
            *others,
        )
