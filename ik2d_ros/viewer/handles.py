"""What is dragged in the scene: the handle of the target with its needle, and balls to design."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.drawing.solids import arc
from ik2d_ros.kinematics import Joint
from ik2d_ros.kinematics.options import angle_refusal
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.pilot.outcome import Colour
from ik2d_ros.viewer import drawing
from ik2d_ros.viewer.design import LENGTH, LOWER, UPPER, Edit, span
from ik2d_ros.viewer.drawing import Stage, listen
from ik2d_ros.viewer.view import Act, Request

# Radius of the quarter arc that turns a gizmo of scale 1 about z; as in PivotControls of drei.
ARC = 0.65
MIDDLE = 0.25 * math.pi  # direction of the middle of that arc

HEIGHT, BALLS_HEIGHT = 0.045, 0.06  # reaches; above an arm in a plane
RING = 0.07, 0.088, 0.005  # radii, and half of the height, in reaches
GRASP = 0.4  # radius in which it can be grabbed, in reaches
ARROWS = 0.2  # length of the arrows, in reaches
BALL = 0.03  # radius, in reaches
NEEDLE = 0.055, 0.25  # where it begins and ends, in reaches from the target
NEEDLE_THICKNESS = 0.012  # reaches
LOOKS = {LENGTH: (0.05, drawing.END), **dict.fromkeys((LOWER, UPPER), (0.035, drawing.RANGE))}
"""Radii of balls, in reaches, larger than the joints; and colours."""
AWAY = 0.16  # reaches from a joint to its limits
KEPT: Colour = (112, 72, 200)  # where the tip angle is kept; free, it is grey


class Handle:
    """A ring that is dragged in a fixed plane; for arms in space, arrows along axes.

    An arm that can keep a tip angle has a needle along the last link, too: it is turned by the arc
    at its end.
    """

    def __init__(self, stage: Stage) -> None:
        """Add it."""
        self._stage, size = stage, stage.size
        if stage.is_flat:
            self._node = stage.frame('target')
            inner, outer, top = (size * part for part in RING)
            corners = (inner, -top), (outer, -top), (outer, top), (inner, top), (inner, -top)
            mark = drawing.revolved(corners)
            disc = drawing.fan(arc(GRASP * size, 0.0, math.tau))
            stage.sheet('target/plane/grasp', disc, stage.aim)
        else:
            looks: dict[str, Any] = {'scale': ARROWS * size, 'line_width': 3.5}
            looks |= {'depth_test': False, 'disable_rotations': True}
            self._node = self._gizmo('target', _dragged, **looks)
            mark = drawing.bar(0.0, BALL * size, flatness=1.0)
        self._plane = stage.frame('target/plane')
        self._mark = stage.mesh('target/plane/mark', mark, drawing.UNKNOWN)
        self._needle: Any = None
        if not angle_refusal(stage.arm.chain):
            name, (begin, end) = 'target/plane/needle', (size * part for part in NEEDLE)
            looks = {'scale': end / ARC, 'active_axes': (True, True, False), 'line_width': 5.0}
            looks |= {'disable_axes': True, 'disable_sliders': True}
            self._needle = self._gizmo(name, self._turned, **looks)
            bar = drawing.bar(end - begin, NEEDLE_THICKNESS * size)
            c, s, middle = math.cos(MIDDLE), math.sin(MIDDLE), 0.5 * (begin + end)
            where = {'position': (middle * c, middle * s, 0.0), 'wxyz': drawing.about_z(MIDDLE)}
            self._bar = stage.mesh(f'{name}/bar', bar, drawing.UNKNOWN, **where)

    def _gizmo(self, name: str, read: Callable[[Any], Request | None], **looks: Any) -> Any:
        node = self._stage.scene.add_transform_controls(f'{self._stage.root}/{name}', **looks)
        listen(node.on_update, read, self._stage.on_request)
        return node

    def move(self, target: Vector | None) -> None:
        """Move it to a target in the base frame, in m, above an arm in a plane.

        Its arrows are along the axes of the base frame, its needle is in the plane.
        """
        if target is None:
            return
        plane = self._stage.plane
        x, y, out = plane.locate(target)
        self._node.position = plane.point(x, y, self._stage.over(HEIGHT) or out)
        self._plane.wxyz = drawing.turn_of(plane)

    def turn(self, angle: float | None, is_kept: bool) -> None:
        """Point the needle, if there is one, to an angle in the plane, in rad."""
        if self._needle is not None and angle is not None:
            self._needle.wxyz = drawing.about_z(angle + self._along - MIDDLE)
            self._bar.color = KEPT if is_kept else drawing.UNKNOWN

    @property
    def _along(self) -> float:
        """The direction of the last link in its frame, whose x-axis has the tip angle, in rad."""
        return self._stage.arm.chain.joints[-1].direction

    def _turned(self, event: Any) -> Request | None:
        w, _, _, z = map(float, event.target.wxyz)
        angle = math.remainder(2.0 * math.atan2(z, w) + MIDDLE - self._along, math.tau)
        return Request(Act.TURN, angle) if event.phase == 'update' else None

    def show(self, is_visible: bool) -> None:
        """Show or hide it."""
        self._node.visible = is_visible

    def colour(self, colour: Colour) -> None:
        """Give it the colour of the status."""
        self._mark.color = colour


def _dragged(event: Any) -> Request | None:
    x, y, z = map(float, event.target.position)
    return Request(Act.DRAG, (x, y, z)) if event.phase == 'update' else None


class Seat(NamedTuple):
    """The place of a joint in the plane.

    Attributes:
        joint: the joint.
        x: m.
        y: m.
        angle: of the frame that it turns or slides in, in rad.
        away: how far its limits are from it, or beside its way if it slides, in m.
    """

    joint: Joint
    x: float
    y: float
    angle: float
    away: float

    def at(self, position: float) -> tuple[float, float]:
        """Return where a position of the joint is shown, in m."""
        joint, moved = self.joint, self.joint.axis * position
        angle = self._zero + moved * (not joint.slides)
        x, y = (joint.length + moved, self.away) if joint.slides else (self.away, 0.0)
        c, s = math.cos(angle), math.sin(angle)
        return self.x + c * x - s * y, self.y + s * x + c * y

    def position(self, x: float, y: float, near: float) -> float:
        """Return the position that is shown at a point, of all turns the one next to another."""
        joint, x, y = self.joint, x - self.x, y - self.y
        if joint.slides:
            along = x * math.cos(self._zero) + y * math.sin(self._zero)
            return joint.axis * (along - joint.length)
        return near + math.remainder(joint.axis * (math.atan2(y, x) - self._zero) - near, math.tau)

    @property
    def _zero(self) -> float:
        """The direction of its link at 0, in rad."""
        return self.angle + self.joint.offset + self.joint.direction


def seats(arm: ArmDescription, positions: Sequence[float], away: float) -> list[Seat]:
    """Return the seats of the joints of an arm at (m,) positions, with limits so far away in m."""
    found, heading = [], 0.0
    q = arm.in_plane(positions)
    for joint, (x, y), at in zip(arm.chain.joints, arm.chain.forward(q).tolist(), q, strict=False):
        before = 0.0 if joint.absolute else heading
        heading = before + joint.offset + joint.turns * at
        found.append(Seat(joint, x, y, before, away))
    return found


class Grips:
    """The balls; none at first."""

    def __init__(self, stage: Stage) -> None:
        """Start without any."""
        self._stage = stage
        self._balls: list[list[Any]] = []  # of each joint: of its link, and of its limits
        self._seats: list[Seat] = []

    def show(self, is_shown: bool) -> None:
        """Put them where the arm is, or take them away."""
        stage, arm, joints = self._stage, self._stage.arm, self._stage.arm.chain.joints
        if not is_shown:
            stage.remove('plane/grips')
            self._balls = []
            return
        if not self._balls:
            self._balls = [self._add(index) for index in range(len(joints))]
        q, height = arm.in_plane(stage.positions), stage.over(BALLS_HEIGHT)
        self._seats = seats(arm, stage.positions, AWAY * stage.size)
        (*begins, (x, y)), (dx, dy) = arm.chain.forward(q).tolist(), arm.chain.tool
        ends = [*begins[1:], (x - dx, y - dy)]
        for seat, end, balls in zip(self._seats, ends, self._balls, strict=True):
            limits = span(arm, seat.joint.name)
            for ball, (u, v) in zip(balls, (end, *map(seat.at, limits)), strict=True):
                ball.position = u, v, height

    def _add(self, index: int) -> list[Any]:
        """Add the balls of a joint, and its name."""
        stage, name = self._stage, f'plane/grips/{index}'
        balls = []
        for field, (radius, colour) in LOOKS.items():
            drag = partial(self._drag, index, field)
            ball = drawing.bar(0.0, radius * stage.size, flatness=1.0)
            looks: dict[str, Any] = {'color': colour, 'opacity': None, 'wireframe': False}
            balls.append(stage.sheet(f'{name}{field}', ball, drag, **looks))
        stage.label(f'{name}{LOWER}/name', stage.arm.chain.names[index], (0.0, 0.0, 0.0))
        return balls

    def _drag(self, index: int, field: str, _: str, place: Vector) -> None:
        seat = self._seats[index]
        x, y = self._stage.plane.locate(place)[:2]
        if field == LENGTH:
            q = self._stage.arm.in_plane(self._stage.positions)[index]
            value = math.dist((seat.x, seat.y), (x, y)) - q * seat.joint.slides
        else:
            near = span(self._stage.arm, seat.joint.name)[field == UPPER]
            value = seat.position(x, y, near)
        if math.isfinite(value):
            self._stage.on_request(Request(Act.EDIT, Edit(field, seat.joint.name, value)))
