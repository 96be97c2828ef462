"""The camera of RViz; no ROS imports."""

from __future__ import annotations

import math
from typing import NamedTuple

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics.plane import Plane, Vector, dot

ROUNDED = 0.01  # of a direction in the configuration of RViz
PITCH, FRONT = 0.75, 4.712389  # pitch and yaw of the shipped configuration of RViz, in rad
EDGE_ON = 0.3  # part of the normal towards the viewer below which a plane is seen edge-on
STEEPEST = 0.5  # part of a normal downwards beyond which its side is not seen from above


class Camera(NamedTuple):
    """The camera of RViz.

    Attributes:
        yaw: direction of the camera in rad about z of the base frame.
    """

    yaw: float

    @property
    def viewer(self) -> Vector:
        """Unit vector towards the viewer in the base frame."""
        level = math.cos(PITCH)
        return level * math.cos(self.yaw), level * math.sin(self.yaw), math.sin(PITCH)

    @property
    def up(self) -> Vector:
        """Unit vector that points upwards on the screen, in the base frame."""
        steep = -math.sin(PITCH)
        return steep * math.cos(self.yaw), steep * math.sin(self.yaw), math.cos(PITCH)

    def lit_side(self, plane: Plane) -> float:
        """Return which side of a plane to turn to the viewer: 1 that of its normal, or -1."""
        return 1.0 if dot(plane.axes[2], self.viewer) > -ROUNDED else -1.0


def camera_of(arm: ArmDescription) -> Camera:
    """Return from where to look at an arm in RViz: from the front, but never along its plane."""
    front, plane = Camera(FRONT), arm.kinematics.plane
    x, y, z = normal = plane.axes[2]
    if arm.turntable is not None or abs(dot(normal, front.viewer)) > EDGE_ON:
        return front
    side = front.lit_side(plane)
    if side * z < -STEEPEST:  # that side is the lower one, which nobody sees from above
        side = -side
    return Camera(math.atan2(side * y, side * x))
