"""From where an arm is seen in a drawing: projections onto a page; no ROS imports, no drawing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.arm.region import Points
from ik2d_ros.arm.skeleton import skeleton
from ik2d_ros.kinematics.plane import Plane, Vector
from ik2d_ros.parameters.wording import printable

LONGEST_NAME = 40  # characters
STEEP = 0.7  # the share of a direction along z from which it counts as upright
LEAN = 5e-3  # rad by which a direction may differ from an axis and still be called by its name


class View(NamedTuple):
    """A projection of space onto the page.

    Attributes:
        origin: (3,) where the page's coordinates are 0, in m in the base frame.
        right: (3,) unit vector in the base frame.
        up: (3,) unit vector in the base frame, at right angles to ``right``.
        labels: of the page's x-axis and y-axis.
    """

    origin: Points
    right: Points
    up: Points
    labels: tuple[str, str]

    def flat(self, points: Sequence[Vector]) -> Points:
        """Project points (k, 3) in m in the base frame; (k, 2) in m on the page."""
        away = np.reshape(np.array(points, dtype=float), (-1, 3)) - self.origin
        return np.stack([away @ self.right, away @ self.up], axis=1)

    def placed(self, plane: Plane, points: Points) -> Points:
        """Project points (k, 2) of a plane, in m; (k, 2) in m on the page."""
        return self.flat([plane.point(x, y) for x, y in points.tolist()])


def plane_view(arm: ArmDescription) -> View:
    """Return the view of an arm's plane.

    Without turntable and lift it is seen in its own coordinates, else from above or from the side;
    one that turns with the turntable at 0, and its axis upright or level, whatever is nearer.
    """
    plane, sweep, turntable = arm.kinematics.plane, arm.kinematics.sweep, arm.turntable
    if arm.carrier is None:
        right, up = np.array(plane.axes[0]), np.array(plane.axes[1])
        return View(np.array(plane.origin), right, up, ('x in m', 'y in m'))
    if sweep is None or turntable is None:
        return _seen_along(np.array(plane.axes[2]))
    out, axis = _signed(np.array(sweep.frame[0])), _signed(np.array(sweep.frame[2]))
    # Along the axis the page has the coordinate of the base frame, beside it the distance from it.
    origin = np.array(turntable.xyz) - (np.array(turntable.xyz) @ axis) * axis
    name = printable(turntable.name, LONGEST_NAME)
    labels = f'out from the axis of {name}, in m', f'{_name(axis)} in m'
    if abs(out[2]) > abs(axis[2]):
        return View(origin, axis, out, labels[::-1])
    return View(origin, out, axis, labels)


def body_view(arm: ArmDescription) -> View:
    """Return the view that shows what turntable or lift do.

    A turntable is seen along its axis, from above if the axis is upright; a lift from the side.
    """
    if arm.turntable is not None:
        return _seen_along(np.array(arm.turntable.axis))
    up = _signed(np.array(arm.kinematics.plane.axes[2]))
    right = _across(np.eye(3)[0 if abs(up[0]) < STEEP else 1], up)
    return View(np.zeros(3), right, up, _labels(right, up))


def pose_in_plane(arm: ArmDescription, positions: Sequence[float]) -> list[Vector]:
    """Return the points of a pose in m in the base frame, turned back into :func:`plane_view`."""
    turned_back = (0.0, *positions[1:]) if arm.turntable is not None else positions
    return skeleton(arm, turned_back)


def _seen_along(direction: Points) -> View:
    """Return the view against a direction or along it, whichever is from above or in front."""
    viewer = _signed(direction)
    up = _across(np.eye(3)[2 if abs(viewer[2]) < STEEP else 1], viewer)
    right: Points = np.asarray(np.cross(up, viewer), dtype=np.float64)
    return View(np.zeros(3), right, up, _labels(right, up))


def _labels(right: Points, up: Points) -> tuple[str, str]:
    return f'{_name(right)} in m', f'{_name(up)} in m'


def _name(direction: Points) -> str:
    """Return what the coordinate along a unit vector of the base frame is called."""
    axis = int(np.abs(direction).argmax())
    if abs(direction[axis]) > math.cos(LEAN):
        return f'{"" if direction[axis] > 0.0 else "-"}{"xyz"[axis]}'
    return f'along ({", ".join(f"{part + 0.0:.3g}" for part in direction)})'


def _signed(direction: Points) -> Points:
    """Return a direction or its opposite: the one whose largest component is positive."""
    largest = direction[np.abs(direction).round(9).argmax()]
    return math.copysign(1.0, largest) * direction + 0.0


def _across(direction: Points, normal: Points) -> Points:
    """Return the unit vector at right angles to a normal that is nearest to a direction."""
    across = direction - float(direction @ normal) * normal
    return np.asarray(across / float(np.linalg.norm(across)), dtype=np.float64)
