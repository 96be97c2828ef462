"""Arguments of the commands that read robot descriptions."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ik2d_ros.commands.arguments import number
from ik2d_ros.parameters.wording import printable
from ik2d_ros.robot.options import ImportOptions, Limits


class Pairs(argparse.Action):
    """Collects the (name, value) of a repeated option in a dict."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: Any, values: Any, option: Any = None
    ) -> None:
        """Add one; refuse it if its name was given before."""
        name, value = values
        given = getattr(namespace, self.dest)
        if name in given:
            what = f"for '{printable(name)}'" if name else 'without a joint'
            parser.error(f'{option} is given twice {what}')
        setattr(namespace, self.dest, {**given, name: value})


def add_file_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what a xacro file may need."""
    parser.add_argument(
        '--arg',
        metavar='NAME:=VALUE',
        action=Pairs,
        default={},
        type=_argument,
        help='argument of a xacro file; repeatable; --arg may be left out',
    )
    parser.add_argument(
        '--package',
        metavar='NAME=FOLDER',
        action=Pairs,
        default={},
        type=_named(_folder),
        help='where a package is that a xacro file finds with $(find NAME); repeatable (default: '
        'where ROS has it, or the file lies)',
    )


def add_choice_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the user decides about an arm."""
    add_tip_arguments(parser)
    group = parser.add_argument_group('what the file does not tell (repeatable, by joint)')
    group.add_argument(
        '--limits',
        metavar='JOINT=LOWER,UPPER',
        action=Pairs,
        default={},
        type=_named(_limits),
        help='position limits in rad or m; JOINT=none for a joint that turns without end',
    )
    group.add_argument(
        '--velocity',
        metavar='[JOINT=]NUMBER',
        action=Pairs,
        default={},
        type=_velocity,
        help='velocity limit in rad/s or m/s; without a joint, for all whose own is missing, 0 or '
        'absurd',
    )
    group.add_argument(
        '--joints',
        metavar='JOINT,JOINT',
        type=lambda text: tuple(text.split(',')),
        default=(),
        help='the joints that move in the plane (default: found)',
    )


def add_tip_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the user decides about the tip and about other joints."""
    parser.add_argument(
        '--hold',
        metavar='JOINT=POSITION',
        action=Pairs,
        default={},
        type=_named(_position),
        help='hold a joint, in rad or m',
    )
    parser.add_argument(
        '--tip-offset',
        metavar='X,Y,Z',
        type=_offset,
        default=(0.0, 0.0, 0.0),
        help='where the tip is in the tip link, in m',
    )


def choice_of(arguments: argparse.Namespace) -> ImportOptions:
    """Return what the user decides."""
    return ImportOptions(
        limits=arguments.limits,
        velocities={name: value for name, value in arguments.velocity.items() if name},
        velocity=arguments.velocity.get(''),
        tip=arguments.tip_offset,
        hold=arguments.hold,
        joints=arguments.joints,
    )


def _refused(text: str, allowed: str) -> argparse.ArgumentTypeError:
    return argparse.ArgumentTypeError(f"'{printable(text)}' is not allowed; it must be {allowed}")


def _argument(text: str) -> tuple[str, str]:
    name, sign, value = text.partition(':=')
    if not sign or not name:
        raise _refused(text, 'NAME:=VALUE, an argument of a xacro file')
    return name, value


def _named(parse: Callable[[str, str], Any]) -> Callable[[str], tuple[str, Any]]:
    def parse_named(text: str) -> tuple[str, Any]:
        name, sign, value = text.rpartition('=')
        if not sign or not name:
            raise _refused(text, 'NAME=VALUE')
        return name, parse(printable(name), value)

    return parse_named


def _folder(name: str, text: str) -> str:
    folder = Path(text).expanduser()
    if folder.is_dir():
        return str(folder)
    raise argparse.ArgumentTypeError(f"package '{name}': '{printable(text)}' is no folder")


def _position(name: str, text: str) -> float:
    return number(text, f"a position of '{name}' in rad or m")


def _limits(name: str, text: str) -> Limits:
    if text.strip().lower() == 'none':
        return None
    allowed = f"limits of '{name}', LOWER,UPPER or none, in rad or m"
    lower, comma, upper = text.partition(',')
    if not comma:
        raise _refused(text, allowed)
    pair = number(lower, allowed), number(upper, allowed)
    if pair[0] > pair[1]:
        raise _refused(text, f'{allowed}, the lower one not above the upper one')
    return pair


def _velocity(text: str) -> tuple[str, float]:
    name, _, value = text.rpartition('=')
    allowed = 'a velocity > 0 in rad/s or m/s'
    velocity = number(value, allowed)
    if velocity <= 0.0:
        raise _refused(value, allowed)
    return name, velocity


def _offset(text: str) -> tuple[float, float, float]:
    try:
        x, y, z = (number(part, 'a number of metres') for part in text.split(','))
    except ValueError:
        raise _refused(text, 'X,Y,Z in m') from None
    return x, y, z
