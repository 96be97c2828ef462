"""Reads a robot from the text of a URDF.

A URDF is data: no other file is opened, not even meshes. XML entities are refused, since they can
expand without end and read other files.
"""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ik2d_ros.kinematics.arguments import LARGEST_ANGLE, LARGEST_LENGTH
from ik2d_ros.kinematics.plane import Vector, unit_vector
from ik2d_ros.parameters.checks import ConfigError, listed
from ik2d_ros.parameters.file import naming
from ik2d_ros.parameters.sanitize import printable
from ik2d_ros.robot.model import KINDS, Mimic, Robot, RobotJoint

MOST = 3000  # links or joints; a humanoid with hands has a hundred

_DECLARATION = re.compile(r'<\?xml\s[^>]{0,400}\?>')
_PREFIX = re.compile(r'<([A-Za-z_][\w.-]*):')
_BOUND = re.compile(r'\sxmlns:([\w.-]+)\s*=')


def read_robot(text: str, name: str) -> Robot:
    """Read a robot from the text of a URDF, without xacro; messages have the name of its file.

    Raises:
        ConfigError: it is not a URDF, or links and joints are no tree, or a number is missing, not
            finite or too large. The message names the joint or link and what is wrong.
    """
    with naming(name):
        root = _parse(text)
        if _tag(root) != 'robot':
            raise ConfigError(
                f'is not a URDF: its root element is <{_tag(root)}>; it must be <robot>'
            )
        links = [link.get('name', '') for link in _named(root, 'link')]
        joints = [_joint(element) for element in _named(root, 'joint')]
        driven = {
            joint.get('name', '')
            for joint in root.findall('ros2_control/joint')
            if joint.find('command_interface') is not None
        }
        driven |= {joint.get('name', '') for joint in root.findall('transmission/joint')}
        loops = tuple(_loops(root, links))
        return replace(_tree(links, joints), loops=loops, driven=frozenset(driven))


def _parse(text: str) -> ET.Element:
    """Return the root element."""
    try:
        from defusedxml.common import DefusedXmlException  # noqa: PLC0415
        from defusedxml.ElementTree import DefusedXMLParser  # noqa: PLC0415
    except ImportError:
        raise ConfigError(
            'reading a robot description needs the Python package defusedxml, which is not '
            "installed: pip install 'defusedxml', or sudo apt install python3-defusedxml"
        ) from None
    parser = DefusedXMLParser(forbid_dtd=False)
    # XML wants the declaration in the first line; some public files have it further down.
    text = _DECLARATION.sub('', text, count=1).lstrip('\ufeff \t\r\n')
    # ROS reads prefixes that are bound to no namespace, as in old tags of Gazebo.
    unbound = sorted({*_PREFIX.findall(text)} - {*_BOUND.findall(text), 'xml', 'xmlns'})
    bindings = ''.join(f' xmlns:{prefix}="{prefix}"' for prefix in unbound)
    text = text.replace('<robot', f'<robot{bindings}', 1)
    try:
        parser.feed(text)
        root: ET.Element = parser.close()
    except DefusedXmlException:
        raise ConfigError(
            'declares XML entities; no robot needs them, and they are refused, as they can expand '
            'without end and read other files'
        ) from None
    except (ET.ParseError, ValueError) as error:
        raise ConfigError(f'is not well-formed XML: {error}') from None
    return root


def _tag(element: ET.Element) -> str:
    """Return the tag of an element without its namespace."""
    return str(element.tag).rpartition('}')[2]


def _named(root: ET.Element, tag: str) -> list[ET.Element]:
    """Return the elements of a kind, each with a name of its own."""
    found = [child for child in root if _tag(child) == tag]
    if len(found) > MOST:
        raise ConfigError(f'has {len(found)} {tag}s; it must have at most {MOST}')
    names = [element.get('name', '') for element in found]
    if '' in names:
        raise ConfigError(f'a {tag} has no name')
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ConfigError(f'{tag} names must be unique; given twice: {listed(twice)}')
    return found


def _joint(element: ET.Element) -> RobotJoint:
    name, kind = element.get('name', ''), element.get('type', '')
    where = f"joint '{name}'"
    if kind not in KINDS:
        raise ConfigError(f"{where}: type is '{kind}'; it must be one of {', '.join(KINDS)}")
    parts = {_tag(part): part.attrib for part in reversed(element)}

    def text(tag: str, key: str) -> str:
        if key in parts.get(tag, {}):
            return str(parts[tag][key])
        raise ConfigError(f"{where}: its <{tag}> has no '{key}'")

    def number(tag: str, key: str, largest: float = math.inf) -> float | None:
        given = parts.get(tag, {}).get(key)
        return None if given is None else _numbers(given, 1, f'{where}: {tag} {key}', largest)[0]

    def vector(tag: str, key: str, largest: float) -> Vector:
        given = parts.get(tag, {}).get(key, '0 0 0')
        x, y, z = _numbers(given, 3, f'{where}: {tag} {key}', largest)
        return x, y, z

    # One end alone means 0 for the other; exporters write 0 to 0 for "not set".
    lower, upper = (number('limit', end) or 0.0 for end in ('lower', 'upper'))
    largest, fastest = (LARGEST_LENGTH, 10.0) if kind == 'prismatic' else (LARGEST_ANGLE, 100.0)
    has_limits = kind != 'continuous' and -largest <= lower < upper <= largest
    velocity = number('limit', 'velocity') or 0.0
    axis = (1.0, 0.0, 0.0)
    if 'axis' in parts and kind != 'fixed':
        text('axis', 'xyz')
        direction = unit_vector(vector('axis', 'xyz', LARGEST_LENGTH))
        if direction is None:
            raise ConfigError(
                f'{where}: axis xyz is 0 0 0; it must be a direction, of any length but 0'
            )
        axis = direction
    mimic = None
    if 'mimic' in parts:
        multiplier = number('mimic', 'multiplier', LARGEST_LENGTH)
        offset = number('mimic', 'offset', LARGEST_ANGLE) or 0.0
        mimic = Mimic(text('mimic', 'joint'), 1.0 if multiplier is None else multiplier, offset)
    return RobotJoint(
        name=name,
        kind=kind,
        parent=text('parent', 'link'),
        child=text('child', 'link'),
        xyz=vector('origin', 'xyz', LARGEST_LENGTH),
        rpy=vector('origin', 'rpy', LARGEST_ANGLE),
        axis=axis,
        limits=(lower, upper) if has_limits else None,
        velocity=velocity if 0.0 < velocity < fastest else None,
        mimic=mimic,
    )


def _numbers(text: str, count: int, what: str, largest: float) -> list[float]:
    try:
        values = [float(word) + 0.0 for word in text.split()]
    except ValueError:
        values = []
    if len(values) != count or not all(abs(value) <= largest for value in values):  # NaN, too
        allowed = 'a number' if count == 1 else 'three numbers'
        ends = f' from {-largest:g} to {largest:g}' if largest < math.inf else ''
        raise ConfigError(f"{what} is '{printable(text)}'; it must be {allowed}{ends}")
    return values


def _loops(root: ET.Element, links: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield pairs of links that simulators join, by their tags or by the names of two frames."""
    for joint in root.findall('gazebo/joint'):
        ends = tuple(joint.findtext(tag, '').strip() for tag in ('parent', 'child'))
        if not {*ends} - {*links}:
            yield ends
    for link in links:
        other = f'{link[:-2]}_2'
        if link.startswith('closing_') and link.endswith('_1') and other in links:
            yield link, other


def _tree(links: list[str], joints: Sequence[RobotJoint]) -> Robot:
    """Check that links and joints are one tree."""
    if not links:
        raise ConfigError(
            'the robot has no links; of a xacro file that only defines macros, give the file that '
            'uses them'
        )
    if any(joint.parent == 'world' for joint in joints) and 'world' not in links:
        links = ['world', *links]  # some files do not declare it
    known, names = {*links}, {joint.name for joint in joints}
    for joint in joints:
        if lacking := {joint.parent, joint.child} - known or {joint.leader} - names:
            raise ConfigError(
                f"joint {joint.quoted} refers to '{lacking.pop()}', which does not exist"
            )
    children = Counter(joint.child for joint in joints)
    _check_none('two joints lead to', [link for link, count in children.items() if count > 1])
    roots = [link for link in links if link not in children]
    _check_none('no joint leads to', roots if len(roots) > 1 else [])
    _check_none('in a circle are', links if not roots else [])
    robot = Robot(tuple(links), tuple(_following(joints)), roots[0])
    reached = {robot.root, *(joint.child for joint in robot.behind(robot.root))}
    _check_none('in a circle are', [link for link in links if link not in reached])
    return robot


def _check_none(words: str, links: Sequence[str]) -> None:
    if links:
        raise ConfigError(f'the links are not one tree: {words} {listed(links)}')


def _following(joints: Sequence[RobotJoint]) -> Iterator[RobotJoint]:
    """Yield joints with the rule by which they follow a joint that follows none."""
    rules = {joint.name: joint.mimic for joint in joints}
    for joint in joints:
        rule, seen = joint.mimic, {joint.name}
        while rule is not None and (before := rules[rule.joint]) is not None:
            if rule.joint in seen:
                raise ConfigError(f"joint '{rule.joint}' mimics itself")
            seen.add(rule.joint)
            offset = rule.multiplier * before.offset + rule.offset
            rule = Mimic(before.joint, rule.multiplier * before.multiplier, offset)
        yield replace(joint, mimic=rule)
