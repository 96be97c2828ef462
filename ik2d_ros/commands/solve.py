"""``ik2d solve``: solve one target for an arm, with text or JSON output."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ik2d_ros.arm.description import ArmDescription, ConfigError
from ik2d_ros.arm.suspicion import suspicious_start
from ik2d_ros.commands.arguments import (
    add_config,
    coordinate,
    joint_position,
    needs_z,
    number,
    tip_angle,
    warn_of_file,
    whole_number,
)
from ik2d_ros.commands.output import complain, write_out
from ik2d_ros.kinematics import BENDS, SOLVERS, Solution
from ik2d_ros.node.answer import Target, answer
from ik2d_ros.node.outcome import VERDICTS
from ik2d_ros.node.parameters import load_configuration
from ik2d_ros.node.report import Report
from ik2d_ros.parameters.checks import listed
from ik2d_ros.parameters.shipped import find_config
from ik2d_ros.parameters.wording import printable

HELP = 'solve one target and print the pose, the error and the reason'

DESCRIPTION = """
Solve one target for the arm of a parameter file, as the node would from its home position.

X and Y alone are in metres in the arm's plane, relative to its first joint: base.xyz and base.rpy
are ignored. With Z, the target is in base_frame; an arm with a turntable or a lift needs Z. Solver,
bend, tolerances, max_iterations and the tip angle come from the file unless given here.

The tip angle is the direction of the last link frame's x-axis in the arm's plane, from the plane's
x-axis; three joints or more reach a target at a given one.
"""

EPILOG = """
exit status:
  0  solved, whether the target is reachable or not
     (for scripts: --json, key "reachable": true, false, or null if unknown)
  1  the answer cannot be written; the reason is on stderr
  2  wrong usage, or an invalid file or value; the reason is on stderr

examples:
  ik2d solve two_bone 0.3 0.1
  ik2d solve my_arm.yaml -0.3 0.1 --bend positive --start 0.2 -0.5
  ik2d solve two_bone 0.7 0 --json | jq .error
  ik2d solve my_robot.yaml 0.2 0.1 0.15
  ik2d solve three_link 0.3 0.2 --angle 0
"""

OVERRIDES = ('solver', 'bend', 'tolerance', 'tip_angle', 'angle_tolerance', 'max_iterations')
"""The node's parameters that options take the place of."""


@dataclass(frozen=True)
class Solved:
    """A solved target, ready to be formatted.

    Attributes:
        config: the parameter file.
        arm: the arm that it describes.
        target: (x, y) in m in the arm's plane, or (x, y, z) in its base frame.
        report: what the node would report.
        solution: the solver's answer.
        is_angle_asked: whether a tip angle was asked for.
    """

    config: Path
    arm: ArmDescription
    target: tuple[float, ...]
    report: Report
    solution: Solution
    is_angle_asked: bool = False


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``ik2d solve``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    add_config(parser)
    parser.add_argument('x', metavar='X', type=coordinate, help='m')
    parser.add_argument('y', metavar='Y', type=coordinate, help='m')
    parser.add_argument('z', metavar='Z', type=coordinate, nargs='?', help='m')
    parser.add_argument('--solver', help=', '.join(SOLVERS))
    parser.add_argument('--bend', help=f'for two_bone: {", ".join(BENDS)}')
    parser.add_argument(
        '--start',
        metavar='Q',
        type=joint_position,
        nargs='+',
        help='pose to start from: one position per joint, in rad, m if it slides (default: home)',
    )
    parser.add_argument('--tolerance', type=number, help='m; closer counts as reached')
    parser.add_argument(
        '--angle', dest='tip_angle', metavar='A', type=tip_angle, help='tip angle in rad'
    )
    parser.add_argument(
        '--angle-tolerance', type=number, help='rad; closer to the tip angle counts as reached'
    )
    parser.add_argument('--max-iterations', type=whole_number, help='most passes (ccd, hybrid)')
    parser.add_argument('--json', action='store_true', help='print one JSON object')


def run(arguments: argparse.Namespace) -> int:
    """Solve and print; see ``DESCRIPTION``.

    Raises:
        Ik2dError: the file or an argument is refused.
        OutputError: the answer cannot be written.
    """
    solved = ask(arguments)
    formatted = as_json if arguments.json else as_text
    write_out(formatted(solved) + '\n')
    return 0


def ask(arguments: argparse.Namespace) -> Solved:
    """Load the arm and answer as its node would.

    Raises:
        Ik2dError: the file or an argument is refused.
    """
    config = find_config(arguments.config)
    given = {name: getattr(arguments, name) for name in OVERRIDES}
    overrides = {name: value for name, value in given.items() if value is not None}
    configuration = load_configuration(config, overrides, arguments.node)
    arm = configuration.arm
    start = tuple(arguments.start or arm.home)
    if len(start) != len(arm.names):
        slides = [name for name, unit in zip(arm.names, arm.units, strict=True) if unit == 'm']
        unit = f'rad ({listed(slides)} in m)' if slides else 'rad'
        raise ConfigError(
            f'--start has {len(start)} positions; it must have {len(arm.names)}, '
            f'one in {unit} for each of {listed(arm.names)}'
        )
    warn_of_file(config, arguments.node, arm)
    for text in suspicious_start(arm, start):
        complain(f'--start: {text}')
    x, y, z = arguments.x, arguments.y, arguments.z
    target: tuple[float, ...] = (x, y) if z is None else (x, y, z)
    if z is None:
        if arm.carrier is not None:
            raise ConfigError(needs_z(arm))
        # The plane is that of the base frame, so that points keep all their digits.
        flat = replace(arm, base_xyz=(0.0, 0.0, 0.0), base_rpy=(0.0, 0.0, 0.0))
        configuration = replace(configuration, arm=flat)
    result = answer(Target((x, y, z or 0.0)), configuration, start, moves=False)
    if result.solution is None:
        raise ConfigError(result.report.message)
    is_angle_asked = configuration.settings.angle is not None
    return Solved(config, arm, target, result.report, result.solution, is_angle_asked)


def as_text(solved: Solved) -> str:
    """Format the answer for a person: aligned lines with units."""
    report, solution, arm = solved.report, solved.solution, solved.arm
    inner, outer = arm.chain.reach
    width = max(map(len, arm.names))
    pose = [
        f'{name:{width}}  {q + 0.0:10.6f} {unit}'
        + (f'  {math.degrees(q):9.3f} deg' if unit == 'rad' else '')
        for name, q, unit in zip(arm.names, solution.q.tolist(), arm.units, strict=True)
    ]
    lines = [
        ('arm', f'{printable(str(solved.config))}, reach {inner:.4g} to {outer:.4g} m'),
        ('target', _coordinates(solved.target, '.6g')),
        ('reachable', VERDICTS[report.code.reachable]),
        ('reason', report.message),
        *(('' if i else 'pose', line) for i, line in enumerate(pose)),
        ('tip', _coordinates(_tip(solved), '.6f')),
        ('error', '< 1 um' if report.error < 1e-6 else f'{report.error:.4g} m'),
        ('angle', _angle(solved)),
        ('solver', f'{report.solver}, iterations: {report.iterations}'),
    ]
    return '\n'.join(f'{label + ":" if label else "":11}{text}' for label, text in lines)


def as_json(solved: Solved) -> str:
    """Format the answer as one JSON object, in m and rad, with the keys of the node's status."""
    report, solution, arm = solved.report, solved.solution, solved.arm
    fields: Mapping[str, object] = {
        'config': str(solved.config),
        'target': list(solved.target),
        'code': report.code.name,
        'reachable': report.code.reachable,
        'proven': report.proven,
        'joints': dict(zip(arm.names, solution.q.tolist(), strict=True)),
        'tip': list(_tip(solved)),
        'error': report.error,
        'angle': report.angle,
        'angle_error': report.angle_error,
        'solver': report.solver,
        'iterations': report.iterations,
        'reach': {'inner': arm.chain.reach.inner, 'outer': arm.chain.reach.outer},
    }
    return json.dumps(fields, indent=2, allow_nan=False)


def _tip(solved: Solved) -> tuple[float, ...]:
    """Return the tip where the target was given: in the plane, or in the base frame."""
    tip = tuple(solved.solution.tip.tolist())
    is_projected = len(tip) < len(solved.target)
    return solved.arm.kinematics.plane.point(*tip) if is_projected else tip


def _angle(solved: Solved) -> str:
    """Format the tip angle, and how far it is off if one was asked for."""
    angle, off = solved.report.angle, solved.report.angle_error
    asked = f', {math.degrees(off):.3g} deg off' if solved.is_angle_asked else ''
    return f'{angle + 0.0:.6f} rad, {math.degrees(angle) + 0.0:.3f} deg{asked}'


def _coordinates(point: Sequence[float], form: str) -> str:
    return ', '.join(f'{axis} {value:{form}} m' for axis, value in zip('xyz', point, strict=False))
