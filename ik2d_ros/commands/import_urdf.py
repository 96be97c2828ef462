"""``ik2d import-urdf``: the arm of a robot description, as a parameter file."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from ik2d_ros.arm.description import arm_from_parameters
from ik2d_ros.arm.suspicion import suspicious_values
from ik2d_ros.commands.output import complain, write_document
from ik2d_ros.commands.robot_arguments import (
    add_choice_arguments,
    add_file_arguments,
    choice_of,
)
from ik2d_ros.parameters.wording import printable
from ik2d_ros.robot.find import the_tip
from ik2d_ros.robot.importing import import_arm
from ik2d_ros.robot.load import load_robot
from ik2d_ros.robot.options import Remark
from ik2d_ros.robot.parameter_text import parameter_text

HELP = 'make a parameter file from the URDF or xacro file of a robot'

DESCRIPTION = """
Find the planar arm between two links of a robot description, and write it as a parameter file for
the node: base pose, link vectors, axes, limits, and a turntable or a lift if there is one. Joints
about other axes, such as a wrist's roll, stay where they are.

A URDF is data. A xacro file is a program, which this runs: import only those that you trust.

What was found and what is doubtful is told on stderr and in comments of the file. What the file
does not tell, or tells in a way that cannot be meant, such as limits from 0 to 0, has to be given.
"""

EPILOG = """
exit status:
  0  written
  1  cannot be written; the reason is on stderr
  2  wrong usage, no such arm, or something has to be given; the reason is on stderr

examples:
  ik2d import-urdf so101.urdf --tip gripper_frame_link -o so101.yaml
  ik2d import-urdf arm.urdf.xacro --base base_link --tip tool0 prefix:=left_
  ik2d import-urdf leg.urdf --limits knee=-2.5,0 --velocity 3 --tip-offset 0.12,0,0
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``ik2d import-urdf``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument('file', metavar='FILE', type=Path, help='URDF or xacro file')
    add_file_arguments(parser)
    parser.add_argument(
        '--base',
        metavar='LINK',
        help='link in whose frame targets are (default: the root of the robot)',
    )
    parser.add_argument(
        '--tip',
        metavar='LINK',
        help='link to bring to the target (default: the only one; of several, a message says which '
        'arm leads to each)',
    )
    parser.add_argument(
        '-o', '--output', metavar='FILE', type=Path, help='output file (default: standard output)'
    )
    add_choice_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the parameter file; see ``DESCRIPTION``.

    Raises:
        Ik2dError: the description is refused, or something has to be given.
        OutputError: the parameter file cannot be written.
    """
    options = choice_of(arguments)
    robot = load_robot(arguments.file, arguments.arg, arguments.package)
    base = arguments.base or robot.root
    tip = arguments.tip or the_tip(robot, base, options)
    imported = import_arm(robot, base, tip, options)
    doubts = map(Remark, suspicious_values(arm_from_parameters(imported.parameters)))
    imported = replace(imported, remarks=(*imported.remarks, *doubts))
    write_document(parameter_text(imported, arguments.line), arguments.output)
    complain(f"from '{printable(base)}' to '{printable(tip)}'")
    for remark in imported.remarks:
        complain(f'{"check: " if remark.doubt else ""}{remark.text}')
    return 0
