"""The trail of the tip, which fades."""

from __future__ import annotations

import math
import time
from collections import deque

import numpy as np

from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.viewer import drawing
from ik2d_ros.viewer.stage import Stage

COLOUR = (112, 72, 200)
LASTS = 3.0  # s
COUNT = 128  # tips in it
STEP, JUMP = 0.004, 0.1  # reaches from tip to tip: at least, and more than which it breaks


class Trail:
    """Lines along the last places of the tip."""

    def __init__(self, stage: Stage) -> None:
        """Add it, empty."""
        self._stage = stage
        self._tips: deque[tuple[float, Vector]] = deque(maxlen=COUNT)
        none = np.zeros((COUNT - 1, 2, 3))
        self._lines = stage.lines('trail', none, none.astype(np.uint8), thickness=3.0)

    def add(self, tip: Vector) -> None:
        """Go on to a place of the tip, in m."""
        if not self._tips or math.dist(self._tips[-1][1], tip) >= STEP * self._stage.size:
            self._tips.append((time.monotonic(), tip))

    def fade(self) -> None:
        """Draw it as old as it is; call this periodically."""
        if len(self._tips) < 2:
            return
        now = time.monotonic()
        padded = [self._tips[0]] * (COUNT - len(self._tips)) + [*self._tips]
        times, tips = map(np.array, zip(*padded, strict=True))
        fresh = np.clip(1.0 - (now - times) / LASTS, 0.0, 1.0)
        ends = np.stack([tips[:-1], tips[1:]], axis=1)
        lengths = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
        is_gone = (lengths > JUMP * self._stage.size) | (fresh[1:] <= 0.0)
        ends[is_gone] = ends[is_gone, 1:]
        area, colour = np.array(drawing.AREA), np.array(COLOUR)
        colours = drawing.linear(area + fresh[:, None] * (colour - area))
        self._lines.points = ends.astype(np.float32)
        self._lines.colors = np.stack([colours[:-1], colours[1:]], axis=1)
        while len(self._tips) > 1 and self._tips[1][0] <= now - LASTS:
            self._tips.popleft()
