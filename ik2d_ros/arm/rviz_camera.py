"""Where RViz looks at an arm from; no ROS imports."""

from __future__ import annotations

import math

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics.plane import Plane, dot

ROUNDED = 0.01  # of a direction in the configuration of RViz
PITCH, FRONT = 0.75, 4.712389  # pitch and yaw of the shipped configuration of RViz, in rad
EDGE_ON = 0.3  # part of the normal towards the viewer below which a plane is seen edge-on
STEEPEST = 0.5  # part of a normal downwards beyond which its side is not seen from above


def camera_yaw(arm: ArmDescription) -> float:
    """Return the yaw of the camera in rad: in front of the arm, but never in its plane."""
    plane = arm.kinematics.plane
    if arm.turntable is not None or abs(_towards_viewer(plane, FRONT)) > EDGE_ON:
        return FRONT
    side = lit_side(plane, FRONT)
    x, y, z = plane.axes[2]
    if side * z < -STEEPEST:  # that side is the lower one, which nobody sees from above
        side = -side
    return math.atan2(side * y, side * x)


def lit_side(plane: Plane, yaw: float) -> float:
    """Return which side of a plane to turn to the viewer: 1 that of its normal, or -1."""
    return 1.0 if _towards_viewer(plane, yaw) > -ROUNDED else -1.0


def _towards_viewer(plane: Plane, yaw: float) -> float:
    level = math.cos(PITCH)
    viewer = level * math.cos(yaw), level * math.sin(yaw), math.sin(PITCH)
    return dot(plane.axes[2], viewer)
