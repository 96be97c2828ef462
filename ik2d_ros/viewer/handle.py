"""The handle of the target, and the needle of the tip angle on it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.arm.kinds import arc
from ik2d_ros.kinematics.plane import Plane, Vector
from ik2d_ros.kinematics.pointing import angle_refusal
from ik2d_ros.pilot.outcome import Colour
from ik2d_ros.viewer import drawing
from ik2d_ros.viewer.drawing import add_mesh, listen
from ik2d_ros.viewer.requests import Act, Request
from ik2d_ros.viewer.sheet import Sheet

# Radius of the quarter arc that turns a gizmo of scale 1 about z; as in PivotControls of drei.
ARC = 0.65
MIDDLE = 0.25 * math.pi  # direction of the middle of that arc

HEIGHT = 0.045  # reaches; above an arm in a plane
RING = 0.07, 0.088  # radii in reaches
GRASP = 0.4  # radius in which it can be grabbed, in reaches
ARROWS = 0.22  # length of the arrows, in reaches
BALL = 0.03  # radius, in reaches
NEEDLE = 0.055, 0.2  # where it begins and ends, in reaches from the target
NEEDLE_THICKNESS = 0.012  # reaches
KEPT: Colour = (112, 72, 200)  # where the tip angle is kept; free, it is grey
HINT = 'Drag me'


class Handle:
    """A ring that is dragged in a fixed plane; for arms in space, arrows along the plane's axes.

    An arm that can keep a tip angle has a needle along the last link's x-axis, too: it is turned by
    the arc at its end.
    """

    def __init__(
        self,
        scene: Any,
        root: str,
        arm: ArmDescription,
        size: float,
        plane: Callable[[], Plane],
        on_request: Callable[[Request], None],
    ) -> None:
        """Add it.

        Args:
            scene: the viser scene.
            root: name of the node that it is on.
            arm: the arm.
            size: how far it reaches, in m.
            plane: returns the plane of the arm, in the base frame.
            on_request: called from another thread when it is dragged.
        """
        name, self._plane = f'{root}/target', plane
        self._height = HEIGHT * size * (arm.carrier is None)
        if arm.carrier is None:
            self._node = scene.add_frame(name, show_axes=False)
            inner, outer = (size * radius for radius in RING)
            mark = drawing.solid('annulus', inner, outer, 0.01 * size)
            grasp = Sheet(scene, f'{name}/grasp', arc(GRASP * size, 0.0, math.tau), plane)
            grasp.on_press(lambda place: on_request(Request(Act.TARGET, place)))
            grasp.on_drag(lambda drag: on_request(Request(Act.TARGET, drag[1])))
        else:
            looks = {'scale': ARROWS * size, 'depth_test': False, 'line_width': 3.5}
            self._node = scene.add_transform_controls(name, disable_rotations=True, **looks)
            listen(self._node.on_update, _dragged, on_request)
            mark = drawing.solid('icosphere', radius=BALL * size)
        self._mark = add_mesh(scene, f'{name}/mark', mark, drawing.UNKNOWN, cast_shadow=False)
        where = {'position': (0.0, 0.12 * size, 0.0), 'anchor': 'bottom-center'}
        self._hint = scene.add_label(f'{name}/hint', HINT, visible=False, **where)
        self._needle: Any = None
        if not angle_refusal(arm.chain):
            self._add_needle(scene, f'{name}/needle', size, on_request)

    def _add_needle(
        self, scene: Any, name: str, size: float, on_request: Callable[[Request], None]
    ) -> None:
        begin, end = (size * part for part in NEEDLE)
        self._needle = scene.add_transform_controls(
            name,
            scale=end / ARC,
            active_axes=(True, True, False),
            disable_axes=True,
            disable_sliders=True,
            line_width=5.0,
        )
        bar = drawing.bar(end - begin, NEEDLE_THICKNESS * size)
        c, s, middle = math.cos(MIDDLE), math.sin(MIDDLE), 0.5 * (begin + end)
        where = {'position': (middle * c, middle * s, 0.0), 'wxyz': drawing.about_z(MIDDLE)}
        self._bar = add_mesh(scene, f'{name}/bar', bar, drawing.UNKNOWN, **where)
        listen(self._needle.on_update, _turned, on_request)

    def move(self, target: Vector) -> None:
        """Move it to a target in the base frame, in m, above an arm in a plane."""
        plane = self._plane()
        x, y, out = plane.locate(target)
        drawing.place(self._node, Plane(plane.point(x, y, self._height or out), plane.axes))

    def turn(self, angle: float, is_kept: bool) -> None:
        """Point the needle, if there is one, to an angle in the plane, in rad."""
        if self._needle is not None:
            self._needle.wxyz = drawing.about_z(angle - MIDDLE)
            drawing.recolour(self._bar, KEPT if is_kept else drawing.UNKNOWN)

    def show(self, is_visible: bool) -> None:
        """Show or hide it."""
        self._node.visible = is_visible

    def show_hint(self, is_new: bool) -> None:
        """Tell what to do with it, or no longer."""
        self._hint.visible = is_new

    def colour(self, colour: Colour) -> None:
        """Give it the colour of the status."""
        drawing.recolour(self._mark, colour)


def _dragged(event: Any) -> Request | None:
    x, y, z = map(float, event.target.position)
    return Request(Act.DRAG, (x, y, z)) if event.phase == 'update' else None


def _turned(event: Any) -> Request | None:
    w, _, _, z = map(float, event.target.wxyz)
    angle = math.remainder(2.0 * math.atan2(z, w) + MIDDLE, math.tau)
    return Request(Act.TURN, angle) if event.phase == 'update' else None
