"""The steps of :mod:`.stepping` for many poses at once; arrays are as in :mod:`.links`."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.angles import TURN, wrapped
from ik2d_ros.kinematics.arrays import ComplexArray, FloatArray
from ik2d_ros.kinematics.descent.stepping import PAST
from ik2d_ros.kinematics.links import Links, Spans, spans_of
from ik2d_ros.kinematics.tuning import (
    AT_LIMIT,
    DAMPING,
    EASE,
    LARGEST_TURN,
    LEAST_DAMPING,
    LESS_DAMPING,
    MORE_DAMPING,
    OFF_LIMITS,
    STRAIGHTEN,
)

Passes = NDArray[np.int64]


def gauss_newton_many(
    links: Links,
    targets: ComplexArray,
    bends: FloatArray,
    tolerance: float,
    passes: Passes,
    budget: int,
    enough: float,
    begun: Spans | None = None,
) -> FloatArray:
    """Do what :func:`.stepping.gauss_newton` does, for many targets.

    Args:
        links: links and limits.
        targets: (m,) where the tips are to go, in reaches.
        bends: (n, m) rad, inside the limits; replaced by the best.
        tolerance: distance from the target that is good enough, in reaches.
        passes: (m,) made before; replaced by those made after.
        budget: how many passes there may be.
        enough: share of the error that a step may leave.
        begun: spans at the bends, where they are known; changed.

    Returns:
        (m,) distances from the targets in reaches.
    """
    spans = spans_of(links, targets, bends) if begun is None else begun
    errors = spans.error
    damping: FloatArray = np.zeros(len(targets))
    going = np.flatnonzero((errors > tolerance) & (passes < budget))
    while len(going):
        passes[going] += 1
        now, before = bends[:, going], errors[going]
        stepped = step_many(links, spans.at(going), now, damping[going])
        after = spans_of(links, targets[going], stepped)
        error = after.error
        closer = error < before
        some = going[closer]
        bends[:, some], errors[some] = stepped[:, closer], error[closer]
        spans.put(some, after.at(np.flatnonzero(closer)))
        last = damping[going]
        eased = np.where(last > LEAST_DAMPING, LESS_DAMPING * last, 0.0)
        damping[going] = np.where(closer, eased, np.maximum(DAMPING, MORE_DAMPING * last))
        quick = ~closer | (error <= enough * before)
        going = going[quick]
        going = going[
            (errors[going] > tolerance) & (passes[going] < budget) & (damping[going] <= 1.0)
        ]
    return errors


class Movable(Protocol):
    """How joints move the tips of many poses, and what is missing: all that a step needs."""

    def smallest_turns(self, damping: FloatArray) -> FloatArray:
        """Return the least turns (n, m) in rad that make up for it, so damped."""

    def idle_turns(self, wishes: FloatArray) -> FloatArray:
        """Return the wishes (n, m) in rad less their part that changes it, to first order."""

    def holding(self, held: NDArray[np.bool_], made: FloatArray) -> Movable:
        """Return the same where held joints do not count, and some have made turns (n, m)."""

    def at(self, chosen: NDArray[np.intp]) -> Movable:
        """Return some columns."""


def step_many(
    links: Links, spans: Movable, bends: FloatArray, damping: FloatArray, ease: bool = False
) -> FloatArray:
    """Return the bends (n, m) after one step of each pose: :func:`.stepping.step`.

    Args:
        links: links and limits.
        spans: from the joints to the tips, and from there to the targets.
        bends: (n, m) rad, inside the limits.
        damping: (m,) share of the trace.
        ease: whether to bring joints off their limits, too.
    """
    if links.free:
        return bends + _bounded(spans.smallest_turns(damping))
    now = bends
    going: NDArray[np.intp] = np.arange(0)
    after: FloatArray | None = None
    largest: FloatArray = np.zeros(bends.shape[1])
    wishes = _wishes(links, bends) if ease else bends
    while True:
        turns = _bounded(spans.smallest_turns(damping))
        if ease:
            least = np.abs(turns).max(axis=0)
            largest = np.where(largest == 0.0, EASE * least, np.maximum(largest, least))
            idle = spans.idle_turns(wishes)
            with np.errstate(divide='ignore', invalid='ignore'):
                room = np.where(
                    idle == 0.0, np.inf, (np.copysign(largest, idle) - turns) / idle
                ).min(axis=0)
            turns += np.minimum(1.0, room) * idle
        goal = now + turns
        bounds = np.minimum(np.maximum(goal, links.lower), links.upper)
        stopped = np.abs(goal - bounds) > PAST
        some = np.flatnonzero(np.logical_or.reduce(stopped))
        if after is None:
            after, going = bounds, some
        else:
            after[:, going] = bounds
            going = going.take(some)
        if not len(some):
            return after
        # What has stopped moves the tip as far as it got, and no farther.
        now, bounds = now.take(some, axis=1), bounds.take(some, axis=1)
        stopped = stopped.take(some, axis=1)
        spans = spans.at(some).holding(stopped, np.where(stopped, bounds - now, 0.0))
        now = np.where(stopped, bounds, now)
        damping = damping.take(some)
        if ease:
            largest, wishes = largest.take(some), wishes.take(some, axis=1)
            wishes[stopped] = 0.0


def _bounded(turns: FloatArray) -> FloatArray:
    largest = np.abs(turns).max(axis=0)
    bounded: FloatArray = turns * (LARGEST_TURN / np.maximum(largest, LARGEST_TURN))
    return bounded


def _wishes(links: Links, bends: FloatArray) -> FloatArray:
    """Return how joints (n, m) would turn if they were free to, in rad: as for one pose."""
    lower, upper = links.lower, links.upper
    limited = np.isfinite(lower) & (lower < upper)
    low, high = np.where(limited, lower, -1.0), np.where(limited, upper, 1.0)
    away = (2.0 * bends - low - high) / (high - low)
    wish = -OFF_LIMITS * away / np.maximum(1.0 - away * away, AT_LIMIT)
    straightens = high - low < TURN
    straightens[0] = False
    if links.fixed is not None:
        slides = ~np.isnan(links.fixed)
        straightens &= ~slides
        wish *= np.where(slides, np.minimum(1.0, high - low), 1.0)
    wish -= np.where(straightens, STRAIGHTEN * wrapped(bends), 0.0)
    wishes: FloatArray = np.where(limited, wish, 0.0)
    return wishes
