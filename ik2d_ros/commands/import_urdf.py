"""Make a parameter file from the URDF or xacro file of a robot.

Find the planar arm between two links of a robot description, and write it as a parameter file for
the node: base pose, link vectors, axes, limits, and a turntable, a lift or a wrist's roll if there
is one. Other joints, such as a forearm's roll, stay where they are.

A URDF is data. A xacro file is a program, which this command runs: import only files that you
trust.

Notes and doubts are printed on stderr and written to the file as comments. You have to give values
that the description lacks, or that cannot be meant, such as limits from 0 to 0.

Examples:
  ik2d import-urdf so101.urdf --tip gripper_frame_link -o so101.yaml
  ik2d import-urdf arm.urdf.xacro --base base_link --tip tool0 prefix:=left_
  ik2d import-urdf leg.urdf --limits knee=-2.5,0 --velocity 3 --tip-offset 0.12,0,0
"""

from __future__ import annotations

import argparse
import math
import textwrap
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from ik2d_ros.arm.description import arm_from_parameters
from ik2d_ros.commands.arguments import Parse, add, add_output, number, positive, refused
from ik2d_ros.commands.output import LONGEST, complain, write
from ik2d_ros.kinematics.arguments import suggest_units
from ik2d_ros.parameters.checks import printable
from ik2d_ros.parameters.file import as_file
from ik2d_ros.robot.find import ImportOptions, Remark
from ik2d_ros.robot.importing import Imported, import_arm
from ik2d_ros.robot.urdf import load_robot


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``ik2d import-urdf``."""
    add(parser, 'file', 'FILE', Path, 'URDF or xacro file')
    words = 'link in whose frame targets are given (default: base_link, or the root link)'
    add(parser, '--base', 'LINK', str, words)
    words = 'link to bring to the target (default: the only one possible; several are listed)'
    add(parser, '--tip', 'LINK', str, words)
    words = 'height in m, in the base link, of a table that the arm keeps off: writes walls.table'
    add(parser, '--table', 'Z', number('a height in m', unit='m'), words)
    add_output(parser)
    add_xacro_arguments(parser)
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


def run(arguments: argparse.Namespace) -> int:
    """Write the parameter file and return the exit status."""
    options = ImportOptions(
        limits=dict(arguments.limits),
        velocities=dict(arguments.velocity),
        tip=arguments.tip_offset,
        hold=dict(arguments.hold),
    )
    robot = load_robot(arguments.file, dict(arguments.arg), dict(arguments.package))
    parameters, remarks = import_arm(
        robot, arguments.base or robot.default_base, arguments.tip or '', options
    )
    if arguments.table is not None:
        table = {'point': [0.0, 0.0, arguments.table], 'normal': [0.0, 0.0, 1.0]}
        parameters = {**parameters, **{f'walls.table.{name}': v for name, v in table.items()}}
    remarks = [*remarks, *map(Remark, suggest_units(arm_from_parameters(parameters).quantities))]
    write(parameter_text(Imported(parameters, remarks), arguments.line), arguments.output)
    for remark in remarks:
        complain(str(remark))
    return 0


def parameter_text(imported: Imported, command: str) -> str:
    """Return an arm as a ROS parameter file, with the command and the remarks as comments."""
    parameters, remarks = imported
    lines = [f'# Imported by: {printable(command, LONGEST)}']  # for the clipboard
    filler = textwrap.TextWrapper(
        98,
        initial_indent='# - ',
        subsequent_indent='#   ',
        break_long_words=False,
        break_on_hyphens=False,
    )
    lines += [filler.fill(printable(str(remark), LONGEST)) for remark in remarks]
    return '\n'.join([*lines, as_file(nested(parameters))])


def nested(parameters: Mapping[str, object]) -> dict[str, Any]:
    """Return values by flat dotted name as nested mappings.

    Names of joints may contain dots. ROS misreads mappings with such names, so the parameters of
    these joints stay flat.
    """
    nested: dict[str, Any] = {}
    for name, value in parameters.items():
        first, _, rest = name.partition('.')
        joint, _, field = rest.rpartition('.') if first in ('chain', 'walls') else ('', '', rest)
        if not rest or '.' in joint:
            nested[name] = value
            continue
        at = nested.setdefault(first, {})
        at = at.setdefault(joint, {}) if joint else at
        at[field] = value
    return nested


def add_xacro_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of a xacro file."""
    words = 'argument of a xacro file; repeatable; --arg may be left out'
    _add_pairs(parser, '--arg', 'NAME:=VALUE', str, words)
    words = 'folder of a package that ROS does not have, for $(find NAME) in xacro; repeatable'
    _add_pairs(parser, '--package', 'NAME=FOLDER', _folder, words)


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
    if lower >= upper:
        raise refused(
            text, 'LOWER,UPPER, the lower one below the upper one; to fix a joint: --hold'
        )
    return lower, upper


def _several(count: int, allowed: str, text: str, unit: str = '') -> tuple[float, ...]:
    parts = text.split(',')
    if len(parts) != count:
        raise refused(text, allowed)
    return tuple(number(allowed, unit=unit)(part) for part in parts)
