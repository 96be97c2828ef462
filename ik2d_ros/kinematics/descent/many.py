"""Descents of many poses at once, in NumPy: damped steps towards targets, or to where they end.

Arrays are as in :mod:`.links`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.angles import ANGLE_ROUNDING
from ik2d_ros.kinematics.arrays import ComplexArray, FloatArray
from ik2d_ros.kinematics.links import Links, Spans, spans_of
from ik2d_ros.kinematics.tuning import (
    COLUMNS_AT_A_TIME,
    CREEP,
    CREEPS,
    ENDED,
    LARGEST_TURN,
    LESS_DAMPING,
    NEWTON_DAMPING,
    NEWTON_LEAST,
    NEWTON_MORE,
    SECOND_DERIVATIVES,
    STUCK,
)


class Descents(NamedTuple):
    """Where descents ended.

    Attributes:
        bends: (n, m) rad, inside the limits.
        errors: (m,) distances of the tips from their targets, in reaches.
        steps: the largest number of steps that any of them made.
    """

    bends: FloatArray
    errors: FloatArray
    steps: int


_Stepper = Callable[[Links, Spans, NDArray[np.bool_], FloatArray], FloatArray]


def slope(links: Links, targets: ComplexArray, bends: FloatArray) -> FloatArray:
    """Return (m,) how steeply the tips could still come closer within the limits, in reaches.

    The largest derivative of a distance by a bend that the limits do not block; 0 at a pose from
    which no small move brings the tip closer.
    """
    spans = spans_of(links, targets, bends)
    pull = np.where(_held(links, bends, spans.pull), 0.0, spans.pull)
    steepest: FloatArray = np.abs(pull).max(axis=0) / np.maximum(spans.error, 1e-300)
    return steepest


def descend_many(
    links: Links, targets: ComplexArray, starts: FloatArray, tolerance: float, budget: int
) -> Descents:
    """Bring every tip onto its target by damped Gauss-Newton steps, or as close as they lead.

    Quick where the target can be reached: the way to it is straight then.

    Args:
        links: links and limits.
        targets: (m,) where the tips are to go, in reaches.
        starts: (n, m) bends in rad to move from, inside the limits.
        tolerance: distance from the target that is good enough, in reaches.
        budget: how many steps there may be.
    """
    return _descend_in_parts(
        links, targets, starts, tolerance, budget, _gauss_newton, COLUMNS_AT_A_TIME
    )


def settle_many(
    links: Links, targets: ComplexArray, starts: FloatArray, tolerance: float, budget: int
) -> Descents:
    """Do what :func:`descend_many` does, by Newton steps with the exact second derivatives.

    Quick where the target cannot be reached: the closest pose depends on the curvature.
    """
    columns = min(COLUMNS_AT_A_TIME, max(1, SECOND_DERIVATIVES // len(starts) ** 2))
    return _descend_in_parts(links, targets, starts, tolerance, budget, _newton, columns)


def _descend_in_parts(
    links: Links,
    targets: ComplexArray,
    starts: FloatArray,
    tolerance: float,
    budget: int,
    stepper: _Stepper,
    columns: int,
) -> Descents:
    bends, errors, steps = starts.copy(), np.empty(len(targets)), 0
    for begin in range(0, len(targets), columns):
        part = slice(begin, begin + columns)
        bends[:, part], errors[part], needed = _descend_together(
            links, targets[part], starts[:, part], tolerance, budget, stepper
        )
        steps = max(steps, needed)
    return Descents(bends, errors, steps)


def _descend_together(
    links: Links,
    targets: ComplexArray,
    starts: FloatArray,
    tolerance: float,
    budget: int,
    stepper: _Stepper,
) -> Descents:
    bends, errors = starts.copy(), np.empty(len(targets))
    columns: NDArray[np.intp] = np.arange(len(targets))
    now, spans = starts, spans_of(links, targets, starts)
    error = spans.error
    damping: FloatArray = np.full(len(targets), NEWTON_DAMPING)
    creeps: NDArray[np.int64] = np.zeros(len(targets), dtype=np.int64)
    step = 0
    while True:
        ended = (error <= tolerance) | (damping > STUCK) | (creeps == CREEPS)
        if step >= budget or ended.all():
            bends[:, columns], errors[columns] = now, error
            return Descents(bends, errors, step)
        if ended.mean() > ENDED:  # Copying the others is cheaper than working on all.
            bends[:, columns[ended]], errors[columns[ended]] = now[:, ended], error[ended]
            going = np.flatnonzero(~ended)
            columns, now, spans = columns[going], now[:, going], spans.at(going)
            error, damping, creeps = error[going], damping[going], creeps[going]
        step += 1
        turns = stepper(links, spans, _held(links, now, spans.pull), damping)
        largest = np.abs(turns).max(axis=0)
        turns *= LARGEST_TURN / np.maximum(largest, LARGEST_TURN)
        stepped = np.clip(now + turns, links.lower, links.upper)
        after = spans_of(links, targets[columns], stepped)
        closer = after.error < error
        creeps = np.where(closer & (after.error > (1.0 - CREEP) * error), creeps + 1, 0)
        now = np.where(closer, stepped, now)
        spans = Spans(*(np.where(closer, new, old) for new, old in zip(after, spans, strict=True)))
        error = np.where(closer, after.error, error)
        damping = np.where(
            closer, np.maximum(LESS_DAMPING * damping, NEWTON_LEAST), NEWTON_MORE * damping
        )


def _held(links: Links, bends: FloatArray, pull: FloatArray) -> NDArray[np.bool_]:
    """Return which joints are at a limit, but for rounding, that the pull presses them against."""
    held: NDArray[np.bool_] = ((bends <= links.lower + ANGLE_ROUNDING) & (pull < 0.0)) | (
        (bends >= links.upper - ANGLE_ROUNDING) & (pull > 0.0)
    )
    return held


def _gauss_newton(
    _: Links, spans: Spans, held: NDArray[np.bool_], damping: FloatArray
) -> FloatArray:
    """Return damped least turns, as in :func:`.stepping.gauss_newton`, of joints not held."""
    sx, sy = np.where(held, 0.0, spans.sx), np.where(held, 0.0, spans.sy)
    xx, yy, xy = (sx * sx).sum(axis=0), (sy * sy).sum(axis=0), (sx * sy).sum(axis=0)
    extra = damping * (xx + yy) + 1e-30
    xx += extra
    yy += extra
    determinant = xx * yy - xy * xy
    ux = (xx * spans.ex + xy * spans.ey) / determinant
    uy = (xy * spans.ex + yy * spans.ey) / determinant
    turns: FloatArray = sx * uy - sy * ux
    return turns


def _newton(links: Links, spans: Spans, held: NDArray[np.bool_], damping: FloatArray) -> FloatArray:
    """Return Newton steps on half the squared distance, downhill whatever the curvature.

    With s_i from joint i to the tip and e from the tip to the target, the gradient is
    ``-cross(s_i, e)`` and the Hessian ``s_i . s_j + e . s_max(i, j)``: to second order, turning two
    joints moves the tip against the span of the later one, and sliding one turns no later one.
    Negative eigenvalues count as positive.
    """
    n = len(spans.sx)
    later = np.maximum.outer(np.arange(n), np.arange(n))
    along = (spans.ex * spans.sx + spans.ey * spans.sy).T[:, later]
    if links.fixed is not None:
        along *= np.array(links.turning)[np.minimum.outer(np.arange(n), np.arange(n))]
    sx, sy = spans.sx.T, spans.sy.T
    hessian = sx[:, :, None] * sx[:, None, :] + sy[:, :, None] * sy[:, None, :] + along
    free = ~held.T
    hessian *= free[:, :, None] & free[:, None, :]
    values, vectors = np.linalg.eigh(hessian)
    gradient = np.where(free, spans.pull.T, 0.0)
    inside = (vectors.transpose(0, 2, 1) @ gradient[:, :, None])[:, :, 0]
    inside /= np.abs(values) + damping[:, None] + NEWTON_LEAST
    turns: FloatArray = (vectors @ inside[:, :, None])[:, :, 0].T * ~held
    return turns
