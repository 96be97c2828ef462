"""Steps towards targets at tip angles, for many poses at once: :mod:`.tip_angle_steps` in NumPy.

Arrays have a column per pose, as in :mod:`.many`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.angles import wrapped
from ik2d_ros.kinematics.arrays import ComplexArray, FloatArray
from ik2d_ros.kinematics.columns import links_many
from ik2d_ros.kinematics.descent.many import Links, spans_of
from ik2d_ros.kinematics.pose import LENGTH_ROUNDING
from ik2d_ros.kinematics.tuning import (
    DAMPING,
    LARGEST_TURN,
    LESS_DAMPING,
    MORE_DAMPING,
    RADIAN,
)


class Seen(NamedTuple):
    """How the tips of poses move, and what is missing.

    Attributes:
        sx: (n, m) spans of the joints along x, in reaches, as in :class:`.many.Spans`.
        sy: (n, m) the same along y.
        ex: (m,) from the tips to the targets along x, in reaches.
        ey: (m,) the same along y.
        turn: (m,) by how much the last links would have to turn, in rad.
    """

    sx: FloatArray
    sy: FloatArray
    ex: FloatArray
    ey: FloatArray
    turn: FloatArray

    @property
    def error(self) -> FloatArray:
        """(m,) distances from the targets, in reaches."""
        return np.hypot(self.ex, self.ey)

    def at(self, some: NDArray[np.intp]) -> Seen:
        """Return some of them."""
        return Seen(*(each[..., some] for each in self))


def seen(links: Links, targets: ComplexArray, headings: FloatArray, bends: FloatArray) -> Seen:
    """Return how the tips of poses (n, m) in rad move, and what is missing."""
    _, turns = links_many(links.fixed, links.lengths, bends)
    return Seen(*spans_of(links, targets, bends), wrapped(headings - turns.sum(axis=0)))


def approach_many(
    links: Links,
    targets: ComplexArray,
    headings: FloatArray,
    bends: FloatArray,
    tolerances: tuple[float, float],
    steps: int,
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Make some of the smallest joint moves that bring tips there, to first order.

    Args:
        links: links and limits.
        targets: (m,) where the tips are to go, in reaches.
        headings: (m,) of the last links in rad.
        bends: (n, m) rad to step from, inside the limits.
        tolerances: distance in reaches and turn in rad that are good enough.
        steps: how many there are at the most.

    Returns:
        (n, m) bends in rad, and (m,) which are good enough; no pose is farther off than it was.
    """
    best, met = bends.copy(), np.zeros(len(targets), dtype=np.bool_)
    going: NDArray[np.intp] = np.arange(len(targets))
    now: FloatArray = bends
    damping: FloatArray = np.zeros(len(targets))
    at = seen(links, targets, headings, now)
    for step in range(steps + 1):
        there = (at.error <= tolerances[0]) & (np.abs(at.turn) <= tolerances[1])
        if there.any() or step == steps:
            best[:, going], met[going] = now, there
            left = np.flatnonzero(~there)
            going, now, at, damping = going[left], now[:, left], at.at(left), damping[left]
        if not len(going) or step == steps:
            break
        stepped = _stepped(links, now, at, damping)
        after = seen(links, targets[going], headings[going], stepped)
        closer = np.hypot(after.error, RADIAN * after.turn) < np.hypot(at.error, RADIAN * at.turn)
        now = np.where(closer, stepped, now)
        at = Seen(*(np.where(closer, *each) for each in zip(after, at, strict=True)))
        damping = np.where(
            closer, LESS_DAMPING * damping, np.maximum(DAMPING, MORE_DAMPING * damping)
        )
    return best, met


def _stepped(links: Links, bends: FloatArray, at: Seen, damping: FloatArray) -> FloatArray:
    """Return the bends after one step; joints stop at limits, and others make up for it once."""
    sx, sy, ex, ey, turn = at
    turning = _turning(links)
    columns = sx, sy, turning
    turns = _smallest_turns(columns, np.ones(bends.shape), ex, ey, turn, damping)
    goal = np.clip(bends + turns, links.lower, links.upper)
    stopped = goal != bends + turns
    if stopped.any():
        moved = np.where(stopped, goal - bends, 0.0)
        x = ex + (sy * moved).sum(axis=0)
        y = ey - (sx * moved).sum(axis=0)
        missing = turn - (turning * moved).sum(axis=0)
        rest = _smallest_turns(columns, 1.0 - stopped, x, y, missing, damping)
        goal = np.clip(np.where(stopped, goal, bends + rest), links.lower, links.upper)
    return goal


def _turning(links: Links) -> FloatArray:
    """Return (n, 1) by how much joints turn the last link: 1 or 0."""
    return np.array(links.turning, dtype=np.float64)[:, None]


def _smallest_turns(
    columns: tuple[FloatArray, FloatArray, FloatArray],
    free: FloatArray,
    x: FloatArray,
    y: FloatArray,
    turn: FloatArray,
    damping: FloatArray,
) -> FloatArray:
    """Return (n, m) least turns of joints that are free, 1 or 0, as for one pose.

    Args:
        columns: spans (n, m) of the joints along x and along y, and by how much (n, 1) they turn
            the last link.
        free: (n, m) which of them may move.
        x: (m,) by how much tips are to move, in reaches,
        y: the same,
        turn: and last links to turn, in rad.
        damping: (m,) as a share of the trace.
    """
    sx, sy, turning = columns
    turns_too = turning * free
    gx, gy = sx * free, sy * free
    count = RADIAN * RADIAN * turns_too.sum(axis=0)
    xx, yy, xy = (gx * sx).sum(axis=0), (gy * sy).sum(axis=0), (gx * sy).sum(axis=0)
    extra = (damping + LENGTH_ROUNDING) * (xx + yy + count)
    a, b, c = yy + extra, -xy, -RADIAN * (turning * gy).sum(axis=0)
    d, e, f = xx + extra, RADIAN * (turning * gx).sum(axis=0), count + extra
    aa, ab, ac = d * f - e * e, c * e - b * f, b * e - c * d
    determinant = a * aa + b * ab + c * ac
    dd, de, ff = a * f - c * c, b * c - a * e, a * d - b * b
    z = RADIAN * turn
    share = np.where(determinant > 0.0, 1.0 / np.where(determinant > 0.0, determinant, 1.0), 0.0)
    u = (aa * x + ab * y + ac * z) * share
    v = (ab * x + dd * y + de * z) * share
    w = (ac * x + de * y + ff * z) * (share * RADIAN)
    turns = (sx * v - sy * u + turning * w) * free
    largest = np.abs(turns).max(axis=0)
    bounded: FloatArray = turns * np.where(
        largest > LARGEST_TURN, LARGEST_TURN / np.maximum(largest, LARGEST_TURN), 1.0
    )
    return bounded
