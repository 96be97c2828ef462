"""The commanded joints, and how closely they must follow; no ROS imports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.control.auxiliary_joint import AuxiliaryJoint
from ik2d_ros.control.drive import Drive, Following
from ik2d_ros.control.measurements import MeasurementBounds
from ik2d_ros.motion.limits import Limits


def paced(arm: ArmDescription, following: Following) -> ArmDescription:
    """Return an arm to wait for: without a limit, a joint moves by one tolerance in the delay."""
    fastest = following.tolerance / max(following.delay, 1e-3)
    motion = (
        each if each.velocity is not None else each._replace(velocity=fastest * unit)
        for each, unit in zip(arm.motion, arm.kinematics.units_of_move.tolist(), strict=True)
    )
    return replace(arm, motion=tuple(motion))


@dataclass(frozen=True)
class CommandedJoints:
    """The (k,) joints that are commanded: the arm's, then those that are held.

    Attributes:
        arm: the arm.
        drive: how the others are held, and how closely all of them must follow.
    """

    arm: ArmDescription
    drive: Drive = field(default_factory=Drive)

    @property
    def names(self) -> tuple[str, ...]:
        """(k,) names."""
        return (*self.arm.names, *self.drive.holds)

    @cached_property
    def limits(self) -> Limits:
        """The limits of the arm's motion."""
        return Limits.of_arm(self.arm, self.drive.following.scaling)

    @cached_property
    def held(self) -> tuple[AuxiliaryJoint, ...]:
        """The others as they are held at first."""
        drive = self.drive
        speed = drive.following.scaling * drive.following.hold_velocity
        return tuple(
            AuxiliaryJoint.of(
                name, q, name in drive.assumes, Limits.of_joint(*drive.ends(name), speed)
            )
            for name, q in drive.holds.items()
        )

    @cached_property
    def tolerance_scales(self) -> tuple[float, ...]:
        """(k,) factors of tolerances: 1, or the reach in m for joints that slide."""
        return (*self.arm.kinematics.units_of_move.tolist(), *(1.0 for _ in self.drive.holds))

    def are_apart(self, pose: Sequence[float], other: Sequence[float], tolerance: float) -> bool:
        """Return whether any of the first joints differs by more than a tolerance in two poses."""
        joints = zip(pose, other, self.tolerance_scales, strict=False)
        return any(abs(q - p) > tolerance * scale for q, p, scale in joints)

    @cached_property
    def measurement_bounds(self) -> tuple[MeasurementBounds, ...]:
        """(k,) the plausible measurements of each joint."""
        following, arm = self.drive.following, self.arm
        speed, tolerance = following.hold_velocity, following.tolerance
        joints = zip(
            arm.names,
            arm.limits,
            paced(arm, following).motion,
            arm.units,
            arm.kinematics.units_of_move.tolist(),
            strict=True,
        )
        return (
            *(
                MeasurementBounds(name, *ends, motion.velocity or 0.0, unit, tolerance * scale)
                for name, ends, motion, unit, scale in joints
            ),
            *(
                MeasurementBounds(name, velocity=speed, tolerance=tolerance)
                for name in self.drive.holds
            ),
        )
