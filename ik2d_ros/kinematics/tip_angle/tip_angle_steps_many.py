"""Steps towards targets at tip angles, for many poses at once: :mod:`.tip_angle_steps` in NumPy.

Arrays have a column per pose, as in :mod:`.links`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import wrapped
from ik2d_ros.kinematics.arrays import ComplexArray, Flags, FloatArray, Indices
from ik2d_ros.kinematics.columns import links_many
from ik2d_ros.kinematics.descent.stepping_many import Passes, step_many
from ik2d_ros.kinematics.links import Links, Spans, spans_of
from ik2d_ros.kinematics.pose import LENGTH_ROUNDING
from ik2d_ros.kinematics.tuning import (
    DAMPING,
    ENOUGH,
    LEAST_DAMPING,
    LESS_DAMPING,
    LIGHTLY,
    MORE_DAMPING,
    PATIENCE,
    RADIAN,
)


class Seen(NamedTuple):
    """How the tips of poses move, and what is missing.

    Attributes:
        spans: how the joints move the tips, and the tips are from the targets.
        turning: (n, 1) or (n, m) by how much they turn the last links: 1 or 0.
        turn: (m,) by how much the last links would have to turn, in rad.
    """

    spans: Spans
    turning: FloatArray
    turn: FloatArray

    @property
    def error(self) -> FloatArray:
        """(m,) distances from the targets, in reaches."""
        return self.spans.error

    @property
    def away(self) -> FloatArray:
        """(m,) how far poses are off, place and angle together, in reaches."""
        ex, ey, turn = self.spans.ex, self.spans.ey, RADIAN * self.turn
        away: FloatArray = np.sqrt(ex * ex + ey * ey + turn * turn)
        return away

    def at(self, some: Indices) -> Seen:
        """Return some of them."""
        turning = self.turning
        if turning.shape[1] > 1:
            turning = turning.take(some, axis=1)
        return Seen(self.spans.at(some), turning, self.turn.take(some))

    def holding(self, held: Flags, made: FloatArray) -> Seen:
        """Return the same where held joints do not count, and some have made turns (n, m)."""
        return Seen(
            self.spans.holding(held, made),
            np.where(held, 0.0, self.turning),
            self.turn - np.add.reduce(self.turning * made),
        )

    def idle_turns(self, wishes: FloatArray) -> FloatArray:
        """Return the wishes (n, m) less their part that moves the tips or turns them."""
        turned = (self.turning * wishes).sum(axis=0)
        moving = Seen(self.spans.moving(wishes), self.turning, turned)
        idle: FloatArray = wishes - moving.smallest_turns(np.full(wishes.shape[1], LIGHTLY))
        return idle

    def smallest_turns(self, damping: FloatArray) -> FloatArray:
        """Return the least turns (n, m) in rad that make up for what is missing."""
        (sx, sy, x, y), turning, turn = self
        count = RADIAN * RADIAN * np.add.reduce(turning)
        xx, yy, xy = _dot(sx, sx), _dot(sy, sy), _dot(sx, sy)
        extra = (damping + LENGTH_ROUNDING) * (xx + yy + count)
        a, b, c = yy + extra, -xy, -RADIAN * _dot(turning, sy)
        d, e, f = xx + extra, RADIAN * _dot(turning, sx), count + extra
        # Row by row; where no joint moves anything, no pivot is positive.
        a[a <= 0.0] = np.inf
        by_b, by_c = b / a, c / a
        d -= by_b * b
        e -= by_b * c
        d[d <= 0.0] = np.inf
        by_e = e / d
        f -= by_c * c + by_e * e
        f[f <= 0.0] = np.inf
        y = y - by_b * x
        w = (RADIAN * turn - by_c * x - by_e * y) / f
        v = y / d - by_e * w
        u = x / a - by_b * v - by_c * w
        turns: FloatArray = sx * v
        turns -= sy * u
        turns += turning * (RADIAN * w)
        return turns


def _dot(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return (m,) the sums of products of rows (n, m), or (n, 1): for less than by their array."""
    if one.shape[1] == 1:
        total: FloatArray = np.einsum('i,ij->j', one[:, 0], other)
    else:
        total = np.einsum('ij,ij->j', one, other)
    return total


def seen(links: Links, targets: ComplexArray, headings: FloatArray, bends: FloatArray) -> Seen:
    """Return how the tips of poses (n, m) in rad move, and what is missing."""
    _, turns = links_many(links.fixed, links.lengths, bends)
    spans = spans_of(links, targets, bends)
    turning = np.array(links.turning, dtype=np.float64)[:, None]
    return Seen(spans, turning, wrapped(headings - turns.sum(axis=0)))


def approach_many(
    links: Links,
    targets: ComplexArray,
    headings: FloatArray,
    bends: FloatArray,
    tolerances: tuple[float, float],
    passes: Passes,
    budget: Passes,
    ease: bool = False,
) -> tuple[FloatArray, Flags]:
    """Do what :func:`.tip_angle_steps.approach` does, for many targets.

    Args:
        links: links and limits.
        targets: (m,) where the tips are to go, in reaches.
        headings: (m,) of the last links in rad.
        bends: (n, m) rad to step from, inside the limits.
        tolerances: distance in reaches and turn in rad that are good enough.
        passes: (m,) made before; replaced by those made after.
        budget: (m,) how many there may be.
        ease: whether the first step brings joints off their limits, too.

    Returns:
        (n, m) bends in rad, and (m,) which are good enough; no pose is farther off than it was.
    """
    best, met, made = bends.copy(), np.zeros(len(targets), dtype=np.bool_), passes
    going: Indices = np.arange(len(targets))
    now: FloatArray = bends
    damping: FloatArray = np.zeros(len(targets))
    slow: FloatArray = np.zeros(len(targets))
    at = seen(links, targets, headings, now)
    while True:
        there = (at.error <= tolerances[0]) & (np.abs(at.turn) <= tolerances[1])
        ended = there | (passes >= budget) | (damping > 1.0) | (slow >= PATIENCE)
        if ended.any():
            done = np.flatnonzero(ended)
            which = going.take(done)
            best[:, which], met[which] = now.take(done, axis=1), there.take(done)
            made[which] = passes.take(done)
            left = np.flatnonzero(~ended)
            going, now, at = going.take(left), now.take(left, axis=1), at.at(left)
            damping, slow = damping.take(left), slow.take(left)
            targets, headings = targets.take(left), headings.take(left)
            passes, budget = passes.take(left), budget.take(left)
        if not len(going):
            return best, met
        passes = passes + 1
        away = at.away
        stepped = step_many(links, at, now, LIGHTLY + damping, ease)
        after = seen(links, targets, headings, stepped)
        left_over = after.away
        closer = left_over < away
        every = closer.all()
        if not ease:
            creeping = np.where(left_over > ENOUGH * away, slow + 1.0, 0.0)
            eased = np.where(damping > LEAST_DAMPING, LESS_DAMPING * damping, 0.0)
            if every:
                slow, damping = creeping, eased
            else:
                slow = np.where(closer, creeping, slow)
                damping = np.where(closer, eased, np.maximum(DAMPING, MORE_DAMPING * damping))
        ease = False
        if every:
            now, at = stepped, after
            continue
        now = np.where(closer, stepped, now)
        spans = (np.where(closer, *each) for each in zip(after.spans, at.spans, strict=True))
        at = Seen(Spans(*spans), at.turning, np.where(closer, after.turn, at.turn))
