"""Small moves of many poses along a path, and which of the poses to go on with.

Units and arrays are those of :mod:`.links`: a column is a pose, lengths are in reaches.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import wrapped
from ik2d_ros.kinematics.arrays import ComplexArray, Flags, FloatArray, Indices
from ik2d_ros.kinematics.links import Links, Spans, spans_of
from ik2d_ros.kinematics.tuning import (
    LARGEST_TURN,
    PATH_ABOUT,
    PATH_CELLS,
    PATH_MORE,
    PATH_ROUNDS,
    PATH_SHARE,
    PATH_SINGULAR,
    PATH_STRAINED,
    PATH_TIMES,
)


def advanced(
    links: Links, target: complex, bends: FloatArray, goals: FloatArray, steps: int
) -> tuple[FloatArray, Indices]:
    """Return poses (n, j) on the next target, and from which (j,) of the last each has come.

    Those that walk towards their goals are before those that only go along.
    """
    count = bends.shape[1]
    spans = spans_of(links, np.full(count, target), bends)
    freely = spans.smallest_turns(np.zeros(count))
    least = turns_within(spans, bends, links.lower, links.upper, freely)
    # The least that limits leave may be any distance away.
    strained = PATH_STRAINED * np.abs(freely).max(axis=0)
    largest = np.minimum(np.abs(least).max(axis=0), strained)
    most = PATH_SHARE * (PATH_TIMES * largest + PATH_MORE * steps)
    ways = goals - bends
    round_ = ~np.isfinite(links.lower[:, 0])
    ways[round_] = wrapped(ways[round_])
    pressed = ((bends <= links.lower) & (ways < 0.0)) | ((bends >= links.upper) & (ways > 0.0))
    ways = spans.idle_turns(np.where(pressed, 0.0, ways))
    with np.errstate(divide='ignore', invalid='ignore'):
        room = np.where(ways == 0.0, np.inf, (np.copysign(most, ways) - least) / ways).min(axis=0)
    room = np.clip(room, 0.0, LARGEST_TURN / (np.abs(ways).max(axis=0) + 1e-12))
    # Of three joints one is left over: it can go to and fro, as far as there is room.
    both = len(bends) == 3
    ways *= room if both else np.minimum(1.0, room)
    tried = [bends + least + ways, *([bends + least - ways] if both else []), bends + least]
    box = np.where(slopes_of(spans) < PATH_SINGULAR, np.maximum(most, LARGEST_TURN), most)
    lower = np.tile(np.maximum(links.lower, bends - box), len(tried))
    upper = np.tile(np.minimum(links.upper, bends + box), len(tried))
    goal = np.full(lower.shape[1], target)
    on = brought_back(links, goal, np.concatenate(tried, axis=1), (lower, upper), PATH_ABOUT)
    return on.bends[:, on.there], np.flatnonzero(on.there) % count


class _Back(NamedTuple):
    bends: FloatArray
    there: Flags


def brought_back(
    links: Links,
    targets: ComplexArray,
    bends: FloatArray,
    bounds: tuple[FloatArray, FloatArray],
    tolerance: float,
) -> _Back:
    """Bring tips back onto targets that are near, by the least turns between bounds.

    Args:
        links: the links.
        targets: (m,) in reaches.
        bends: (n, m) rad.
        bounds: (n, m) or (n, 1) smallest and largest bends.
        tolerance: distance from a target that is good enough, in reaches.

    Returns:
        (n, m) bends, and whether (m,) their tips are on the targets.
    """
    lower, upper = bounds
    bends = np.clip(bends, lower, upper)
    spans = spans_of(links, targets, bends)
    for _ in range(PATH_ROUNDS):
        if (spans.error <= tolerance).all():
            break
        bends = np.clip(bends + turns_within(spans, bends, lower, upper), lower, upper)
        spans = spans_of(links, targets, bends)
    return _Back(bends, spans.error <= tolerance)


def turns_within(
    spans: Spans,
    bends: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    freely: FloatArray | None = None,
) -> FloatArray:
    """Return the least turns (n, m) that bring tips to targets; joints stop at their bounds.

    ``freely`` are those without bounds, if they are known.
    """
    undamped = np.zeros(bends.shape[1])
    turns = spans.smallest_turns(undamped) if freely is None else freely
    made = np.clip(bends + turns, lower, upper) - bends
    held = np.abs(made - turns) > 1e-12
    stopped = held
    for _ in range(len(bends) - 1):
        if not stopped.any():
            break
        left = spans.holding(held, np.where(held, made, 0.0))
        turns = np.where(held, made, left.smallest_turns(undamped))
        made = np.clip(bends + turns, lower, upper) - bends
        stopped = ~held & (np.abs(made - turns) > 1e-12)
        held = held | stopped
    return made


def slopes_of(spans: Spans) -> FloatArray:
    """Return (m,) by how much the tips move, per rad, in the direction in which they move least."""
    xx, yy = (spans.sx**2).sum(axis=0), (spans.sy**2).sum(axis=0)
    xy = (spans.sx * spans.sy).sum(axis=0)
    least = 0.5 * (xx + yy) - np.hypot(0.5 * (xx - yy), xy)
    slopes: FloatArray = np.sqrt(np.maximum(least, 0.0))
    return slopes


def thinned(bends: FloatArray, from_: Indices, count: int, rng: np.random.Generator) -> Indices:
    """Return which poses (at most ``count``) to go on with: spread over what they cover.

    Of those that have come from one pose, the first before the others: would each go on or stay by
    chance, none would get far, and after some stops all would have come from the same few.

    Args:
        bends: (n, k) rad.
        from_: (k,) from which pose each has come.
        count: how many may go on.
        rng: draws.
    """
    first = np.unique(from_, return_index=True)[1]
    chosen = _spread(bends, first, count, rng)
    others = np.delete(np.arange(len(from_)), first)
    return np.concatenate([chosen, _spread(bends, others, count - len(chosen), rng)])


def _spread(bends: FloatArray, some: Indices, count: int, rng: np.random.Generator) -> Indices:
    """Return at most ``count`` of some poses: one of each cell, ever smaller ones."""
    left = rng.permutation(some)
    if len(left) <= count:
        return left
    chosen: list[Indices] = []
    for cell in PATH_CELLS:
        cells = np.floor(bends[:, left] / cell).astype(np.int64)
        keys = (cells * rng.integers(1, 1 << 40, (len(bends), 1))).sum(axis=0)
        first = np.unique(keys, return_index=True)[1]
        chosen.append(left[rng.permutation(first)[:count]])
        count -= len(first)
        if count <= 0:
            break
        left = np.delete(left, first)
    else:
        chosen.append(left[:count])
    return np.concatenate(chosen)
