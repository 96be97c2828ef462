"""The arm as a robot description (URDF): frames, limits and a simple look; no ROS in here.

The links hang together as the chain does, so that robot_state_publisher makes the transforms that
``Chain.forward`` computes::

    <base_frame>                        the frame that base.xyz and base.rpy are given in
      <first joint>_base                the arm's plane: x and y in it, z its normal   (fixed)
        <joint>_link ...                turns with the joint; x and y as in the link vector
          tip                           the end of the last link                       (fixed)

Joints have their names from the chain, for that is what ``joint_states`` says. Where a name of a
link or of a fixed joint is taken already, underscores are added at its end. Two arms in one tree of
frames need names of their own: a prefix stands before all names but those of the chain's joints.
"""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from ik2d_ros.arm.description import ArmDescription, MotionLimits
from ik2d_ros.arm.proportions import link_width
from ik2d_ros.kinematics import Joint
from ik2d_ros.parameters.checks import ConfigError, shown

TIP = 'tip'
"""Name of the link at the arm's end, where no joint or frame has it already."""

# URDF demands both of a joint with limits. An arm's parameters know no effort; neither bounds
# anything here, but a value of 0 would mean that the joint cannot move.
DEFAULT_EFFORT = 100.0  # N m
DEFAULT_VELOCITY = math.pi  # rad/s

COLOURS: Mapping[str, str] = MappingProxyType(
    {
        'ik2d_link': '0.93 0.45 0.13 1',
        'ik2d_joint': '0.22 0.24 0.27 1',
        'ik2d_tip': '0.13 0.59 0.95 1',
    }
)
"""Red, green, blue and opacity of each material, 0 to 1."""

_NOT_IN_XML = re.compile('[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]')

Origin = tuple[Sequence[float], Sequence[float]]  # xyz in m, rpy in rad


class Shape(NamedTuple):
    """A solid that a link is drawn with, in the link's frame.

    Attributes:
        colour: a key of :data:`COLOURS`.
        kind: box, cylinder or sphere.
        sizes: in m, by URDF's names.
        xyz: middle, in m.
        yaw: turn about the normal, in rad.
    """

    colour: str
    kind: str
    sizes: dict[str, str]
    xyz: tuple[float, float, float] = (0.0, 0.0, 0.0)
    yaw: float = 0.0


def urdf_of(arm: ArmDescription, name: str = 'ik2d', prefix: str = '') -> str:
    """Describe an arm as a robot for ``robot_state_publisher``.

    Args:
        arm: the arm.
        name: name of the robot.
        prefix: stands before the name of every frame, and of every fixed joint, as it is:
            ``left/`` makes ``left/base_link`` and ``left/tip``.

    Returns:
        An XML document. Every number reads back as the same float.

    Raises:
        ConfigError: a name holds a character that XML has no way to write.
    """
    root = f'{prefix}{arm.base_frame}'
    _check_names([name, root, *arm.chain.names])
    taken = {root, *arm.chain.names}
    joints, width = arm.chain.joints, link_width(arm.chain)
    first = f'{prefix}{joints[0].name}'
    base, base_joint = _free(f'{first}_base', taken), _free(f'{prefix}base_joint', taken)
    links = [_free(f'{prefix}{joint.name}_link', taken) for joint in joints]
    tip, tip_joint = _free(f'{prefix}{TIP}', taken), _free(f'{prefix}tip_joint', taken)

    robot = ET.Element('robot', name=name)
    robot.append(
        ET.Comment(
            f' Made by ik2d from an arm in the plane. Efforts of {DEFAULT_EFFORT} N m, and '
            f'velocities where the arm has none, are placeholders that URDF demands. '
        )
    )
    for colour, rgba in COLOURS.items():
        ET.SubElement(ET.SubElement(robot, 'material', name=colour), 'color', rgba=rgba)
    ET.SubElement(robot, 'link', name=root)
    _fixed_joint(robot, base_joint, root, base, (arm.base_xyz, arm.base_rpy))
    _look(ET.SubElement(robot, 'link', name=base), _foot(width))
    parent, place = base, (0.0, 0.0)
    for joint, motion, link in zip(joints, arm.motion, links, strict=True):
        element = ET.SubElement(robot, 'joint', name=joint.name, type=_type(joint))
        _frames(element, parent, link, ((*place, 0.0), (0.0, 0.0, joint.offset)))
        ET.SubElement(element, 'axis', xyz=_numbers((0.0, 0.0, float(joint.axis))))
        _limit(element, joint, motion)
        _look(ET.SubElement(robot, 'link', name=link), _bone(joint, width))
        parent, place = link, joint.link
    _fixed_joint(robot, tip_joint, parent, tip, ((*place, 0.0), (0.0, 0.0, 0.0)))
    _look(ET.SubElement(robot, 'link', name=tip), _finger_tip(width))
    ET.indent(robot)
    return f'<?xml version="1.0"?>\n{ET.tostring(robot, encoding="unicode")}\n'


def _check_names(names: Sequence[str]) -> None:
    for name in names:
        strange = _NOT_IN_XML.search(name)
        if strange is not None:
            raise ConfigError(
                f'the name {shown(name)} cannot be written into a URDF, for XML has no way to '
                f'write {strange.group()!r}; give it another one'
            )


def _free(name: str, taken: set[str]) -> str:
    """A name that is not taken; it is afterwards."""
    while name in taken:
        name += '_'
    taken.add(name)
    return name


def _type(joint: Joint) -> str:
    return 'continuous' if joint.continuous else 'revolute'


def _limit(element: ET.Element, joint: Joint, motion: MotionLimits) -> None:
    velocity = DEFAULT_VELOCITY if motion.velocity is None else motion.velocity
    limit = {'effort': repr(DEFAULT_EFFORT), 'velocity': repr(velocity)}
    if joint.lower is not None and joint.upper is not None:
        limit |= {'lower': repr(joint.lower), 'upper': repr(joint.upper)}
    elif motion.velocity is None:
        return  # URDF wants limits of a continuous joint only where there are any.
    ET.SubElement(element, 'limit', limit)


def _fixed_joint(robot: ET.Element, name: str, parent: str, child: str, origin: Origin) -> None:
    _frames(ET.SubElement(robot, 'joint', name=name, type='fixed'), parent, child, origin)


def _frames(element: ET.Element, parent: str, child: str, origin: Origin) -> None:
    ET.SubElement(element, 'parent', link=parent)
    ET.SubElement(element, 'child', link=child)
    _origin(element, origin)


def _origin(element: ET.Element, origin: Origin) -> None:
    xyz, rpy = origin
    ET.SubElement(element, 'origin', xyz=_numbers(xyz), rpy=_numbers(rpy))


def _numbers(values: Sequence[float]) -> str:
    return ' '.join(map(repr, values))


def _foot(width: float) -> list[Shape]:
    """What the first joint stands on."""
    height = 0.5 * width
    sizes = {'radius': repr(width), 'length': repr(height)}
    return [Shape('ik2d_joint', 'cylinder', sizes, (0.0, 0.0, -0.5 * (1.3 * width + height)))]


def _bone(joint: Joint, width: float) -> list[Shape]:
    """A joint and its link: a beam along the link vector, and a drum about the axis."""
    drum = Shape(
        'ik2d_joint', 'cylinder', {'radius': repr(0.75 * width), 'length': repr(1.3 * width)}
    )
    if not joint.length:
        return [drum]
    x, y = joint.link
    sizes = {'size': _numbers((joint.length, 0.8 * width, 0.8 * width))}
    beam = Shape('ik2d_link', 'box', sizes, (0.5 * x, 0.5 * y, 0.0), math.atan2(y, x))
    # The beam first: RViz gives all of a link the colour of its first part.
    return [beam, drum]


def _finger_tip(width: float) -> list[Shape]:
    return [Shape('ik2d_tip', 'sphere', {'radius': repr(0.55 * width)})]


def _look(link: ET.Element, shapes: Sequence[Shape]) -> None:
    for shape in shapes:
        visual = ET.SubElement(link, 'visual')
        _origin(visual, (shape.xyz, (0.0, 0.0, shape.yaw)))
        ET.SubElement(ET.SubElement(visual, 'geometry'), shape.kind, shape.sizes)
        ET.SubElement(visual, 'material', name=shape.colour)
