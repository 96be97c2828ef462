"""The text of an XML file, and its elements: bounded, and without entities.

XML declares entities that expand without end, and entities that read other files. No robot needs
either: a file that declares any is refused.
"""

from __future__ import annotations

import codecs
import re
import xml.etree.ElementTree as ET
from types import ModuleType
from typing import Any

from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.wording import printable

LARGEST = 20_000_000
"""Largest description in bytes; those of whole humanoids take a hundredth of it."""

MOST_ELEMENTS = 100_000
DEEPEST = 100  # levels; a mesh of a link is on the sixth

_MARKS = (
    (codecs.BOM_UTF32_LE, 'utf-32'),
    (codecs.BOM_UTF32_BE, 'utf-32'),
    (codecs.BOM_UTF8, 'utf-8-sig'),
    (codecs.BOM_UTF16_LE, 'utf-16'),
    (codecs.BOM_UTF16_BE, 'utf-16'),
    (b'<\0', 'utf-16-le'),
    (b'\0<', 'utf-16-be'),
)
_DECLARED = re.compile(rb'<\?xml\s[^>]{0,200}?encoding\s*=\s*["\']([A-Za-z0-9._-]{1,40})["\']')
_DECLARATION = re.compile(r'<\?xml\s[^>]{0,400}\?>')


def decoded(content: bytes, name: str) -> str:
    """Return the text of an XML file, in the encoding that it declares, without the declaration.

    A declaration that is not at the start, where XML wants it, is accepted: some public files have
    a comment or an empty line before it.

    Args:
        content: the file.
        name: of the file, for messages.

    Raises:
        ConfigError: the encoding is unknown, or the content is not in it.
    """
    encoding = next((found for mark, found in _MARKS if content.startswith(mark)), None)
    if encoding is None:
        declared = _DECLARED.search(content[:2000])
        encoding = declared[1].decode('ascii') if declared else 'utf-8'
    try:
        text = content.decode(encoding)
    except LookupError:  # unknown, or one from bytes to bytes
        raise ConfigError(
            f"{name}: is in the encoding '{printable(encoding)}', which is unknown; save it in "
            'UTF-8'
        ) from None
    except ValueError as error:
        raise ConfigError(
            f'{name}: is not XML in {encoding.upper()}: {printable(str(error))}'
        ) from None
    if '\0' in text:
        raise ConfigError(f'{name}: is not XML: it holds NUL characters')
    return without_declaration(text)


def without_declaration(text: str) -> str:
    """Return an XML text without its declaration, which parsers want at the very start."""
    found = _DECLARATION.search(text, 0, max(text.find('<robot'), 0) or 4000)
    return text if found is None else text[: found.start()] + text[found.end() :]


def parse(text: str, name: str) -> ET.Element:
    """Read an XML text.

    Args:
        text: without XML declaration.
        name: of the file, for messages.

    Returns:
        The root element.

    Raises:
        ConfigError: it is not well-formed, declares a document type or entities, is nested too
            deeply or holds too much; or defusedxml is not installed.
    """
    safe = needed('defusedxml.ElementTree')
    common = needed('defusedxml.common')
    parser = safe.DefusedXMLParser(target=_Bounded(name), forbid_dtd=False)
    try:
        parser.feed(text)
        root: ET.Element = parser.close()
    except common.DefusedXmlException:
        raise ConfigError(
            f'{name}: declares XML entities; no robot needs them, and they are refused, as they '
            'can expand without end and read other files'
        ) from None
    except ET.ParseError as error:
        raise ConfigError(f'{name}: is not well-formed XML: {printable(str(error))}') from None
    return root


class _Bounded(ET.TreeBuilder):
    """A tree builder that stops at a tree too deep or too large."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name, self._depth, self._count = name, 0, 0

    def start(self, tag: Any, attrs: Any) -> ET.Element:
        """Begin an element."""
        self._depth += 1
        self._count += 1
        if self._depth > DEEPEST:
            raise ConfigError(
                f'{self._name}: is nested too deeply; it must be {DEEPEST} levels at most'
            )
        if self._count > MOST_ELEMENTS:
            raise ConfigError(
                f'{self._name}: is too large; it must have at most {MOST_ELEMENTS} elements'
            )
        return super().start(tag, attrs)

    def end(self, tag: Any) -> ET.Element:
        """End an element."""
        self._depth -= 1
        return super().end(tag)


def local(element: ET.Element) -> str:
    """Return the tag of an element without its namespace; empty for what is no element."""
    tag: object = element.tag
    return tag.rpartition('}')[2] if isinstance(tag, str) else ''


def needed(module: str) -> ModuleType:
    """Import a module of the extra ``urdf``.

    Raises:
        ConfigError: it is not installed; the message says how to install it.
    """
    from importlib import import_module  # noqa: PLC0415

    try:
        return import_module(module)
    except ImportError:
        what, apt = {
            'defusedxml': ('defusedxml', 'python3-defusedxml'),
            'urdf_parser_py': ('urdfdom-py', 'ros-$ROS_DISTRO-urdfdom-py'),
            'xacro': ('xacro', 'ros-$ROS_DISTRO-xacro'),
        }[module.partition('.')[0]]
        raise ConfigError(
            f'reading a robot description needs the Python package {what}, which is not installed: '
            f"pip install '{what}', or in a ROS installation: sudo apt install {apt}"
        ) from None
