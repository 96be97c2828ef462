"""Reaching a target with the tip in a direction of space, where the plane is carried or is not.

What a direction is in the plane depends on how the plane lies. A turntable brings the plane to a
target by two turns, in front and over the back, each with its own tip angle.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ik2d_ros.kinematics.arguments import ArgumentError
from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.options import NO_ANGLE, check_angle
from ik2d_ros.kinematics.plane import Plane, Vector, dot

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
    """Return the angle of a direction, a unit vector, projected into a plane, in rad.

    It is None for a direction along the plane's normal.
    """
    x, y, _ = plane.direction(direction)
    return math.atan2(y, x) if math.hypot(x, y) > SHORTEST else None


def angle_off(plane: Plane, angle: float, asked: float | Vector | None) -> float:
    """Return how far a tip angle in a plane is from one in rad, or a direction; 0 from any."""
    if isinstance(asked, tuple):
        asked = angle_in(plane, asked)
    return 0.0 if asked in (None, NO_ANGLE) else abs(math.remainder(angle - asked, math.tau))


def has_direction(arm: Arm, target: Vector, direction: Vector) -> bool:
    """Return whether a direction is one in the plane, at any turn that brings it to the target.

    The target, in m, and the direction, a unit vector, are in the base frame.
    """
    planes = [arm.plane] if arm.turning_plane is None else arm.turning_plane.planes_through(target)
    return any(angle_in(plane, direction) is not None for plane in planes)


def angles_along(
    arm: Arm, points: Sequence[Vector], directions: Sequence[Vector], plane: Plane
) -> list[float]:
    """Return the tip angles of directions at points that follow one another, in rad.

    Args:
        arm: the arm.
        points: (k,) points in m, in the base frame.
        directions: (k,) unit vectors in the base frame.
        plane: where a turntable carries the plane to the first point; to each other one, the turn
            is taken that is nearer to the one before.

    Raises:
        ArgumentError: a direction is along the plane's normal.
    """
    angles = []
    for number, (point, direction) in enumerate(zip(points, directions, strict=True), 1):
        if arm.turning_plane is not None:
            normal = plane.axes[2]
            planes = arm.turning_plane.planes_through(point)
            plane = max(planes, key=lambda each: dot(each.axes[2], normal))
        angle = angle_in(plane, direction)
        if angle is None:
            raise ArgumentError(f"the direction at point {number} is along the plane's normal")
        angles.append(angle)
    return angles
