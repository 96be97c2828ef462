"""Arguments of the commands that read robot descriptions."""

from __future__ import annotations

import argparse
import math
from functools import partial
from pathlib import Path
from typing import Any

from ik2d_ros.commands.arguments import Parse, add, number, positive, refused


def add_xacro_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of a xacro file."""
    words = 'argument of a xacro file; repeatable; --arg may be left out'
    _add_pairs(parser, '--arg', 'NAME:=VALUE', str, words)
    words = (
        'folder of a package that a xacro file finds with $(find NAME); repeatable (default: where '
        'ROS has the package, or the file lies)'
    )
    _add_pairs(parser, '--package', 'NAME=FOLDER', _folder, words)


def add_choices(parser: argparse.ArgumentParser) -> None:
    """Add the choices about the tip and about joints."""
    position = number('a position in rad or m', unit='rad')
    _add_pairs(parser, '--hold', 'JOINT=POSITION', position, 'hold a joint, in rad or m')
    words = 'position of the tip in the tip link, in m (parameter tip_offset)'
    offset = partial(_several, 3, 'X,Y,Z in m')
    add(parser, '--tip-offset', 'X,Y,Z', offset, words, (0.0, 0.0, 0.0))
    group = parser.add_argument_group('values that the file lacks (repeatable, by joint)')
    words = 'position limits in rad or m; JOINT=none for a joint that turns without end'
    _add_pairs(group, '--limits', 'JOINT=LOWER,UPPER', _limits, words)
    words = 'velocity limit in rad/s or m/s; without a joint, for all that lack a usable one'
    _add_pairs(group, '--velocity', '[JOINT=]NUMBER', positive('rad/s or m/s'), words)


def _add_pairs(parser: Any, option: str, form: str, parse: Parse, words: str) -> None:
    """Add a repeatable option whose values are a name, ``=`` or ``:=``, and a value."""
    sign = ':=' if ':=' in form else '='

    def pair(text: str) -> tuple[str, Any]:
        name, found, value = text.partition(sign) if sign == ':=' else text.rpartition(sign)
        if not (found and name) and form[0] != '[':
            raise refused(text, form)
        return name, parse(value)

    parser.add_argument(option, metavar=form, action='append', default=[], type=pair, help=words)


def _folder(text: str) -> str:
    folder = Path(text).expanduser()
    if folder.is_dir():
        return str(folder)
    raise refused(text, 'a folder')


def _limits(text: str) -> tuple[float, float]:
    if text.strip().lower() == 'none':
        return -math.inf, math.inf
    lower, upper = _several(2, 'LOWER,UPPER or none, in rad or m', text, 'rad')
    if lower > upper:
        raise refused(text, 'LOWER,UPPER, the lower one not above the upper one')
    return lower, upper


def _several(count: int, allowed: str, text: str, unit: str = '') -> tuple[float, ...]:
    parts = text.split(',')
    if len(parts) != count:
        raise refused(text, allowed)
    return tuple(number(allowed, unit=unit)(part) for part in parts)
