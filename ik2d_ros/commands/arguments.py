"""Arguments that several commands share, and the arm that they select."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ik2d_ros.commands.output import complain
from ik2d_ros.kinematics.arguments import suggest_units
from ik2d_ros.parameters.checks import degrees_for, number_in
from ik2d_ros.parameters.file import naming
from ik2d_ros.parameters.shipped import find_config
from ik2d_ros.parameters.table import ROS_PARAMETERS
from ik2d_ros.pilot.parameters import (
    FLEET_PARAMETERS,
    PARAMETERS,
    Configuration,
    configuration_from_parameters,
)
from ik2d_ros.robot.from_urdf import load_completed

SHORTER = {'tip_angle': '--angle', 'path_speed': '--speed'}
"""Short names of options that set a parameter."""

Parse = Callable[[str], Any]


def refused(text: str, allowed: str) -> argparse.ArgumentTypeError:
    """Return the error for an argument that is not allowed."""
    return argparse.ArgumentTypeError(f"'{text.strip()}' is not allowed; it must be {allowed}")


def number(allowed: str, above: float = -math.inf, unit: str = '') -> Parse:
    """Return a parser of finite numbers.

    Args:
        allowed: what is allowed, for the message.
        above: exclusive lower bound.
        unit: that of an angle, which may be given in degrees: ``90 deg``.
    """

    def parse(text: str) -> float:
        value = number_in(text.strip(), degrees_for(unit))
        if value is not None and math.isfinite(value) and above < value:
            return float(value)
        raise refused(text, allowed)

    return parse


def positive(unit: str) -> Parse:
    """Return a parser of numbers > 0 of a unit."""
    return number(f'a number of {unit} > 0', above=0.0, unit=unit)


def add(
    parser: Any, names: str, metavar: str, parse: Parse, words: str, default: Any = None
) -> None:
    """Add an argument with one value to a parser or a group; its names have spaces between."""
    parser.add_argument(*names.split(), metavar=metavar, type=parse, help=words, default=default)


def add_config(parser: argparse.ArgumentParser, *parameters: str) -> None:
    """Add the arguments for a parameter file, a node in it, and parameters to override."""
    add(parser, 'config', 'CONFIG', str, 'ROS parameter file, or the name of a shipped one')
    add_node(parser)
    group = parser.add_argument_group("parameters of the node (default: the file's)")
    for name in parameters:
        row = PARAMETERS[name]
        names = f'--{name.replace("_", "-")} {SHORTER.get(name, "")}'
        unit = row.unit.upper() or 'VALUE'
        words = f'{row.description[0].lower()}{row.description[1:]}'
        add(group, names, unit, str, f'{words} ({row.allowed})' if not row.unit else words)
    parser.set_defaults(overrides=parameters)


def add_node(parser: argparse.ArgumentParser) -> None:
    """Add the argument that selects a node in a parameter file."""
    words = 'node whose parameters to use: a name, or a full name such as /left/ik2d '
    add(parser, '--node', 'NAME', str, f'{words} (default: ik2d)', 'ik2d')


def add_output(parser: argparse.ArgumentParser) -> None:
    """Add the argument for the file to write."""
    add(parser, '-o --output', 'FILE', Path, 'output file (default: standard output)')


def load(arguments: argparse.Namespace) -> tuple[Path, dict[str, object], Configuration]:
    """Load the parameter file of :func:`add_config`; warn of suspicious values.

    Returns:
        The file; its parameters by flat dotted name, completed from a robot description in it; and
        the arm with the settings for its targets.

    Raises:
        ConfigError: the file or an option is refused; the message says why.
    """
    path = find_config(arguments.config)
    given = {
        name: PARAMETERS[name].checked(PARAMETERS.read(name, text.strip()))
        for name in arguments.overrides
        if (text := getattr(arguments, name)) is not None
    }
    parameters = load_completed(path, arguments.node, given)
    with naming(path):
        configuration = configuration_from_parameters(parameters)
    unknown = PARAMETERS.unknown(
        name
        for name in parameters
        if not name.startswith(ROS_PARAMETERS) and not FLEET_PARAMETERS.is_known(name)
    )
    if unknown:
        complain(f'{path}: ignored unknown parameters: {unknown}')
    tip_angle = 'tip_angle', configuration.settings.tip_angle, 'rad'
    for text in suggest_units([*configuration.arm.quantities, tip_angle]):
        complain(f'{path}: check: {text}')
    return path, parameters, configuration
