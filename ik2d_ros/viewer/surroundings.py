"""What is drawn around an arm: what it stands on, the wall or table behind it, its walls."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ik2d_ros.arm.coordinates import axis_name, on_wall, upright
from ik2d_ros.drawing.extent import carrier_axis
from ik2d_ros.drawing.kinds import link_width
from ik2d_ros.kinematics.plane import Plane, Wall
from ik2d_ros.pilot.outcome import Colour
from ik2d_ros.viewer import drawing
from ik2d_ros.viewer.drawing import Mesh
from ik2d_ros.viewer.stage import Stage

GROUND = 0.02  # thickness of its line, in reaches
FLOOR = 2.5  # half the width of the floor of an arm in space, in sizes of the scene
AXES = 0.22  # length of the base frame's axes, in the same
SLAB = 2.4, 0.04  # width and thickness of a wall, in reaches
DEPTH = 2.0  # of its corner of no triangle, in that of the area of reach, which covers walls
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


def add_stand(stage: Stage, size: float) -> None:
    """Add what is before the chain of an arm with a turntable or a lift: base, column and hub.

    The bracket between column and chain is on the figure, ``arm``, which carries it. The scene has
    a radius in m.
    """
    arm, far, width = stage.arm, AXES * size, link_width(stage.arm.chain)
    stage.frame('ground')
    stage.grid('ground', FLOOR * size)
    stage.scene.add_frame(f'{stage.root}/stand', axes_length=far, axes_radius=0.02 * far)
    for i, label in enumerate('xyz'):
        x, y, z = far * np.eye(3)[i]
        stage.label(f'stand/{label}', label, (x, y, z))
    frame, heights = carrier_axis(arm)
    low, tall = min(heights), max(heights) - min(heights)

    def add_disc(name: str, radius: float, height: float, colour: Colour, at: float) -> None:
        where = {'position': frame.point(0.0, 0.0, at), 'wxyz': drawing.turn_of(frame)}
        node = f'{stage.root}/stand/{name}'
        stage.scene.add_cylinder(node, radius * width, height, colour, **where)

    thick = 1.0 if arm.turntable else 0.6
    add_disc('column', thick, tall, drawing.FOOT, low + 0.5 * tall)
    add_disc('foot', 1.8, 0.3 * width, drawing.FOOT, heights[0])
    if arm.turntable is None:
        return
    # From the axis to the chain's first joint, in the plane, which carries it.
    plane = arm.kinematics.plane
    _, _, height = frame.locate(plane.origin)
    x, y, out = plane.locate(frame.point(0.0, 0.0, height))
    rpy = 0.0, -math.atan2(out, math.hypot(x, y)), math.atan2(y, x)
    along = drawing.turn_of(Plane.from_pose((0.0, 0.0, 0.0), rpy))
    bracket = drawing.bar(math.hypot(x, y, out), 0.7 * width)
    middle = 0.5 * x, 0.5 * y, 0.5 * out
    stage.mesh('arm/bracket', bracket, drawing.FOOT, position=middle, wxyz=along)
    add_disc('hub', 1.2, 1.6 * width, drawing.JOINT, height)


def add_slab(stage: Stage, wall: Wall) -> None:
    """Add a translucent slab behind the surface of a wall, beside the arm."""
    frame, (width, thickness) = on_wall(wall, stage.arm), (share * stage.size for share in SLAB)
    box = drawing.solid('box', (width, width, thickness))
    box = Mesh(box.vertices - (0.0, 0.0, 0.5 * thickness), box.faces)
    looks: dict[str, Any] = {'opacity': OPACITY, 'flat_shading': True}
    slab = stage.mesh(f'walls/{wall.name}', stage.sunk(box, frame, DEPTH), drawing.WALL, **looks)
    depth = wall.clearance + UNDER * stage.size
    drawing.place(slab, Plane(frame.point(0.0, 0.0, -depth), frame.axes))
