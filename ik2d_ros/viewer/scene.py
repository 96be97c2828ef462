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

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.arm.region import Points, Triangles
from ik2d_ros.arm.swept import Body
from ik2d_ros.node.outcome import Colour
from ik2d_ros.viewer import camera, shapes
from ik2d_ros.viewer.drawing import AREA, BODY, add_grid, add_mesh, place
from ik2d_ros.viewer.figure import Figure, Ghost
from ik2d_ros.viewer.handle import SpaceHandle, SquareHandle
from ik2d_ros.viewer.requests import Request
from ik2d_ros.viewer.stand import Stand
from ik2d_ros.viewer.trail import Trail
from ik2d_ros.viewer.turning import can_keep_angle
from ik2d_ros.viewer.view import TipAngle

GRID = 6.0  # half its width, in reaches
GROUND_HEIGHT, TRAIL_HEIGHT = -0.06, -0.045  # reaches; under an arm in its plane
AREA_DEPTH = 0.01  # reaches
BODY_OPACITY = 0.28
NODES = ('/ground', '/stand', '/carried', '/body', '/arm', '/ghost', '/hand', '/target', '/trail')


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
        self._arm: ArmDescription | None = None
        self._figure: Figure | None = None
        self._ghost: Ghost | None = None
        self._stand: Stand | None = None
        self._carried: Any = None
        self._handle: SquareHandle | SpaceHandle | None = None
        self._trail: Trail | None = None
        self._positions: Sequence[float] = ()
        self._size = 1.0
        self._scene.world_axes.visible = False
        self._scene.configure_environment_map(None)
        self._scene.configure_default_lights(enabled=False)
        self._scene.add_light_ambient('/light/ambient', intensity=1.9)
        self._sun = self._scene.add_light_directional(
            '/light/sun', intensity=1.7, cast_shadow=False, position=(-2.0, 3.0, 4.0)
        )
        self._scene.set_up_direction('+y')
        server.initial_camera.fov = camera.VIEW_ANGLE

    def show_arm(self, arm: ArmDescription) -> None:
        """Draw another arm, and point every camera at it."""
        self.clear()
        self._arm, self._size = arm, arm.chain.reach.outer or 1.0
        self._positions = arm.home
        is_flat = arm.carrier is None
        self._scene.set_up_direction('+y' if is_flat else '+z')
        with self._server.atomic():
            self._sun.position = (-2.0, 3.0, 4.0) if is_flat else (2.0, -3.0, 4.0)
            if is_flat:
                height = GROUND_HEIGHT * self._size
                self._scene.add_frame('/ground', show_axes=False, position=(0.0, 0.0, height))
                add_grid(self._scene, '/ground', self._size, GRID, 0.003 * self._size)
            self._figure = Figure(self._scene, arm)
            self._ghost = Ghost(self._scene, arm, self._size)
            self._trail = Trail(self._scene, self._size, TRAIL_HEIGHT * self._size * is_flat)
            if is_flat:
                self._handle = SquareHandle(
                    self._scene, self._size, False, can_keep_angle(arm), self._on_request
                )
            else:
                seen = camera.bounds(arm)
                self._stand = Stand(self._scene, arm, seen.radius, self._size)
                self._carried = self._scene.add_frame('/carried', show_axes=False)
        if is_flat:
            camera.look_at_plane(self._server, self._size)
        else:
            camera.look_at_body(self._server, arm, seen)

    def show_area(self, points: Points, triangles: Triangles) -> None:
        """Fill the reachable area of the arm."""
        if self._arm is not None and len(triangles):
            area = shapes.Mesh(np.column_stack([points, np.zeros(len(points))]), triangles)
            if self._arm.carrier is None:
                add_mesh(self._scene, '/ground/area', area, AREA, material='toon3')
                return
            # Each side is seen from its own side only, and a little behind what is in the plane.
            for name, height in (('front', -AREA_DEPTH), ('back', AREA_DEPTH)):
                add_mesh(
                    self._scene, f'/carried/{name}', area, AREA, material='toon3', side=name,
                    position=(0.0, 0.0, height * self._size),
                )  # fmt: skip

    def show_body(self, body: Body) -> None:
        """Shade the body that turntable or lift make reachable."""
        if self._arm is None or not len(body.triangles):
            return
        # Only its far side is drawn, so that what is in it stays visible, from the outside in:
        # translucent triangles are blended in the order in which they come.
        center = body.vertices.mean(axis=0)
        distances = np.linalg.norm(body.vertices - center, axis=1)
        order = np.argsort(-distances[body.triangles].max(axis=1), kind='stable')
        mesh = shapes.Mesh(body.vertices, body.triangles[order])
        add_mesh(self._scene, '/body', mesh, BODY, side='back', opacity=BODY_OPACITY)

    def clear(self) -> None:
        """Remove everything but the lights."""
        for name in NODES:
            self._scene.remove_by_name(name)
        self._arm = self._figure = self._ghost = self._stand = self._carried = None
        self._handle = self._trail = None

    def show_pose(self, positions: Sequence[float]) -> None:
        """Move the joints to (m,) positions, in the arm's order."""
        if self._arm is None or self._figure is None or self._trail is None:
            return
        self._positions = positions
        with self._server.atomic():
            self._figure.show(positions)
            if self._stand is not None:
                self._stand.show(positions)
                place(self._carried, self._arm.plane_at(positions))
                self._carry_pointer()
                x, y, z = self._arm.kinematics.forward(positions).tolist()
            else:
                x, y = self._arm.chain.forward(positions)[-1].tolist()
                z = 0.0
            self._trail.extend((x, y, z))
        self._server.flush()

    def show_measured(self, positions: Sequence[float] | None) -> None:
        """Show the measured arm as a ghost at (m,) positions; None hides it."""
        if self._ghost is None:
            return
        with self._server.atomic():
            self._ghost.show(positions)
        self._server.flush()

    def show_drag(self, is_anywhere: bool) -> None:
        """Choose how the handle of an arm in space is dragged: anywhere, or in the plane."""
        if self._arm is None or self._arm.carrier is None:
            return
        with self._server.atomic():
            for name in ('/hand', '/target'):
                self._scene.remove_by_name(name)
            is_turned = can_keep_angle(self._arm)
            self._handle = (
                SpaceHandle(self._scene, self._size, is_turned, self._on_request)
                if is_anywhere
                else SquareHandle(self._scene, self._size, True, is_turned, self._on_request)
            )
            self._carry_pointer()

    def show_target(self, target: Sequence[float]) -> None:
        """Move the handle to a target in m: (2,) in the plane, or (3,) in the base frame."""
        if self._arm is None or self._handle is None or not all(map(math.isfinite, target)):
            return
        x, y, z = (*target, 0.0)[:3]
        self._handle.move((x, y, z), self._arm.plane_at(self._positions))

    def show_angle(self, tip: TipAngle) -> None:
        """Point the needle at the target to the tip angle."""
        if self._handle is not None and self._handle.pointer is not None:
            self._handle.pointer.turn(tip.shown)
            self._handle.pointer.colour(tip.asked is not None)

    def colour_target(self, colour: Colour) -> None:
        """Give the handle the colour of the status."""
        if self._handle is not None:
            self._handle.colour(colour)

    def _carry_pointer(self) -> None:
        """Let the needle lie in the plane, where the handle's own axes are the base frame's."""
        pointer = self._handle.pointer if isinstance(self._handle, SpaceHandle) else None
        if self._arm is not None and pointer is not None:
            pointer.lie_in(self._arm.plane_at(self._positions))
