"""The demo in a terminal: a live picture of the arm, or plain lines for other outputs."""

from __future__ import annotations

import contextlib
import math
import os
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator
from typing import TextIO

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.demo.monitor import Array, Sample, Tally, tip_place
from ik2d_ros.demo.picture import BLANK, FIRST_BRAILLE, Room, picture
from ik2d_ros.demo.scenes import scenes

Show = Callable[[Sample, Tally, float], None]
"""Called for every sample, with the time since the first one in s."""

LINE_PERIOD = 0.7  # s between plain lines, unless the status code changes
FRAME_PERIOD = 0.08  # s between frames

PANEL_WIDTH = 34
SMALLEST = (60, 16)  # columns, rows; below that plain lines are better

ENTER, LEAVE = '\x1b[?1049h\x1b[?25l', '\x1b[?25h\x1b[?1049l'  # alternate screen, cursor hidden


@contextlib.contextmanager
def view(arm: ArmDescription, out: TextIO | None = None) -> Iterator[Show]:
    """Open the view that suits the output, and restore the terminal afterwards.

    Args:
        arm: the arm to show.
        out: output stream; default: standard output.
    """
    out = out or sys.stdout
    size = shutil.get_terminal_size()
    is_live = out.isatty() and os.environ.get('TERM', 'dumb') != 'dumb'
    if not is_live or size.columns < SMALLEST[0] or size.lines < SMALLEST[1]:
        yield _lines(arm, out)
        return
    out.write(ENTER)
    try:
        yield _live(arm, out)
    finally:
        out.write(LEAVE)
        out.flush()


@contextlib.contextmanager
def lines(arm: ArmDescription, out: TextIO | None = None) -> Iterator[Show]:
    """Open the view that writes plain lines to any output; arguments as for :func:`view`."""
    yield _lines(arm, out or sys.stdout)


def line(arm: ArmDescription, sample: Sample, elapsed: float) -> str:
    """Format a sample as one line of text."""
    positions = ' '.join(
        f'{name} {position:.3f} {unit}'
        for name, position, unit in zip(arm.names, sample.positions, arm.units, strict=True)
    )
    target, tip = target_and_tip(arm, sample)
    asked = sample.status.tip_angle
    angle = '' if asked is None else f'  angle {turned(*asked)}'
    return (
        f'{elapsed:7.1f} s  {sample.status.code:<13} target {point(target)}  '
        f'{positions}  tip {point(tip)}  off by {length(sample.distance)}{angle}'
    )


def frame(
    arm: ArmDescription, sample: Sample, tally: Tally, elapsed: float, columns: int, rows: int
) -> list[tuple[str, list[tuple[str, str]]]]:
    """Format a sample as a picture with a panel of figures.

    Args:
        arm: the arm to show.
        sample: the target, the pose and the status.
        tally: the statistics so far.
        elapsed: time since the first sample in s.
        columns: width of the terminal.
        rows: height of the terminal.

    Returns:
        ``rows - 1`` lines, each as the text of the panel and, to its left, the cells of the picture
        as (character, colour).
    """
    room = Room(columns - PANEL_WIDTH - 1, rows - 1)
    cells = picture(scenes(arm, sample), room, sample.status.level.terminal_colour)
    width = max(map(len, cells), default=0)
    cells += [[BLANK] * width] * (room.rows - len(cells))
    left = columns - width - 1
    text = [entry[:left] for entry in panel(arm, sample, tally, elapsed, left)][: room.rows]
    text += [''] * (room.rows - len(text))
    return list(zip(text, cells, strict=True))


def panel(
    arm: ArmDescription, sample: Sample, tally: Tally, elapsed: float, width: int
) -> list[str]:
    """Format the figures of a sample, line by line."""
    status = sample.status
    target, tip = (place(xyz) for xyz in target_and_tip(arm, sample))
    return [
        f'{elapsed:.1f} s, {tally.total} targets; Ctrl-C ends',
        '',
        f'target    {target}',
        *(
            f'{name[:12]:<12}{position:9.4f} {unit}'
            for name, position, unit in zip(arm.names, sample.positions, arm.units, strict=True)
        ),
        f'tip       {tip}',
        f'distance  {length(sample.distance)}',
        *([] if status.tip_angle is None else [f'angle     {turned(*status.tip_angle)}']),
        '',
        status.code,
        *textwrap.wrap(status.sentence, width),
        '',
        *(
            f'{code:<13} {distances.count:6}'
            for books in (tally.reached, tally.missed)
            for code, distances in sorted(books.items())
        ),
        f'farthest when reached: {length(tally.farthest_reached)}',
    ]


def point(xyz: Array) -> str:
    """Format a point in the plane or in space, in m."""
    return '  '.join(f'{name} {part:6.3f}' for name, part in zip('xyz', xyz, strict=False)) + ' m'


def target_and_tip(arm: ArmDescription, sample: Sample) -> tuple[Array, Array]:
    """Return the target and the tip: in the plane or, if that is carried, in the base frame."""
    if arm.carrier is None:
        return sample.target, sample.points[-1]
    return sample.place, tip_place(arm, sample.positions)


def place(xyz: Array) -> str:
    """Format a point as short as the panel needs it, in m."""
    return point(xyz) if len(xyz) == 2 else f'{" ".join(f"{part:6.3f}" for part in xyz)} m'


def length(metres: float) -> str:
    """Format a distance >= 0: in millimetres, below that only its magnitude."""
    if metres == 0.0:
        return '0 m'
    return f'{metres:.1e} m' if metres < 0.0005 else f'{metres:.3f} m'


def turned(angle: float, off: float) -> str:
    """Format a tip angle, and how far off it is, both in rad."""
    return f'{math.degrees(angle):.1f} deg, {math.degrees(off):.1f} off'


def _lines(arm: ArmDescription, out: TextIO) -> Show:
    last_time, last_code = -LINE_PERIOD, ''

    def show(sample: Sample, _tally: Tally, elapsed: float) -> None:
        nonlocal last_time, last_code
        if elapsed - last_time >= LINE_PERIOD or sample.status.code != last_code:
            text = line(arm, sample, elapsed) + '\n'
            if sample.status.code != last_code:
                text += f'{"":11}{sample.status.sentence}\n'
            last_time, last_code = elapsed, sample.status.code
            out.write(text)
            out.flush()

    return show


def _live(arm: ArmDescription, out: TextIO) -> Show:
    last_time = -FRAME_PERIOD
    paint = _painted if not os.environ.get('NO_COLOR') else _unpainted
    has_braille = 'utf' in (out.encoding or '').lower()

    def show(sample: Sample, tally: Tally, elapsed: float) -> None:
        nonlocal last_time
        if elapsed - last_time < FRAME_PERIOD:
            return
        last_time = elapsed
        columns, rows = shutil.get_terminal_size()
        if columns <= PANEL_WIDTH or rows < 2:
            return
        status = sample.status
        text = ''
        for entry, cells in frame(arm, sample, tally, elapsed, columns, rows):
            drawn = ''.join(
                paint(character if has_braille or character < FIRST_BRAILLE else '*', colour)
                for character, colour in cells
            )
            colour = status.level.terminal_colour if entry.startswith(status.code) else ''
            text += f'{drawn} {paint(entry, colour)}\x1b[K\n'
        out.write(f'\x1b[H{text}\x1b[J')
        out.flush()

    return show


def _painted(text: str, colour: str) -> str:
    return f'\x1b[{colour}m{text}\x1b[0m' if colour else text


def _unpainted(text: str, _colour: str) -> str:
    return text
