"""Least squares for changes of an arm, from many starts; no ROS imports."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares
from scipy.special import stdtrit

from ik2d_ros.calibration.model import TRAVELS, Model, Points
from ik2d_ros.kinematics.arguments import FloatArray

ROBUST, ROUGH = 'soft_l1', 0.01
"""The loss by which far points weigh less, and the error from which on they do, of the reach."""

TIE = 1e-7  # reaches that a unit of a change weighs: of equal fits, the one next to the file
STEP = 1e-5  # rad or m, of a difference quotient
ROUNDING = 1e-6  # of the largest singular value: below, a direction moves nothing
STEPS, WORK = (8, 40), 5e6  # of a fit, as few as keep it short: steps times poses
SAMPLES, STARTS = 2000, 10  # zeros that are looked at, and the best, from which is fitted
BATCH = 20_000  # poses that are looked at together
CONFIDENCE = 0.98  # of an interval; those that came out narrow by chance are shown: 95 % of them

GoesOn = Callable[[], bool]
"""Called before each fit: whether there is time for it."""


@dataclass(frozen=True)
class Fit:
    """Changes that fit points.

    Attributes:
        model: the arm.
        points: where it was measured.
        free: (f,) indices of the changes that were fitted.
        x: (n,) the changes.
        cost: the sum of squared distances in m^2, in which far points may have less.
    """

    model: Model
    points: Points
    free: NDArray[np.intp]
    x: FloatArray
    cost: float

    @cached_property
    def weights(self) -> tuple[FloatArray, FloatArray]:
        """How far directions of the free changes move the tips, (f,) in m, and these, (f, f)."""
        found = slopes(self.model, self.x, self.free, self.points.q).reshape(-1, len(self.free))
        _, moves, directions = np.linalg.svd(found, full_matrices=False)
        return np.maximum(moves, 0.1 * ROUNDING * moves[0]), directions

    @property
    def freedom(self) -> int:
        """How many numbers were measured beyond those that they determine."""
        rank = np.count_nonzero(self.weights[0] > ROUNDING * self.weights[0][0])
        return max(1, len(self.points.q) * self.points.dimensions - int(rank))

    @property
    def noise(self) -> float:
        """The standard deviation of a measured coordinate in m, but for rounding."""
        return math.sqrt(self.cost / self.freedom) + TIE * self.model.reach

    @cached_property
    def halves(self) -> FloatArray:
        """Half of the interval of each free change, (f,) in units."""
        moves, directions = self.weights
        errors = self.noise * np.linalg.norm(directions / moves[:, None], axis=0)
        return np.asarray(stdtrit(self.freedom, 0.5 + 0.5 * CONFIDENCE) * errors)

    def apart(self, other: Fit) -> FloatArray:
        """Return by how much free changes differ from those of another fit, (f,) in units."""
        turns, off = self.model.turns[self.free], np.abs(self.x - other.x)[self.free]
        return np.where(turns, np.minimum(off, math.tau - off), off) / self.model.units[self.free]


def slopes(model: Model, x: FloatArray, free: NDArray[np.intp], q: FloatArray) -> FloatArray:
    """Return the slopes of the tips (k, 3, f) at positions (k, m), in m per unit."""
    steps = STEP * np.eye(len(x))[free]
    parts = np.array_split([*(x + steps), *(x - steps)], -(-2 * len(free) * len(q) // BATCH))
    more, less = np.split(np.concatenate([model.tips(part, q) for part in parts]), 2)
    slope: FloatArray = np.moveaxis(more - less, 0, -1) / (2.0 * STEP) * model.units[free]
    return slope


def fit(
    model: Model, points: Points, free: NDArray[np.intp], start: FloatArray, loss: str = 'linear'
) -> Fit:
    """Return the best fit that is found from changes (n,), with a loss of ``least_squares``."""
    units, tie = model.units[free], TIE * model.reach * np.eye(len(free))

    def changes(y: FloatArray) -> FloatArray:
        x = start.copy()
        x[free] = units * y
        return x

    found = least_squares(
        lambda y: np.append(model.tips(changes(y), points.q) - points.tips, tie @ y),
        start[free] / units,
        lambda y: np.vstack([slopes(model, changes(y), free, points.q).reshape(-1, len(y)), tie]),
        loss=loss,
        f_scale=ROUGH * model.reach,
        max_nfev=int(np.clip(WORK / (len(free) * points.q.size), *STEPS)),
    )
    x = changes(found.x)
    x = np.where(model.turns, np.remainder(x + math.pi, math.tau) - math.pi, x)
    return Fit(model, points, free, x, 2.0 * float(found.cost))


def fit_all(
    model: Model, points: Points, free: NDArray[np.intp], begin: FloatArray, goes_on: GoesOn
) -> list[Fit]:
    """Return fits from changes (n,), and from the best of random zeros and senses of joints.

    Args:
        model: the arm.
        points: where it was measured.
        free: (f,) indices of the changes that are fitted.
        begin: changes to start from.
        goes_on: called before each of the other starts; where it returns false, they end.
    """
    random = np.random.default_rng(1)
    is_free = np.isin(np.arange(len(begin)), free)
    senses = is_free & [change.fit == TRAVELS for change in model.changes]
    x = random.uniform(-math.pi, math.pi, (SAMPLES, len(begin))) * (is_free & model.turns)
    x -= 2.0 * senses * random.integers(0, 2, x.shape)
    parts = np.array_split(x, -(-SAMPLES * len(points.q) // BATCH))
    off = (model.tips(part, points.q) - points.tips for part in parts)
    costs = np.concatenate([np.linalg.norm(each, axis=-1).mean(-1) for each in off])
    starts = [*x[np.argsort(costs)[:STARTS]]] * bool(x.any())
    found = [fit(model, points, free, begin, ROBUST)]
    for start in starts:
        if not goes_on():
            break
        found.append(fit(model, points, free, start, ROBUST))
    return found
