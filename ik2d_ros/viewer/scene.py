"""The drawing of the arm on the page.

Everything is drawn in the arm's plane: the scene's x and y are the plane's, the camera looks
against its normal. So a tabletop arm and one on a wall look alike, and a drag stays in the plane.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ik2d_ros.arm.area import Points, Triangles
from ik2d_ros.kinematics import Chain
from ik2d_ros.node.outcome import Colour
from ik2d_ros.viewer import shapes
from ik2d_ros.viewer.requests import Drag, Request

FOOT, LINK, JOINT, TIP = (150, 156, 166), (240, 140, 46), (66, 72, 82), (52, 58, 64)
GHOST = (92, 124, 250)
AREA = (166, 219, 255)
LIMIT, AT_LIMIT = (96, 108, 128), (224, 49, 49)
TRAIL, TRAIL_END = (112, 72, 200), (186, 214, 242)
UNKNOWN = (134, 142, 150)

VIEW_ANGLE = math.radians(20.0)  # narrow: little perspective, so depth does not shift things
VIEW_MARGIN = 1.18
GRID = 6.0  # half its width, in reaches
GHOST_OPACITY = 0.45
GHOST_HEIGHT = -0.03  # reaches; under the arm, and so visible only where the arm is not
TRAIL_LENGTH = 240  # tip positions at least TRAIL_STEP apart
TRAIL_STEP = 0.004  # reaches
AT_LIMIT_WITHIN = 1e-4  # rad
SQUARE = 0.09  # side of the handle, in reaches
HANDLE_HEIGHT = -0.04  # reaches; under the arm, so that the tip stays visible at the target

# The gizmo's square is offset from its origin, in units of its scale, as in PivotControls of the
# JavaScript library drei. The gizmo is shifted so that the square is on the target.
SQUARE_CENTER, SQUARE_SIDE = 1.7 / 7.0, 0.225


class Scene:
    """The drawing; methods may be called at any time and update only what has changed."""

    def __init__(self, server: Any, on_request: Callable[[Request], None]) -> None:
        """Prepare an empty scene.

        Args:
            server: the ``viser.ViserServer``.
            on_request: called from another thread when the handle is dragged.
        """
        self._server = server
        self._scene = server.scene
        self._on_request = on_request
        self._chain: Chain | None = None
        self._joints: list[Any] = []
        self._ghost: Any = None
        self._ghost_joints: list[Any] = []
        self._limits: list[Any] = []
        self._gizmo: Any = None
        self._target_ring: Any = None
        self._trail_line: Any = None
        self._trail: list[tuple[float, float]] = []
        self._size = 1.0
        self._scene.set_up_direction('+y')
        self._scene.world_axes.visible = False
        self._scene.configure_environment_map(None)
        self._scene.configure_default_lights(enabled=False)
        self._scene.add_light_ambient('/light/ambient', intensity=1.9)
        self._scene.add_light_directional(
            '/light/sun', intensity=1.7, cast_shadow=False, position=(-2.0, 3.0, 4.0)
        )
        server.initial_camera.fov = VIEW_ANGLE

    def show_chain(self, chain: Chain) -> None:
        """Draw another arm, and point every camera at it."""
        self.clear()
        self._chain, self._size = chain, chain.reach.outer or 1.0
        with self._server.atomic():
            self._add_ground()
            self._add_arm(chain)
            self._add_ghost(chain)
            self._add_target()
            self._add_trail()
        self._look()

    def show_area(self, points: Points, triangles: Triangles) -> None:
        """Fill the reachable area of the arm."""
        if self._chain is not None and len(triangles):
            area = shapes.Mesh(np.column_stack([points, np.zeros(len(points))]), triangles)
            self._mesh('/ground/area', area, AREA, material='toon3')

    def clear(self) -> None:
        """Remove everything but the lights."""
        for name in ('/ground', '/arm', '/ghost', '/target', '/trail'):
            self._scene.remove_by_name(name)
        self._chain, self._joints, self._limits, self._trail = None, [], [], []
        self._gizmo = self._target_ring = self._trail_line = self._ghost = None
        self._ghost_joints = []

    def show_pose(self, positions: Sequence[float]) -> None:
        """Move the joints to (n,) positions in rad, in the chain's order."""
        if self._chain is None:
            return
        with self._server.atomic():
            for joint, limit, frame, q in zip(
                self._chain.joints, self._limits, self._joints, positions, strict=True
            ):
                frame.wxyz = _about_z(joint.axis * q + joint.offset)
                if limit is not None and joint.lower is not None and joint.upper is not None:
                    slack = min(q - joint.lower, joint.upper - q)
                    _recolour(limit, AT_LIMIT if slack <= AT_LIMIT_WITHIN else LIMIT)
            x, y = self._chain.forward(positions)[-1].tolist()
            self._extend_trail(x, y)
        self._server.flush()

    def show_measured(self, positions: Sequence[float] | None) -> None:
        """Show the measured arm as a ghost at (n,) positions in rad; None hides it."""
        if self._chain is None:
            return
        if self._ghost.visible != (positions is not None):
            self._ghost.visible = positions is not None
        if positions is None:
            return
        with self._server.atomic():
            for joint, frame, q in zip(
                self._chain.joints, self._ghost_joints, positions, strict=True
            ):
                frame.wxyz = _about_z(joint.axis * q + joint.offset)
        self._server.flush()

    def show_target(self, x: float, y: float) -> None:
        """Move the handle to a point in the plane, in m."""
        if self._gizmo is not None and math.isfinite(x) and math.isfinite(y):
            offset = SQUARE_CENTER * self._gizmo.scale
            self._gizmo.position = (x - offset, y - offset, HANDLE_HEIGHT * self._size)

    def colour_target(self, colour: Colour) -> None:
        """Give the handle the colour of the status."""
        if self._target_ring is not None:
            _recolour(self._target_ring, colour)

    def _add_ground(self) -> None:
        """Add the ground grid, drawn without blending, as it covers the page."""
        size = self._size
        self._scene.add_frame('/ground', show_axes=False, position=(0.0, 0.0, -0.06 * size))
        cell = _round_step(size / 4.0)
        count = math.ceil(GRID * size / cell)
        steps = np.arange(-count, count + 1)
        for name, chosen, shade in (
            ('cells', steps[steps % 5 != 0], (236, 239, 243)),
            ('sections', steps[steps % 5 == 0], (218, 223, 230)),
        ):
            self._scene.add_line_segments(
                f'/ground/{name}',
                shapes.grid(cell * chosen, cell * count).astype(np.float32),
                _linear(shade),
                thickness=1.2,
                thickness_units='screen',
                position=(0.0, 0.0, 0.003 * size),
            )

    def _add_arm(self, chain: Chain) -> None:
        radii = shapes.radii(chain)
        name, position = '/arm', (0.0, 0.0, 0.0)
        self._scene.add_frame(name, show_axes=False)
        self._mesh(
            '/arm/foot', shapes.disc(1.7 * radii[0], 0.25 * radii[0], 0.1 * radii[0]),
            FOOT, position=(0.0, 0.0, -0.9 * radii[0]),
        )  # fmt: skip
        for index, joint in enumerate(chain.joints):
            begin, end = radii[index], radii[index + 1]
            self._limits.append(self._add_limit(f'{name}/limit', chain, index, begin, position))
            name += f'/{index}'
            frame = self._scene.add_frame(name, show_axes=False, position=position)
            self._joints.append(frame)
            if joint.length > 0.0:
                direction = math.atan2(joint.link[1], joint.link[0])
                body = shapes.link(joint.length, begin, end)
                self._mesh(f'{name}/link', body, LINK, wxyz=_about_z(direction))
            height = (shapes.FLATNESS + 0.12) * begin
            knob = shapes.disc(0.62 * begin, height, 0.12 * begin)
            self._mesh(f'{name}/joint', knob, JOINT)
            position = (*joint.link, 0.0)
        height = (shapes.FLATNESS + 0.12) * radii[-1]
        knob = shapes.disc(0.5 * radii[-1], height, 0.12 * radii[-1])
        self._mesh(f'{name}/tip', knob, TIP, position=position)

    def _add_ghost(self, chain: Chain) -> None:
        """Add the measured arm, invisible at first."""
        radii = shapes.radii(chain)
        name, position = '/ghost', (0.0, 0.0, GHOST_HEIGHT * self._size)
        self._ghost = self._scene.add_frame(name, show_axes=False, visible=False)
        for index, joint in enumerate(chain.joints):
            name += f'/{index}'
            frame = self._scene.add_frame(name, show_axes=False, position=position)
            self._ghost_joints.append(frame)
            if joint.length > 0.0:
                body = shapes.link(joint.length, radii[index], radii[index + 1])
                turn = _about_z(math.atan2(joint.link[1], joint.link[0]))
                self._mesh(f'{name}/link', body, GHOST, wxyz=turn, opacity=GHOST_OPACITY)
            position = (*joint.link, 0.0)

    def _add_limit(
        self,
        name: str,
        chain: Chain,
        index: int,
        radius: float,
        position: tuple[float, float, float],
    ) -> Any:
        """Add the range of a joint, fixed to the link before it."""
        sector = shapes.sector(chain, index)
        if sector is None:
            return None
        mesh = shapes.band(0.0, 2.7 * radius, sector.begin, sector.end)
        x, y, _ = position
        return self._mesh(name, mesh, LIMIT, position=(x, y, -0.6 * radius), opacity=0.45)

    def _add_target(self) -> None:
        side = SQUARE * self._size
        self._gizmo = self._scene.add_transform_controls(
            '/target',
            scale=side / SQUARE_SIDE,
            active_axes=(True, True, False),
            disable_axes=True,
            disable_rotations=True,
            opacity=0.0,
            position=(0.0, 0.0, HANDLE_HEIGHT * self._size),
        )
        center = SQUARE_CENTER * self._gizmo.scale
        ring = shapes.band(0.78 * side, 0.95 * side)
        self._target_ring = self._mesh(
            '/target/ring', ring, UNKNOWN, position=(center, center, 0.0)
        )

        async def on_update(event: Any) -> None:  # async: such callbacks keep their order
            x, y, _ = (float(value) for value in event.target.position)
            self._on_request(Drag(event.phase, x + center, y + center))

        self._gizmo.on_update(on_update)

    def _add_trail(self) -> None:
        self._trail_line = self._scene.add_line_segments(
            '/trail',
            *self._trail_segments(),
            thickness=3.0,
            thickness_units='screen',
            position=(0.0, 0.0, -0.045 * self._size),
        )

    def _extend_trail(self, x: float, y: float) -> None:
        if self._trail and math.dist(self._trail[-1], (x, y)) < TRAIL_STEP * self._size:
            return
        self._trail = [*self._trail[1 - TRAIL_LENGTH :], (x, y)]
        self._trail_line.points, _ = self._trail_segments()

    def _trail_segments(self) -> tuple[Any, Any]:
        """Return the trail as a fixed number of (k, 2, 3) points, and their fading colours."""
        tips = self._trail or [(0.0, 0.0)]
        tips = [tips[0]] * (TRAIL_LENGTH - len(tips)) + tips
        points = np.column_stack([np.array(tips), np.zeros(TRAIL_LENGTH)])
        strength = np.linspace(0.0, 1.0, TRAIL_LENGTH)[:, None]
        colours = strength * np.array(TRAIL) + (1.0 - strength) * np.array(TRAIL_END)
        return (
            np.stack([points[:-1], points[1:]], axis=1).astype(np.float32),
            _linear(np.stack([colours[:-1], colours[1:]], axis=1)),
        )

    def _look(self) -> None:
        distance = VIEW_MARGIN * self._size / math.tan(0.5 * VIEW_ANGLE)
        cameras = [client.camera for client in self._server.get_clients().values()]
        for camera in (self._server.initial_camera, *cameras):
            camera.position, camera.look_at = (0.0, 0.0, distance), (0.0, 0.0, 0.0)
            camera.near, camera.far = 0.05 * distance, 8.0 * distance
        self._server.initial_camera.up = (0.0, 1.0, 0.0)
        for camera in cameras:
            camera.up_direction = (0.0, 1.0, 0.0)

    def _mesh(self, name: str, mesh: shapes.Mesh, colour: Colour, **where: Any) -> Any:
        return self._scene.add_mesh_simple(
            name,
            mesh.vertices.astype(np.float32),
            mesh.triangles.astype(np.uint32),
            color=colour,
            cast_shadow=False,
            receive_shadow=False,
            **where,
        )


def _about_z(angle: float) -> tuple[float, float, float, float]:
    return math.cos(0.5 * angle), 0.0, 0.0, math.sin(0.5 * angle)


def _linear(colours: Any) -> Any:
    """Convert colours (..., 3) for lines, which expect linear light, unlike meshes."""
    return (255.0 * (np.asarray(colours) / 255.0) ** 2.2).round().astype(np.uint8)


def _recolour(handle: Any, colour: Colour) -> None:
    if tuple(handle.color) != colour:
        handle.color = colour


def _round_step(length: float) -> float:
    """Return the largest 1, 2 or 5 times a power of ten that does not exceed a length."""
    power: float = 10.0 ** math.floor(math.log10(length))
    return power * max(factor for factor in (1.0, 2.0, 5.0) if factor * power <= length * 1.000001)
