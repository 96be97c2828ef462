"""From where a machine in space is seen: projections onto a page; no ROS imports, no drawing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.arm.region import Points
from ik2d_ros.arm.skeleton import skeleton
from ik2d_ros.kinematics.plane import Plane, Vector
from ik2d_ros.kinematics.sweep import dot
from ik2d_ros.parameters.wording import printable

LONGEST_NAME = 40  # characters
STEEP = 0.7  # the share of a direction along z from which it counts as upright
LEAN = 5e-3  # rad by which a direction may differ from an axis and still be called by its name
ROUNDED = 0.01  # of a direction in the configuration of RViz
OUT = 'out'  # the name of the direction away from a turntable's axis
SIDES = (('behind', 'the front'), ('the side', 'the side'), ('below', 'above'))

PITCH = 0.75  # rad by which the shipped configuration of RViz looks down,
FRONT = 4.712389  # and the side from which it does, in rad about z of the base frame
EDGE_ON = 0.3  # share of a plane's normal towards the viewer, below which it is seen edge-on
STEEPEST = 0.5  # share of a normal downwards, from which that side is not seen from above


class Camera(NamedTuple):
    """From where RViz looks at an arm.

    Attributes:
        yaw: the side from which it does, in rad about z of the base frame.
    """

    yaw: float

    @property
    def viewer(self) -> Vector:
        """Unit vector towards the viewer in the base frame."""
        level = math.cos(PITCH)
        return level * math.cos(self.yaw), level * math.sin(self.yaw), math.sin(PITCH)

    @property
    def up(self) -> Vector:
        """Unit vector of what is upwards on the screen, in the base frame."""
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


class View(NamedTuple):
    """A projection of space onto the page.

    Attributes:
        origin: where the page's coordinates are 0, in m in the base frame.
        right: unit vector in the base frame.
        up: unit vector in the base frame, at right angles to ``right``.
        names: of what increases to the right and upwards.
        labels: of the page's x-axis and y-axis.
    """

    origin: Vector
    right: Vector
    up: Vector
    names: tuple[str, str]
    labels: tuple[str, str]

    @property
    def seen_from(self) -> str:
        """From where the page is seen, roughly: ``above``, ``the front``, ``the side``, ..."""
        viewer = _cross(self.right, self.up)
        axis = max(range(3), key=lambda i: round(abs(viewer[i]), 9))
        return SIDES[axis][viewer[axis] > 0.0]

    def flat(self, points: Sequence[Vector]) -> Points:
        """Project points (k, 3) in m in the base frame; (k, 2) in m on the page."""
        away = np.reshape(np.array(points, dtype=float), (-1, 3)) - self.origin
        return np.stack([away @ self.right, away @ self.up], axis=1)

    def placed(self, plane: Plane, points: Points) -> Points:
        """Project points (k, 2) of a plane, in m; (k, 2) in m on the page."""
        return self.flat([plane.point(x, y) for x, y in points.tolist()])


def plane_view(arm: ArmDescription) -> View:
    """Return the view of an arm's plane, seen along its normal.

    A plane that turns is seen with the turntable at 0, the axis upright or level, whatever is
    nearer; one on a lift as it lies in space.
    """
    sweep, turntable = arm.kinematics.sweep, arm.turntable
    if sweep is None or turntable is None:
        return _seen_along(arm.kinematics.plane.axes[2])
    out, _, axis = sweep.frame
    # Along the axis the page has the coordinate of the base frame, beside it the distance from it.
    along = sum(a * b for a, b in zip(turntable.xyz, axis, strict=True))
    x, y, z = (point - along * part for point, part in zip(turntable.xyz, axis, strict=True))
    axis, out = _signed(axis), _signed(out)
    name = printable(turntable.name, LONGEST_NAME)
    labels = f'{_name(axis)} in m', f'out from the axis of {name}, in m'
    if abs(out[2]) > abs(axis[2]):
        return View((x, y, z), axis, out, (_name(axis), OUT), labels)
    return View((x, y, z), out, axis, (OUT, _name(axis)), labels[::-1])


def body_view(arm: ArmDescription) -> View:
    """Return the view that shows what turntable or lift do.

    A turntable is seen along its axis, from above if the axis is upright; a lift from the side.
    """
    if arm.turntable is not None:
        return _seen_along(arm.turntable.axis)
    normal = _signed(arm.kinematics.plane.axes[2])
    aside = (1.0, 0.0, 0.0) if abs(normal[0]) < STEEP else (0.0, 1.0, 0.0)
    return _named(_across(aside, normal), normal)


def pose_in_plane(arm: ArmDescription, positions: Sequence[float]) -> list[Vector]:
    """Return the points of a pose in m in the base frame, turned back into :func:`plane_view`."""
    turned_back = (0.0, *positions[1:]) if arm.turntable is not None else positions
    return skeleton(arm, turned_back)


def _seen_along(direction: Vector) -> View:
    """Return the view against a direction or along it, whichever is from above or in front."""
    viewer = _signed(direction)
    upright = (0.0, 0.0, 1.0) if abs(viewer[2]) < STEEP else (0.0, 1.0, 0.0)
    up = _across(upright, viewer)
    return _named(_cross(up, viewer), up)


def _named(right: Vector, up: Vector) -> View:
    names = _name(right), _name(up)
    return View((0.0, 0.0, 0.0), right, up, names, (f'{names[0]} in m', f'{names[1]} in m'))


def _name(direction: Vector) -> str:
    """Return what the coordinate along a unit vector of the base frame is called."""
    for name, part in zip('xyz', direction, strict=True):
        if abs(part) > math.cos(LEAN):
            return name if part > 0.0 else f'-{name}'
    return f'along ({", ".join(f"{part + 0.0:.3g}" for part in direction)})'


def _signed(direction: Vector) -> Vector:
    """Return a direction or its opposite: the one whose largest component is positive."""
    largest = max(direction, key=lambda part: round(abs(part), 9))
    x, y, z = (math.copysign(1.0, largest) * part + 0.0 for part in direction)
    return x, y, z


def _across(direction: Vector, normal: Vector) -> Vector:
    """Return the unit vector at right angles to a normal that is nearest to a direction."""
    share = sum(a * b for a, b in zip(direction, normal, strict=True))
    x, y, z = (a - share * b for a, b in zip(direction, normal, strict=True))
    length = math.hypot(x, y, z)
    return x / length, y / length, z / length


def _cross(a: Vector, b: Vector) -> Vector:
    x, y, z = np.cross(a, b).tolist()
    return x, y, z
