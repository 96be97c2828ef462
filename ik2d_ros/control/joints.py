"""The commanded joints, and how closely they must follow; no ROS imports."""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.control.auxiliary_joint import Hold
from ik2d_ros.control.measurements import Sensor
from ik2d_ros.parameters.checks import Number
from ik2d_ros.parameters.table import setting

Pose = tuple[float, ...]

POSITIVE = Number(above=0.0)


@dataclass(frozen=True)
class Following:
    """How closely an arm must follow its commands, and how fast; sliding joints: in reaches."""

    tolerance: float = setting(
        0.1,
        POSITIVE,
        'A command is at most this far ahead of the measured pose, and ...',
        name='following_tolerance',
        unit='rad',
    )
    delay: float = setting(
        0.05,
        Number(least=0.0),
        '... what the joint was seen to move in the last so many seconds',
        name='following_delay',
        unit='s',
    )
    goal_tolerance: float = setting(
        0.02, POSITIVE, 'Measured closer to its goal than this, each joint is there', unit='rad'
    )
    hold_velocity: float = setting(
        0.5, POSITIVE, 'Speed at which held joints go to where they are held', unit='rad/s'
    )
    speed: float = setting(
        1.0, Number(least=0.01, most=1.0), 'Factor of all velocities and accelerations'
    )


def reaches(arm: ArmDescription) -> Pose:
    """Return (m,) the factors of tolerances: 1, or the reach in m for joints that slide."""
    reach = arm.chain.reach.outer or 1.0
    return tuple(reach if unit == 'm' else 1.0 for unit in arm.units)


def paced(arm: ArmDescription, following: Following) -> ArmDescription:
    """Return an arm to wait for: without a limit, a joint moves by one tolerance in the delay."""
    fastest = following.tolerance / max(following.delay, 1e-3)
    motion = (
        each if each.velocity is not None else each._replace(velocity=fastest * reach)
        for each, reach in zip(arm.motion, reaches(arm), strict=True)
    )
    return replace(arm, motion=tuple(motion))


@dataclass(frozen=True)
class CommandedJoints:
    """The (k,) joints that are commanded: the arm's, then those that are held.

    Attributes:
        arm: the arm.
        holds: positions at which the others are held, by name; NaN for the first measured one.
        following: how closely all of them must follow.
        hold_limits: smallest and largest positions of the others, by name, where there are some.
        assumes: those on which the tip depends, as of :class:`.Drive`.
    """

    arm: ArmDescription
    holds: Mapping[str, float] = field(default_factory=dict)
    following: Following = field(default_factory=Following)
    hold_limits: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    assumes: Container[str] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """(k,) names."""
        return (*self.arm.names, *self.holds)

    @cached_property
    def held(self) -> tuple[Hold, ...]:
        """How each of the others is held."""
        speed, endless = self.following.speed * self.following.hold_velocity, (-math.inf, math.inf)
        return tuple(
            Hold(name, q, self.hold_limits.get(name, endless), speed, name in self.assumes)
            for name, q in self.holds.items()
        )

    @cached_property
    def reaches(self) -> Pose:
        """(k,) factors of tolerances."""
        return tuple(sensor.reach for sensor in self.sensors)

    def are_apart(self, pose: Sequence[float], other: Sequence[float], tolerance: float) -> bool:
        """Return whether any of the first joints differs by more than a tolerance in two poses."""
        joints = zip(pose, other, self.reaches, strict=False)
        return any(abs(q - p) > tolerance * reach for q, p, reach in joints)

    @cached_property
    def sensors(self) -> tuple[Sensor, ...]:
        """(k,) the plausible measurements of each joint."""
        following, arm = self.following, self.arm
        speed, tolerance = following.hold_velocity, following.tolerance
        held = (Sensor(name, speed=speed, tolerance=tolerance) for name in self.holds)
        speeds = [each.velocity or 0.0 for each in paced(arm, following).motion]
        tolerances = [tolerance * reach for reach in reaches(arm)]
        lowers, uppers = zip(*arm.limits, strict=True)
        sides = lowers, uppers, speeds, arm.units, reaches(arm), tolerances
        return (*map(Sensor, arm.names, *sides), *held)
