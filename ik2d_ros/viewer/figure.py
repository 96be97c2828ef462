"""The drawing of an arm: its links, at once as a ghost of the measured arm."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ik2d_ros.drawing.kinds import bone, end_on_axis, guide, link_width, motion, outline
from ik2d_ros.drawing.solids import Solid, finger_tip, foot
from ik2d_ros.kinematics import Joint
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.pilot.outcome import Colour
from ik2d_ros.viewer import drawing
from ik2d_ros.viewer.stage import Stage

COLOURS = {'ik2d_link': drawing.LINK, 'ik2d_joint': drawing.JOINT, 'ik2d_tip': drawing.TIP}
ROUND = 0.9  # radius of the links, in sides of the boxes that they are in a URDF

GHOST_HEIGHT = -0.03  # reaches; under the arm, and so visible only where the arm is not
JOINT_SIZE = 2.0  # of the sector that shows a joint's range, in widths of the links
FINGER, FINGER_RADIUS = 2.2, 0.2  # length and radius of a finger, in widths of the links
PALM, GAPS = 2.8, (0.4, 1.2)  # width of the hand, and of a finger from its middle, in the same
HALF_OPEN = 0.5


class Figure:
    """The links of an arm, each a node on the one before, which only turn and slide."""

    def __init__(self, stage: Stage, name: str, is_ghost: bool = False) -> None:
        """Draw them at home, on a node; the ghost, the measured arm, is invisible at first."""
        self._stage, self._is_ghost, chain = stage, is_ghost, stage.arm.chain
        self._root = stage.frame(name, visible=not is_ghost)
        self._width = link_width(chain)
        if stage.is_flat and not is_ghost:
            self._add(f'{name}/foot', foot(self._width), drawing.FOOT)
        self._nodes = [name]  # each on the one before, the last one with the tip
        for index, _ in enumerate(chain.joints):
            self._nodes.append(f'{self._nodes[-1]}/{index}')
        self._frames = [stage.frame(node) for node in self._nodes[1:]]
        self._drawn: list[Joint | None] = [None] * len(chain)
        self._marks: list[Any] = [None] * len(chain)  # of the joints' limits
        end = f'{self._nodes[-1]}/end'  # of the last link
        self._end = stage.frame(end)
        self._hand = stage.frame(f'{end}/hand', visible=not is_ghost)  # at the tip
        finger = drawing.bar(FINGER * self._width, FINGER_RADIUS * self._width)
        palm = drawing.bar(PALM * self._width, 1.5 * FINGER_RADIUS * self._width)
        where = {
            'position': (-FINGER * self._width, 0.0, 0.0),
            'wxyz': drawing.about_z(math.pi / 2),
        }
        self._fingers = [
            stage.mesh(f'{end}/hand/{side}', finger, drawing.JOINT, visible=False)
            for side in ('left', 'right')
        ]
        self._palm = stage.mesh(f'{end}/hand/palm', palm, drawing.JOINT, visible=False, **where)
        self.draw()
        self.show(stage.arm.home)

    def draw(self) -> None:
        """Draw the joints and their links that are not drawn as they are."""
        for index, joint in enumerate(self._stage.arm.chain.joints):
            if joint != self._drawn[index]:
                self._drawn[index] = joint
                self._draw(index, joint)

    def _draw(self, index: int, joint: Joint) -> None:
        stage, width, before = self._stage, self._width, self._nodes[index]
        place = self._place(index)
        self._add(f'{before}/guide', guide(joint, width, place[:2]))
        shape, is_last, roll = joint, index + 1 == len(self._drawn), stage.arm.roll
        if is_last and roll is not None and not joint.slides:
            x, y = end_on_axis(joint, roll)  # but for the hand
            share = max(0.5, 1.0 - FINGER * width / (math.hypot(x, y) or 1.0))
            shape = replace(joint, link=(share * x, share * y))
        self._add(f'{before}/{index}/bone', bone(shape, width))
        if not self._is_ghost and not joint.continuous and not joint.absolute:
            self._marks[index] = stage.mesh(
                f'{before}/limit',
                drawing.fan(outline(joint, JOINT_SIZE * width)),
                drawing.LIMIT,
                position=(*place[:2], -0.5 * width if stage.is_flat else 0.02 * width),
                opacity=0.45,
                side='double',
            )
        if is_last:
            self._draw_end(f'{self._nodes[-1]}/end', joint.link)

    def _draw_end(self, node: str, link: tuple[float, float]) -> None:
        """Draw the tool, which stays level, or what the roll turns, and the tip."""
        width, (x, y), roll = self._width, link, self._stage.arm.roll
        place, tip, (u, v) = (x, y, 0.0), (0.0, 0.0, 0.0), link
        if any(tool := self._stage.arm.chain.tool):
            tip, (u, v), side = (*tool, 0.0), tool, 0.5 * width
            sizes, middle = (math.hypot(u, v), side, side), (0.5 * u, 0.5 * v, 0.0)
            bar = Solid('ik2d_joint', 'box', sizes, middle, math.atan2(v, u))
            self._add(f'{node}/bone', [bar])
        elif roll is not None:
            (a, b), (u, v) = roll.origin, roll.axis
            place, tip = (a, b, 0.0), (x - a, y - b, roll.tip_z)
            ahead = math.copysign(1.0, u * (x - a) + v * (y - b))
            u, v = ahead * u, ahead * v
        self._end.position = place
        self._add(f'{node}/tip', [solid._replace(xyz=tip) for solid in finger_tip(width)])
        self._hand.position, self._hand.wxyz = tip, drawing.about_z(math.atan2(v, u))

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

    def _place(self, index: int) -> Vector:
        """Return where a joint is in the frame of the link before."""
        if not index:
            return 0.0, 0.0, self._stage.over(GHOST_HEIGHT) if self._is_ghost else 0.0
        x, y = self._stage.arm.chain.joints[index - 1].link
        return x, y, 0.0

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
        heading, arm, count = 0.0, self._stage.arm, len(self._frames)
        own = slice(int(arm.carrier is not None), int(arm.carrier is not None) + count)
        parts = zip(self._frames, self._marks, arm.limits[own], positions[own], strict=True)
        for index, (frame, mark, limits, q) in enumerate(parts):
            joint, (x, y, z) = arm.chain.joints[index], self._place(index)
            moved = motion(joint, q)
            before, heading = heading, moved.angle + (0.0 if joint.absolute else heading)
            frame.wxyz = drawing.about_z(heading - before)
            frame.position = x + moved.x, y + moved.y, z
            if mark is not None:
                drawing.colour_limit(mark, limits, q)
        if any(arm.chain.tool):
            self._end.wxyz = drawing.about_z(-heading)
        elif arm.roll is not None:
            self._end.wxyz = drawing.about((*arm.roll.axis, 0.0), positions[-1])
        drawing.place(self._root, arm.plane_at(positions))
