"""Make a parameter file from the URDF or xacro file of a robot.

Find the planar arm between two links of a robot description, and write it as a parameter file for
the node: base pose, link vectors, axes, limits, and a turntable or a lift if there is one. Joints
about other axes, such as a wrist's roll, stay where they are.

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
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ik2d_ros.arm.description import arm_from_parameters
from ik2d_ros.commands.arguments import add, add_output, number
from ik2d_ros.commands.output import LONGEST, complain, write
from ik2d_ros.commands.robot_arguments import add_choices, add_xacro_arguments
from ik2d_ros.kinematics.unit_check import suggest_units
from ik2d_ros.parameters.file import as_file
from ik2d_ros.parameters.sanitize import printable
from ik2d_ros.robot.importing import Imported, import_arm
from ik2d_ros.robot.load import load_robot
from ik2d_ros.robot.options import ImportOptions, Remark


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``ik2d import-urdf``."""
    add(parser, 'file', 'FILE', Path, 'URDF or xacro file')
    words = 'link in whose frame targets are given (default: the root of the robot)'
    add(parser, '--base', 'LINK', str, words)
    words = 'link to bring to the target (default: the only one possible; several are listed)'
    add(parser, '--tip', 'LINK', str, words)
    words = 'height in m, in the base link, of a table that the arm keeps off: writes walls.table'
    add(parser, '--table', 'Z', number('a height in m', unit='m'), words)
    add_output(parser)
    add_xacro_arguments(parser)
    add_choices(parser)


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
        robot, arguments.base or robot.root, arguments.tip or '', options
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
    head = f'# Imported by: {printable(command, LONGEST)}'  # on one line, for the clipboard
    return '\n'.join([head, *map(_comment, remarks), as_file(nested(parameters))])


def _comment(remark: Remark) -> str:
    return textwrap.fill(
        printable(str(remark), LONGEST),
        98,
        initial_indent='# - ',
        subsequent_indent='#   ',
        break_long_words=False,
        break_on_hyphens=False,
    )


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
