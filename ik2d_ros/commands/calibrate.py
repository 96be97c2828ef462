"""Find the zeros, lengths and base of an arm from measured points.

Fit the arm of a parameter file to where its tip was measured. FILE has one point on each line: the
position of each joint as its driver reports it, in rad (m if it slides), then the tip, X Y in
metres in the arm's plane, or X Y Z in base_frame; separated by commas, semicolons or spaces. A line
of names at the top gives the order: those of the joints, x, y and z.

Each number is printed with its interval: the truth is in it 95 times in 100, if points are measured
as well as they agree. Numbers that these points do not determine are named instead, as are points
that are far off, which are left out. If joints seem to count the other way, or to go farther than
told, no number is true: that is said, and the exit status is 1. With -o, write the file
with the numbers that fit best, and its comments; of numbers that are not determined, those next to
the file's.

Examples:
  ik2d calibrate arm.yaml points.csv
  ik2d calibrate arm.yaml points.csv --fit offsets lengths -o calibrated.yaml
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.arm.points import LONGEST_LINE, in_base_frame, rows_in
from ik2d_ros.calibration.model import FITS, Points
from ik2d_ros.commands.arguments import add, add_config, load
from ik2d_ros.commands.output import LONGEST, complain, write
from ik2d_ros.kinematics.arguments import suggest_unit
from ik2d_ros.parameters.checks import ConfigError, listed, printable
from ik2d_ros.parameters.file import naming, read_text
from ik2d_ros.pilot.outcome import length
from ik2d_ros.robot.from_urdf import save_completed

if TYPE_CHECKING:
    from ik2d_ros.calibration.calibrate import Calibration

STATUS = 'fitted', 'such an arm does not fit the points, or the output cannot be written'

MOST_POINTS = 10_000
OPPOSITE = 0.1  # of a travel


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``ik2d calibrate``."""
    add_config(parser)
    add(parser, 'points', 'POINTS', str, 'measured points, one on a line; - for standard input')
    parser.add_argument(
        '--fit',
        nargs='+',
        choices=FITS,
        default=['offsets'],
        help='what to fit: zeros (default), lengths of the links, pose of the base',
    )
    add(parser, '-o --output', 'FILE', Path, 'write the parameters with the fitted numbers')


def run(arguments: argparse.Namespace) -> int:
    """Fit, print, write the parameters if asked for, and return the exit status."""
    path, parameters, configuration = load(arguments)
    arm = configuration.arm
    lines, points = read_measured(arguments.points, arm)
    for name, unit, largest in zip(arm.names, arm.units, np.abs(points.q).max(0), strict=True):
        if question := suggest_unit(largest, unit):
            complain(f"joint '{name}' was at {largest:g} {unit}: {question}")
    farthest = float(np.linalg.norm(points.tips - arm.base_xyz, axis=1).max())
    if question := suggest_unit(farthest, 'm', arm.reach.outer):
        complain(f'the tip was {farthest:g} m from the base: {question}')
    try:
        from ik2d_ros.calibration.calibrate import calibrate  # noqa: PLC0415  # slow to import
    except ImportError as error:
        raise ConfigError(
            f'calibration needs SciPy ({error}): pip install scipy, or sudo apt install '
            'python3-scipy'
        ) from None
    found = calibrate(parameters, points, arguments.fit, show_progress)
    show_progress(0)
    write('\n'.join(as_text(found, lines, arm)) + '\n')
    if found.travels:
        words = []
        for name, travel in found.travels.items():
            does = f'go {travel:.3g} times as far as it is told'
            if abs(travel + 1.0) < OPPOSITE:
                does = 'count the other way: its axis is the opposite one'
            words.append(f"joint '{name}' seems to {does}")
        complain(f'ik2d calibrate: these points do not fit such an arm: {"; ".join(words)}')
        return 1
    if arguments.output is not None:
        head = f'# Fitted by: {printable(arguments.line, LONGEST)}\n'
        fitted = save_completed(path, arguments.node, found.parameters)
        write(head + fitted, arguments.output)
    return 0


def show_progress(count: int) -> None:
    """Show how many fits there were, if anybody watches; 0 wipes it out."""
    if sys.stderr is not None and sys.stderr.isatty():
        sys.stderr.write('\r\x1b[K' + f'fit {count} ...' * bool(count))
        sys.stderr.flush()


def read_measured(name: str, arm: ArmDescription) -> tuple[list[int], Points]:
    """Return the lines of a file with a point, and the points.

    Raises:
        ConfigError: it cannot be read, a line is no point, or the names are not those of the arm.
    """
    joints, count = list(arm.names), len(arm.names)
    form = f'{count} positions and the tip, X Y'
    content = read_text('/dev/stdin' if name == '-' else name, LONGEST_LINE * MOST_POINTS)
    with naming(name):
        names, by_line = rows_in(content, {count + 2: form, count + 3: f'{form} Z'}, MOST_POINTS)
    rows = np.array(list(by_line.values()))
    if names:
        wanted = [*joints, 'x', 'y', 'z'][: rows.shape[1]]
        if sorted(names) != sorted(wanted):
            raise ConfigError(
                f'{name}: its names are {listed(names)}; they must be {listed(wanted)}, '
                'in the order of the columns'
            )
        rows = rows[:, [names.index(each) for each in wanted]]
    q, tips = rows[:, :count], rows[:, count:]
    in_space = np.array([in_base_frame(arm, tip) for tip in tips])
    return list(by_line), Points(q, in_space, tips.shape[1])


def as_text(found: Calibration, lines: list[int], arm: ArmDescription) -> Iterator[str]:
    """Yield the lines for a person."""
    left_out = [f'line {lines[each]} ({length(found.after[each])} off)' for each in found.outliers]
    yield f'points: {len(lines)}' + (f', left out: {", ".join(left_out)}' if left_out else '')
    for label, distances in (('before:', found.before), ('after: ', found.after)):
        kept = np.delete(distances, found.outliers)
        rms = math.sqrt(float(np.mean(kept**2)))
        yield f'{label} {length(rms)} off (rms), {length(kept.max())} at most'
    if found.travels:
        return
    for change, value, half in found.numbers:
        degrees = f' ({math.degrees(value):.2f} +- {math.degrees(half):.2g} deg)'
        text = f'{change.name}: {change.before:.5g} -> {value:.5g} +- {half:.2g} {change.unit}'
        yield text + degrees * (change.unit == 'rad')
    if found.undetermined:
        names = ', '.join(each.name for each in found.undetermined)
        together = ', each by itself' if len(found.undetermined) > 1 else ''
        yield f'not determined by these points{together}: {names}'
        yield '  measure at poses that differ in every joint, or fit fewer numbers'
    if arm.roll:
        yield f"not fitted: zero of joint '{arm.roll.name}', for which a file has no parameter"
