"""A stock of poses spread over what the joint limits allow, to start descents from.

A descent within limits may end where no small move helps although a quite different pose reaches
the target. The stock holds poses of several kinds, and where their tips are; those whose tips are
nearest to a target are the places to try.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.angles import into_range_many
from ik2d_ros.kinematics.arrays import ComplexArray, FloatArray
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.links import Links, tips
from ik2d_ros.kinematics.tuning import STOCK_CORNERS, STOCK_MEMORY, STOCK_POSES, STOCK_TARGETS


class Stock(NamedTuple):
    """Poses of several kinds and their tips.

    Attributes:
        bends: (kinds, n, k) rad, inside the limits.
        tips: (kinds, k) in reaches.
    """

    bends: FloatArray
    tips: ComplexArray

    @property
    def memory(self) -> int:
        """Size of the arrays in bytes."""
        return self.bends.nbytes + self.tips.nbytes


_kept: OrderedDict[Chain, Stock] = OrderedDict()  # The one that was used last is the last.
_keeping = Lock()


def stock(chain: Chain) -> Stock:
    """Return the stock of a chain; always the same for the same chain.

    Making it takes milliseconds, so that those that were used last are kept.
    """
    with _keeping:
        found = _kept.get(chain)
        if found is not None:
            _kept.move_to_end(chain)
            return found
    made = _made(chain)
    with _keeping:
        _kept[chain] = made
        while sum(poses.memory for poses in _kept.values()) > STOCK_MEMORY:
            _kept.popitem(last=False)
    return made


def clear() -> None:
    """Keep no stock any longer."""
    with _keeping:
        _kept.clear()


def _made(chain: Chain) -> Stock:
    links = Links.of(chain)
    limited = np.isfinite(links.lower)
    middle = np.zeros_like(links.lower)
    middle[limited] = 0.5 * links.lower[limited] + 0.5 * links.upper[limited]
    # More than a turn brings the tip nowhere new.
    lower, upper = np.maximum(links.lower, middle - np.pi), np.minimum(links.upper, middle + np.pi)
    turned, allowed = into_range_many(np.zeros_like(middle), lower, upper, middle)
    straighter = np.where(np.cos(lower) > np.cos(upper), lower, upper)
    straight = np.where(allowed, turned, straighter)
    even = _evenly(len(chain), STOCK_POSES)
    little = even**4
    side = np.where(_evenly(len(chain) + 1, STOCK_POSES)[1:] < 0.5, lower, upper)
    # Half of these are on the very end that is not the side they lean to, the others lean off it.
    base = np.where(allowed, turned, np.where((side == lower) ^ (even < 0.5), lower, upper))
    kinds = [
        lower + even * (upper - lower),
        # The edge of what limits leave is reached with most joints at a limit, or straight.
        lower + np.clip(4.0 * even - 1.5, 0.0, 1.0) * (upper - lower),
        lower + little * (upper - lower),
        upper + little * (lower - upper),
        base + little * (side - base),
        _arcs(lower, straight, upper),
    ]
    bends = np.clip(kinds, links.lower, links.upper)
    return Stock(bends, np.array([tips(links, kind) for kind in bends]))


def _evenly(dimensions: int, count: int) -> FloatArray:
    """Return (dimensions, count) numbers in [0, 1) that fill the unit cube evenly.

    An additive recurrence with powers of the root of ``x^(d + 1) = x + 1``, a generalised golden
    ratio (M. Roberts, "The Unreasonable Effectiveness of Quasirandom Sequences", 2018).
    """
    ratio = 2.0
    for _ in range(64):
        ratio = (1.0 + ratio) ** (1.0 / (dimensions + 1))
    steps = ratio ** -np.arange(1.0, dimensions + 1.0)
    shares: FloatArray = (0.5 + steps[:, None] * np.arange(1, count + 1)) % 1.0
    return shares


def _arcs(lower: FloatArray, straight: FloatArray, upper: FloatArray) -> FloatArray:
    """Return (n, k) poses of three runs, each bent as far as it can to one side, or straight.

    Curves of bounded curvature reach farthest in such shapes (L. E. Dubins, "On Curves of Minimal
    Length with a Constraint on Average Curvature", 1957); chains with limits are similar.
    """
    n = len(lower)
    ends = sorted({round(share * n) for share in np.linspace(0.0, 1.0, STOCK_CORNERS)})
    words = sorted(
        {
            (a,) * i + (b,) * (j - i) + (c,) * (n - j)
            for i in ends
            for j in ends
            if i <= j
            for a in range(3)
            for b in range(3)
            for c in range(3)
        }
    )
    # Spread over the list if it is longer than needed, and repeated if shorter.
    chosen = np.array([words[k * len(words) // STOCK_POSES] for k in range(STOCK_POSES)]).T
    arcs: FloatArray = np.take_along_axis(np.hstack([lower, straight, upper]), chosen, axis=1)
    return arcs


def nearest(poses: Stock, targets: ComplexArray, count: int) -> FloatArray:
    """Return the poses of each kind whose tips are nearest to each target.

    Args:
        poses: the stock.
        targets: (m,) in reaches.
        count: how many of each kind for each target.

    Returns:
        (n, m, kinds * count) bends in rad.
    """
    chosen = [_nearest(kind, targets, count) for kind in poses.tips]
    return np.concatenate(
        [bends[:, indices] for bends, indices in zip(poses.bends, chosen, strict=True)], axis=2
    )


def _nearest(points: ComplexArray, targets: ComplexArray, count: int) -> NDArray[np.intp]:
    """Return (m, count) indices of the points nearest to each target, in no order."""
    x, y = points.real.copy(), points.imag.copy()
    half = 0.5 * (x * x + y * y)
    chosen = np.empty((len(targets), count), dtype=np.intp)
    for begin in range(0, len(targets), STOCK_TARGETS):
        part = targets[begin : begin + STOCK_TARGETS, None]
        # Half of the squared distance, less what is the same for all points.
        away = half - part.real * x
        away -= part.imag * y
        # A minimum is found many times as quickly as a number of them.
        chosen[begin : begin + STOCK_TARGETS] = (
            away.argmin(axis=1)[:, None]
            if count == 1
            else np.argpartition(away, count - 1, axis=1)[:, :count]
        )
    return chosen
