"""Find the zeros, lengths and base of an arm from measured points.

Fit the arm of a parameter file to where its tip was measured. POINTS has one point on each line:
the position of each joint as its driver reports it, in rad (m if it slides), then the tip, X Y in
metres in the arm's plane, or X Y Z in base_frame; separated by commas, semicolons or spaces. A line
of names at the top must have the joints in this order.

Each number is printed with its interval, which holds the truth 95 times in 100; numbers that these
points do not determine are named, and points that are far off, which count less. If joints seem to
go farther than commanded, or the other way, no number is true: that is said, and the exit status is
1. With -o, write the file with the numbers that fit best, of undetermined ones those next to the
file's. The zero of a roll is never fitted.

Examples:
  ik2d calibrate arm.yaml points.csv
  ik2d calibrate arm.yaml points.csv --fit offsets lengths -o calibrated.yaml
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ik2d_ros.arm.coordinates import in_base_frame, read_rows
from ik2d_ros.calibration.model import FITS, TRAVELS, Calibration
from ik2d_ros.commands.arguments import add, add_config, load
from ik2d_ros.commands.output import complain, write
from ik2d_ros.kinematics.arguments import suggest_unit
from ik2d_ros.parameters.checks import ConfigError, listed
from ik2d_ros.pilot.outcome import length
from ik2d_ros.robot.from_urdf import save_completed

LONGEST = 10.0  # s, after which no other fits are tried
MOST_POINTS, MOST_WORK = 10_000, 300_000  # points times joints squared: of more, some are fitted
OUTLIER = 4.0  # medians of the distances


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``ik2d calibrate``."""
    add_config(parser)
    add(parser, 'points', 'POINTS', str, 'measured points, one on a line; - for standard input')
    words = 'what to fit: zeros (default), lengths of the links, pose of the base'
    parser.add_argument('--fit', nargs='+', choices=FITS, default=['offsets'], help=words)
    add(parser, '-o --output', 'FILE', Path, 'write the parameters with the fitted numbers')


def run(arguments: argparse.Namespace) -> int:
    """Fit, print, write the parameters if asked for, and return the exit status."""
    path, parameters, configuration = load(arguments)
    arm, count = configuration.arm, len(configuration.arm.names)
    form = f'{count} positions and the tip, X Y'
    forms = {count + 2: form, count + 3: f'{form} Z'}
    names, by_line = read_rows(arguments.points, forms, MOST_POINTS)
    every = 1 + len(by_line) * count**2 // MOST_WORK
    lines, rows = [*by_line][::every], np.array([*by_line.values()][::every])
    columns = [*arm.names, *'xyz'][: rows.shape[1]]
    if names and names != columns:
        raise ConfigError(f'{arguments.points}: its columns must be {listed(columns)}')
    q, tips = rows[:, :count], rows[:, count:]
    for name, unit, largest in zip(arm.names, arm.units, np.abs(q).max(0), strict=True):
        if question := suggest_unit(largest, unit):
            complain(f"joint '{name}' was at {largest:g} {unit}: {question}")
    farthest = max(math.dist(in_base_frame(arm, tip), arm.base_xyz) for tip in tips)
    if question := suggest_unit(farthest, 'm', arm.reach.outer):
        complain(f'the tip was {farthest:g} m from the base: {question}')
    try:
        from ik2d_ros.calibration.calibrate import calibrate  # noqa: PLC0415  # slow to import
    except ImportError as error:
        raise ConfigError(f'{error}: pip install scipy, or apt install python3-scipy') from None
    end = time.monotonic() + LONGEST

    def goes_on() -> bool:
        left = end - time.monotonic()
        if sys.stderr is not None and sys.stderr.isatty():
            sys.stderr.write(f'{left:.0f} s \r')
            sys.stderr.flush()
        return left > 0.0

    found = calibrate(parameters, q, tips, arguments.fit, goes_on)
    write('\n'.join([*as_text(found, lines), '']))
    has_fitted = found.numbers[0].change.fit != TRAVELS
    if has_fitted and arguments.output is not None:
        write(save_completed(path, arguments.node, found.parameters), arguments.output)
    return int(not has_fitted)


def as_text(found: Calibration, lines: list[int]) -> Iterator[str]:
    """Yield the lines for a person."""
    is_far = found.after > OUTLIER * np.median(found.after) + 1e-9
    far = [f', line {lines[i]} is {length(found.after[i])} off' for i in np.flatnonzero(is_far)]
    yield f'points: {len(lines)}{"".join(far)}'
    for label, distances in (('before:', found.before), ('after: ', found.after)):
        kept = distances[~is_far]
        yield f'{label} {length(np.sqrt(np.mean(kept**2)))} off (rms), {length(kept.max())} at most'
    for change, value, half in found.numbers:
        text = f'{change.name}: {change.before:.5g} -> {value:.5g} +- {half:.2g} {change.unit}'
        if change.fit == TRAVELS:
            text = f"these points do not fit such an arm: joint '{change.name}' seems to go "
            text += f'{value:.3g} times as far as commanded (if negative, its axis is reversed)'
        elif math.isinf(half):
            text = f'{change.name}: not determined by these points; move every joint more'
        elif change.unit == 'rad':
            text += f' ({math.degrees(value):.2f} +- {math.degrees(half):.2g} deg)'
        yield text
