"""The links of an arm as they are drawn: the commanded arm, and its ghost as it is measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.arm.kinds import kind_of
from ik2d_ros.arm.proportions import link_width
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.node.outcome import Colour
from ik2d_ros.viewer import drawing
from ik2d_ros.viewer.drawing import add_mesh

GHOST_HEIGHT = -0.03  # reaches; under the arm, and so visible only where the arm is not
GHOST_WIDTH = 0.8  # in space, where there is no under: inside the arm
JOINT_SIZE = 2.7  # of the sector that shows a joint's range, in radii of the link


class Links:
    """The links of a chain, each a node on the one before, which only turn and slide.

    Attributes:
        nodes: names of the (n,) nodes.
        places: where they are on the one before with their joint at 0, in m.
        root: handle of the node that the first one is on.
        tip: name of the node that the tip is on; end: where the tip is on it, in m.
    """

    def __init__(
        self,
        scene: Any,
        name: str,
        arm: ArmDescription,
        colours: tuple[Colour, Colour],
        height: float = 0.0,
        scale: float = 1.0,
        **looks: Any,
    ) -> None:
        """Draw them at zero.

        Args:
            scene: the viser scene.
            name: name of the node that the first one is on.
            arm: the arm.
            colours: of the links, and of what slides on them.
            height: of the first joint above the plane, in m.
            scale: of their width.
            looks: how else they are drawn.
        """
        self.root = scene.add_frame(name, show_axes=False)
        self.nodes: list[str] = []
        self.places: list[Vector] = []
        self._arm = arm
        self._frames: list[Any] = []
        radii = [scale * radius for radius in drawing.radii(arm.chain)]
        before, position, width = name, (0.0, 0.0, height), link_width(arm.chain)
        for index, joint in enumerate(arm.chain.joints):
            node = f'{before}/{index}'
            self._frames.append(scene.add_frame(node, show_axes=False, position=position))
            for number, beam in enumerate(kind_of(joint).beams(joint, width)):
                turn, at, on = joint.direction, (0.0, 0.0, 0.0), f'{node}/link{number}'
                if beam.is_fixed:
                    turn, at, on = turn + joint.offset, position, f'{before}/guide{index}'
                begin, end = (beam.width * radius for radius in radii[index : index + 2])
                x, y = beam.begin * math.cos(turn), beam.begin * math.sin(turn)
                add_mesh(
                    scene,
                    on,
                    drawing.link(beam.end - beam.begin, begin, end),
                    colours[joint.slides and not beam.is_fixed],
                    wxyz=drawing.about_z(turn),
                    position=(at[0] + x, at[1] + y, at[2]),
                    **looks,
                )
            self.nodes.append(node)
            self.places.append(position)
            before, position = node, (*joint.link, 0.0)
        self.tip, self.end, self._level = before, position, None
        if any(arm.chain.tool):
            x, y = arm.chain.tool
            self.tip, self.end = f'{before}/tool', (x, y, 0.0)
            self._level = scene.add_frame(self.tip, show_axes=False, position=position)
            add_mesh(
                scene,
                f'{self.tip}/link',
                drawing.link(math.hypot(x, y), 0.6 * radii[-1], 0.6 * radii[-1]),
                colours[1],
                wxyz=drawing.about_z(math.atan2(y, x)),
                **looks,
            )

    def show(self, positions: Sequence[float]) -> None:
        """Move them to (m,) positions."""
        heading = 0.0
        for joint, frame, (x, y, z), q in zip(
            self._arm.chain.joints,
            self._frames,
            self.places,
            self._arm.in_plane(positions),
            strict=True,
        ):
            motion = kind_of(joint).motion(joint, q)
            before, heading = heading, motion.angle + (0.0 if joint.absolute else heading)
            frame.wxyz = drawing.about_z(heading - before)
            if joint.slides:
                frame.position = x + motion.x, y + motion.y, z
        if self._level is not None:
            self._level.wxyz = drawing.about_z(-heading)
        if self._arm.carrier is not None:
            drawing.place(self.root, self._arm.plane_at(positions))


class Figure:
    """The commanded arm."""

    def __init__(self, scene: Any, arm: ArmDescription) -> None:
        """Draw an arm at zero."""
        self._arm, radii = arm, drawing.radii(arm.chain)
        self._links = Links(scene, '/arm', arm, (drawing.LINK, drawing.ROD))
        is_flat = arm.carrier is None
        if is_flat:
            foot = drawing.disc(1.7 * radii[0], 0.25 * radii[0], 0.1 * radii[0])
            add_mesh(scene, '/arm/foot', foot, drawing.FOOT, position=(0.0, 0.0, -0.9 * radii[0]))
        self._limits: list[Any] = []
        before = '/arm'
        joints = zip(arm.chain.joints, self._links.nodes, self._links.places, radii, strict=False)
        for joint, node, (x, y, _), radius in joints:
            limit = None
            if not joint.continuous and not joint.absolute:
                mesh = drawing.fan(kind_of(joint).outline(joint, JOINT_SIZE * radius))
                limit = add_mesh(
                    scene,
                    f'{before}/limit',
                    mesh,
                    drawing.LIMIT,
                    position=(x, y, -0.6 * radius if is_flat else 0.02 * radius),
                    opacity=0.45,
                    side='front' if is_flat else 'double',
                )
            self._limits.append(limit)
            if not joint.slides:
                _add_pin(scene, f'{node}/joint', 0.62 * radius, radius, drawing.JOINT)
            before = node
        tip, end = self._links.tip, self._links.end
        _add_pin(scene, f'{tip}/tip', 0.5 * radii[-1], radii[-1], drawing.TIP, position=end)

    def show(self, positions: Sequence[float]) -> None:
        """Move it to (m,) positions."""
        self._links.show(positions)
        joints = zip(
            self._limits, self._arm.chain.joints, self._arm.in_plane(positions), strict=True
        )
        for limit, joint, q in joints:
            if limit is not None and joint.lower is not None and joint.upper is not None:
                drawing.colour_limit(limit, joint.lower, joint.upper, q)


class Ghost:
    """The measured arm, invisible at first."""

    def __init__(self, scene: Any, arm: ArmDescription, size: float) -> None:
        """Draw it.

        Args:
            scene: the viser scene.
            arm: the arm.
            size: how far it reaches, in m.
        """
        is_flat, colours = arm.carrier is None, (drawing.GHOST, drawing.GHOST)
        height, scale = (GHOST_HEIGHT * size, 1.0) if is_flat else (0.0, GHOST_WIDTH)
        self._links = Links(scene, '/ghost', arm, colours, height, scale, opacity=0.45)
        self._links.root.visible = False

    def show(self, positions: Sequence[float] | None) -> None:
        """Move it to (m,) positions; None hides it."""
        if self._links.root.visible != (positions is not None):
            self._links.root.visible = positions is not None
        if positions is not None:
            self._links.show(positions)


def _add_pin(
    scene: Any, name: str, radius: float, width: float, colour: Colour, **where: Any
) -> None:
    """Add a disc that stands out of a link of this radius on both sides."""
    height = (drawing.FLATNESS + 0.12) * width
    add_mesh(scene, name, drawing.disc(radius, height, 0.12 * width), colour, **where)
