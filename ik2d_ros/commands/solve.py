"""``ik2d solve``: solve one target for an arm, with text or JSON output."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ik2d_ros.arm.description import ArmDescription, ConfigError
from ik2d_ros.commands.arguments import add_config, coordinate, joint_position, number, whole_number
from ik2d_ros.commands.output import write_out
from ik2d_ros.kinematics import BENDS, SOLVERS, Solution
from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.node.answer import Target, answer
from ik2d_ros.node.outcome import VERDICTS
from ik2d_ros.node.parameters import PARAMETERS, load_configuration
from ik2d_ros.node.report import Report
from ik2d_ros.parameters.checks import listed
from ik2d_ros.parameters.shipped import find_config
from ik2d_ros.parameters.wording import printable

HELP = 'solve one target and print the pose, the error and the reason'

DESCRIPTION = """
Solve one target for the arm of a parameter file, as the node would from its home position.

X and Y are in metres in the arm's plane, relative to its first joint: base.xyz and base.rpy are
ignored. Solver, bend, tolerance and max_iterations come from the file unless given here.
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
"""

# The identity pose, so that points in the plane keep their coordinates to the last bit.
IN_PLANE = Plane.from_pose((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@dataclass(frozen=True)
class Solved:
    """A solved target, ready to be formatted.

    Attributes:
        config: the parameter file.
        arm: the arm that it describes.
        target: (x, y) in m in the arm's plane.
        report: what the node would report.
        solution: the solver's answer.
    """

    config: Path
    arm: ArmDescription
    target: tuple[float, float]
    report: Report
    solution: Solution


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``ik2d solve``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    add_config(parser)
    parser.add_argument('x', metavar='X', type=coordinate, help='m')
    parser.add_argument('y', metavar='Y', type=coordinate, help='m')
    parser.add_argument('--solver', help=', '.join(SOLVERS))
    parser.add_argument('--bend', help=f'for two_bone: {", ".join(BENDS)}')
    parser.add_argument(
        '--start',
        metavar='Q',
        type=joint_position,
        nargs='+',
        help='pose to start from: one position in rad per joint (default: home)',
    )
    parser.add_argument('--tolerance', type=number, help='m; closer counts as reached')
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
    overrides = {}
    for name in ('solver', 'bend', 'tolerance', 'max_iterations'):
        value = getattr(arguments, name)
        if value is not None:
            overrides[name] = PARAMETERS[name].checked(value, f'--{name.replace("_", "-")}')
    configuration = load_configuration(config, overrides, arguments.node)
    arm = configuration.arm
    start = tuple(arguments.start or arm.home)
    if len(start) != len(arm.chain):
        raise ConfigError(
            f'--start has {len(start)} positions; it must have {len(arm.chain)}, '
            f'one in rad for each of {listed(arm.chain.names)}'
        )
    x, y = arguments.x, arguments.y
    result = answer(Target((x, y, 0.0)), configuration, IN_PLANE, start, moves=False)
    if result.solution is None:
        raise ConfigError(result.report.message)
    return Solved(config, arm, (x, y), result.report, result.solution)


def as_text(solved: Solved) -> str:
    """Format the answer for a person: aligned lines with units."""
    report, solution, chain = solved.report, solved.solution, solved.arm.chain
    x, y = solved.target
    inner, outer = chain.reach
    width = max(map(len, chain.names))
    pose = [
        f'{name:{width}}  {q + 0.0:10.6f} rad  {math.degrees(q):9.3f} deg'
        for name, q in zip(chain.names, solution.q.tolist(), strict=True)
    ]
    lines = [
        ('arm', f'{printable(str(solved.config))}, reach {inner:.4g} to {outer:.4g} m'),
        ('target', f'x {x:.6g} m, y {y:.6g} m'),
        ('reachable', VERDICTS[report.code.reachable]),
        ('reason', report.message),
        *(('' if i else 'pose', line) for i, line in enumerate(pose)),
        ('tip', f'x {solution.tip[0]:.6f} m, y {solution.tip[1]:.6f} m'),
        ('error', f'{report.error:.4g} m'),
        ('solver', f'{report.solver}, iterations: {report.iterations}'),
    ]
    return '\n'.join(f'{label + ":" if label else "":11}{text}' for label, text in lines)


def as_json(solved: Solved) -> str:
    """Format the answer as one JSON object, in m and rad, with the keys of the node's status."""
    report, solution, chain = solved.report, solved.solution, solved.arm.chain
    fields: Mapping[str, object] = {
        'config': str(solved.config),
        'target': list(solved.target),
        'code': report.code.name,
        'reachable': report.code.reachable,
        'joints': dict(zip(chain.names, solution.q.tolist(), strict=True)),
        'tip': solution.tip.tolist(),
        'error': report.error,
        'solver': report.solver,
        'iterations': report.iterations,
        'reach': {'inner': chain.reach.inner, 'outer': chain.reach.outer},
    }
    return json.dumps(fields, indent=2, allow_nan=False)
