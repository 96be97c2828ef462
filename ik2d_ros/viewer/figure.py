"""The drawing of an arm: its stand, its links, and a ghost of the measured arm."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ik2d_ros.arm.bounding_ball import carrier_axis
from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.arm.kinds import kind_of
from ik2d_ros.arm.solids import link_width
from ik2d_ros.kinematics.plane import Plane, Vector
from ik2d_ros.node.outcome import Colour
from ik2d_ros.viewer import drawing
from ik2d_ros.viewer.drawing import add_mesh

GHOST_HEIGHT = -0.03  # reaches; under the arm, and so visible only where the arm is not
GHOST_WIDTH = 0.8  # in space, where there is no under: inside the arm
JOINT_SIZE = 2.7  # of the sector that shows a joint's range, in radii of the link
FLOOR = 2.5  # half the width of the floor, in sizes
AXES = 0.22  # length of the base frame's axes, in sizes


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
                    colours[not (kind_of(joint).has_drum or beam.is_fixed)],
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
            if not kind_of(joint).has_drum:
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
            if kind_of(joint).has_drum:
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


class Stand:
    """Everything before the chain: base, column and hub; only the bracket moves, on the figure."""

    def __init__(self, scene: Any, arm: ArmDescription, size: float) -> None:
        """Draw it.

        Args:
            scene: the viser scene.
            arm: an arm with a turntable or a lift.
            size: radius of the scene, in m.
        """
        self._arm = arm
        self._limit: Any = None
        scene.add_frame('/ground', show_axes=False)
        drawing.add_grid(scene, '/ground', size, FLOOR, 0.0)
        scene.add_frame('/stand', axes_length=AXES * size, axes_radius=0.02 * AXES * size)
        width = drawing.radii(arm.chain)[0]
        frame, heights = carrier_axis(arm)
        turn = drawing.turn_of(frame)
        low, half = min(heights), 0.5 * (max(heights) - min(heights))

        def add_disc(name: str, radius: float, tall: float, colour: Any, height: float) -> None:
            mesh = drawing.disc(radius, tall, min(0.1 * width, 0.5 * tall))
            where = frame.point(0.0, 0.0, height)
            add_mesh(scene, f'/stand/{name}', mesh, colour, position=where, wxyz=turn)

        if half > 0.1 * width:
            thickness = (1.1 if arm.turntable else 0.6) * width
            add_disc('column', thickness, half, drawing.FOOT, low + half)
        add_disc('foot', 2.0 * width, 0.15 * width, drawing.FOOT, heights[0])
        if arm.turntable is None:
            return
        lower, upper = arm.limits[0]
        if upper - lower < 2.0 * math.pi:
            self._limit = add_mesh(
                scene,
                '/stand/limit',
                drawing.ring(2.0 * width, 3.6 * width, lower, upper),
                drawing.LIMIT,
                opacity=0.45,
                side='double',
                position=frame.point(0.0, 0.0, heights[0]),
                wxyz=turn,
            )
        # From the axis to the chain's first joint, in the plane, which carries it.
        plane = arm.kinematics.plane
        _, _, height = frame.locate(plane.origin)
        x, y, out = plane.locate(frame.point(0.0, 0.0, height))
        span = math.hypot(x, y, out)
        if span > 0.1 * width:
            rpy = 0.0, -math.atan2(out, math.hypot(x, y)), math.atan2(y, x)
            along = drawing.turn_of(Plane.from_pose((0.0, 0.0, 0.0), rpy))
            bracket = drawing.link(span, 0.8 * width, 0.8 * width)
            add_mesh(scene, '/arm/bracket', bracket, drawing.FOOT, wxyz=along)
        add_disc('hub', 1.3 * width, 0.9 * width, drawing.JOINT, height)

    def show(self, positions: Sequence[float]) -> None:
        """Show whether the carrying joint is at a limit."""
        if self._limit is not None:
            drawing.colour_limit(self._limit, *self._arm.limits[0], positions[0])


def _add_pin(
    scene: Any, name: str, radius: float, width: float, colour: Colour, **where: Any
) -> None:
    """Add a disc that stands out of a link of this radius on both sides."""
    height = (drawing.FLATNESS + 0.12) * width
    add_mesh(scene, name, drawing.disc(radius, height, 0.12 * width), colour, **where)
