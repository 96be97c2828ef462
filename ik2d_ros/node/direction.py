"""The direction in which the tip is to point, from the orientation of a pose; no ROS imports."""

from __future__ import annotations

import math

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics.plane import Plane, Quaternion, Vector
from ik2d_ros.kinematics.pointing import angle_refusal, has_direction


def direction_of(quaternion: Quaternion) -> tuple[Vector | None, str]:
    """Return the x-axis of an orientation.

    Args:
        quaternion: x, y, z, w; of any length but zero.

    Returns:
        A unit vector, and what is wrong with the quaternion, to follow "The target": empty for
        nothing. If something is wrong, there is no vector.
    """
    words = f'({", ".join(f"{part:g}" for part in quaternion)})'
    if not all(map(math.isfinite, quaternion)):
        return None, f'has an orientation that is not finite: the quaternion {words}'
    largest = max(map(abs, quaternion))
    if largest == 0.0:
        return None, (
            f'has no orientation: the quaternion is {words}, and none of length zero is a rotation'
        )
    # The largest is 1 first: neither huge nor tiny numbers lose their squares.
    x, y, z, w = (part / largest for part in quaternion)
    return Plane.from_quaternion((0.0, 0.0, 0.0), (x, y, z, w)).axes[0], ''


def direction_problem(arm: ArmDescription, target: Vector, direction: Vector | None) -> str:
    """Return why an arm cannot point its tip in a direction whatever its pose; empty if it can.

    Args:
        arm: the arm.
        target: x, y, z in m in the base frame.
        direction: unit vector in the base frame; None for no direction.

    Returns:
        The reason, to follow "The target".
    """
    if direction is None:
        return ''
    refusal = angle_refusal(arm.chain)
    if refusal:
        return f'has an orientation, but {refusal}: send it without one, to ~/target'
    if not has_direction(arm.kinematics, target, direction):
        return (
            "has an orientation without a direction in the arm's plane: its x-axis is along the "
            "plane's normal"
        )
    return ''
