"""``ik2d check``: whether an arm moves as the robot that it stands for."""

from __future__ import annotations

import argparse
from pathlib import Path

from ik2d_ros.arm.description import arm_from_parameters
from ik2d_ros.commands.arguments import add_config, positive, warn_of_file
from ik2d_ros.commands.output import write_out
from ik2d_ros.commands.robot_arguments import add_file_arguments, add_tip_arguments
from ik2d_ros.parameters.shipped import find_config
from ik2d_ros.parameters.wording import printable
from ik2d_ros.robot.comparison import WITHIN, compare
from ik2d_ros.robot.described import held_in, load_completed
from ik2d_ros.robot.load import load_robot
from ik2d_ros.robot.options import ImportOptions, said

HELP = 'compare an arm with the URDF or xacro file of its robot'

DESCRIPTION = """
Put the arm of a parameter file and the robot of a description into the same random poses, and print
how far apart their tips are at most. The joints of the robot that the arm lacks are held where the
parameter file holds them (hold.<joint>), else at 0.

A URDF is data. A xacro file is a program, which this runs: check only those that you trust.
"""

EPILOG = """
exit status:
  0  within the tolerance
  1  not within it
  2  wrong usage, or a file that is refused; the reason is on stderr

examples:
  ik2d check so101.yaml --urdf so101.urdf
  ik2d check leg.yaml --urdf robot.urdf.xacro --tip foot prefix:=front_
"""

POSES = 1000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``ik2d check``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    add_config(parser)
    parser.add_argument(
        '--urdf', metavar='FILE', type=Path, required=True, help='URDF or xacro file of the robot'
    )
    add_file_arguments(parser)
    parser.add_argument(
        '--tip',
        metavar='LINK',
        default='',
        help='link at the tip (default: tip_frame in CONFIG, else the only one possible)',
    )
    add_tip_arguments(parser)
    parser.add_argument(
        '--tolerance',
        metavar='M',
        type=positive('m'),
        default=WITHIN,
        help=f'largest difference allowed (default: {WITHIN:g} m)',
    )


def run(arguments: argparse.Namespace) -> int:
    """Compare; see ``DESCRIPTION``.

    Raises:
        Ik2dError: a file is refused, or the robot has not the arm's joints.
    """
    config = find_config(arguments.config)
    parameters = load_completed(config, arguments.node)
    arm = arm_from_parameters(parameters)
    warn_of_file(config, arguments.node, arm)
    robot = load_robot(arguments.urdf, arguments.arg, arguments.package)
    hold = {**held_in(parameters, robot), **arguments.hold}
    options = ImportOptions(hold=hold, tip=arguments.tip_offset)
    tip = arguments.tip or str(parameters.get('tip_frame', ''))
    found = compare(arm, robot, tip, options, POSES)
    tolerance = arguments.tolerance
    verdict = 'the same' if found.largest <= tolerance else 'DIFFERENT'
    units = dict(zip(arm.names, arm.units, strict=True))
    pose = ', '.join(f'{printable(name)} {said(q, units[name])}' for name, q in found.pose.items())
    difference = '< 1 um' if found.largest < 1e-6 else f'{found.largest:.3g} m at most'
    write_out(
        f"tip:        '{printable(found.tip)}' in '{printable(arm.base_frame)}'\n"
        f'difference: {difference}, in {POSES} random poses\n'
        f'at:         {pose}\n'
        f'verdict:    {verdict}, to {tolerance:.3g} m\n'
    )
    return 0 if found.largest <= tolerance else 1
