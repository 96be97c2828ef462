"""An exhaustive search for a way along a path without a jump: all poses of three or four joints.

At each stop on the path, all but two of the joints are set to every combination on a grid, and the
two left close the chain exactly, by the law of cosines; so with every choice of the two. What is
reached from a stop is each pose of the next one that no joint has to jump to. Nothing is drawn at
random, and nothing is shared with the package.
"""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
from crowd import Links, searched
from scipy.spatial import cKDTree

TURN = 2.0 * np.pi
NEAREST = 12  # Poses of the last stop from which each is tried to be reached; and all that may
FAR = 0.3  # go farther than this, in rad.


def reached(
    links: Links, points: np.ndarray, start: np.ndarray | None, grid: int, stride: int
) -> int | None:
    """Return the target that no pose gets to without a jump; None if one gets to the end.

    Args:
        links: the chain, of three or four revolute joints.
        points: (m, 2) the path in m.
        start: (n,) the first pose in rad, or None if it is free.
        grid: numbers on the grid for each joint.
        stride: targets from one stop to the next: what may be moved adds up on the way.
    """
    stops = list(range(0, len(points), stride))
    if stops[-1] + 1 < len(points):
        stops.append(len(points) - 1)
    now = _poses(links, complex(*points[0]) / links.size, grid) if start is None else start[:, None]
    for here, there in pairwise(stops):
        target = complex(*points[there]) / links.size
        most = searched(links, now, target)[1] + 0.01 * (there - here - 1)
        every = _poses(links, target, grid)
        if not now.shape[1] or not every.shape[1]:
            return there
        now = every[:, _within(now, most, every)]
        if not now.shape[1]:
            return there
    return None


def _poses(links: Links, target: complex, grid: int) -> np.ndarray:
    """Return all poses (n, k) on the grid whose tips are on the target."""
    joints = len(links.lengths)
    found = []
    for first, second in combinations(range(joints), 2):
        held = [j for j in range(joints) if j not in (first, second)]
        axes = [np.linspace(_low(links, j), _high(links, j), grid) for j in held]
        bends = np.zeros((joints, grid ** len(held)))
        bends[held] = np.stack(np.meshgrid(*axes, indexing='ij')).reshape(len(held), -1)
        found += [_closed(links, bends, first, second, target, side) for side in (1.0, -1.0)]
    return np.concatenate(found, axis=1)


def _low(links: Links, joint: int) -> float:
    return max(float(links.lower[joint, 0]), -np.pi)


def _high(links: Links, joint: int) -> float:
    return min(float(links.upper[joint, 0]), np.pi)


def _closed(
    links: Links, bends: np.ndarray, first: int, second: int, target: complex, side: float
) -> np.ndarray:
    """Return those of the poses whose joints ``first`` and ``second``, at 0, close the chain."""

    def vector(begin: int, end: int) -> np.ndarray:
        parts = links.lengths[begin:end] * np.exp(1j * np.cumsum(bends[begin:end], axis=0))
        return parts.sum(axis=0)

    base = vector(0, first) if first else np.zeros(bends.shape[1], dtype=complex)
    turned = np.exp(1j * bends[:first].sum(axis=0))
    upper, lower = vector(first, second), vector(second, len(bends))
    # The upper part ends in a frame that the bends between have turned.
    lower = lower * np.exp(1j * bends[first:second].sum(axis=0))
    span = (target - base) / turned
    a, b, d = np.abs(upper), np.abs(lower), np.abs(span)
    with np.errstate(divide='ignore', invalid='ignore'):
        cosine = (d * d - a * a - b * b) / (2.0 * a * b)
    good = np.abs(cosine) <= 1.0
    cosine = np.where(good, cosine, 0.0)
    between = side * np.arccos(cosine)
    bend = between - np.angle(lower * np.conj(upper))
    tip = upper + lower * np.exp(1j * bend)
    made = bends.copy()
    made[second] = bend
    made[first] = np.angle(span * np.conj(tip))
    for joint in (first, second):
        low, high = links.lower[joint, 0], links.upper[joint, 0]
        middle = 0.5 * (low + high) if np.isfinite(low) else 0.0
        made[joint] = middle + np.remainder(made[joint] - middle + np.pi, TURN) - np.pi
    good &= ((made >= links.lower) & (made <= links.upper)).all(axis=0)
    return made[:, good]


def _within(now: np.ndarray, most: np.ndarray, every: np.ndarray) -> np.ndarray:
    """Return which poses (k,) are no farther from one of the present ones than that may move."""
    tree = cKDTree(now.T)
    away, which = tree.query(every.T, k=min(NEAREST, now.shape[1]), p=np.inf)
    which = which.reshape(every.shape[1], -1)
    found = (away.reshape(which.shape) <= most[which]).any(axis=1)
    far = np.flatnonzero(most > FAR)
    if len(far):
        for part in np.array_split(far, -(-len(far) // 64)):
            missing = np.flatnonzero(~found)
            if not len(missing):
                break
            moves = np.abs(every[:, missing, None] - now[:, None, part]).max(axis=0)
            found[missing] = (moves <= most[part]).any(axis=1)
    return found
