"""Find the zeros, senses and lengths of an arm from measured points.

Fit the arm of a parameter file to where its tip was measured. FILE has one point on each line: the
position of each joint as its driver reports it, in rad (m if it slides), then the tip, X Y in
metres in the arm's plane, or X Y Z in base_frame; separated by commas, semicolons or spaces. A line
of names at the top gives the order: those of the joints, x, y and z.

Each number that was fitted has its uncertainty: the truth is within it 95 times in 100, if points
are measured as well as they agree. Points that are far off are named and left out; so are numbers
that these points do not determine. With -o, write the parameters with the fitted numbers.

Examples:
  ik2d calibrate arm.yaml points.csv
  ik2d calibrate arm.yaml points.csv --fit offsets lengths -o calibrated.yaml
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ik2d_ros.arm.calibration import FITS, MOST_SENSES, Calibration, Points, Unknown, calibrate
from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.arm.points import in_base_frame, rows_in
from ik2d_ros.commands.arguments import add, add_config, load
from ik2d_ros.commands.import_urdf import nested
from ik2d_ros.commands.output import LONGEST, complain, write
from ik2d_ros.kinematics.suspicion import doubt_about
from ik2d_ros.parameters.checks import ConfigError, listed
from ik2d_ros.parameters.file import as_file, naming, read_text
from ik2d_ros.parameters.numerals import with_unit
from ik2d_ros.parameters.sanitize import printable
from ik2d_ros.pilot.outcome import length

MOST_POINTS = 10_000
FAR = 0.02  # of the reach: an error that is left, at which the senses are tried


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``ik2d calibrate``."""
    add_config(parser)
    add(parser, 'points', 'POINTS', str, 'measured points, one on a line; - for standard input')
    parser.add_argument(
        '--fit',
        nargs='+',
        choices=FITS,
        default=['offsets'],
        help='what to fit: zeros (default), lengths of the links, senses, pose of the base',
    )
    add(parser, '-o --output', 'FILE', Path, 'write the parameters with the fitted numbers')


def run(arguments: argparse.Namespace) -> int:
    """Fit, print, write the parameters if asked for, and return the exit status."""
    _, parameters, configuration = load(arguments)
    arm = configuration.arm
    lines, points = read_measured(arguments.points, arm)
    for name, unit, largest in zip(arm.names, arm.units, np.abs(points.q).max(0), strict=True):
        if doubt := doubt_about(largest, unit):
            complain(f"joint '{name}' was at {largest:g} {unit}: {doubt}")
    found = calibrate(parameters, points, arguments.fit)
    write('\n'.join(as_text(found, lines, arm)) + '\n')
    may_be_senses = 'axis' not in arguments.fit and len(arm.names) <= MOST_SENSES
    if may_be_senses and rms(found.after) > FAR * arm.reach.outer:
        other = calibrate(parameters, points, [*arguments.fit, 'axis'])
        if other.flipped:
            complain(
                f'with the other sense of {listed(other.flipped)} the error would be '
                f'{length(rms(other.after))}: try --fit {" ".join(arguments.fit)} axis'
            )
    if arguments.output is not None:
        head = f'# Fitted by: {printable(arguments.line, LONGEST)}\n'
        write(head + as_file(nested(found.parameters)), arguments.output)
    return 0


def read_measured(name: str, arm: ArmDescription) -> tuple[list[int], Points]:
    """Return the lines of a file with a point, and the points.

    Raises:
        ConfigError: it cannot be read, a line is no point, or the names are not those of the arm.
    """
    joints, count = list(arm.names), len(arm.names)
    form = f'{count} positions and the tip, X Y'
    content = read_text('/dev/stdin' if name == '-' else name)
    with naming(name):
        names, by_line = rows_in(content, {count + 2: form, count + 3: f'{form} Z'}, MOST_POINTS)
    if not by_line:
        raise ConfigError(f'{name}: has no points; a point is {form} or X Y Z')
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
    kept = np.delete(found.after, found.outliers), np.delete(found.before, found.outliers)
    yield f'points: {len(lines)}' + (f', left out: {", ".join(left_out)}' if left_out else '')
    yield f'before: {length(rms(kept[1]))} off (rms), {length(kept[1].max())} at most'
    yield f'after:  {length(rms(kept[0]))} off (rms), {length(kept[0].max())} at most'
    for name in found.flipped:
        yield f"joint '{name}' counts the other way: its axis changes its sign"
    for unknown, before, after, uncertainty in found.numbers:
        yield f'{unknown}: {before:.5g} -> {told(after, uncertainty, unknown)}'
    for unknown, others, poses in found.undetermined:
        apart = f', apart from {listed(map(str, others))}' if others else ''
        yield f'{unknown}: not determined by these points{apart}'
        if poses:
            yield '  measure also, for instance, at:'
            for pose in poses:
                values = zip(arm.names, pose, arm.units, strict=True)
                yield '  ' + ', '.join(f'{n} {with_unit(q, u)}' for n, q, u in values)
        else:
            yield '  no point would determine it: fit fewer numbers'


def told(value: float, uncertainty: float, unknown: Unknown) -> str:
    """Return a number with its uncertainty, an angle in degrees as well."""
    text = f'{value:.5g} +- {uncertainty:.2g} {unknown.unit}'
    degrees = f'{math.degrees(value):.2f} +- {math.degrees(uncertainty):.2g} deg'
    return f'{text} ({degrees})' if unknown.unit == 'rad' else text


def rms(distances: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
    """Return the root mean square."""
    return math.sqrt(float(np.mean(distances**2)))
