"""The drawing of the arm on the page.

An arm without turntable and lift is drawn in its plane: the scene's x and y are the plane's, the
camera looks against its normal. So a tabletop arm and one on a wall look alike, and a drag stays in
the plane. One with them is drawn in space, in the base frame, z up.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ik2d_ros.arm.bounding_ball import ball_around
from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics.plane import Plane, Vector
from ik2d_ros.viewer import drawing
from ik2d_ros.viewer.drawing import Mesh, add_mesh, listen
from ik2d_ros.viewer.drawn_path import DrawnPath
from ik2d_ros.viewer.figure import Figure, Stand
from ik2d_ros.viewer.handle import Handle
from ik2d_ros.viewer.requests import Act, Request
from ik2d_ros.viewer.view import Area

GRID = 6.0  # half its width, in reaches
GROUND_HEIGHT, TRAIL_HEIGHT, PATH_HEIGHT = -0.06, -0.045, -0.04  # reaches; under an arm in a plane
AREA_DEPTH = 0.01  # reaches
BODY_OPACITY = 0.28
SHEET, SHEET_OPACITY = 3.0, 0.3  # half its width in reaches
CORNERS = (-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)
TRAIL = (112, 72, 200)
TRAIL_LENGTH = 240  # tip positions at least TRAIL_STEP apart
TRAIL_STEP = 0.004  # reaches


class Scene:
    """The drawing of one arm; its methods are called in the server's thread."""

    def __init__(
        self, scene: Any, arm: ArmDescription, on_request: Callable[[Request], None]
    ) -> None:
        """Draw an arm in place of the one before.

        Args:
            scene: the scene of the ``viser.ViserServer``.
            arm: the arm.
            on_request: called when the handle is dragged.
        """
        scene.reset()
        self._scene, self._on_request = scene, on_request
        self.arm = arm
        self._size = arm.chain.reach.outer or 1.0
        self._positions: Sequence[float] = arm.home
        self._tips: list[Vector] = []
        is_flat = self._is_flat = arm.carrier is None
        if is_flat:
            where = 0.0, 0.0, GROUND_HEIGHT * self._size
            scene.add_frame('/ground', show_axes=False, position=where)
            drawing.add_grid(scene, '/ground', self._size, GRID, 0.003 * self._size)
        else:
            self._stand = Stand(scene, arm, ball_around(arm)[1])
            self._carried = scene.add_frame('/carried', show_axes=False)
        scene.configure_environment_map(None)
        scene.configure_default_lights(enabled=False)
        scene.add_light_ambient('/light/ambient', intensity=1.9)
        sun = (-2.0, 3.0, 4.0) if is_flat else (2.0, -3.0, 4.0)
        scene.add_light_directional('/light/sun', intensity=1.7, cast_shadow=False, position=sun)
        self._figure = Figure(scene, '/arm', arm)
        self._handle = Handle(scene, arm, self._size, on_request)
        self.show_measured = Figure(scene, '/ghost', arm, is_ghost=True).show
        """Show the measured arm as a ghost at (m,) positions; None hides it."""
        self.show_angle = self._handle.turn
        self.colour_target = self._handle.colour
        self._trail = scene.add_line_segments(
            '/trail',
            self._trail_lines(),
            TRAIL,
            thickness=3.0,
            thickness_units='screen',
            position=(0.0, 0.0, TRAIL_HEIGHT * self._size * is_flat),
        )

    def show_area(self, area: Area) -> None:
        """Fill the reachable area of the arm, and shade the body that it sweeps."""
        if not len(area.triangles):
            return
        body = area.body
        mesh = drawing.flat(area.points, area.triangles)
        looks: dict[str, Any] = {'material': 'toon3'}
        if self._is_flat:
            add_mesh(self._scene, '/ground/area', mesh, drawing.AREA, **looks)
            return
        # Each side is seen from its own side only, and a little behind the drawings in the plane.
        for side, height in (('front', -AREA_DEPTH), ('back', AREA_DEPTH)):
            where = 0.0, 0.0, height * self._size
            name, looks['side'] = f'/carried/{side}', side
            add_mesh(self._scene, name, mesh, drawing.AREA, position=where, **looks)
        if body is not None and len(body.triangles):
            # Only its far side is drawn, from the outside in; the arm inside stays visible, and
            # translucent triangles are blended in the order in which they come.
            distances = np.linalg.norm(body.vertices - body.vertices.mean(axis=0), axis=1)
            order = np.argsort(-distances[body.triangles].max(axis=1), kind='stable')
            mesh = Mesh(body.vertices, body.triangles[order])
            looks = {'side': 'back', 'opacity': BODY_OPACITY}
            add_mesh(self._scene, '/body', mesh, drawing.BODY, **looks)

    def show_pose(self, positions: Sequence[float]) -> None:
        """Move the joints to (m,) positions, in the arm's order."""
        self._positions = positions
        self._figure.show(positions)
        if self._is_flat:
            (x, y), z = self.arm.chain.forward(positions)[-1].tolist(), 0.0
        else:
            plane = self.arm.plane_at(positions)
            self._stand.show(positions)
            drawing.place(self._carried, plane)
            x, y, z = self.arm.kinematics.forward(positions).tolist()
        if not self._tips or math.dist(self._tips[-1], (x, y, z)) >= TRAIL_STEP * self._size:
            self._tips = [*self._tips[1 - TRAIL_LENGTH :], (x, y, z)]
            self._trail.points = self._trail_lines()

    def show_target(self, target: Vector) -> None:
        """Move the handle to a target in the base frame, in m."""
        self._handle.move(target, self.arm.plane_at(self._positions))

    def show_drawing(self, is_drawing: bool) -> None:
        """Put a sheet on which the mouse draws into the plane, in place of the handle."""
        self._handle.show(not is_drawing)
        name = f'{"/ground" if self._is_flat else "/carried"}/sheet'
        self._scene.remove_by_name(name)
        if is_drawing:
            square = drawing.fan(SHEET * self._size * np.array(CORNERS))
            looks: dict[str, Any] = {'side': 'double', 'opacity': SHEET_OPACITY}
            sheet = add_mesh(self._scene, name, square, drawing.SHEET, **looks)
            listen(sheet.on_click, self._clicked, self._on_request)
            listen(sheet.on_drag, self._drawn, self._on_request)

    def show_path(self, path: DrawnPath | None) -> None:
        """Show the path that is drawn; None hides it."""
        self._scene.remove_by_name('/path')
        if path is None:
            return
        lines, colours = path.segments()
        if self._is_flat:
            lines = self.arm.kinematics.plane.located(lines)
            lines[..., 2] = PATH_HEIGHT * self._size
        lines = lines.astype(np.float32)
        looks: dict[str, Any] = {'thickness': 4.0, 'thickness_units': 'screen'}
        self._scene.add_line_segments('/path', lines, drawing.linear(colours), **looks)

    def _clicked(self, event: Any) -> Request:
        place = self._behind(event.ray_origin, event.ray_direction)
        return Request(Act.END_STROKE, place)

    def _drawn(self, event: Any) -> Request:
        eye = event.client.camera.position
        there = event.start_position if event.phase == 'start' else event.end_position
        act = Act.END_STROKE if event.phase == 'end' else Act.ADD_POINT
        return Request(act, self._behind(eye, np.subtract(there, eye)))

    def _behind(self, eye: Sequence[float], way: Sequence[float]) -> Vector:
        """Return the point of the arm's plane, in the base frame, that a line of sight meets."""
        plane = self.arm.plane_at(self._positions)
        seen = Plane.from_pose((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)) if self._is_flat else plane
        origin, direction = (np.array(part, dtype=np.float64) for part in (eye, way))
        height, descent = (part @ seen.axes[2] for part in (origin - seen.origin, -direction))
        x, y, z = (origin + height / (descent or math.nan) * direction).tolist()
        x, y, _ = seen.locate((x, y, z))
        return plane.point(x, y)

    def _trail_lines(self) -> Any:
        """Return a fixed number of lines (k, 2, 3) in m from tip to tip."""
        tips = self._tips or [(0.0, 0.0, 0.0)]
        points = np.array([tips[0]] * (TRAIL_LENGTH - len(tips)) + tips, dtype=np.float32)
        return np.stack([points[:-1], points[1:]], axis=1)
