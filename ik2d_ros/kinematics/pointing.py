"""Reaching a target with the tip in a direction of space, where the plane is carried or is not.

What a direction is in the plane depends on how the plane lies. A turntable brings the plane to a
target by two turns, in front and over the back, each with its own tip angle.
"""

from __future__ import annotations

import math

from ik2d_ros.kinematics.arguments import ArgumentError
from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.options import NO_ANGLE, check_angle
from ik2d_ros.kinematics.plane import Plane, Vector

# The projection of a unit vector into the plane that is shorter has no direction: that of a
# quaternion in single precision is as uncertain.
SHORTEST = 1e-6


def angle_refusal(chain: Chain) -> str:
    """Return why a chain cannot reach points at a tip angle; empty if it can."""
    try:
        check_angle(chain, 0.0, 1.0)
    except ArgumentError as error:
        return f'a tip {error}'
    return ''


def angle_in(plane: Plane, direction: Vector) -> float | None:
    """Return the angle in rad of a unit vector projected into a plane; None along the normal."""
    x, y, _ = plane.direction(direction)
    return math.atan2(y, x) if math.hypot(x, y) > SHORTEST else None


def angle_off(plane: Plane, angle: float, asked: float | Vector | None) -> float:
    """Return how far a tip angle in a plane is from one in rad, or a direction; 0 from any."""
    if isinstance(asked, tuple):
        asked = angle_in(plane, asked)
    return 0.0 if asked in (None, NO_ANGLE) else abs(math.remainder(angle - asked, math.tau))


def has_direction(arm: Arm, target: Vector, direction: Vector) -> bool:
    """Return whether a unit vector has an angle at a turn that leads to a target in m."""
    turns = arm.turning_plane.turns_to(target) if arm.turning_plane else (0.0,)
    planes = map(arm.carried_plane, turns)
    return any(angle_in(plane, direction) is not None for plane in planes)
