"""Solve one target and print the pose, the error and the reason.

Solve one target for the arm of a parameter file, as the node would from its home position.

X and Y alone are in metres in the arm's plane, relative to its first joint. With Z, the target is
in base_frame; an arm with a turntable or a lift needs Z. The tip angle is the direction of the last
link frame's x-axis in the arm's plane, from the plane's x-axis; three joints or more reach a target
at a given one.

The exit status is 0 whether the target is reachable or not. Scripts read the key "reachable" of
--json: true, false, or null if unknown.

Examples:
  ik2d solve two_bone 0.3 0.1
  ik2d solve my_arm.yaml -0.3 0.1 --bend positive --start 0.2 -0.5
  ik2d solve two_bone 0.7 0 --json | jq .error
  ik2d solve my_robot.yaml 0.2 0.1 0.15
  ik2d solve three_link 0.3 0.2 --angle 0
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from typing import Any

from ik2d_ros.arm.coordinates import in_base_frame
from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.commands.arguments import add, add_config, load, number
from ik2d_ros.commands.output import aligned, write
from ik2d_ros.parameters.checks import ConfigError, listed, with_unit
from ik2d_ros.pilot.answer import Refused, Situation
from ik2d_ros.pilot.outcome import length
from ik2d_ros.pilot.plan import plan_target
from ik2d_ros.pilot.request import Point

OF_REPORT = ('code', 'reachable', 'proven', 'error', 'angle', 'angle_error', 'solver', 'iterations')
VERDICTS = {True: 'yes', False: 'no; the closest pose is shown', None: 'unknown'}
"""Whether a target can be reached, for a person."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``ik2d solve``."""
    add_config(
        parser,
        *('solver', 'bend', 'tolerance', 'plane_tolerance'),
        *('tip_angle', 'angle_tolerance', 'roll', 'max_iterations'),
    )
    metres = number('a finite number of metres')
    for name in 'xy':
        add(parser, name, name.upper(), metres, 'm')
    parser.add_argument('z', metavar='Z', type=metres, nargs='?', help='m')
    add_start(parser)
    parser.add_argument('--json', action='store_true', help='print one JSON object')


def add_start(parser: argparse.ArgumentParser) -> None:
    """Add the argument for the pose to start from."""
    parser.add_argument(
        '--start',
        metavar='Q',
        type=number(
            'a finite number of radians (--start takes all values that follow it)', unit='rad'
        ),
        nargs='+',
        help="pose to start from: a position for each joint, in rad ('90 deg'), or m if it slides",
    )


def run(arguments: argparse.Namespace) -> int:
    """Solve, print, and return the exit status."""
    fields, text = ask(arguments)
    write(json.dumps(fields, indent=2, allow_nan=False) + '\n' if arguments.json else text)
    return 0


def ask(arguments: argparse.Namespace) -> tuple[dict[str, Any], str]:
    """Load the arm and answer as its node would.

    Returns:
        The answer for programs, in m and rad, with the keys of the node's status; and for a person,
        in aligned lines with units.

    Raises:
        Ik2dError: the file or an argument is refused.
    """
    path, _, configuration = load(arguments)
    arm, settings = configuration.arm, configuration.settings
    start = checked_start(arm, arguments.start) or arm.home
    target = [each for each in (arguments.x, arguments.y, arguments.z) if each is not None]
    result = plan_target(
        Point(in_base_frame(arm, target)), Situation(start, moves=False), configuration
    )
    report = result.report
    if isinstance(result, Refused) or (solution := result.solution) is None:
        raise ConfigError(report.message)
    tip = solution.tip.tolist()
    if len(tip) < len(target):  # in the base frame, as the target
        tip = list(arm.kinematics.plane.point(*tip))
    inner, outer = arm.reach
    fields = {
        'config': str(path),
        'target': target,
        'joints': dict(zip(arm.names, solution.q.tolist(), strict=True)),
        'tip': tip,
        'reach': {'inner': inner, 'outer': outer},
        **{key: getattr(report, key) for key in OF_REPORT},
    }
    off = f', {math.degrees(report.angle_error):.3g} deg off'
    joints = zip(arm.names, solution.q.tolist(), arm.units, strict=True)
    pose = [f'{name} {with_unit(q + 0.0, unit)}' for name, q, unit in joints]
    lines = [
        ('arm', f'{path}, its links reach {inner:.4g} to {outer:.4g} m'),
        ('target', coordinates(target)),
        ('reachable', VERDICTS[report.reachable]),
        ('reason', report.message),
        *zip(['pose', *[''] * len(pose)], pose, strict=False),
        ('tip', coordinates(tip)),
        ('error', length(report.error)),
        ('angle', with_unit(report.angle + 0.0, 'rad') + off * (settings.angle is not None)),
        ('solver', f'{report.solver}, iterations: {report.iterations}'),
    ]
    return fields, aligned(lines)


def checked_start(arm: ArmDescription, start: Sequence[float] | None) -> tuple[float, ...] | None:
    """Return (m,) positions to start from; outside the limits, the nearest limit counts.

    Raises:
        ConfigError: there is not one for each joint.
    """
    if start is None:
        return None
    if len(start) != len(arm.names):
        raise ConfigError(
            f'--start has {len(start)} positions; it must have {len(arm.names)}, one for each of '
            f'{listed(arm.names)}'
        )
    return tuple(start)


def coordinates(point: Sequence[float]) -> str:
    """Format (2,) or (3,) coordinates in m for a person."""
    axes = zip('xyz', point, strict=False)
    return ', '.join(f'{axis} {value + 0.0:.6g} m' for axis, value in axes)
