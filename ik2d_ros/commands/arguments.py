"""Types of arguments on the command line: each gives the value, or a refusal in words."""

from __future__ import annotations

import argparse
import math

from ik2d_ros.parameters.wording import printable


def coordinate(text: str) -> float:
    """An argument that is a coordinate."""
    return number(text, 'a finite number of metres')


def joint_position(text: str) -> float:
    """An argument that is a joint position."""
    return number(text, 'a finite number of radians (all that follow --start belong to it)')


def number(text: str, allowed: str = 'a finite number') -> float:
    """An argument that is a number.

    Raises:
        ArgumentTypeError: It is none, or not finite.
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


def whole_number(text: str) -> int:
    """An argument that is a whole number.

    Raises:
        ArgumentTypeError: It is none.
    """
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"'{printable(text.strip())}' is not allowed; it must be a whole number >= 1"
        ) from None


def add_config(parser: argparse.ArgumentParser) -> None:
    """Declare the parameter file that a command works on, and the node whose parameters count."""
    parser.add_argument(
        'config', metavar='CONFIG', help='ROS parameter file, or the name of a shipped one'
    )
    add_node(parser)


def add_node(parser: argparse.ArgumentParser) -> None:
    """Declare the node whose parameters count in a file for several."""
    parser.add_argument(
        '--node',
        metavar='NAME',
        default='ik2d',
        help='whose parameters in the file count: a name, or a full name such as /left/ik2d '
        '(default: ik2d)',
    )
