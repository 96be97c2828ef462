"""The drawing of the arm on the page, in the base frame.

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

from ik2d_ros.arm.coordinates import upright
from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.drawing.extent import ball_around
from ik2d_ros.kinematics.plane import Vector, combined
from ik2d_ros.viewer import drawing
from ik2d_ros.viewer.drawing import Mesh
from ik2d_ros.viewer.drawn_path import DrawnPath
from ik2d_ros.viewer.figure import Figure
from ik2d_ros.viewer.grips import Grips
from ik2d_ros.viewer.handle import Handle
from ik2d_ros.viewer.requests import Act, Request
from ik2d_ros.viewer.stage import Stage, listen, met
from ik2d_ros.viewer.surroundings import add_background, add_slab, add_stand

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
            stage.sheet(name, self._sides, self._draw, goes_along=True, **looks)

    def _draw(self, phase: str, place: Vector) -> None:
        self._stage.on_request(Request(STROKE[phase], place))

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
