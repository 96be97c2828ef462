"""Reading a robot from the text of a URDF: its links and joints, and not what they look like.

The elements that say where things are go to urdf_parser_py, ROS's own reader; meshes, masses and
what is meant for simulators are left out before, so that no file but this one is ever opened.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ik2d_ros.kinematics.bounds import LARGEST_ANGLE, LARGEST_LENGTH
from ik2d_ros.parameters.checks import ConfigError, listed
from ik2d_ros.parameters.wording import printable
from ik2d_ros.robot.joint_parts import bare_joint
from ik2d_ros.robot.model import MOVING, Mimic, Robot, RobotJoint, Vector
from ik2d_ros.robot.xml_text import local, needed, parse, without_declaration

MOST = 3000  # links or joints; a humanoid with hands has a hundred

_OTHER_FORMATS = {
    'sdf': 'an SDF model of Gazebo',
    'mujoco': 'a MuJoCo model',
    'mujocoinclude': 'a MuJoCo model',
    'launch': 'a launch file',
    'COLLADA': 'a mesh',
    'package': 'a package manifest',
    'html': 'a web page',
}


def read_robot(text: str, name: str) -> Robot:
    """Read a robot from the text of a URDF.

    Args:
        text: the URDF; xacro has to be expanded before.
        name: of the file, for messages.

    Raises:
        ConfigError: it is not a URDF, or links and joints are no tree, or a number is missing, not
            finite or too large. The message names the joint or link and what is wrong.
    """
    root = parse(without_declaration(text.lstrip('\ufeff \t\r\n')), name)
    if local(root) != 'robot':
        other = _OTHER_FORMATS.get(local(root))
        what = f'{other}, not a URDF' if other else 'not a URDF'
        raise ConfigError(
            f'{name}: is {what}: its root element is <{printable(local(root))}>; it must be <robot>'
        )
    links, joints = _named(root, 'link', name), _named(root, 'joint', name)
    elsewhere = {**_of_controllers(root), **_of_safety(joints)}
    parsed = _parsed(root, joints, name)
    built = tuple(
        _joint(joint, element, elsewhere, name)
        for joint, element in zip(parsed, joints, strict=True)
    )
    names = [link.get('name', '') for link in links]
    return _tree(root.get('name', ''), names, built, tuple(_loops(root)), name)


def _named(root: ET.Element, tag: str, file: str) -> list[ET.Element]:
    """Return the elements of a kind, each with a name of its own."""
    found = [child for child in root if local(child) == tag]
    if len(found) > MOST:
        raise ConfigError(f'{file}: has {len(found)} {tag}s; it must have at most {MOST}')
    names = [element.get('name', '') for element in found]
    if '' in names:
        raise ConfigError(f'{file}: a {tag} has no name')
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ConfigError(f'{file}: {tag} names must be unique; given twice: {listed(twice)}')
    return found


def _parsed(root: ET.Element, joints: Sequence[ET.Element], file: str) -> list[Any]:
    """Return the joints as urdf_parser_py reads them."""
    bare = ET.Element('robot', name=root.get('name') or 'robot')
    bare.extend([bare_joint(joint, file) for joint in joints])
    urdf = needed('urdf_parser_py.urdf')
    try:
        found: list[Any] = urdf.URDF.from_xml_string(ET.tostring(bare)).joints
    except Exception as error:
        raise ConfigError(f'{file}: {_words(error)}') from None
    return found


def _words(error: Exception) -> str:
    # "ParseError in /robot[@name='x']/joint[@name='j']/origin[@xyz]:\ncould not convert ..."
    words = ' '.join(str(error).split()).replace('ParseError in ', 'in ')
    return printable(words or type(error).__name__)


def _joint(parsed: Any, element: ET.Element, elsewhere: Mapping[str, Any], file: str) -> RobotJoint:
    where = f"{file}: joint '{printable(parsed.name)}'"
    origin, limit, mimic = parsed.origin, parsed.limit, parsed.mimic
    xyz = _vector(where, 'origin xyz', origin and origin.xyz, LARGEST_LENGTH)
    rpy = _vector(where, 'origin rpy', origin and origin.rpy, LARGEST_ANGLE)
    axis = (1.0, 0.0, 0.0) if parsed.axis is None else _axis(where, parsed)
    given = next((child.attrib for child in element if local(child) == 'limit'), {})
    lower, upper = (
        _number(where, f'limit {end}', getattr(limit, end), finite=False) if end in given else None
        for end in ('lower', 'upper')
    )
    if (lower is None) != (upper is None):
        lower, upper = lower or 0.0, upper or 0.0  # the default that URDF has
    velocity = None
    if 'velocity' in given:
        velocity = _number(where, 'limit velocity', limit.velocity, finite=False)
    follows = None
    if mimic is not None:
        multiplier = 1.0 if mimic.multiplier is None else mimic.multiplier
        follows = Mimic(
            mimic.joint,
            _number(where, 'mimic multiplier', multiplier),
            _number(where, 'mimic offset', mimic.offset or 0.0),
        )
    return RobotJoint(
        parsed.name,
        parsed.type,
        parsed.parent,
        parsed.child,
        xyz,
        rpy,
        axis,
        lower,
        upper,
        velocity,
        follows,
        elsewhere.get(parsed.name, {}),
    )


def _axis(where: str, parsed: Any) -> Vector:
    x, y, z = _vector(where, 'axis xyz', parsed.axis, LARGEST_LENGTH)
    largest = max(abs(x), abs(y), abs(z))
    if largest == 0.0:
        if parsed.type not in MOVING - {'floating', 'planar'}:
            return (1.0, 0.0, 0.0)
        raise ConfigError(
            f'{where}: axis xyz is 0 0 0; it must be a direction, of any length but 0'
        )
    x, y, z = x / largest, y / largest, z / largest
    length = math.hypot(x, y, z)
    return x / length, y / length, z / length


def _vector(where: str, what: str, given: Any, largest: float) -> Vector:
    x, y, z = (_number(where, what, value, largest) for value in given or (0.0, 0.0, 0.0))
    return x, y, z


def _number(
    where: str, what: str, value: float, largest: float = LARGEST_LENGTH, finite: bool = True
) -> float:
    if math.isnan(value) or (finite and abs(value) > largest):
        raise ConfigError(
            f'{where}: {what} is {value!r}; it must be a finite number from {-largest:g} to '
            f'{largest:g}'
        )
    return value + 0.0


def _of_safety(joints: Sequence[ET.Element]) -> dict[str, dict[str, tuple[float, float]]]:
    """Return the soft limits of safety_controller, by joint."""
    found = {}
    for joint in joints:
        for part in joint:
            if local(part) == 'safety_controller':
                pair = _pair(part.get('soft_lower_limit'), part.get('soft_upper_limit'))
                if pair:
                    found[joint.get('name', '')] = {'safety_controller': pair}
    return found


def _of_controllers(root: ET.Element) -> dict[str, dict[str, tuple[float, float]]]:
    """Return the limits on position commands in the tags for ros2_control, by joint."""
    found = {}
    for tag in root:
        for joint in tag.iter('joint') if local(tag) == 'ros2_control' else ():
            for interface in joint.iter('command_interface'):
                limits = {param.get('name'): param.text for param in interface.iter('param')}
                pair = _pair(limits.get('min'), limits.get('max'))
                if interface.get('name') == 'position' and pair:
                    found[joint.get('name', '')] = {'ros2_control': pair}
    return found


def _pair(lower: str | None, upper: str | None) -> tuple[float, float] | None:
    try:
        pair = float(lower or ''), float(upper or '')
    except ValueError:
        return None
    return pair if all(map(math.isfinite, pair)) and pair[0] < pair[1] else None


def _loops(root: ET.Element) -> Iterator[str]:
    """Yield the links that tags for simulators join to others, which closes a loop."""
    for tag in root:
        if local(tag) in ('loop_joint', 'gazebo', 'linear_bushing_rpy', 'ball_constraint'):
            for element in tag.iter():
                if element is tag and local(tag) == 'gazebo':
                    continue
                if local(element) in ('joint', 'loop_joint') or local(tag) != 'gazebo':
                    for part in element.iter():
                        name = part.get('link') or part.get('name') or part.text or ''
                        if local(part) in ('parent', 'child', 'link1', 'link2'):
                            yield name.strip().rpartition('::')[2]


def _tree(
    name: str, links: list[str], joints: tuple[RobotJoint, ...], loops: tuple[str, ...], file: str
) -> Robot:
    """Check that links and joints are one tree."""
    if not links:
        raise ConfigError(f'{file}: the robot has no links')
    known = set(links)
    if any(joint.parent == 'world' for joint in joints) and 'world' not in known:
        links, known = ['world', *links], known | {'world'}  # some files leave it undeclared
    for joint in joints:
        for what, link in (('parent', joint.parent), ('child', joint.child)):
            if link not in known:
                raise ConfigError(
                    f"{file}: joint '{printable(joint.name)}': its {what} link "
                    f"'{printable(link)}' does not exist"
                )
    before: dict[str, RobotJoint] = {}
    for joint in joints:
        if joint.child in before:
            raise ConfigError(
                f"{file}: link '{printable(joint.child)}' has two parents: the joints "
                f"'{printable(before[joint.child].name)}' and '{printable(joint.name)}' both lead "
                'to it; URDF has no closed linkages'
            )
        before[joint.child] = joint
    names = {joint.name for joint in joints}
    for joint in joints:
        if joint.mimic is not None and joint.mimic.joint not in names:
            raise ConfigError(
                f"{file}: joint '{printable(joint.name)}' mimics the joint "
                f"'{printable(joint.mimic.joint)}', which does not exist"
            )
    roots = [link for link in links if link not in before]
    if len(roots) > 1:
        raise ConfigError(
            f'{file}: the links are not one tree: no joint leads to {listed(roots)}; one link, the '
            'root, must be without'
        )
    robot = Robot(name, tuple(links), joints, roots[0] if roots else '', loops)
    reached = _reached(robot, robot.root) if roots else set()
    if len(reached) < len(links):
        circle = [link for link in links if link not in reached]
        raise ConfigError(f'{file}: links form a circle: {listed(circle)}')
    return robot


def _reached(robot: Robot, start: str) -> set[str]:
    reached, waiting = {start}, [start]
    while waiting:
        for joint in robot.below[waiting.pop()]:
            reached.add(joint.child)
            waiting.append(joint.child)
    return reached
