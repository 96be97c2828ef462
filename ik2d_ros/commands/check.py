"""Compare an arm with the URDF or xacro file of its robot.

Put the arm of a parameter file and the robot of a description into the same random poses, and print
the largest distance between their tips. The tip, and where joints of the robot that the arm lacks
are (otherwise at 0), are those of the parameter file (tip_frame, tip_offset, assumes.<joint>,
hold.<joint>). Axes that are not quite parallel, of which ``import-urdf`` has a note, need a larger
--tolerance.

A URDF is data. A xacro file is a program, which this command runs: check only files that you trust.

Examples:
  ik2d check so101.yaml --urdf so101.urdf
  ik2d check leg.yaml --urdf robot.urdf.xacro --tip foot prefix:=front_
"""

from __future__ import annotations

import argparse
from pathlib import Path

from ik2d_ros.commands.arguments import add, add_config, load, positive
from ik2d_ros.commands.output import aligned, write
from ik2d_ros.commands.robot_arguments import add_xacro_arguments
from ik2d_ros.parameters.checks import shown
from ik2d_ros.pilot.outcome import length
from ik2d_ros.robot.comparison import WITHIN, compare
from ik2d_ros.robot.find import the_tip
from ik2d_ros.robot.from_urdf import DESCRIPTION_PARAMETERS, positions_in
from ik2d_ros.robot.load import load_robot
from ik2d_ros.robot.options import ImportOptions

STATUS = 'within the tolerance', 'not within it, or the output cannot be written'

POSES = 1000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``ik2d check``."""
    add_config(parser)
    parser.add_argument(
        '--urdf', metavar='FILE', type=Path, required=True, help='URDF or xacro file of the robot'
    )
    words = 'link at the tip (default: tip_frame in CONFIG, else the only one possible)'
    add(parser, '--tip', 'LINK', str, words)
    words = f'largest distance between the tips (default: {WITHIN:g})'
    add(parser, '--tolerance', 'M', positive('metres'), words, WITHIN)
    add_xacro_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Compare, print, and return the exit status."""
    _, parameters, configuration = load(arguments)
    arm = configuration.arm
    robot = load_robot(arguments.urdf, dict(arguments.arg), dict(arguments.package))
    given = {'tip_frame': arguments.tip} if arguments.tip else parameters
    end = DESCRIPTION_PARAMETERS.checked({**DESCRIPTION_PARAMETERS.defaults, **given})
    options = ImportOptions(hold=positions_in(parameters, robot), tip=end['tip_offset'])
    tip = end['tip_frame'] or the_tip(robot, arm.base_frame, options)
    largest = compare(arm, robot, tip, options, POSES)
    is_same = largest <= arguments.tolerance
    lines = {
        'tip': f"{shown(tip)} in '{arm.base_frame}'",
        'difference': f'{length(largest)} at most, in {POSES} random poses',
        'verdict': f'{"the same" if is_same else "DIFFERENT"}, to {arguments.tolerance:g} m',
    }
    write(aligned(lines.items()))
    return int(not is_same)
