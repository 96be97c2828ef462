"""The drawing of an arm: its links, at once as a ghost of the measured arm."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ik2d_ros.drawing.solids import Solid, link_width, outline
from ik2d_ros.drawing.tree import Part, parts_of
from ik2d_ros.kinematics.plane import Quaternion, Vector
from ik2d_ros.pilot.outcome import Colour
from ik2d_ros.viewer import drawing
from ik2d_ros.viewer.drawing import Stage

COLOURS = {'ik2d_link': drawing.LINK, 'ik2d_joint': drawing.JOINT, 'ik2d_tip': drawing.TIP}
ROUND = 0.9  # radius of the links, in sides of the boxes that they are in a URDF

GHOST_HEIGHT = -0.03  # reaches; under the arm, and so visible only where the arm is not
JOINT_SIZE = 2.0  # of the sector that shows a joint's range, in widths of the links
FINGER, FINGER_RADIUS = 2.2, 0.2  # length and radius of a finger, in widths of the links
PALM, GAPS = 2.8, (0.4, 1.2)  # width of the hand, and of a finger from its middle, in the same
HALF_OPEN = 0.5
AT_LIMIT_WITHIN = 1e-4  # rad or m


class Figure:
    """The links of an arm, each a node on the one before, which only turn and slide."""

    def __init__(self, stage: Stage, name: str, is_ghost: bool = False) -> None:
        """Draw them at home, on a node; the ghost, the measured arm, is invisible at first."""
        self._stage, self._is_ghost, self._width = stage, is_ghost, link_width(stage.arm.chain)
        self._root = stage.frame(name, visible=not is_ghost)
        self._nodes, self._marks = [name], dict[str, Any]()  # of the joints' limits
        self._parts: list[Part] = []  # as they are drawn
        for index, _ in enumerate(parts_of(stage.arm)[1:]):
            self._nodes.append(f'{self._nodes[-1]}/{index}')
        self._frames = [stage.frame(node) for node in self._nodes[1:]]
        hand = f'{self._nodes[-1]}/hand'  # at the tip
        self._hand = stage.frame(hand, visible=not is_ghost)
        finger = drawing.bar(FINGER * self._width, FINGER_RADIUS * self._width)
        palm = drawing.bar(PALM * self._width, 1.5 * FINGER_RADIUS * self._width)
        where = {
            'position': (-FINGER * self._width, 0.0, 0.0),
            'wxyz': drawing.about_z(math.pi / 2),
        }
        self._fingers = [
            stage.mesh(f'{hand}/{side}', finger, drawing.JOINT, visible=False)
            for side in ('left', 'right')
        ]
        self._palm = stage.mesh(f'{hand}/palm', palm, drawing.JOINT, visible=False, **where)
        self.draw()
        self.show(stage.arm.home)

    def draw(self) -> None:
        """Draw the parts that are not drawn as they are."""
        drawn, arm = self._parts, self._stage.arm
        self._parts = parts_of(arm, room=FINGER * self._width)
        for index, part in enumerate(self._parts):
            if drawn[index : index + 1] != [part]:
                self._draw(index, part)
        x, y = arm.chain.joints[-1].link
        if any(arm.chain.tool):
            x, y = arm.chain.tool
        elif arm.roll is not None:
            (a, b), (u, v) = arm.roll.origin, arm.roll.axis
            ahead = math.copysign(1.0, u * (x - a) + v * (y - b))
            x, y = ahead * u, ahead * v
        self._hand.wxyz = drawing.about_z(math.atan2(y, x))

    def _draw(self, index: int, part: Part) -> None:
        stage, node, solids, joint = self._stage, self._nodes[index], part.solids, part.model
        if not index:
            foot, *solids = solids
            if stage.is_flat and not self._is_ghost:
                self._add(f'{node}/foot', [foot], drawing.FOOT)
        if joint is not None or not part.is_driven:  # the hand shows how the roll is turned
            self._add(f'{node}/solid', solids)
        if joint is not None and not (self._is_ghost or joint.continuous or joint.absolute):
            x, y, _ = part.origin[0]
            shape = drawing.fan(outline(joint, JOINT_SIZE * self._width))
            height = (-0.5 if stage.is_flat else 0.02) * self._width
            looks: dict[str, Any] = {'position': (x, y, height), 'opacity': 0.45, 'side': 'double'}
            mark = stage.mesh(f'{self._nodes[index - 1]}/limit', shape, drawing.LIMIT, **looks)
            self._marks[joint.name] = mark

    def show_gripper(self, opening: float | None) -> None:
        """Show two fingers that end at the tip, from 0, closed, to 1, open.

        With None, of an arm without a gripper, they show how the roll has turned, if there is one.
        """
        closed, wide = GAPS
        gap = closed + (wide - closed) * (HALF_OPEN if opening is None else opening)
        self._palm.visible = opening is not None or self._stage.arm.roll is not None
        for finger, side in zip(self._fingers, (1.0, -1.0), strict=True):
            finger.visible = self._palm.visible
            back = 0.5 * FINGER + FINGER_RADIUS
            finger.position = -back * self._width, side * gap * self._width, 0.0

    def _add(self, name: str, solids: Sequence[Solid], colour: Colour | None = None) -> None:
        """Add solids to a node; boxes are drawn as bars with round ends."""
        for index, solid in enumerate(solids):
            on, sizes, scene = f'{name}{index}', solid.sizes, self._stage.scene
            looks: dict[str, Any] = {'color': colour or COLOURS[solid.colour]}
            if self._is_ghost:
                looks = {'color': drawing.GHOST, 'opacity': 0.45}
            looks['position'] = solid.xyz
            if solid.kind == 'cylinder':
                scene.add_cylinder(f'{self._stage.root}/{on}', *sizes, **looks)
            elif solid.kind == 'sphere':
                scene.add_icosphere(f'{self._stage.root}/{on}', *sizes, **looks)
            else:
                length, side, _ = sizes
                looks['wxyz'] = drawing.about_z(solid.yaw)
                self._stage.mesh(on, drawing.bar(length, ROUND * side), **looks)

    def show(self, positions: Sequence[float] | None) -> None:
        """Move it to (m,) positions; None hides it."""
        self._root.visible = positions is not None
        if positions is None:
            return
        arm = self._stage.arm
        by_name = dict(zip(arm.names, positions, strict=True))
        for frame, part in zip(self._frames, self._parts[1:], strict=True):
            q = -by_name[part.mimics] if part.mimics else by_name.get(part.joint, 0.0)
            frame.position, frame.wxyz = _pose(part, q)
        limits = dict(zip(arm.names, arm.limits, strict=True))
        for name, mark in self._marks.items():
            away = min(abs(by_name[name] - limit) for limit in limits[name])
            mark.color = drawing.LIMIT if away > AT_LIMIT_WITHIN else drawing.AT_LIMIT
        plane, under = arm.plane_at(positions), self._stage.over(GHOST_HEIGHT) * self._is_ghost
        drawing.place(self._root, plane._replace(origin=plane.point(0.0, 0.0, under)))


def _pose(part: Part, q: float) -> tuple[Vector, Quaternion]:
    """Return where a link is on the one before, at a position of its joint in rad or m."""
    (x, y, z), (_, _, yaw) = part.origin
    a, b, c = part.axis
    if part.type == 'prismatic':
        cos, sin = math.cos(yaw), math.sin(yaw)
        return (x + q * (cos * a - sin * b), y + q * (sin * a + cos * b), z), drawing.about_z(yaw)
    if part.type == 'fixed':
        return (x, y, z), drawing.about_z(yaw)
    return (x, y, z), drawing.about_z(yaw + c * q) if c else drawing.about(part.axis, q)
