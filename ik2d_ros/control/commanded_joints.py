"""The arm's and the auxiliary joints as they are commanded, with limits; no ROS imports."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.control.measurements import MeasurementBounds
from ik2d_ros.control.settings import ControlSettings, Following
from ik2d_ros.motion.limits import Limits
from ik2d_ros.motion.motion import Motion, at_rest


@dataclass(frozen=True)
class AuxiliaryJoint:
    """An auxiliary joint, its motion, and where it is held or how it is jogged, in rad or m."""

    name: str
    default: float  # position at which it is held (``hold.*``); NaN for the first measured
    is_assumed: bool  # whether the tip needs it there: each motion of the arm takes it back
    motion: Motion
    target: float  # position at which it is held now; NaN before the first measured
    velocity: float = 0.0  # at which it is jogged; 0 if it is not
    first_position: float = math.nan  # that was measured

    def with_settings(self, new: AuxiliaryJoint) -> AuxiliaryJoint:
        """Return the joint with default and limits of a new one; held there if defaults differ."""
        motion = self.motion.with_limits(new.motion.limits)
        joint = replace(self, default=new.default, motion=motion)
        if str(new.default) == str(self.default):  # also of NaN
            return joint
        return joint.held_at(self.first_position if math.isnan(new.default) else new.default)

    def held_at(self, position: float) -> AuxiliaryJoint:
        """Return the joint to be held at a position."""
        return replace(self, target=position, velocity=0.0)

    def jogged(self, velocity: float) -> AuxiliaryJoint:
        """Return the joint to be jogged at a velocity; with 0, to be held where a jog has led."""
        joint = self.held_at(self.motion.goal[0]) if self.velocity else self
        return replace(joint, velocity=velocity)

    def stopped(self) -> AuxiliaryJoint:
        """Return the joint to be held where it comes to rest, or where the tip needs it."""
        is_fixed = math.isnan(self.target) or (self.is_assumed and not math.isnan(self.default))
        return self.held_at(self.default if is_fixed else self.motion.goal[0])

    def measured_first(self, position: float) -> AuxiliaryJoint:
        """Return the joint, first measured at a position: it is held there if nothing was asked."""
        if not math.isnan(self.first_position):
            return self
        joint = replace(self, first_position=position)
        if not math.isnan(self.target):
            return joint
        return replace(joint, target=position, motion=self.motion.to((position,)))

    def started(self) -> AuxiliaryJoint:
        """Return the joint with the motion to its target, or at the velocity of its jog."""
        if self.velocity:
            return replace(self, motion=self.motion.at_velocities((self.velocity,)))
        is_known = not math.isnan(goal := self.nearest_target)
        return replace(self, motion=self.motion.to((goal,))) if is_known else self

    @property
    def nearest_target(self) -> float:
        """Its target; of an assumed joint without limits, in the nearest turn: all are the same."""
        lower, upper = self.motion.limits.ranges[0]
        if not self.is_assumed or upper - lower < math.inf or math.isnan(self.target):
            return self.target
        turns = round((self.motion.state.positions[0] - self.target) / math.tau)
        return self.target + math.tau * turns


def velocity_limited(arm: ArmDescription, following: Following) -> ArmDescription:
    """Return an arm with default velocity limits where it has none: a tolerance in the delay."""
    fastest = following.tolerance / max(following.delay, 1e-3)  # the delay may be 0
    motion = (
        each if each.velocity is not None else each._replace(velocity=fastest * unit)
        for each, unit in zip(arm.motion, arm.kinematics.units_of_move.tolist(), strict=True)
    )
    return replace(arm, motion=tuple(motion))


@dataclass(frozen=True)
class CommandedJoints:
    """The (k,) joints that are commanded: the arm's, then the auxiliary joints."""

    arm: ArmDescription
    control: ControlSettings = field(default_factory=ControlSettings)

    @property
    def names(self) -> tuple[str, ...]:
        """(k,) names."""
        return (*self.arm.names, *self.control.holds)

    @cached_property
    def limits(self) -> Limits:
        """The limits of the arm's motion."""
        return Limits.of_arm(self.arm, self.control.following.scaling)

    @cached_property
    def auxiliary(self) -> tuple[AuxiliaryJoint, ...]:
        """The auxiliary joints, at rest at their defaults."""
        control, joints = self.control, []
        speed = control.following.scaling * control.following.hold_velocity
        for name, q in control.holds.items():
            limits = Limits.of_joint(*control.ends(name), speed)
            motion = at_rest(limits, (0.0 if math.isnan(q) else q,))
            joints.append(AuxiliaryJoint(name, q, name in control.assumes, motion, q))
        return tuple(joints)

    @cached_property
    def tolerance_scales(self) -> tuple[float, ...]:
        """(k,) factors of tolerances: 1, or the reach in m for joints that slide."""
        return (*self.arm.kinematics.units_of_move.tolist(), *(1.0 for _ in self.control.holds))

    def are_apart(self, pose: Sequence[float], other: Sequence[float], tolerance: float) -> bool:
        """Return whether a joint that both poses have differs by more than a tolerance."""
        joints = zip(pose, other, self.tolerance_scales, strict=False)
        return any(abs(q - p) > tolerance * scale for q, p, scale in joints)

    @cached_property
    def measurement_bounds(self) -> tuple[MeasurementBounds, ...]:
        """(k,) the plausible measurements of each joint."""
        arm, following = self.arm, self.control.following
        speeds = [each.velocity or 0.0 for each in arm.motion]
        of_arm = zip(arm.names, arm.limits, speeds, arm.units, self.tolerance_scales, strict=False)
        free, hold_velocity = (-math.inf, math.inf), following.hold_velocity
        of_others = ((name, free, hold_velocity, 'rad', 1.0) for name in self.control.holds)
        return tuple(
            MeasurementBounds(name, *ends, speed, unit, following.tolerance * scale)
            for name, ends, speed, unit, scale in (*of_arm, *of_others)
        )
