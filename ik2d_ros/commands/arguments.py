"""Argument types of the command line."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from pathlib import Path

from ik2d_ros.arm.description import ArmDescription, load_parameters
from ik2d_ros.arm.suspicion import suspicious_values
from ik2d_ros.commands.output import complain
from ik2d_ros.node.fleet_parameters import FLEET_PARAMETERS
from ik2d_ros.node.parameters import PARAMETERS
from ik2d_ros.parameters.wording import printable

OF_ROS = ('use_sim_time', 'qos_overrides.', 'start_type_description_service')
"""Prefixes of the parameters that rclpy handles itself."""


def coordinate(text: str) -> float:
    """Parse a coordinate."""
    return number(text, 'a finite number of metres')


def place(text: str) -> float:
    """Parse a coordinate of a target of two or three."""
    return number(text, 'a finite number of metres (--target takes all values that follow it)')


def needs_z(arm: ArmDescription) -> str:
    """Return why a target with X and Y alone is none for an arm with a turntable or a lift."""
    before = '' if arm.carrier is None else arm.carrier.name
    return (
        f'the arm has {before} before its plane; a target for it needs Z: X Y Z in m '
        f"in the frame '{arm.base_frame}'"
    )


def joint_position(text: str) -> float:
    """Parse a joint position."""
    return number(text, 'a finite number of radians (--start takes all values that follow it)')


def tip_angle(text: str) -> float:
    """Parse a tip angle."""
    return number(text, 'a finite number of radians')


def number(text: str, allowed: str = 'a finite number') -> float:
    """Parse a finite number.

    Raises:
        ArgumentTypeError: it is not a finite number.
    """
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(
            f"'{printable(text.strip())}' is not allowed; it must be {allowed}"
        )
    return value


def positive(unit: str, most: float = math.inf) -> Callable[[str], float]:
    """Return the type of a number > 0 of a unit, and not above ``most``."""
    allowed = f'a number of {unit} > 0' + (f' and <= {most:g}' if most < math.inf else '')

    def parse(text: str) -> float:
        value = number(text, allowed)
        if 0.0 < value <= most:
            return value
        raise argparse.ArgumentTypeError(
            f"'{printable(text.strip())}' is not allowed; it must be {allowed}"
        )

    return parse


def whole_number(text: str) -> int:
    """Parse a whole number.

    Raises:
        ArgumentTypeError: it is not a whole number.
    """
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"'{printable(text.strip())}' is not allowed; it must be a whole number >= 1"
        ) from None


def add_config(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for a parameter file and for the node in it."""
    parser.add_argument(
        'config', metavar='CONFIG', help='ROS parameter file, or the name of a shipped one'
    )
    add_node(parser)


def add_node(parser: argparse.ArgumentParser) -> None:
    """Add the argument that selects a node in a parameter file."""
    parser.add_argument(
        '--node',
        metavar='NAME',
        default='ik2d',
        help='node whose parameters to use: a name, or a full name such as /left/ik2d '
        '(default: ik2d)',
    )


def warn_of_file(path: Path, node: str, arm: ArmDescription) -> None:
    """Tell of parameters in a file that nothing knows, and of values that look like another unit.

    Args:
        path: the parameter file.
        node: the node in it.
        arm: the arm that it describes.
    """
    names = [name for name in load_parameters(path, node) if not name.startswith(OF_ROS)]
    unknown = PARAMETERS.unknown(name for name in names if not FLEET_PARAMETERS.is_known(name))
    if unknown:
        complain(f'{printable(str(path))}: ignored unknown parameters: {", ".join(unknown)}')
    for text in suspicious_values(arm):
        complain(f'{printable(str(path))}: check: {text}')
