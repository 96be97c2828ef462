"""``ik2d path``: whether an arm can follow a path, and if not, where it ends and why."""

from __future__ import annotations

import argparse
import io
import math
import re
import sys
from pathlib import Path as File

import numpy as np

from ik2d_ros.arm.description import ArmDescription, ConfigError
from ik2d_ros.arm.suspicion import suspicious_start
from ik2d_ros.commands.arguments import (
    add_config,
    joint_position,
    needs_z,
    positive,
    tip_angle,
    warn_of_file,
)
from ik2d_ros.commands.output import complain, write_document, write_file, write_out
from ik2d_ros.commands.plot import drawing, picture
from ik2d_ros.kinematics import Path, Status, solve_path, timed
from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.kinematics.bounds import MOST_POINTS
from ik2d_ros.node.parameters import load_configuration
from ik2d_ros.parameters.shipped import find_config
from ik2d_ros.parameters.wording import printable

HELP = 'judge whether the tip can follow a path, and write the joint trajectory along it'

DESCRIPTION = """
Judge whether the arm of a parameter file can follow the straight lines between points, without
anything moving: the whole path, or how far, and why not farther.

FILE has a point a line: X Y in metres in the arm's plane, or X Y Z in base_frame, with commas,
semicolons or spaces between; lines that begin with # and a line of names above are left out. An
arm with a turntable or a lift needs Z. Without --start, the shape is taken that lasts longest.
Tolerances, speed and tip angle come from the parameter file unless given here.
"""

EPILOG = """
exit status:
  0  judged, whether the path can be followed or not
  1  the output cannot be written; the reason is on stderr
  2  wrong usage, or an invalid file or value; the reason is on stderr

examples:
  ik2d path three_link line.csv
  ik2d path my_arm.yaml name.csv --speed 0.1 -o trajectory.csv --plot name.png
  python make_points.py | ik2d path three_link - --angle 0
"""

REASONS = {
    Status.REACHED: 'The tip gets to the end of the path.',
    Status.TOO_FAR: 'There the path leaves the reach of the arm.',
    Status.TOO_NEAR: 'There the path is nearer than the arm can come to its base.',
    Status.JOINT_LIMIT: 'There the path is within reach, but joint limits forbid it.',
    Status.TIP_ANGLE: 'There the path can be reached, but not at the tip angle asked for.',
    Status.PATH_JUMP: 'There the path goes on only with a change of shape.',
    Status.NOT_CONVERGED: 'There the solver stopped without proof either way.',
}
LONGEST_LINE = 200  # bytes of a file for each point that it may have
RATE = 50.0  # Hz of a trajectory


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``ik2d path``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    add_config(parser)
    parser.add_argument('file', metavar='FILE', help='points, a line each; - for standard input')
    parser.add_argument(
        '--start',
        metavar='Q',
        type=joint_position,
        nargs='+',
        help='pose to begin from: one position per joint, in rad, m if it slides',
    )
    parser.add_argument('--angle', metavar='A', type=tip_angle, help='tip angle in rad')
    parser.add_argument(
        '--path-tolerance',
        metavar='D',
        type=positive('metres'),
        help='m that the tip may be beside the lines',
    )
    parser.add_argument(
        '--speed',
        type=positive('metres per second'),
        help='m/s of the tip in the trajectory, where joint limits allow it',
    )
    parser.add_argument(
        '-o', '--output', metavar='CSV', type=File, help=f'write the trajectory, {RATE:g} rows a s'
    )
    parser.add_argument('--plot', metavar='PICTURE', type=picture, help='draw path and poses')


def run(arguments: argparse.Namespace) -> int:
    """Judge, print, and write what is asked for; see ``DESCRIPTION``.

    Raises:
        Ik2dError: a file or an argument is refused.
        OutputError: something cannot be written.
    """
    config = find_config(arguments.config)
    configuration = load_configuration(config, {}, arguments.node)
    arm, settings = configuration.arm, configuration.settings
    aside = arguments.path_tolerance or settings.path_tolerance
    angle = settings.angle if arguments.angle is None else arguments.angle
    warn_of_file(config, arguments.node, arm)
    points = in_frame_of(arm, read_points(arguments.file))
    path = solve_path(
        arm.chain if arm.carrier is None else arm.kinematics,
        points,
        start=arguments.start,
        angle=angle,
        tolerance=min(settings.tolerance, aside),
        path_tolerance=aside,
        angle_tolerance=settings.angle_tolerance,
    )
    for text in suspicious_start(arm, arguments.start or arm.home):
        complain(f'--start: {text}')
    write_out(as_text(path, len(points)) + '\n')
    if arguments.output is not None:
        write_document(
            trajectory(arm, path, arguments.speed or settings.path_speed), arguments.output
        )
    if arguments.plot is not None:
        figure, image = drawing().draw_path(arm, config.stem, points, path), io.BytesIO()
        figure.savefig(image, format=arguments.plot.suffix[1:].lower(), dpi=150)
        write_file(arguments.plot, image.getvalue())
    return 0


def read_points(name: str) -> FloatArray:
    """Return the points (k, 2) or (k, 3) of a file, or of standard input for ``-``.

    Raises:
        ConfigError: it cannot be read, or a line is no point; the message says which.
    """
    where, most = printable(name), LONGEST_LINE * MOST_POINTS
    try:
        if name == '-':
            content = sys.stdin.buffer.read(most + 1)
        else:
            with open(name, 'rb') as file:
                content = file.read(most + 1)
    except OSError as error:
        raise ConfigError(f'{where}: cannot be read: {error.strerror or error}') from None
    if len(content) > most:
        raise ConfigError(f'{where}: has more than {most:,} bytes; a path has no more')
    rows: list[list[float]] = []
    for number, line in enumerate(content.decode('utf-8', 'replace').splitlines(), 1):
        cells = [cell for cell in re.split(r'[,;\s]+', line.strip('\ufeff \t')) if cell]
        if not cells or cells[0].startswith('#'):
            continue
        try:
            row = [float(cell) for cell in cells]
        except ValueError:
            if not rows and number == 1:  # names
                continue
            row = []
        if len(row) not in (2, 3) or not all(map(math.isfinite, row)):
            raise ConfigError(
                f"{where}: line {number} is '{printable(line, 80)}'; it must be X Y or X Y Z, "
                'finite numbers in m'
            )
        if rows and len(row) != len(rows[0]):
            raise ConfigError(
                f'{where}: line {number} has {len(row)} numbers; those before have {len(rows[0])}'
            )
        rows.append(row)
    if not rows:
        raise ConfigError(f'{where}: has no points; a path has at least 2, X Y or X Y Z each')
    return np.array(rows)


def in_frame_of(arm: ArmDescription, points: FloatArray) -> FloatArray:
    """Return points as the arm's solver takes them: in its plane, unless something carries that.

    Raises:
        ConfigError: the arm needs Z.
    """
    if arm.carrier is not None and points.shape[1] == 2:
        raise ConfigError(needs_z(arm))
    if arm.carrier is not None or points.shape[1] == 2:
        return points
    return np.array([arm.kinematics.plane.locate((x, y, z))[:2] for x, y, z in points.tolist()])


def as_text(path: Path, count: int) -> str:
    """Format the verdict for a person."""
    whole = path.status is Status.REACHED
    verdict = 'can be followed' if whole else 'cannot be followed'
    lines = [
        ('path', f'{count} points, {path.total:.6g} m'),
        ('verdict', f'{verdict}: {path.status.name}, {"proven" if path.proven else "not proven"}'),
        ('reason', REASONS[path.status]),
        ('end', f'{path.end:.6g} m along the path'),
    ]
    if path.target is not None:
        place = ', '.join(f'{axis} {x:.6g} m' for axis, x in zip('xyz', path.target, strict=False))
        lines.append(('not reached', place))
    lines.append(('poses', str(len(path.q))))
    return '\n'.join(f'{label + ":":13}{text}' for label, text in lines)


def trajectory(arm: ArmDescription, path: Path, speed: float) -> str:
    """Return the joint positions along a path at even times, as CSV.

    Raises:
        ArgumentError: there is nothing to follow.
    """
    limits = [(each.velocity or math.inf, each.acceleration or math.inf) for each in arm.motion]
    course = timed(path, limits, speed)
    times = np.append(np.arange(0.0, course.duration, 1.0 / RATE), course.duration)
    q, velocities, length = course.at(times)
    speeds = [f'{name}_velocity' for name in arm.names]
    text = io.StringIO()
    header = ','.join(['time', *arm.names, *speeds, 'path_length'])
    columns = np.column_stack([times, q, velocities, length])
    np.savetxt(text, columns, '%.9g', ',', header=header, comments='')
    return text.getvalue()
