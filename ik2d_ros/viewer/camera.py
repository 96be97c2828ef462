"""Where the page is looked at from."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.viewer.stand import carrier_axis, column

VIEW_ANGLE = math.radians(20.0)  # narrow: little perspective, so depth does not shift things
VIEW_MARGIN = 1.18
ELEVATION, ASIDE = math.radians(24.0), math.radians(32.0)  # of the camera, in space
SAMPLES = 2000  # random poses, whose tips tell how large the swept body is


class Bounds(NamedTuple):
    """A sphere about all that is to be seen.

    Attributes:
        center: in m.
        radius: in m.
    """

    center: Vector
    radius: float


def bounds(arm: ArmDescription) -> Bounds:
    """Return the bounds of what an arm in space sweeps, and of what it stands on."""
    size = arm.chain.reach.outer or 1.0
    parts = np.random.default_rng(0).random((SAMPLES, len(arm.names)))
    free = [math.pi if unit == 'rad' else 0.5 * size for unit in arm.units]
    ends = [
        (low, high) if math.isfinite(low) else (-half, half)
        for (low, high), half in zip(arm.limits, free, strict=True)
    ]
    lower, upper = np.array(ends).T
    tips = arm.kinematics.tips(lower + parts * (upper - lower))
    frame = carrier_axis(arm)
    stand = [frame.point(0.0, 0.0, height) for height in column(arm, size)]
    seen = np.concatenate([tips, stand, [(0.0, 0.0, 0.0)]])
    center = 0.5 * (seen.min(axis=0) + seen.max(axis=0))
    radius = float(np.linalg.norm(seen - center, axis=1).max())
    x, y, z = center.tolist()
    return Bounds((x, y, z), radius or 1.0)


def look_at_plane(server: Any, size: float) -> None:
    """Look against the normal of a plane, at an arm that reaches so far (m)."""
    distance = VIEW_MARGIN * size / math.tan(0.5 * VIEW_ANGLE)
    _look(server, (0.0, 0.0, distance), (0.0, 0.0, 0.0), (0.0, 1.0, 0.0), distance)


def look_at_body(server: Any, arm: ArmDescription, seen: Bounds) -> None:
    """Look at all of an arm in space, from above, and its plane from the side."""
    distance = VIEW_MARGIN * seen.radius / math.sin(0.5 * VIEW_ANGLE)
    x, y, z = _direction(arm)
    cx, cy, cz = seen.center
    position = cx + distance * x, cy + distance * y, cz + distance * z
    _look(server, position, seen.center, (0.0, 0.0, 1.0), distance)


def _direction(arm: ArmDescription) -> Vector:
    """Return the direction towards the camera: x, or else y, of the base frame to the right."""
    _, _, (x, y, _) = arm.plane_at(arm.home).axes
    if math.hypot(x, y) < 0.5:  # the plane is level
        x, y = 0.0, -1.0
    if y > 1e-6 or (abs(y) <= 1e-6 and x < 0.0):
        x, y = -x, -y
    angle = math.atan2(y, x) + ASIDE
    level = math.cos(ELEVATION)
    return level * math.cos(angle), level * math.sin(angle), math.sin(ELEVATION)


def _look(server: Any, position: Vector, center: Vector, up: Vector, distance: float) -> None:
    cameras = [client.camera for client in server.get_clients().values()]
    for camera in (server.initial_camera, *cameras):
        camera.position, camera.look_at = position, center
        camera.near, camera.far = 0.05 * distance, 8.0 * distance
    server.initial_camera.up = up
    for camera in cameras:
        camera.up_direction = up
