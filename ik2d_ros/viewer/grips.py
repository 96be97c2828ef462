"""Balls by which an arm is designed: at the ends of its links, and of what its joints may do."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics import Joint
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.viewer import drawing
from ik2d_ros.viewer.design import LENGTH, LOWER, UPPER, Edit, span
from ik2d_ros.viewer.requests import Act, Request
from ik2d_ros.viewer.stage import Stage

RADII = {LENGTH: 0.05, LOWER: 0.035, UPPER: 0.035}  # reaches; larger than the joints
HEIGHT = 0.06  # reaches; above an arm in a plane, and its target
AWAY = 0.16  # reaches from a joint to its limits


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
        q, height = arm.in_plane(stage.positions), stage.over(HEIGHT)
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
        colours = {LENGTH: drawing.END, LOWER: drawing.RANGE, UPPER: drawing.RANGE}
        for field, colour in colours.items():
            drag = partial(self._drag, index, field)
            ball = drawing.solid('icosphere', radius=RADII[field] * stage.size)
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
