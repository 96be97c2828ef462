"""Pictures in characters: lines in braille dots, and views beside or below each other."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ik2d_ros.demo.monitor import Array
from ik2d_ros.demo.scenes import Scene

CYAN, DIM = '36', '2'
CROSS = 3  # dots from the middle of a target to an end of its cross
FEWEST = 16  # dots on the longer side of a view; with less, only the first one is drawn
GAP = 1  # columns between two views
FARTHEST = 1e6  # dots outside a picture; what is farther away is not drawn

BRAILLE = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])
"""Bits of the dots of a braille character by row and column."""

FIRST_BRAILLE = '\u2800'

Cell = tuple[str, str]
"""A character and its colour."""

BLANK: Cell = (' ', '')


class Room(NamedTuple):
    """A rectangle of characters."""

    columns: int
    rows: int


def picture(views: Sequence[Scene], room: Room, colour: str) -> list[list[Cell]]:
    """Draw the views of a moment at the same scale, as large as fits.

    Two views are beside or below each other, whichever makes them larger. Where there is no room
    for both, only the first is drawn.

    Args:
        views: one or two; of these the first matters most.
        room: largest size of the picture.
        colour: of the target.

    Returns:
        Rows, all equally long, and none longer or more than there is room for.
    """
    if room.columns < 1 or room.rows < 1:
        return []
    rooms, is_beside = _arranged(views, room)
    if len(views) > 1 and not all(map(_is_large, rooms)):
        return picture(views[:1], room, colour)
    parts = [_titled(view, size, colour) for view, size in zip(views, rooms, strict=True)]
    if is_beside:
        height = max(map(len, parts))
        for part, size in zip(parts, rooms, strict=True):
            part.extend([[BLANK] * size.columns] * (height - len(part)))
        return [left + [BLANK] * GAP + right for left, right in zip(*parts, strict=True)]
    width = max(size.columns for size in rooms)
    return [row + [BLANK] * (width - len(row)) for part in parts for row in part]


def _is_large(size: Room) -> bool:
    return min(size) > 0 and max(2 * size.columns, 4 * size.rows) >= FEWEST


def _arranged(views: Sequence[Scene], room: Room) -> tuple[list[Room], bool]:
    """Return the size of each view without title, and whether they are beside each other."""
    titles = [int(bool(view.title)) for view in views]
    sizes = np.array([view.high - view.low for view in views])
    columns = np.array([room.columns - GAP * (len(views) - 1), room.columns])
    rows = np.array([room.rows - max(titles), room.rows - sum(titles)])
    # Beside each other, and below each other: how large they get, in dots per metre.
    wide = np.array([sizes[:, 0].sum(), sizes[:, 0].max()])
    high = np.array([sizes[:, 1].max(), sizes[:, 1].sum()])
    scales = np.minimum(2 * columns / wide, 4 * rows / high)
    is_beside = len(views) > 1 and bool(scales[0] >= scales[1])
    scale = max(0.0, float(scales[0] if is_beside else scales[1]))
    rooms = np.floor(scale * sizes / (2.0, 4.0) + 1e-6).astype(int).tolist()
    return [Room(*size) for size in rooms], is_beside


def _titled(view: Scene, size: Room, colour: str) -> list[list[Cell]]:
    if not view.title:
        return draw(view, size, colour)
    title = [(character, DIM) for character in view.title[: size.columns].ljust(size.columns)]
    return [title, *draw(view, size, colour)]


def draw(view: Scene, size: Room, colour: str) -> list[list[Cell]]:
    """Draw a view without its title.

    Args:
        view: the view.
        size: of the picture.
        colour: of the target.
    """
    if size.columns < 1 or size.rows < 1:
        return [[BLANK] * size.columns] * size.rows
    dots = np.array([2 * size.columns, 4 * size.rows])
    # All that has to be shown is within the middles of the outermost dots.
    step = float(((view.high - view.low) / np.maximum(1, dots - 1)).max())
    bits = np.zeros((size.rows, size.columns), dtype=int)
    colours = np.full((size.rows, size.columns), '', dtype=object)

    def mark(places: Array, of_colour: str) -> None:
        """Set the dots (k, 2) that are in the picture: columns, and rows from above."""
        near = places[(np.abs(places) < FARTHEST).all(axis=1)]  # neither NaN nor infinite
        found = np.floor(near + 0.5).astype(int)
        column, row = found[((found >= 0) & (found < dots)).all(axis=1)].T
        np.bitwise_or.at(bits, (row // 4, column // 2), BRAILLE[row % 4, column % 2])
        colours[row // 4, column // 2] = of_colour

    def in_dots(points: Array) -> Array:
        away = (points - 0.5 * (view.low + view.high)) / step
        return np.asarray(0.5 * (dots - 1) + away * (1.0, -1.0))

    with np.errstate(over='ignore', invalid='ignore'):  # a target may be anywhere
        for line in view.guides:
            mark(_filled(in_dots(line)), DIM)
        mark(_filled(in_dots(view.arm)), CYAN)
        mark(in_dots(view.target) + _cross(), colour)
    return [
        [
            (chr(ord(FIRST_BRAILLE) + dots_of), colour_of) if dots_of else BLANK
            for dots_of, colour_of in zip(*row, strict=True)
        ]
        for row in zip(bits.tolist(), colours.tolist(), strict=True)
    ]


def _filled(corners: Array) -> Array:
    """Return points on a line (k, 2), less than a dot apart."""
    parts = [corners[:1]]
    for begin, end in itertools.pairwise(corners):
        longest = float(np.abs(end - begin).max())
        count = 1 + int(min(longest, FARTHEST)) if longest >= 0.0 else 1
        parts.append(begin + np.linspace(0.0, 1.0, count + 1)[1:, None] * (end - begin))
    return np.concatenate(parts)


def _cross() -> Array:
    arm = np.arange(-CROSS, CROSS + 1.0)
    still = np.zeros_like(arm)
    return np.concatenate([np.stack([arm, still], axis=1), np.stack([still, arm], axis=1)])
