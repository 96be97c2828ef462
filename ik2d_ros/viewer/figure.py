"""The links of an arm as they are drawn: the commanded arm, and its ghost as it is measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.arm.kinds import Beam, kind_of
from ik2d_ros.arm.proportions import link_width
from ik2d_ros.kinematics import Joint
from ik2d_ros.node.outcome import Colour
from ik2d_ros.viewer import shapes
from ik2d_ros.viewer.drawing import (
    AT_LIMIT,
    FOOT,
    GHOST,
    JOINT,
    LIMIT,
    LINK,
    ROD,
    TIP,
    about_z,
    add_mesh,
    place,
    recolour,
)

GHOST_OPACITY = 0.45
GHOST_HEIGHT = -0.03  # reaches; under the arm, and so visible only where the arm is not
GHOST_WIDTH = 0.8  # in space, where there is no under: inside the arm
AT_LIMIT_WITHIN = 1e-4  # rad or m
JOINT_SIZE = 2.7  # of the sector that shows a joint's range, in radii of the link


class Figure:
    """The commanded arm; its links are nested nodes, which only turn and slide when it moves."""

    def __init__(self, scene: Any, arm: ArmDescription) -> None:
        """Draw an arm at zero.

        Args:
            scene: the viser scene.
            arm: the arm.
        """
        self._scene, self._arm = scene, arm
        self._limits: list[Any] = []
        radii = shapes.radii(arm.chain)
        name, position = '/arm', (0.0, 0.0, 0.0)
        self._root = scene.add_frame(name, show_axes=False)
        if arm.carrier is None:
            add_mesh(
                scene, '/arm/foot', shapes.disc(1.7 * radii[0], 0.25 * radii[0], 0.1 * radii[0]),
                FOOT, position=(0.0, 0.0, -0.9 * radii[0]),
            )  # fmt: skip
        self._links = _Links(scene, name, arm, position, (LINK, ROD))
        for joint, node, where, radius in zip(
            arm.chain.joints, self._links.nodes, self._links.places, radii, strict=False
        ):
            self._limits.append(self._add_limit(f'{name}/limit', joint, radius, where))
            name = node
            if not joint.slides:
                height = (shapes.FLATNESS + 0.12) * radius
                drum = shapes.disc(0.62 * radius, height, 0.12 * radius)
                add_mesh(scene, f'{name}/joint', drum, JOINT)
        position = (*arm.chain.joints[-1].link, 0.0)
        height = (shapes.FLATNESS + 0.12) * radii[-1]
        knob = shapes.disc(0.5 * radii[-1], height, 0.12 * radii[-1])
        add_mesh(scene, f'{name}/tip', knob, TIP, position=position)

    def show(self, positions: Sequence[float]) -> None:
        """Move it to (m,) positions."""
        self._links.show(self._arm.in_plane(positions))
        if self._arm.carrier is not None:
            place(self._root, self._arm.plane_at(positions))
        for limit, joint, q in zip(
            self._limits, self._arm.chain.joints, self._arm.in_plane(positions), strict=True
        ):
            if limit is not None and joint.lower is not None and joint.upper is not None:
                slack = min(q - joint.lower, joint.upper - q)
                recolour(limit, AT_LIMIT if slack <= AT_LIMIT_WITHIN else LIMIT)

    def _add_limit(
        self, name: str, joint: Joint, radius: float, position: tuple[float, float, float]
    ) -> Any:
        """Add the range of a joint, fixed to the link before it; None for a continuous joint."""
        if joint.continuous:
            return None
        mesh = shapes.fan(kind_of(joint).outline(joint, JOINT_SIZE * radius))
        x, y, _ = position
        is_flat = self._arm.carrier is None
        where = (x, y, -0.6 * radius if is_flat else 0.02 * radius)
        side = 'front' if is_flat else 'double'
        return add_mesh(self._scene, name, mesh, LIMIT, position=where, opacity=0.45, side=side)


class Ghost:
    """The measured arm, invisible at first."""

    def __init__(self, scene: Any, arm: ArmDescription, size: float) -> None:
        """Draw it.

        Args:
            scene: the viser scene.
            arm: the arm.
            size: how far it reaches, in m.
        """
        self._arm = arm
        is_flat = arm.carrier is None
        name, position = '/ghost', (0.0, 0.0, GHOST_HEIGHT * size if is_flat else 0.0)
        self._root = scene.add_frame(name, show_axes=False, visible=False)
        width = 1.0 if is_flat else GHOST_WIDTH
        self._links = _Links(
            scene, name, arm, position, (GHOST, GHOST), width, opacity=GHOST_OPACITY
        )

    def show(self, positions: Sequence[float] | None) -> None:
        """Move it to (m,) positions; None hides it."""
        if self._root.visible != (positions is not None):
            self._root.visible = positions is not None
        if positions is None:
            return
        self._links.show(self._arm.in_plane(positions))
        if self._arm.carrier is not None:
            place(self._root, self._arm.plane_at(positions))


class _Links:
    """The links of a chain, each a node on the one before.

    Attributes:
        nodes: names of the (n,) nodes.
        places: where they are on the one before with their joint at 0, in m.
    """

    def __init__(
        self,
        scene: Any,
        root: str,
        arm: ArmDescription,
        position: tuple[float, float, float],
        colours: tuple[Colour, Colour],
        scale: float = 1.0,
        **looks: Any,
    ) -> None:
        """Draw them at zero.

        Args:
            scene: the viser scene.
            root: name of the node that the first one is on.
            arm: the arm.
            position: of the first joint there, in m.
            colours: of the links, and of what slides on them.
            scale: of their width.
            looks: how else they are drawn.
        """
        self.nodes: list[str] = []
        self.places: list[tuple[float, float, float]] = []
        self._chain = arm.chain
        self._frames: list[Any] = []
        radii = [scale * radius for radius in shapes.radii(arm.chain)]
        before, width = root, link_width(arm.chain)
        for index, joint in enumerate(arm.chain.joints):
            name = f'{before}/{index}'
            frame = scene.add_frame(name, show_axes=False, position=position)
            for number, beam in enumerate(kind_of(joint).beams(joint, width)):
                turn, (x, y, z) = joint.direction, (0.0, 0.0, 0.0)
                node, ends = f'{name}/link{number}', radii[index : index + 2]
                if beam.is_fixed:
                    turn, (x, y, z) = turn + joint.offset, position
                    node = f'{before}/guide{index}'
                along = beam.begin * math.cos(turn), beam.begin * math.sin(turn)
                colour = colours[joint.slides and not beam.is_fixed]
                add_mesh(
                    scene, node, _body(beam, *ends), colour, wxyz=about_z(turn),
                    position=(x + along[0], y + along[1], z), **looks,
                )  # fmt: skip
            self.nodes.append(name)
            self.places.append(position)
            self._frames.append(frame)
            before, position = name, (*joint.link, 0.0)

    def show(self, positions: Sequence[float]) -> None:
        """Move them to (n,) positions."""
        for joint, frame, (x, y, z), q in zip(
            self._chain.joints, self._frames, self.places, positions, strict=True
        ):
            motion = kind_of(joint).motion(joint, q)
            frame.wxyz = about_z(motion.angle)
            if joint.slides:
                frame.position = x + motion.x, y + motion.y, z


def _body(beam: Beam, begin: float, end: float) -> shapes.Mesh:
    return shapes.link(beam.end - beam.begin, beam.width * begin, beam.width * end)
