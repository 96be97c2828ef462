"""The links of an arm in its plane, each on the one before, with their solids; no ROS imports."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.drawing.solids import Solid, beam, bone, foot, guide, link_width, urdf_axis, urdf_type
from ik2d_ros.kinematics import Joint, Roll

TIP = 'tip'
"""Name of the link at the tip, unless a joint or frame already has it."""

Origin = tuple[Sequence[float], Sequence[float]]  # xyz in m, rpy in rad

NOWHERE: Origin = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


class Part(NamedTuple):
    """A joint of the tree, and the link behind it.

    Attributes:
        joint: name of the joint, before the prefix and underscores that make it unique.
        link: name of the link, before them.
        origin: pose of the joint in the link before.
        solids: the shapes of the link.
        type: as URDF has it.
        axis: its direction in the frame of the link.
        mimics: the joint whose position it has with the other sign; empty for none.
        model: the joint of the chain, if it is one.
    """

    joint: str
    link: str
    origin: Origin
    solids: list[Solid]
    type: str = 'fixed'
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    mimics: str = ''
    model: Joint | None = None

    @property
    def is_driven(self) -> bool:
        """Whether it is a joint of the arm."""
        return self.type != 'fixed' and not self.mimics


def parts_of(arm: ArmDescription, room: float = 0.0) -> list[Part]:
    """Return the parts from the plane of an arm to its tip, each on the one before.

    The first one is the foot in ``base_frame``, without the joint that carries it.

    Args:
        arm: the arm.
        room: how much of the last link is left out before a roll, for a gripper, in m.
    """
    chain, roll, width = arm.chain, arm.roll, link_width(arm.chain)
    base: Origin = arm.base_xyz, arm.base_rpy
    parts = [Part('base_joint', f'{chain.names[0]}_base', base, foot(width))]
    place = (0.0, 0.0)
    group: list[Joint] = []
    for joint in chain.joints:
        if joint.absolute and group:
            parts += _levels(group, joint.name, place, width)
            place, group = (0.0, 0.0), []
        parts[-1].solids.extend(guide(joint, width, place))
        shape = joint
        if roll is not None and joint is chain.joints[-1] and not joint.slides:
            (x, y), (a, b), beside = joint.link, roll.axis, roll.beside(joint.link)
            x, y = x + beside * b, y - beside * a  # on the axis
            share = max(0.5, 1.0 - room / (math.hypot(x, y) or 1.0))
            shape = replace(joint, link=(share * x, share * y))
        link, origin = f'{joint.name}_link', ((*place, 0.0), (0.0, 0.0, joint.offset))
        solids, axis = bone(shape, width), urdf_axis(joint)
        parts.append(Part(joint.name, link, origin, solids, urdf_type(joint), axis, model=joint))
        place = joint.link
        group.append(joint)
    if any(chain.tool):
        parts += _levels(group, 'tool', place, width)
        place = chain.tool
        angle, ends = math.atan2(place[1], place[0]), (0.0, math.hypot(*place))
        parts[-1].solids.extend(beam((0.0, 0.0, 0.0), angle, ends, 0.6 * width, 'ik2d_joint'))
    end: Origin = ((*place, 0.0), (0.0, 0.0, 0.0))
    if roll is not None:
        parts.append(_rolling(arm, roll, width))
        end = (parts[-1].solids[0].xyz, (0.0, 0.0, 0.0))
    return [*parts, Part('tip_joint', TIP, end, [Solid('ik2d_tip', 'sphere', (0.55 * width,))])]


def _rolling(arm: ArmDescription, roll: Roll, width: float) -> Part:
    """Return the roll, on the last link; its jaws, at the tip, show how it is turned."""
    (x, y), (a, b) = arm.chain.joints[-1].link, roll.origin
    jaws = beam((x - a, y - b, roll.tip_z), 0.5 * math.pi, (-width, width), 0.5 * width)
    link, axis = f'{roll.name}_link', (*roll.axis, 0.0)
    kind = 'continuous' if roll.continuous else 'revolute'
    return Part(roll.name, link, ((a, b, 0.0), NOWHERE[1]), jaws, kind, axis)


def _levels(
    group: Sequence[Joint], behind: str, place: tuple[float, float], width: float
) -> list[Part]:
    """Return joints that turn a group of joints' rotation back, at a place on its last link."""
    parts: list[Part] = []
    origin: Origin = ((*place, 0.0), (0.0, 0.0, -sum(joint.offset for joint in group)))
    for joint in group:
        if joint.turns:
            name, axis = f'{behind}_level_{joint.name}', urdf_axis(joint)
            pin = [Solid('ik2d_joint', 'cylinder', (0.4 * width, 1.4 * width))]
            part = Part(name, f'{name}_link', origin, pin, 'continuous', axis, mimics=joint.name)
            parts.append(part)
            origin = NOWHERE
    return parts
