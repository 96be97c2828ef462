"""A plane that a turntable carries."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ik2d_ros.kinematics.plane import Number, Plane, Vector, combined, dot

_ROUNDING = 1e-15


class TurningPlane(NamedTuple):
    """A plane that turns about an axis parallel to it, or all but parallel.

    Attributes:
        frame: of the axis, at a point on it: ``out``, at right angles to the axis in the plane at
            turn 0, ``across``, at right angles to both, and the axis. A turn rotates ``out``
            towards ``across``.
        plane: the plane at turn 0, seen in the axis frame.
        lean: sine of the angle between axis and plane; positive towards the plane's normal.
        offset: signed distance of the plane from the frame's origin, along its normal, in m.
    """

    frame: Plane
    plane: Plane
    lean: float
    offset: float

    @classmethod
    def of(cls, plane: Plane, origin: Vector, axis: Vector) -> TurningPlane:
        """Return a plane as it turns, about an axis through an origin in m, a unit vector."""
        normal = plane.axes[2]
        lean = dot(axis, normal)
        lean = lean if abs(lean) >= _ROUNDING else 0.0
        upright = math.sqrt(1.0 - lean * lean)
        (a, b, c), (x, y, z) = axis, ((n - lean * p) / upright for n, p in zip(normal, axis))
        frame = Plane(origin, ((y * c - z * b, z * a - x * c, x * b - y * a), (x, y, z), axis))
        right, up, facing = map(frame.direction, plane.axes)
        seen = Plane(frame.locate(plane.origin), (right, up, facing))
        offset = dot(seen.origin, facing)
        if abs(offset) <= _ROUNDING * (math.hypot(*plane.origin) + math.hypot(*origin)):
            offset = 0.0
        return cls(frame, seen, lean, offset)

    @property
    def upright(self) -> float:
        """Cosine of the angle between axis and plane."""
        return math.sqrt(1.0 - self.lean * self.lean)

    def point(
        self, seen: tuple[Number, Number, Number], turn: Number
    ) -> tuple[Number, Number, Number]:
        """Turn a point of the axis frame by an angle, and convert it to the surrounding frame."""
        return self.frame.point(*_turned(seen, turn))

    def plane_at(self, turn: Any) -> Plane:
        """Return the plane after a turn by an angle, in the surrounding frame."""
        origin, axes = self.plane
        x, y, normal = (combined(self.frame.axes, *_turned(axis, turn)) for axis in axes)
        return Plane(self.point(origin, turn), (x, y, normal))

    def turns_to(self, point: Vector, shift: float = 0.0) -> tuple[float, float]:
        """Return the turns in rad that bring the plane, shifted along its normal, to a point.

        The first has the point, of the surrounding frame, in front of the axis, the other behind
        it.
        """
        out, across, height = self.frame.locate(point)
        radius = math.hypot(out, across)
        beside = (self.offset + shift - self.lean * height) / self.upright
        ahead = math.sqrt(max(0.0, radius - abs(beside)) * (radius + abs(beside)))
        bearing = math.atan2(across, out)
        return bearing - math.atan2(beside, ahead), bearing - math.atan2(beside, -ahead)


def _turned(seen: tuple[Number, Number, Number], turn: Number) -> tuple[Number, Number, Number]:
    out, across, height = seen
    if isinstance(turn, np.ndarray):
        cos, sin = np.cos(turn), np.sin(turn)
    else:
        cos, sin = math.cos(turn), math.sin(turn)
    return out * cos - across * sin, out * sin + across * cos, height
