"""The demo in a terminal: a line now and then, which says first what the arm does."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.demo.monitor import Array, Sample
from ik2d_ros.node.outcome import length

Show = Callable[[Sample, float], None]
"""Called for every sample, with the time since the first one in s."""

LINE_PERIOD = 0.7  # s between two lines, unless the status code changes


def lines(arm: ArmDescription, asks_angle: bool = False) -> Show:
    """Return what prints lines about samples of an arm, with the tip angle if one is asked for."""
    last_time, last_code = -LINE_PERIOD, ''

    def show(sample: Sample, elapsed: float) -> None:
        nonlocal last_time, last_code
        code = sample.status.code
        if elapsed - last_time >= LINE_PERIOD or code != last_code:
            sys.stdout.write(f'{line(arm, sample, elapsed, asks_angle)}\n')
            if code != last_code:
                sys.stdout.write(f'{"":11}{sample.status.message}\n')
            sys.stdout.flush()
            last_time, last_code = elapsed, code

    return show


def line(arm: ArmDescription, sample: Sample, elapsed: float, asks_angle: bool = False) -> str:
    """Format a sample as one line of text."""
    status = sample.status
    what, off = status.code, f'off by {length(sample.distance)}'
    if status.is_on_the_way:
        what, off = 'moving', f'{length(sample.distance)} to go'
    joints = zip(arm.names, sample.positions, arm.units, strict=True)
    positions = ', '.join(
        f'{name} {math.degrees(q):.1f} deg' if unit == 'rad' else f'{name} {q:.3f} m'
        for name, q, unit in joints
    )
    if asks_angle and status.angle is not None and status.angle_error is not None:
        angle, error = map(math.degrees, (status.angle, status.angle_error))
        positions += f', tip angle {angle:.1f} deg, {error:.1f} off'
    return (
        f'{elapsed:7.1f} s  {what:<13} target {_point(sample.target)}  '
        f'tip {_point(sample.tip)}  {off}  {positions}'
    )


def _point(xyz: Array) -> str:
    return ' '.join(f'{part:6.3f}' for part in xyz) + ' m'
