"""The trail of the tip: a line that fades."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.viewer.drawing import linear

TRAIL, TRAIL_END = (112, 72, 200), (186, 214, 242)
LENGTH = 240  # tip positions at least STEP apart
STEP = 0.004  # reaches


class Trail:
    """Where the tip was last."""

    def __init__(self, scene: Any, size: float, height: float) -> None:
        """Add an empty one.

        Args:
            scene: the viser scene.
            size: how far the arm reaches, in m.
            height: by which it is shifted along z, in m.
        """
        self._size = size
        self._tips: list[Vector] = []
        self._line = scene.add_line_segments(
            '/trail',
            *self._segments(),
            thickness=3.0,
            thickness_units='screen',
            position=(0.0, 0.0, height),
        )

    def extend(self, tip: Vector) -> None:
        """Go on to a tip, in m."""
        if self._tips and math.dist(self._tips[-1], tip) < STEP * self._size:
            return
        self._tips = [*self._tips[1 - LENGTH :], tip]
        self._line.points, _ = self._segments()

    def _segments(self) -> tuple[Any, Any]:
        """Return a fixed number of (k, 2, 3) points, and their fading colours."""
        tips = self._tips or [(0.0, 0.0, 0.0)]
        points = np.array([tips[0]] * (LENGTH - len(tips)) + tips)
        strength = np.linspace(0.0, 1.0, LENGTH)[:, None]
        colours = strength * np.array(TRAIL) + (1.0 - strength) * np.array(TRAIL_END)
        return (
            np.stack([points[:-1], points[1:]], axis=1).astype(np.float32),
            linear(np.stack([colours[:-1], colours[1:]], axis=1)),
        )
