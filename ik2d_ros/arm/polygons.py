"""Loops of arcs and segments as polygons: what is drawn of an outline."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.arrays import ComplexArray, Flags
from ik2d_ros.kinematics.proof.cutting import Strokes

ROUNDS = 8  # of halving the sides that cross others
MOST_CORNERS = 4000
WIDEST = 0.5  # rad; of an arc, to one side


def polygons(loops: Sequence[Strokes], tolerance: float) -> list[ComplexArray]:
    """Return the corners of loops, in their order, all of them on the loops.

    A side is a segment or the chord of an arc, which is beside it by a tolerance at most. It is
    shorter where the area is so narrow that sides would cross.

    Args:
        loops: some loops (:func:`.edge_loops.edge_loops`).
        tolerance: in reaches, above 0.
    """
    chords = [_divided(loop, _counts(loop, tolerance)) for loop in loops]
    for _ in range(ROUNDS):
        places = np.cumsum([0, *(len(loop.center) for loop in chords)])
        if places[-1] > MOST_CORNERS:
            break
        crossed = _crossed(chords)
        if not crossed.any():
            break
        chords = [
            _divided(loop, 1 + crossed[first:last].astype(np.intp))
            for loop, first, last in zip(chords, places[:-1], places[1:], strict=True)
        ]
    return [loop.points(loop.begin) for loop in chords]


def _counts(loop: Strokes, tolerance: float) -> NDArray[np.intp]:
    """Return into how many sides each part of a loop has to be divided."""
    share = tolerance / np.where(loop.radius > 0.0, loop.radius, np.inf)
    step = np.where(loop.radius > 0.0, 2.0 * np.arccos(1.0 - np.minimum(share, 1.0)), np.inf)
    counts = np.ceil(np.abs(loop.length) / np.minimum(step, WIDEST))
    return np.where(loop.radius > 0.0, np.maximum(counts, 1.0), 1.0).astype(np.intp)


def _divided(loop: Strokes, counts: NDArray[np.intp]) -> Strokes:
    """Return the parts of a loop, each divided into some."""
    index = np.repeat(np.arange(len(counts)), counts)
    number = np.arange(len(index)) - np.repeat(np.cumsum(counts) - counts, counts)
    parts = loop.at(index)
    length = parts.length / counts[index]
    return parts._replace(begin=parts.begin + number * length, length=length)


def _crossed(chords: Sequence[Strokes]) -> Flags:
    """Return which sides of polygons cross another one that is not straight to begin with."""
    begins = [loop.points(loop.begin) for loop in chords]
    begin = np.concatenate(begins)
    end = np.concatenate([np.roll(corners, -1) for corners in begins])
    along = (end - begin)[:, None]
    to_begin = ((begin - begin[:, None]) * along.conj()).imag
    to_end = ((end - begin[:, None]) * along.conj()).imag
    parts = to_begin * to_end < 0.0  # whether the line through one parts the ends of the other
    met = parts & parts.T
    arcs = np.concatenate([loop.radius > 0.0 for loop in chords])
    return np.asarray(met.any(axis=1) & arcs)
