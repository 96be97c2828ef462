"""The drawing of the arm on the page and of what is around it, in the base frame.

An arm without turntable and lift is seen from the front of its plane, in which drags stay: one on a
table and one on a wall look alike. One with them is seen in space. Presses are read from where the
scene is pressed: a sheet that took them would be in front of the handles.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import numpy as np

from ik2d_ros.arm.coordinates import axis_name, on_wall, upright
from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.drawing.extent import ball_around, carrier_axis
from ik2d_ros.drawing.solids import link_width
from ik2d_ros.kinematics.plane import Plane, Wall, combined
from ik2d_ros.pilot.outcome import Colour
from ik2d_ros.viewer import drawing
from ik2d_ros.viewer.drawing import Stage, listen, met
from ik2d_ros.viewer.figure import Figure
from ik2d_ros.viewer.handles import Grips, Handle
from ik2d_ros.viewer.view import Act, DrawnPath, Mesh, Request

GROUND = 0.02  # thickness of its line, in reaches
FLOOR = 2.5  # half the width of the floor of an arm in space, in sizes of the scene
AXES = 0.22  # length of the base frame's axes, in the same
SLAB = 1.7, 0.04  # half of the diagonal of a wall, and its thickness, in reaches
DEPTH = 2.0  # of its corner of no triangle, in that of the area of reach, which covers walls
OPACITY = 0.35
UNDER = 0.01  # how far it is behind its surface, in reaches, where the floor's lines may be
GRID = 6.0  # half the width of the background of an arm in a plane, in reaches
PRESSED = 2.0  # reaches from the base: presses farther away are of the background
WALL_HEIGHT, PATH_HEIGHT = -0.06, -0.04  # reaches; under an arm in a plane
DEPTHS = {'front': -0.01, 'back': 0.01}  # of an area in space, by the side it is seen from
PAPER_OPACITY = 0.3
CORNERS = (-1.75, -1.0), (1.75, -1.0), (0.0, 2.0)  # its sides are that far away
POINT = 0.03  # size of a point of a path, in reaches
STROKE = {'start': Act.ADD_POINT, 'update': Act.DRAW_ON, 'end': Act.END_STROKE}
RESIZED = 1.5  # factor of the reach beyond which all is drawn anew, at another size

_NUMBERS = count()


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
    for label, (x, y, z) in zip('xyz', far * np.eye(3), strict=True):
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
    frame, (corner, thickness) = on_wall(wall, stage.arm), (share * stage.size for share in SLAB)
    profile = (0.0, -thickness), (corner, -thickness), (corner, 0.0), (0.0, 0.0)
    box = drawing.revolved(profile, corners=4)
    looks: dict[str, Any] = {'opacity': OPACITY, 'flat_shading': True}
    slab = stage.mesh(f'walls/{wall.name}', stage.sunk(box, frame, DEPTH), drawing.WALL, **looks)
    depth = wall.clearance + UNDER * stage.size
    drawing.place(slab, Plane(frame.point(0.0, 0.0, -depth), frame.axes))


class Scene:
    """The drawing of one arm; its methods are called in the server's thread."""

    def __init__(
        self, scene: Any, arm: ArmDescription, on_request: Callable[[Request], None]
    ) -> None:
        """Draw an arm in place of the one before, in the scene of a ``viser.ViserServer``."""
        scene.reset()
        scene.remove_click_callback()
        # Browsers leave a node where it was if another one comes under its name at once.
        root, size = f'/{next(_NUMBERS)}', arm.chain.reach.outer or 1.0
        self._stage = stage = Stage(scene, root, arm, arm.home, size, on_request)
        self._figure = Figure(stage, 'arm')
        self._frame = stage.frame('plane')
        drawing.place(self._frame, stage.plane)
        if stage.is_flat:
            add_background(stage, GRID * size, stage.over(WALL_HEIGHT))
            sun = combined(upright(stage.plane.axes[2]).axes, -2.0, 3.0, 4.0)
        else:
            add_stand(stage, ball_around(arm)[1])
            sun = 2.0, -3.0, 4.0
        scene.configure_environment_map(None)
        scene.configure_default_lights(enabled=False)
        scene.add_light_ambient(f'{root}/light/ambient', intensity=1.9)
        scene.add_light_directional(f'{root}/light/sun', intensity=1.7, position=sun)
        self.show_gripper = self._figure.show_gripper
        self.show_measured = Figure(stage, 'ghost', is_ghost=True).show
        """Show the measured arm as a ghost at (m,) positions; None hides it."""
        far = GRID if stage.is_flat else PRESSED
        self._sides = drawing.fan(far * size * np.array(CORNERS))
        self._press_act = Act.TARGET
        listen(scene.on_click(), self._pressed, on_request)
        if stage.is_flat:
            under = 0.0, 0.0, stage.over(WALL_HEIGHT)
            stage.sheet('plane/press', self._sides, stage.aim, goes_along=True, position=under)
        for wall in arm.walls:
            add_slab(stage, wall)
        handle = Handle(stage)
        self.show_target, self.show_angle, self.show_handle = handle.move, handle.turn, handle.show
        self.colour_target = handle.colour
        self.show_grips = Grips(stage).show

    @property
    def arm(self) -> ArmDescription:
        """The arm that is drawn."""
        return self._stage.arm

    def _pressed(self, event: Any) -> Request | None:
        plane = self._stage.plane
        place = met(plane, event.ray_origin, event.ray_direction)
        if place is None or math.dist(place, plane.origin) > PRESSED * self._stage.size:
            return None
        return Request(self._press_act, place)

    def reshape(self, arm: ArmDescription) -> bool:
        """Draw an arm with the same joints and others lengths or limits; False if it needs more."""
        size = arm.chain.reach.outer or 1.0
        if arm.names != self.arm.names or not 1.0 / RESIZED < size / self._stage.size < RESIZED:
            return False
        self._stage.arm = arm
        self._figure.draw()
        return True

    def show_area(self, area: Mesh) -> None:
        """Fill the reachable area of the arm."""
        stage = self._stage
        if not len(area.faces):
            return
        area = stage.sunk(area, stage.plane)
        # In space each side is seen from its own side only, a little behind the arm's plane.
        heights = {'front': WALL_HEIGHT} if stage.is_flat else DEPTHS
        for side, height in heights.items():
            where = {'position': (0.0, 0.0, height * stage.size)}
            looks: dict[str, Any] = {'side': side, 'opacity': drawing.AREA_OPACITY}
            stage.mesh(f'plane/{side}', area, drawing.AREA, **looks, **where)

    def show_pose(self, positions: Sequence[float]) -> None:
        """Move the joints to (m,) positions, in the arm's order."""
        self._stage.positions = positions
        self._figure.show(positions)
        drawing.place(self._frame, self._stage.plane)

    def show_drawing(self, is_drawing: bool) -> None:
        """Put a sheet on which the mouse draws into the plane."""
        stage, name = self._stage, 'plane/paper'
        stage.remove(name)
        self._press_act = Act.ADD_POINT if is_drawing else Act.TARGET
        if is_drawing:
            looks = {'opacity': PAPER_OPACITY, 'wireframe': False}
            stage.sheet(
                name,
                self._sides,
                lambda phase, place: stage.on_request(Request(STROKE[phase], place)),
                goes_along=True,
                **looks,
            )

    def show_path(self, path: DrawnPath) -> None:
        """Show the path that is drawn."""
        stage, name = self._stage, 'path'
        under = np.array(stage.plane.direction((0.0, 0.0, stage.over(PATH_HEIGHT))))
        stage.remove(name)
        if not path.points:
            return
        looks: dict[str, Any] = {'thickness': 4.0, 'thickness_units': 'screen'}
        lines, colours = path.segments()
        if len(lines):
            ends = (lines + under).astype(np.float32)
            # Lines expect linear light, unlike meshes.
            colours = (255.0 * (colours / 255.0) ** 2.2).round().astype(np.uint8)
            stage.scene.add_line_segments(f'{stage.root}/{name}/lines', ends, colours, **looks)
        looks = {'point_size': POINT * stage.size, 'point_shape': 'circle'}
        dots = np.array(path.points[:: max(len(path.points) - 1, 1)]) + under  # its ends
        stage.scene.add_point_cloud(
            f'{stage.root}/{name}/dots', dots, drawing.JOINT, precision='float32', **looks
        )
