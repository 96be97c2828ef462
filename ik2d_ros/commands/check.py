"""Compare an arm with the URDF or xacro file of its robot.

Put the arm of a parameter file and the robot of a description into the same random poses, and print
the largest distance between their tips. The tip, and where joints of the robot that the arm lacks
are (otherwise at 0), are those of the parameter file (tip_frame, tip_offset, assumes.<joint>,
hold.<joint>). With three joints or more, the tip angle is compared with the tip link's x-axis. An
arm that is as ``import-urdf`` reads it, but for axes that are not quite parallel, is accepted with
the note of the import. The exit status is 1 if they differ.

A URDF is data. A xacro file is a program, which this command runs: check only files that you trust.

Examples:
  ik2d check so101.yaml --urdf so101.urdf
  ik2d check leg.yaml --urdf robot.urdf.xacro --tip foot prefix:=front_
"""

from __future__ import annotations

import argparse
import math
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from ik2d_ros.arm.description import arm_from_parameters
from ik2d_ros.commands.arguments import add, add_config, load
from ik2d_ros.commands.import_urdf import add_xacro_arguments
from ik2d_ros.commands.output import aligned, write
from ik2d_ros.kinematics.options import angle_refusal
from ik2d_ros.parameters.checks import ConfigError, shown, with_unit
from ik2d_ros.pilot.outcome import length
from ik2d_ros.robot.find import ImportOptions, the_tip
from ik2d_ros.robot.from_urdf import DESCRIPTION_PARAMETERS, positions_in
from ik2d_ros.robot.importing import WITHIN, WITHIN_ANGLE, compare, import_arm
from ik2d_ros.robot.urdf import load_robot

POSES = 1000
SHAPE = '.link', '.length', '.offset'  # parameters that the import reads itself


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
    largest, turn = compare(arm, robot, tip, options, POSES)
    is_same = largest <= WITHIN and not turn > WITHIN_ANGLE  # NaN: not to be compared
    note = ''
    if not is_same:
        links = {name: value for name, value in parameters.items() if not name.endswith(SHAPE)}
        with suppress(ConfigError):
            imported = import_arm(robot, arm.base_frame, tip, replace(options, parameters=links))
            read = arm_from_parameters(imported.parameters)
            off, turned = compare(read, robot, tip, options, POSES)
            is_alike = largest <= off + WITHIN and not abs(turn - turned) > WITHIN_ANGLE
            if read.names == arm.names and is_alike:
                note = '; '.join(str(remark) for remark in imported.remarks if remark.differs)
    verdict = 'the same' if is_same else 'as imported' if note else 'DIFFERENT'
    lines = {
        'tip': f"{shown(tip)} in '{arm.base_frame}'",
        'difference': f'{length(largest)} at most, in {POSES} random poses',
    }
    if not angle_refusal(arm.chain) and not math.isnan(turn):
        lines['tip angle'] = f'off by {with_unit(turn, "rad")} at most'
    lines['verdict'] = f'{verdict}, to {WITHIN:g} m and {WITHIN_ANGLE:g} rad'
    write(aligned([*lines.items(), *[('note', note)] * bool(note)]))
    return int(verdict == 'DIFFERENT')
