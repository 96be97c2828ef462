"""The arm as points in space: what is drawn of it as a line; no ROS imports."""

from __future__ import annotations

from collections.abc import Sequence

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics.plane import Vector


def skeleton(arm: ArmDescription, positions: Sequence[float]) -> list[Vector]:
    """Return the points that a pose connects, in m in the base frame.

    They are every joint of the chain and, last, the tip; before a tool, the end of the last link.
    Before them, a turntable has the point on its axis that it is given by and the one beside the
    chain's first joint, and a lift where that joint is with the lift at 0.

    Args:
        arm: the arm.
        positions: (m,) of all joints.
    """
    plane = arm.plane_at(positions)
    points = arm.chain.forward(arm.in_plane(positions)).tolist()
    if any(arm.chain.tool):
        (x, y), (along, across) = points[-1], arm.chain.tool
        points.insert(-1, [x - along, y - across])
    chain = [plane.point(x, y) for x, y in points]
    return [*_before(arm, plane.origin), *chain]


def _before(arm: ArmDescription, first: Vector) -> list[Vector]:
    if arm.lift is not None:
        return [arm.base_xyz]
    sweep, turntable = arm.kinematics.sweep, arm.turntable
    if sweep is None or turntable is None:
        return []
    _, _, height = sweep.locate(first)
    return [turntable.xyz, sweep.point((0.0, 0.0, height), 0.0)]
