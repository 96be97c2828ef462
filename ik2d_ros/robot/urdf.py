"""Reads a robot from a URDF, or from xacro, expanded by xacro's own ``process_file``.

A URDF is data: no other file is opened, not even meshes. XML entities are refused, since they can
expand without end and read other files. A xacro file is a program: expanding it runs it with the
user's rights.
"""

from __future__ import annotations

import math
import os
import re
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType, ModuleType

from ik2d_ros.kinematics.arguments import LARGEST_ANGLE, LARGEST_LENGTH
from ik2d_ros.kinematics.plane import Vector, unit_vector
from ik2d_ros.parameters.checks import ConfigError, listed, printable
from ik2d_ros.parameters.file import naming, read_text
from ik2d_ros.robot.model import KINDS, Mimic, Robot, RobotJoint

LARGEST = 5_000_000  # bytes of a description, twenty times those of a humanoid

NOTHING: Mapping[str, str] = MappingProxyType({})

# The folder of packages that are not found. Most references to packages are to meshes and
# configurations of controllers, which are not read here; an include from there fails.
NOT_FOUND = '/package-not-found'

_DECLARATION = re.compile(r'<\?xml\s[^>]{0,400}\?>')
_COMMENT = re.compile(r'<!--.*?-->', re.DOTALL)
_EMPTY = re.compile(  # an argument whose default is empty, in any order of the attributes
    r"""<xacro:arg\b(?=[^>]*\bdefault\s*=\s*["']\s*["'])[^>]*\bname\s*=\s*["']([^"']*)"""
)


def load_robot(
    path: str | Path,
    arguments: Mapping[str, str] = NOTHING,
    packages: Mapping[str, str] = NOTHING,
) -> Robot:
    """Read a robot from a file; see :func:`load_urdf` and :func:`.read_robot`."""
    return read_robot(load_urdf(path, arguments, packages), str(path))


def load_urdf(
    path: str | Path,
    arguments: Mapping[str, str] = NOTHING,
    packages: Mapping[str, str] = NOTHING,
) -> str:
    """Read the text of a URDF from a file; xacro is expanded, which runs it.

    Args:
        path: the file; its content decides whether it is xacro, not its name.
        arguments: of the xacro file, by name.
        packages: folders by name of the package; they precede those of ROS.

    Raises:
        ConfigError: it cannot be read, is no text, or cannot be expanded; or xacro is not
            installed.
    """
    text = read_text(path, LARGEST)
    with naming(path):
        if not re.search(r'<xacro:|\$[{(]', _COMMENT.sub('', text)):
            return text
        try:
            import xacro  # noqa: PLC0415
        except ImportError:
            raise ConfigError(
                "is xacro, and the Python package xacro is not installed: pip install 'xacro', or "
                'in a ROS installation: sudo apt install ros-$ROS_DISTRO-xacro'
            ) from None
        try:
            with _packages_found(packages):
                document = xacro.process_file(str(path), mappings=dict(arguments))
        except Exception as error:
            files = xacro.filestack or []
            where = f' (in {files[-1]})' if len(files) > 1 else ''
            reason = _reason(error, text, arguments)
            raise ConfigError(f'xacro cannot expand it: {reason}{where}') from None
    return str(document.documentElement.toxml())


def _reason(error: Exception, text: str, given: Mapping[str, str]) -> str:
    """Return why xacro fails, and what to give: a folder, or arguments without a value."""
    if isinstance(error, RecursionError):
        return 'it includes or repeats itself without end'
    reason = printable(' '.join(str(error).split()) or type(error).__name__)
    if package := re.search(rf'{NOT_FOUND}/([^/]+)', reason):
        return (
            f'it includes from the package {package[1]}, which is not installed; say where it is: '
            f'--package {package[1]}=FOLDER'
        )
    if argument := re.search(r'Undefined substitution argument (\S+)', reason):
        return f'{reason}; it has no default: give it as {argument[1]}:=VALUE'
    empty = [name for name in _EMPTY.findall(_COMMENT.sub('', text)) if name not in given]
    # An empty path is that of a folder.
    if wanted := [name for name in empty if name in reason] or ('Errno' in reason) * empty:
        return f'{reason}; empty by default: give {" ".join(f"{name}:=VALUE" for name in wanted)}'
    return reason


@contextmanager
def _packages_found(given: Mapping[str, str]) -> Iterator[None]:
    """Let ``$(find name)`` find the given packages, even without ROS.

    xacro asks ``ament_index_python.packages`` each time.
    """

    def find(package: str) -> str:
        prefixes = os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep)
        shares = [Path(prefix, 'share', package) for prefix in filter(None, prefixes)]
        found = next(filter(Path.is_dir, shares), Path(NOT_FOUND, package))
        return str(Path(given.get(package, found)).absolute())

    names = ('ament_index_python', 'ament_index_python.packages')
    before = {name: sys.modules.pop(name) for name in names if name in sys.modules}
    sys.modules.update({name: ModuleType(name) for name in names})
    vars(sys.modules[names[1]])['get_package_share_directory'] = find
    try:
        yield
    finally:
        for name in names:
            del sys.modules[name]
        sys.modules.update(before)


def read_robot(text: str, name: str) -> Robot:
    """Read a robot from the text of a URDF, without xacro; messages have the name of its file.

    Raises:
        ConfigError: it is not a URDF, links and joints are no tree, or a number is missing, not
            finite or too large.
    """
    with naming(name):
        root = _parse(text)
        if root.tag != 'robot':
            raise ConfigError(
                f'is not a URDF: its root element is <{root.tag}>; it must be <robot>'
            )
        links = [link.get('name', '') for link in _named(root, 'link')]
        joints = [_joint(element) for element in _named(root, 'joint')]
        driven = root.findall('ros2_control/joint/command_interface/..')
        return _tree(links, joints, frozenset(joint.get('name', '') for joint in driven))


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


def _named(root: ET.Element, tag: str) -> list[ET.Element]:
    """Return the elements of a kind, each with a name of its own."""
    found = root.findall(tag)
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
    parts = {part.tag: part.attrib for part in reversed(element)}

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


def _tree(links: list[str], joints: Sequence[RobotJoint], driven: frozenset[str]) -> Robot:
    """Return the robot, checked to be one tree."""
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
                f"joint '{joint.name}' refers to '{lacking.pop()}', which does not exist"
            )
    children = Counter(joint.child for joint in joints)
    _check_none('two joints lead to', [link for link, count in children.items() if count > 1])
    roots = [link for link in links if link not in children]
    _check_none('no joint leads to', roots if len(roots) > 1 else [])
    _check_none('in a circle are', links if not roots else [])
    robot = Robot(tuple(links), tuple(_following(joints)), roots[0], driven)
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
