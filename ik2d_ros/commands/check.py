"""Compare an arm with the URDF or xacro file of its robot.

Put the arm of a parameter file and the robot of a description into the same random poses, and print
the largest distance between their tips. The tip, and where joints of the robot that the arm lacks
are (otherwise at 0), are those of the parameter file (tip_frame, tip_offset, assumes.<joint>,
hold.<joint>). An arm that is as ``import-urdf`` reads it, but for axes that are not quite parallel,
is accepted with the note of the import.

A URDF is data. A xacro file is a program, which this command runs: check only files that you trust.

Examples:
  ik2d check so101.yaml --urdf so101.urdf
  ik2d check leg.yaml --urdf robot.urdf.xacro --tip foot prefix:=front_
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np

from ik2d_ros.arm.description import ArmDescription, arm_from_parameters
from ik2d_ros.commands.arguments import add, add_config, load
from ik2d_ros.commands.import_urdf import add_xacro_arguments
from ik2d_ros.commands.output import aligned, write
from ik2d_ros.parameters.checks import ConfigError, shown
from ik2d_ros.pilot.outcome import length
from ik2d_ros.robot.comparison import WITHIN, compare, random_poses
from ik2d_ros.robot.find import find_arm, the_tip
from ik2d_ros.robot.from_urdf import DESCRIPTION_PARAMETERS, positions_in
from ik2d_ros.robot.importing import import_arm
from ik2d_ros.robot.load import load_robot
from ik2d_ros.robot.model import Robot
from ik2d_ros.robot.options import ImportOptions
from ik2d_ros.robot.remarks import about_axes

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
    note = '' if largest <= WITHIN else note_of_import(robot, arm, parameters, tip, options)
    verdict = 'the same' if largest <= WITHIN else 'as imported' if note else 'DIFFERENT'
    lines = {
        'tip': f"{shown(tip)} in '{arm.base_frame}'",
        'difference': f'{length(largest)} at most, in {POSES} random poses',
        'verdict': f'{verdict}, to {WITHIN:g} m',
    }
    write(aligned([*lines.items(), *[('note', note)] * bool(note)]))
    return int(verdict == 'DIFFERENT')


def note_of_import(
    robot: Robot,
    arm: ArmDescription,
    parameters: Mapping[str, object],
    tip: str,
    options: ImportOptions,
) -> str:
    """Return the import's note on axes if this is the arm that it reads, else nothing."""
    asked = replace(options, parameters=parameters)
    with suppress(ConfigError):
        read = arm_from_parameters(import_arm(robot, arm.base_frame, tip, asked).parameters)
        ways = [each.kinematics.forward(random_poses(arm, POSES)) for each in (arm, read)]
        if read.names == arm.names and np.linalg.norm(ways[0] - ways[1], axis=1).max() <= WITHIN:
            found = find_arm(robot, arm.base_frame, tip, options)
            return ''.join(map(str, about_axes(robot, found, arm, options)))
    return ''
