"""What is computed from measured joint states: the speed of the tip; no ROS or viser imports."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ik2d_ros.arm.description import ArmDescription


def tip_speed(
    arm: ArmDescription, positions: Sequence[float], velocities: Sequence[float]
) -> float | None:
    """Return the speed of the tip in m/s: each joint of the chain turns the tip about itself.

    Args:
        arm: the arm.
        positions: (m,) of all joints.
        velocities: (m,) rad/s, of joints that slide in m/s.

    Returns:
        The speed; None if it is not finite, as where a velocity is not known.
    """
    chain, plane = arm.chain, arm.plane_at(positions)
    *joints, (tip_x, tip_y) = chain.forward(arm.in_plane(positions)).tolist()
    x = y = 0.0
    for joint, (joint_x, joint_y), velocity in zip(
        chain.joints, joints, arm.in_plane(velocities), strict=True
    ):
        turn = joint.axis * velocity
        x, y = x - turn * (tip_y - joint_y), y + turn * (tip_x - joint_x)
    u, v, n = plane.axes
    motion = [x * a + y * b for a, b in zip(u, v, strict=True)]
    if arm.lift is not None:
        carried = [velocities[0] * arm.lift.axis * part for part in n]
        motion = [a + b for a, b in zip(motion, carried, strict=True)]
    elif arm.turntable is not None:
        ax, ay, az = arm.turntable.axis
        tip = plane.point(tip_x, tip_y)
        px, py, pz = (a - b for a, b in zip(tip, arm.turntable.xyz, strict=True))
        turned = (ay * pz - az * py, az * px - ax * pz, ax * py - ay * px)
        motion = [a + velocities[0] * b for a, b in zip(motion, turned, strict=True)]
    speed = math.hypot(*motion)
    return speed if math.isfinite(speed) else None
