"""Where the page is looked at from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.arm.coordinates import upright
from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.drawing.extent import extent

VIEW_ANGLE = math.radians(12.0)  # narrow: little perspective, so depth does not shift things
MARGINS = {True: 0.14, False: 0.22}  # in halves of the larger side: for labels; and for arrows
ELEVATION, ASIDE = math.radians(28.0), math.radians(37.0)  # of the camera, in space
SAME_SHAPE = 0.02  # difference of aspects
NARROWEST = 0.1  # aspect of a window; browsers tell less while they lay out a page
CLOSE = 1e-3  # of its distance: a camera as near is where it was sent
SHEET = 0.22  # share of a tall screen by which the arm is raised: the panel is below


class Camera:
    """The cameras of all browsers that show the page."""

    def __init__(self, server: Any) -> None:
        """Look at nothing yet."""
        self._server = server
        self.positions: Sequence[float] | None = None
        """(m,) positions of the joints; None while unknown."""
        self._arm: ArmDescription | None = None
        self._points: NDArray[np.float64] = np.zeros((1, 3))  # to be seen
        self._axes: NDArray[np.float64] = np.eye(3)
        self._aspects: dict[int, float] = {}  # of the windows that the arm was fitted to
        self._sent: dict[int, NDArray[np.float64]] = {}  # where cameras were told to go
        # Nothing else may be initial: slow pages go there after they were told to go elsewhere.
        server.initial_camera.fov = VIEW_ANGLE
        server.on_client_connect(self._welcome)

    async def _welcome(self, client: Any) -> None:
        client.camera.on_update(self._on_update)  # which is called at once

    def look_at(self, arm: ArmDescription) -> None:
        """Show all of an arm in every browser."""
        self._arm = arm
        self.reset(*self._server.get_clients().values())

    def reset(self, *clients: Any) -> None:
        """Show all of the arm in browsers, its plane from the front, or from above and aside."""
        if self._arm is not None:
            positions = self.positions or self._arm.home
            self._points, self._axes = extent(self._arm, positions), front_of(self._arm, positions)
            for client in clients:
                self._fit(client)

    def _fit(self, client: Any) -> None:
        """Show all of the arm in a window of any shape."""
        number, camera, arm = client.client_id, client.camera, self._arm
        self._aspects[number] = aspect = camera.aspect
        if arm is None or aspect < NARROWEST:
            return
        axes, is_flat = self._axes, arm.carrier is None
        center, distance = framed(self._points, axes, aspect, MARGINS[is_flat])
        self._sent[number] = position = center + distance * axes[2]
        with client.atomic():
            camera.position, camera.look_at = position, center
            camera.near, camera.far = 0.05 * distance, 8.0 * distance
            camera.up_direction = axes[1] if is_flat else (0.0, 0.0, 1.0)

    async def _on_update(self, camera: Any) -> None:
        """Fit the arm into a window of another shape."""
        number, distance = camera.client.client_id, np.linalg.norm(camera.position - camera.look_at)
        sent, aspect = self._sent.get(number), self._aspects.get(number, math.inf)
        is_there = sent is None or np.linalg.norm(camera.position - sent) < CLOSE * distance
        if not is_there or abs(camera.aspect - aspect) > SAME_SHAPE:
            self._fit(camera.client)  # again, where it was told before it was sent there
        else:
            self._sent.pop(number, None)


def framed(
    points: NDArray[np.float64], axes: NDArray[np.float64], aspect: float, margin: float
) -> tuple[NDArray[np.float64], float]:
    """Return the center of a view of points, and how far away from it they fill the window.

    Args:
        points: (k, 3) m.
        axes: (3, 3) right, up and to the camera.
        aspect: of the window; points are in the upper part of a tall one.
        margin: around the points, in halves of their larger side.
    """
    seen = points @ axes.T
    low, high = seen.min(axis=0), seen.max(axis=0)
    middle, sides = 0.5 * (low + high), 0.5 * (high - low)[:2]
    sides, depths = np.abs(seen - middle)[:, :2] + margin * sides.max(), (seen - middle)[:, 2]
    shift = max(min(SHEET, 0.5 - 0.5 * aspect), 0.0)  # which leaves the arm in sight
    half = math.tan(0.5 * VIEW_ANGLE)
    room = half * np.array([aspect, 1.0 - 2.0 * shift])
    distance = float(((sides / room).max(axis=1) + depths).max()) or 1.0
    return (middle - [0.0, shift * 2.0 * distance * half, 0.0]) @ axes, distance


def front_of(arm: ArmDescription, positions: Sequence[float]) -> NDArray[np.float64]:
    """Return how an arm is seen at (m,) positions, (3, 3): right, up and to the camera.

    In a plane it is seen from the front, in space with x, or else y, of the base frame to the
    right, from above and aside.
    """
    if arm.carrier is None:
        return np.array(upright(arm.kinematics.plane.axes[2]).axes)
    _, _, (x, y, _) = arm.plane_at(positions).axes
    if math.hypot(x, y) < 0.5:  # the plane is level
        x, y = 0.0, -1.0
    if y > 1e-6 or (abs(y) <= 1e-6 and x < 0.0):
        x, y = -x, -y
    angle, level = math.atan2(y, x) + ASIDE, math.cos(ELEVATION)
    right = -math.sin(angle), math.cos(angle), 0.0
    away = level * math.cos(angle), level * math.sin(angle), math.sin(ELEVATION)
    return np.array([right, np.cross(away, right), away])
