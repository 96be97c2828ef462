"""Arguments of the commands that read robot descriptions."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from ik2d_ros.commands.arguments import number
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.wording import printable
from ik2d_ros.robot.choice import Choice, Limits

Value = TypeVar('Value')


def add_file_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what a xacro file may need."""
    parser.add_argument(
        '--arg',
        metavar='NAME:=VALUE',
        action='append',
        default=[],
        type=_argument,
        help='argument of a xacro file; repeatable; --arg may be left out',
    )
    parser.add_argument(
        '--package',
        metavar='NAME=FOLDER',
        action='append',
        default=[],
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
        action='append',
        default=[],
        type=_named(_limits),
        help='position limits in rad or m; JOINT=none for a joint that turns without end',
    )
    group.add_argument(
        '--velocity',
        metavar='[JOINT=]NUMBER',
        action='append',
        default=[],
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
        action='append',
        default=[],
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


def held(arguments: argparse.Namespace) -> dict[str, float]:
    """Return where joints are held.

    Raises:
        ConfigError: a joint is held twice.
    """
    return _once('--hold', arguments.hold)


def choice_of(arguments: argparse.Namespace) -> Choice:
    """Return what the user decides.

    Raises:
        ConfigError: something is said twice.
    """
    velocities = [pair for pair in arguments.velocity if pair[0]]
    general = [value for name, value in arguments.velocity if not name]
    if len(general) > 1:
        raise ConfigError('--velocity is given twice without a joint')
    return Choice(
        limits=_once('--limits', arguments.limits),
        velocities=_once('--velocity', velocities),
        velocity=general[0] if general else None,
        tip=arguments.tip_offset,
        hold=held(arguments),
        joints=arguments.joints,
    )


def xacro_arguments(arguments: argparse.Namespace) -> tuple[dict[str, str], dict[str, str]]:
    """Return arguments and packages of a xacro file.

    Raises:
        ConfigError: something is said twice.
    """
    return _once('--arg', arguments.arg), _once('--package', arguments.package)


def _once(what: str, pairs: Sequence[tuple[str, Value]]) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for name, value in pairs:
        if name in found:
            raise ConfigError(f"{what} is given twice for '{printable(name)}'")
        found[name] = value
    return found


def _argument(text: str) -> tuple[str, str]:
    name, sign, value = text.partition(':=')
    if not sign or not name:
        raise argparse.ArgumentTypeError(
            f"'{printable(text)}' is not allowed; arguments of a xacro file are NAME:=VALUE"
        )
    return name, value


def _named(parse: Callable[[str, str], Value]) -> Callable[[str], tuple[str, Value]]:
    def parse_named(text: str) -> tuple[str, Value]:
        name, sign, value = text.rpartition('=')
        if not sign or not name:
            raise argparse.ArgumentTypeError(
                f"'{printable(text)}' is not allowed; it must be NAME=VALUE"
            )
        return name, parse(name, value)

    return parse_named


def _folder(name: str, text: str) -> str:
    folder = Path(text).expanduser()
    if folder.is_dir():
        return str(folder)
    raise argparse.ArgumentTypeError(
        f"package '{printable(name)}': '{printable(text)}' is no folder"
    )


def _position(name: str, text: str) -> float:
    return number(text, f"a position of '{printable(name)}' in rad or m")


def _limits(name: str, text: str) -> Limits:
    if text.strip().lower() == 'none':
        return None
    parts = text.split(',')
    if len(parts) != 2:
        raise argparse.ArgumentTypeError(
            f"'{printable(text)}' is not allowed; limits of '{printable(name)}' must be "
            'LOWER,UPPER or none'
        )
    lower, upper = (number(part, f"a limit of '{printable(name)}' in rad or m") for part in parts)
    if lower > upper:
        raise argparse.ArgumentTypeError(
            f"'{printable(text)}' is not allowed; the lower limit of '{printable(name)}' must not "
            'be above the upper one'
        )
    return lower, upper


def _velocity(text: str) -> tuple[str, float]:
    name, _, value = text.rpartition('=')
    allowed = 'a velocity > 0 in rad/s or m/s'
    velocity = number(value, allowed)
    if velocity <= 0.0:
        raise argparse.ArgumentTypeError(
            f"'{printable(value)}' is not allowed; it must be {allowed}"
        )
    return name, velocity


def _offset(text: str) -> tuple[float, float, float]:
    try:
        x, y, z = (number(part, 'a number of metres') for part in text.split(','))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"'{printable(text)}' is not allowed; it must be X,Y,Z in m"
        ) from None
    return x, y, z
