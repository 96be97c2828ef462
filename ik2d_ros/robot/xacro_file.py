"""Expanding xacro, whatever the file is called, in a process of its own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.wording import printable
from ik2d_ros.robot.packages import installed_from, missing_package
from ik2d_ros.robot.xml_text import LARGEST, needed

PATIENCE = 30.0  # s; for a child that only waits, on a pipe that it includes

_REASONS = {
    'EntitiesForbidden': 'it declares XML entities, which are refused',
    'MemoryError': 'it takes too much memory',
    'RecursionError': 'it nests or repeats without end',
}

_COMMENT = re.compile(r'<!--.*?-->', re.DOTALL)
_XACRO = re.compile(r'<xacro:|\$\{|\$\((?:find|arg|eval|env|optenv|dirname|cwd)\b')
_CLASS = re.compile(r"^<class '[^']*'>: ")  # of an error that xacro passes on
_ARGUMENT = re.compile(r'Undefined substitution argument (\S+)')
_LINK = re.compile(r'<link\b')
_OLD = re.compile(r'<(?:property|macro|include|insert_block)\s[^>]*\b(?:name|filename)\s*=')


def is_xacro(text: str) -> bool:
    """Return whether a text is xacro, which the name of its file does not tell."""
    bare = _COMMENT.sub('', text)
    return _XACRO.search(bare) is not None or _OLD.search(bare) is not None


def expand(text: str, path: Path, arguments: Mapping[str, str], packages: Mapping[str, str]) -> str:
    """Return the URDF that a xacro file makes.

    Args:
        text: of the file.
        path: of the file; what it includes is found from there.
        arguments: of the file, by name.
        packages: folders by name of the package, before those that ROS knows.

    Raises:
        ConfigError: it cannot be expanded, takes too long, or makes no links; or xacro is not
            installed.
    """
    name = printable(str(path))
    for module in ('xacro', 'defusedxml'):
        needed(module)
    asked = {
        'text': text,
        'path': str(path.absolute()),
        'directory': os.getcwd(),
        'arguments': dict(arguments),
        'packages': {package: os.path.abspath(place) for package, place in packages.items()},
        'largest': LARGEST,
    }
    paths = os.pathsep.join(os.path.abspath(entry) for entry in sys.path if entry)
    try:
        done = subprocess.run(
            [sys.executable, '-m', 'ik2d_ros.robot.expansion'],
            input=json.dumps(asked).encode(),
            capture_output=True,
            timeout=PATIENCE,
            check=False,
            cwd='/',  # -m would let it import what lies in the present folder
            env={**os.environ, 'PYTHONPATH': paths},
        )
    except subprocess.TimeoutExpired:
        raise ConfigError(f'{name}: xacro did not expand it in {PATIENCE:g} s') from None
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        raise ConfigError(
            f'{name}: xacro ended without an answer: the file takes too much time or memory, or '
            'nests too deeply'
        ) from None
    if 'xml' in answer:
        urdf = str(answer['xml'])
        if _LINK.search(_COMMENT.sub('', urdf)):
            return urdf
        raise ConfigError(
            f'{name}: makes no links; where it only defines macros, give the file that uses them'
        )
    moved = installed_from(answer['file'])
    if moved is not None and moved[0] not in packages:
        return expand(text, path, arguments, {**packages, moved[0]: moved[1]})
    raise ConfigError(f'{name}: xacro cannot expand it: {_reason(answer, text)}')


def _reason(answer: Mapping[str, str], text: str) -> str:
    error = _CLASS.sub('', answer['error'])
    words = printable(error + answer['where'])
    package = missing_package(answer['file'])
    if package is not None:
        return (
            f'it includes from the package {printable(package)}, which is not installed; say where '
            f'it is: --package {printable(package)}=FOLDER'
        )
    if answer['kind'] in _REASONS:
        return _REASONS[answer['kind']]
    asked = _ARGUMENT.match(error)
    if answer['kind'] == 'ArgException' and asked:
        argument = printable(asked[1])
        return f'{words}: it has no default; give it as {argument}:=VALUE'
    if _OLD.search(_COMMENT.sub('', text)):
        return (
            f'{words} (it has tags of old xacro, such as <property> or <macro>, without the prefix '
            'that they need since 2015: write <xacro:property>, <xacro:macro> and so on)'
        )
    return words
