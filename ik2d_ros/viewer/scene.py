"""The drawing of the arm on the page, in the base frame.

An arm without turntable and lift is seen from the front of its plane, in which drags stay: one on a
table and one on a wall look alike. One with them is seen in space.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import numpy as np

from ik2d_ros.arm.bounding_ball import ball_around
from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.arm.told import upright
from ik2d_ros.kinematics.plane import Plane, Vector, combined
from ik2d_ros.viewer import drawing
from ik2d_ros.viewer.drawing import Mesh, add_mesh
from ik2d_ros.viewer.drawn_path import DrawnPath
from ik2d_ros.viewer.ends import Ends
from ik2d_ros.viewer.figure import Figure, Stand
from ik2d_ros.viewer.handle import Handle
from ik2d_ros.viewer.requests import Act, Request
from ik2d_ros.viewer.sheet import Paper
from ik2d_ros.viewer.trail import Trail
from ik2d_ros.viewer.view import Area

GRID, PRESSED = 6.0, 1.4  # how far one can press, in a plane and in space, in reaches
WALL_HEIGHT, TRAIL_HEIGHT, PATH_HEIGHT = -0.06, -0.045, -0.04  # reaches; under an arm in a plane
DEPTHS = {'front': -0.01, 'back': 0.01}  # of an area in space, by the side it is seen from
DEEP = 20.0  # reaches
BODY_OPACITY, PAPER_OPACITY = 0.28, 0.3
CORNERS = (-1.75, -1.0), (1.75, -1.0), (0.0, 2.0)  # its sides are that far away
POINT = 0.03  # size of a point of a path, in reaches
STROKE = {'start': Act.BEGIN_STROKE, 'update': Act.DRAW_ON, 'end': Act.END_STROKE}

RESIZED = 1.5  # factor of the reach beyond which all is drawn anew, at another size

_NUMBERS = count()


class Scene:
    """The drawing of one arm; its methods are called in the server's thread."""

    def __init__(
        self, scene: Any, arm: ArmDescription, on_request: Callable[[Request], None]
    ) -> None:
        """Draw an arm in place of the one before.

        Args:
            scene: the scene of the ``viser.ViserServer``.
            arm: the arm.
            on_request: called when the target is moved or a path is drawn.
        """
        scene.reset()
        # Browsers leave a node where it was if another one comes under its name at once.
        self._root = root = f'/{next(_NUMBERS)}'
        self._scene, self._on_request = scene, on_request
        self.arm = arm
        self._size = size = arm.chain.reach.outer or 1.0
        self._positions: Sequence[float] = arm.home
        self._is_flat = arm.carrier is None
        self._frame = scene.add_frame(f'{root}/plane', show_axes=False)
        drawing.place(self._frame, self._plane())
        self._stand: Stand | None = None
        if self._is_flat:
            drawing.add_wall(scene, f'{root}/wall', arm, GRID * size, WALL_HEIGHT * size)
            sun = combined(upright(self._plane().axes[2]).axes, -2.0, 3.0, 4.0)
        else:
            self._stand = Stand(scene, root, arm, ball_around(arm)[1])
            sun = 2.0, -3.0, 4.0
        scene.configure_environment_map(None)
        scene.configure_default_lights(enabled=False)
        scene.add_light_ambient(f'{root}/light/ambient', intensity=1.9)
        scene.add_light_directional(
            f'{root}/light/sun', intensity=1.7, cast_shadow=True, position=sun
        )
        self._figure = Figure(scene, f'{root}/arm', arm)
        self.show_gripper = self._figure.show_gripper
        self.show_measured = Figure(scene, f'{root}/ghost', arm, is_ghost=True).show
        """Show the measured arm as a ghost at (m,) positions; None hides it."""
        self._corners = (GRID if self._is_flat else PRESSED) * size * np.array(CORNERS)
        press = self._add_press(scene)
        if self._is_flat:
            press.on_drag(lambda drag: on_request(Request(Act.TARGET, drag[1])))
        self._walls = [
            drawing.add_slab(scene, f'{root}/walls/{wall.name}', wall, arm) for wall in arm.walls
        ]
        self._handle = Handle(scene, root, arm, size, self._plane, on_request)
        self.show_target, self.show_angle = self._handle.move, self._handle.turn
        self.show_handle = self._handle.show
        self.show_hint, self.colour_target = self._handle.show_hint, self._handle.colour
        self._trail = Trail(scene, f'{root}/trail', size)
        self.fade_trail = self._trail.fade

        self._ends = Ends(scene, f'{root}/plane/ends', size, self._plane, on_request)

    def reshape(self, arm: ArmDescription) -> bool:
        """Draw an arm with the same joints and others lengths or limits; False if it needs more."""
        size = arm.chain.reach.outer or 1.0
        if arm.names != self.arm.names or not 1.0 / RESIZED < size / self._size < RESIZED:
            return False
        self.arm = arm
        self._figure.reshape(arm)
        return True

    def light_walls(self, are_lit: bool) -> None:
        """Light the walls up, as one is in the way, or put them out."""
        for wall in self._walls:
            wall.color = drawing.BLOCKING if are_lit else drawing.WALL

    def show_ends(self, is_shown: bool) -> None:
        """Show handles at the ends of the links, or none."""
        self._ends.show(self.arm, self._positions, is_shown)

    def welcome(self, client: Any) -> None:
        """Leave the view to two fingers on a tall screen: only the handle is dragged there."""
        client.scene.reset()
        if client.camera.aspect < 1.0:
            self._add_press(client.scene)  # in place of the one of the same name, for this client

    def _add_press(self, scene: Any) -> Paper:
        where = {'position': (0.0, 0.0, WALL_HEIGHT * self._size * self._is_flat)}
        press = Paper(scene, f'{self._root}/plane/press', self._corners, self._plane, **where)
        press.on_press(lambda place: self._on_request(Request(Act.TARGET, place)))
        return press

    def _plane(self) -> Plane:
        return self.arm.plane_at(self._positions)

    def _under(self, height: float) -> Vector:
        """Return the way from the plane of an arm in a plane to a height in reaches."""
        return combined(self._plane().axes, 0.0, 0.0, height * self._size * self._is_flat)

    def show_area(self, area: Area, has_body: bool) -> None:
        """Fill the reachable area of the arm, and shade the body that it sweeps if asked to."""
        self._scene.remove_by_name(f'{self._root}/body')
        if not len(area.triangles):
            return
        corners = np.insert(area.points, 2, 0.0, axis=1)
        if not self._is_flat:
            # A corner of no triangle, deep under the floor: browsers draw first what has its middle
            # far away, and lines and shadows of the floor would hide what is drawn after them.
            under = self._plane().direction((0.0, 0.0, -DEEP * self._size))
            corners = np.append(corners, [under], axis=0)
        mesh = Mesh(corners, area.triangles)
        # In space each side is seen from its own side only, a little behind the arm's plane.
        heights = {'front': WALL_HEIGHT} if self._is_flat else DEPTHS
        for side, height in heights.items():
            where = {'position': (0.0, 0.0, height * self._size)}
            looks: dict[str, Any] = {'side': side, 'opacity': drawing.AREA_OPACITY}
            name = f'{self._root}/plane/{side}'
            add_mesh(self._scene, name, mesh, drawing.AREA, cast_shadow=False, **looks, **where)
        body = area.body if has_body else None
        if body is not None and len(body.triangles):
            # Only its far side is drawn, from the outside in; the arm inside stays visible, and
            # translucent triangles are blended in the order in which they come.
            distances = np.linalg.norm(body.vertices - body.vertices.mean(axis=0), axis=1)
            order = np.argsort(-distances[body.triangles].max(axis=1), kind='stable')
            mesh = Mesh(body.vertices, body.triangles[order])
            looks = {'side': 'back', 'opacity': BODY_OPACITY, 'cast_shadow': False}
            add_mesh(self._scene, f'{self._root}/body', mesh, drawing.BODY, **looks)

    def show_pose(self, positions: Sequence[float]) -> None:
        """Move the joints to (m,) positions, in the arm's order."""
        self._positions = positions
        self._figure.show(positions)
        if self._stand is not None:
            self._stand.show(positions)
            drawing.place(self._frame, self._plane())
        x, y, z = self.arm.kinematics.forward(positions).tolist()
        a, b, c = self._under(TRAIL_HEIGHT)
        self._trail.add((x + a, y + b, z + c))

    def show_drawing(self, is_drawing: bool) -> None:
        """Put a sheet on which the mouse draws into the plane."""
        name = f'{self._root}/plane/paper'
        self._scene.remove_by_name(name)
        if is_drawing:
            looks = {'opacity': PAPER_OPACITY, 'wireframe': False}
            paper = Paper(self._scene, name, self._corners, self._plane, **looks)
            paper.on_press(lambda place: self._on_request(Request(Act.ADD_POINT, place)))
            paper.on_drag(lambda drag: self._on_request(Request(STROKE[drag[0]], drag[1])))

    def show_path(self, path: DrawnPath) -> None:
        """Show the path that is drawn."""
        name = f'{self._root}/path'
        self._scene.remove_by_name(name)
        if not path.points:
            return
        under = np.array(self._under(PATH_HEIGHT))
        lines, colours = path.segments()
        if len(lines):
            looks: dict[str, Any] = {'thickness': 4.0, 'thickness_units': 'screen'}
            lines = (lines + under).astype(np.float32)
            self._scene.add_line_segments(f'{name}/lines', lines, drawing.linear(colours), **looks)
        looks = {'point_size': POINT * self._size, 'point_shape': 'circle', 'precision': 'float32'}
        dots = np.array(path.dots) + under
        self._scene.add_point_cloud(f'{name}/dots', dots, drawing.JOINT, **looks)
