"""What is computed from measured joint states: the speed of the tip; no ROS or viser imports."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics.columns import spans


def tip_speed(
    arm: ArmDescription, positions: Sequence[float], velocities: Sequence[float]
) -> float | None:
    """Return the speed of the tip in m/s: what each joint of the chain moves it by, in sum.

    Args:
        arm: the arm.
        positions: (m,) of all joints.
        velocities: (m,) rad/s, of joints that slide in m/s.

    Returns:
        The speed; None if it is not finite, as where a velocity is not known.
    """
    chain, plane = arm.chain, arm.plane_at(positions)
    size, q = chain.reach.outer or 1.0, arm.in_plane(positions)
    points = [complex(x, y) / size for x, y in chain.forward(q).tolist()]
    bends = chain.bends_at(q)
    rates = [s * rate for s, rate in zip(chain.signs, arm.in_plane(velocities), strict=True)]
    columns = [1j * span for span in spans(chain.fixed_bends, bends, points)]
    moved = size * sum(column * rate for column, rate in zip(columns, rates, strict=True))
    tip_x, tip_y = size * points[-1].real, size * points[-1].imag
    u, v, n = plane.axes
    motion = [moved.real * a + moved.imag * b for a, b in zip(u, v, strict=True)]
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
