"""What is drawn around an arm: the wall or table behind one in a plane, the ground, its walls."""

from __future__ import annotations

import math

import numpy as np

from ik2d_ros.arm.coordinates import axis_name, on_wall, upright
from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.kinematics.walls import Wall
from ik2d_ros.viewer import drawing
from ik2d_ros.viewer.stage import Stage

GROUND = 0.02  # thickness of its line, in reaches
SLAB = 2.4, 0.04  # width and thickness of a wall, in reaches
OPACITY = 0.35
UNDER = 0.01  # how far it is behind its surface, in reaches, where the floor's lines may be


def add_background(stage: Stage, half: float, height: float) -> None:
    """Add the wall or table behind an arm in a plane, and the ground that an upright one stands on.

    It is half as wide as given, and at a height along the plane's normal, both in m.
    """
    name, size, plane = 'wall', stage.size, stage.plane
    view = upright(plane.axes[2], plane.origin)
    drawing.place(stage.frame(name), Plane(view.point(0.0, 0.0, height), view.axes))
    x, y, _ = view.locate(plane.origin)
    stage.grid(name, half + math.hypot(x, y))
    far = 1.06 * size
    beside, level = min(max(0.0, x - far), x + far), min(max(0.0, y - far), y + far)
    for axis in view.axes[:2]:
        label = axis_name(axis)
        end = -far if label.startswith('-') else far
        where = (x + end, level, 0.0) if axis is view.axes[0] else (beside, y + end, 0.0)
        stage.label(f'{name}/{label}', label[-1:], where)
    if axis_name(view.axes[1]) == 'z':
        bar = [(x + a, b) for a in (-half, half) for b in (0.0, -GROUND * size)]
        corners = np.array([bar[0], bar[1], bar[3], bar[2]])
        stage.mesh(f'{name}/ground', drawing.fan(corners), drawing.SECTIONS)


def add_slab(stage: Stage, wall: Wall) -> None:
    """Add a translucent slab behind the surface of a wall, beside the arm."""
    frame, (width, thickness) = on_wall(wall, stage.arm), (share * stage.size for share in SLAB)
    depth = wall.clearance + 0.5 * thickness + UNDER * stage.size
    slab = stage.scene.add_box(
        f'{stage.root}/walls/{wall.name}',
        drawing.WALL,
        (width, width, thickness),
        opacity=OPACITY,
    )
    drawing.place(slab, Plane(frame.point(0.0, 0.0, -depth), frame.axes))
