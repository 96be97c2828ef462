"""The parts of a joint's element that say where it is: checked, and without all others.

urdf_parser_py, which reads them, names neither joint nor part where it finds no number.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping

from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.wording import printable
from ik2d_ros.robot.model import MOVING
from ik2d_ros.robot.xml_text import local

KINDS = (*sorted(MOVING), 'fixed')

# By part: what it may say, as so many numbers; 0 is a name.
_PARTS: Mapping[str, Mapping[str, int]] = {
    'origin': {'xyz': 3, 'rpy': 3},
    'parent': {'link': 0},
    'child': {'link': 0},
    'axis': {'xyz': 3},
    'limit': {'lower': 1, 'upper': 1, 'velocity': 1},
    'mimic': {'joint': 0, 'multiplier': 1, 'offset': 1},
}
_NEEDED = {'parent': 'link', 'child': 'link', 'axis': 'xyz', 'mimic': 'joint'}
_NUMBERS = {1: 'a number', 3: 'three numbers'}


def bare_joint(joint: ET.Element, file: str) -> ET.Element:
    """Return a joint with nothing but what says where it is.

    Args:
        joint: has a name.
        file: its name, for messages.

    Raises:
        ConfigError: the type is unknown, or a part lacks something or has no numbers where numbers
            must be. The message names the joint.
    """
    name, kind = joint.get('name', ''), joint.get('type', '')
    where = f"{file}: joint '{printable(name)}'"
    if kind not in KINDS:
        allowed = ', '.join(KINDS)
        raise ConfigError(f"{where}: type is '{printable(kind)}'; it must be one of {allowed}")
    bare = ET.Element('joint', name=name, type=kind)
    for tag in _PARTS:
        part = next((child for child in joint if local(child) == tag), None)
        # A joint that is fixed has no axis, whatever stands there.
        if part is not None and not (tag == 'axis' and kind == 'fixed'):
            # Every number is optional to many a file, and to this package.
            given = {'effort': '0', 'velocity': 'nan'} if tag == 'limit' else {}
            ET.SubElement(bare, tag, given | _said(part, tag, where))
    return bare


def _said(part: ET.Element, tag: str, where: str) -> dict[str, str]:
    """Return what a part says."""
    said = {key: part.attrib[key] for key in _PARTS[tag] if key in part.attrib}
    if tag in _NEEDED and _NEEDED[tag] not in said:
        raise ConfigError(f"{where}: its <{tag}> has no '{_NEEDED[tag]}'")
    for key, text in said.items():
        count = _PARTS[tag][key]
        if count and not _are_numbers(text.split(), count):
            raise ConfigError(
                f"{where}: {tag} {key} is '{printable(text)}'; it must be {_NUMBERS[count]}"
            )
    return said


def _are_numbers(words: list[str], count: int) -> bool:
    try:
        return len([float(word) for word in words]) == count
    except ValueError:
        return False
