"""Judge whether the tip can follow a path, and write the joint trajectory along it.

Judge whether the arm of a parameter file can follow the straight lines between points, before
anything moves: the whole path, or how far, and why not farther.

FILE has one point on each line: X Y in metres in the arm's plane, or X Y Z in base_frame, separated
by commas, semicolons or spaces. Lines that begin with # and a line of names at the top, each of
which begins with a letter, are skipped.
An arm with a turntable or a lift needs Z. Without --start, the path begins in the shape that lasts
longest. The exit status is 0 whether the path can be followed or not.

Examples:
  ik2d path three_link line.csv
  ik2d path my_arm.yaml name.csv --speed 0.1 -o trajectory.csv
  python make_points.py | ik2d path three_link - --angle 0
"""

from __future__ import annotations

import argparse
import io
from pathlib import Path as File

import numpy as np

from ik2d_ros.arm.coordinates import in_base_frame, read_rows
from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.commands.arguments import add, add_config, load
from ik2d_ros.commands.output import aligned, write
from ik2d_ros.commands.solve import add_start, checked_start, coordinates
from ik2d_ros.kinematics import Path, Status
from ik2d_ros.kinematics.arguments import MOST_POINTS
from ik2d_ros.motion.trajectory import time_path
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.pilot.plan import judge, path_report

RATE = 50.0  # Hz of a trajectory
LONGEST = 20_000.0  # s that it may take


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``ik2d path``."""
    add_config(
        parser,
        *('path_tolerance', 'path_speed', 'tolerance', 'plane_tolerance'),
        *('tip_angle', 'angle_tolerance', 'roll'),
    )
    add(parser, 'file', 'FILE', str, 'points, one on a line; - for standard input')
    add_start(parser)
    add(parser, '-o --output', 'CSV', File, f'write the trajectory, {RATE:g} rows a second')


def run(arguments: argparse.Namespace) -> int:
    """Judge, print, write the output asked for, and return the exit status."""
    _, _, configuration = load(arguments)
    arm, settings = configuration.arm, configuration.settings
    _, rows = read_rows(arguments.file, {2: 'X Y', 3: 'X Y Z'}, MOST_POINTS)
    places = np.array([in_base_frame(arm, row) for row in rows.values()])
    path = judge(arm, settings, places, checked_start(arm, arguments.start))
    can = 'can be followed' if path.status is Status.REACHED else 'cannot be followed'
    lines = {
        'path': f'{len(places)} points, {path.total:.6g} m',
        'verdict': f'{can}: {path.status.name}, {"proven" if path.proven else "not proven"}',
        'reason': path_report(path, places, arm).message,
        'end': f'{path.end:.6g} m along the path',
    }
    if path.target is not None:
        lines['not reached'] = coordinates(path.target.tolist())
    lines['poses'] = str(len(path.q))
    if path.end > 0.0:
        duration = time_path(path, arm.motion, settings.path_speed).duration
        lines['duration'] = f'{duration:.3g} s'
    write(aligned(lines.items()))
    if arguments.output is not None:
        write(trajectory(path, arm, settings.path_speed), arguments.output)
    return 0


def trajectory(path: Path, arm: ArmDescription, speed: float) -> str:
    """Return the joint positions along a path at even times, as CSV.

    Raises:
        Ik2dError: there is nothing to follow, or it takes too long.
    """
    timed = time_path(path, arm.motion, speed)
    if timed.duration > LONGEST:
        raise ConfigError(
            f'the trajectory takes {timed.duration:.3g} s; it must take at most {LONGEST:g} s: '
            'raise the --speed'
        )
    times = np.append(np.arange(0.0, timed.duration, 1.0 / RATE), timed.duration)
    q, velocities, length = timed.at(times)
    text = io.StringIO()
    names = ['time', *arm.names, *(f'{name}_velocity' for name in arm.names), 'path_length']
    columns = np.column_stack([times, q, velocities, length])
    np.savetxt(text, columns, '%.9g', ',', header=','.join(names), comments='')
    return text.getvalue()
