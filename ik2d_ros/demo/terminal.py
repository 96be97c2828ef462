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

import numpy as np

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.demo.monitor import Array, Sample, Tally

Show = Callable[[Sample, Tally, float], None]
"""Called for every sample, with the time since the first one in s."""

LINE_PERIOD = 0.7  # s between plain lines, unless the status code changes
FRAME_PERIOD = 0.08  # s between frames

PANEL_WIDTH = 34
SMALLEST = (60, 16)  # columns, rows; below that plain lines are better

CYAN, DIM = '36', '2'
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
    asked = sample.status.tip_angle
    angle = '' if asked is None else f'  angle {turned(*asked)}'
    return (
        f'{elapsed:7.1f} s  {sample.status.code:<13} target {point(sample.target)}  '
        f'{positions}  tip {point(sample.points[-1])}  off by {length(sample.distance)}{angle}'
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
    height = min(rows - 1, (columns - PANEL_WIDTH - 1) // 2)
    picture = draw(arm, sample, height)
    picture += [[(' ', '')] * (2 * height)] * (rows - 1 - height)
    room = columns - 2 * height - 1
    text = [entry[:room] for entry in panel(arm, sample, tally, elapsed, room)][: rows - 1]
    text += [''] * (rows - 1 - len(text))
    return list(zip(text, picture, strict=True))


def panel(
    arm: ArmDescription, sample: Sample, tally: Tally, elapsed: float, width: int
) -> list[str]:
    """Format the figures of a sample, line by line."""
    status = sample.status
    return [
        f'{elapsed:.1f} s, {tally.total} targets; Ctrl-C ends',
        '',
        f'target    {point(sample.target)}',
        *(
            f'{name[:12]:<12}{position:9.4f} {unit}'
            for name, position, unit in zip(arm.names, sample.positions, arm.units, strict=True)
        ),
        f'tip       {point(sample.points[-1])}',
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


def draw(arm: ArmDescription, sample: Sample, height: int) -> list[list[tuple[str, str]]]:
    """Draw the arm in braille dots: ``height`` rows of twice as many (character, colour)."""
    dots = 4 * height  # a character is two dots wide and four high, so this is a square
    reach = arm.chain.reach
    half_width = 1.2 * reach.outer or 1.0
    cells: dict[tuple[int, int], tuple[int, str]] = {}

    def mark(place: Array, colour: str) -> None:
        if not (np.abs(place) < 2.0 * half_width).all():  # outside, infinite or NaN
            return
        x, y = place
        column = int((x / half_width + 1.0) / 2.0 * (dots - 1) + 0.5)
        row = int((1.0 - y / half_width) / 2.0 * (dots - 1) + 0.5)
        if 0 <= column < dots and 0 <= row < dots:
            cell = (row // 4, column // 2)
            bits = cells.get(cell, (0, ''))[0] | BRAILLE[row % 4][column % 2]
            cells[cell] = (bits, colour)

    for radius in (reach.inner, reach.outer):
        for angle in np.linspace(0.0, 2.0 * np.pi, 3 * dots):
            mark(radius * np.array([np.cos(angle), np.sin(angle)]), DIM)
    for start, end in zip(sample.points, sample.points[1:], strict=False):
        for part in np.linspace(0.0, 1.0, dots):
            mark(start + part * (end - start), CYAN)
    pixel = 2.0 * half_width / max(dots, 1)
    for i in range(-3, 4):
        for direction in np.eye(2):
            mark(sample.target + i * pixel * direction, sample.status.level.terminal_colour)
    return [
        [
            (chr(0x2800 + cells[row, column][0]), cells[row, column][1])
            if (row, column) in cells
            else (' ', '')
            for column in range(2 * height)
        ]
        for row in range(height)
    ]


BRAILLE = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""Bits of the dots of a braille character by row and column."""


def point(xy: Array) -> str:
    """Format a point in the plane, in m."""
    return f'x {xy[0]:6.3f}  y {xy[1]:6.3f} m'


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
            picture = ''.join(
                paint(character if has_braille or character == ' ' else '*', colour)
                for character, colour in cells
            )
            colour = status.level.terminal_colour if entry.startswith(status.code) else ''
            text += f'{picture} {paint(entry, colour)}\x1b[K\n'
        out.write(f'\x1b[H{text}\x1b[J')
        out.flush()

    return show


def _painted(text: str, colour: str) -> str:
    return f'\x1b[{colour}m{text}\x1b[0m' if colour else text


def _unpainted(text: str, _colour: str) -> str:
    return text
