"""Calibration: zeros, lengths and base of an arm from measured tips; no ROS imports.

A number is given only if the points hold it: its interval is narrow enough to be trusted, and no
other numbers fit as well.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares
from scipy.special import fdtri, stdtrit

from ik2d_ros.calibration.model import ANGLE, SHARE, TRAVELS, Change, Model, Points
from ik2d_ros.kinematics.arguments import FloatArray
from ik2d_ros.parameters.checks import ConfigError

ROBUST, ROUGH = 'soft_l1', 0.01
"""The loss by which far points weigh less, and the error from which on they do, of the reach."""

TIE = 1e-7  # reaches that a step of a change weighs: of equal fits, the one next to the file
STEPS, WORK = (8, 40), 5e6  # of a fit, as few as keep it short: steps times poses
SAMPLES, STARTS = 1000, 6  # zeros that are looked at, and the best, from which is fitted
LONGEST = 12.0  # s, after which no other fits are tried
MOST_WORK = 1e6  # points times numbers times joints: of more points, some are fitted
OUTLIER, MOST_OUTLIERS = 4.0, 0.25  # medians of the distances; of the points
CONFIDENCE = 0.98  # of an interval; those that came out narrow by chance are shown: 95 % of them
ALIKE = 0.99  # confidence that no other numbers fit as well
SURE, SLIGHT = 1.0 - 1e-5, 0.02  # confidence that a joint goes another way, and by how much

Indices = NDArray[np.intp]
GoesOn = Callable[[], bool]
"""Called before each further fit: whether there is time for it."""


class Number(NamedTuple):
    """A fitted number.

    Attributes:
        change: what it changes.
        after: that, in rad or m.
        uncertainty: half of its interval of 95 %.
    """

    change: Change
    after: float
    uncertainty: float


@dataclass(frozen=True)
class Calibration:
    """What the points say about an arm.

    Attributes:
        parameters: those that fit the points, and of these the ones next to the file.
        numbers: the fitted numbers that the points determine.
        undetermined: the other ones.
        travels: how far joints seem to go, by name, in parts of what they are commanded. Where
            there are some, such an arm does not fit the points, and no number counts.
        outliers: indices of points that were left out.
        before: (k,) distance in m of each measured tip from that of the file.
        after: (k,) the same from that of the fitted arm.
    """

    parameters: dict[str, object]
    numbers: list[Number]
    undetermined: list[Change]
    travels: dict[str, float]
    outliers: list[int]
    before: FloatArray
    after: FloatArray


def calibrate(
    parameters: Mapping[str, object],
    points: Points,
    fits: Sequence[str],
    progress: Callable[[int], object] = id,
) -> Calibration:
    """Fit parameters of an arm to measured points.

    Args:
        parameters: of the arm, by flat dotted name.
        points: where it was measured.
        fits: what to fit: some of ``FITS``.
        progress: called before each fit but the first with how many there were.

    Raises:
        ConfigError: there are too few points, or points in the plane for its pose.
    """
    if 'base' in fits and points.dimensions < 3:
        raise ConfigError(
            "the pose of the base is not determined by points in the arm's plane; a point must be "
            'X Y Z, in base_frame'
        )
    model = Model(parameters)
    free, begin = model.indices(fits), np.zeros(len(model.changes))
    least = -(-(len(free) + 2) // points.dimensions)
    if len(points.q) < least or not len(free):
        raise ConfigError(
            f'{len(points.q)} points do not determine {len(free)} numbers; {least} is the least, '
            'and three times as many are better'
        )
    end, counts = time.monotonic() + LONGEST, count()

    def goes_on() -> bool:
        progress(next(counts))
        return time.monotonic() < end

    work = math.ceil(points.q.size * len(begin) / MOST_WORK)
    used = points.only(slice(None, None, max(1, min(work, len(points.q) // (2 * least)))))
    rough = _fit_all(model, used, free, begin, goes_on)
    travels = _travels(model, used, free, rough[0].x, goes_on)
    outliers = _outliers(rough[0].x, model, used, len(used.q) - least)
    kept = used.only(np.delete(np.arange(len(used.q)), outliers))
    fine = [_fit(model, kept, free, each.x) for each in rough if each is rough[0] or goes_on()]
    best = min(fine, key=attrgetter('cost'))
    # As good as the best, by the F-test.
    most = best.cost + len(free) * best.noise**2 * fdtri(len(free), best.freedom, ALIKE)
    alike = [each for each in fine if each.cost <= most]
    best = min(alike, key=lambda each: float(np.abs(each.x).sum()))
    x, halves = best.x, best.halves(CONFIDENCE)
    held = (halves <= 1.0) & goes_on()
    for other in alike:
        held &= np.abs(model.wrapped(other.x - x))[free] <= halves
    after, spread = model.values(x), np.abs(model.steps[free]) * halves
    numbers = [
        Number(model.changes[i], float(after[i]), half)
        for i, half in zip(free, spread.tolist(), strict=True)
    ]
    return Calibration(
        parameters=model.written(x),
        numbers=[each for each, is_held in zip(numbers, held, strict=True) if is_held],
        undetermined=[model.changes[i] for i in free[~held]],
        travels=travels,
        outliers=_outliers(x, model, points, len(points.q) - least),
        before=model.distances(begin, points),
        after=model.distances(x, points),
    )


class _Fit(NamedTuple):
    """Changes that fit points.

    Attributes:
        x: (n,) the changes.
        cost: the sum of squared distances in m^2, in which far points may have less.
        freedom: how many numbers were measured beyond those that they determine.
        noise: the standard deviation of a measured coordinate in m, but for rounding.
        errors: (f,) standard errors of the changes that were fitted, in their steps.
    """

    x: FloatArray
    cost: float
    freedom: int
    noise: float
    errors: FloatArray

    def halves(self, confidence: float) -> FloatArray:
        """Return half of the interval of each fitted change, (f,) in its steps."""
        return np.asarray(stdtrit(self.freedom, 0.5 + 0.5 * confidence) * self.errors)


def _fit(
    model: Model, points: Points, free: Indices, start: FloatArray, loss: str = 'linear'
) -> _Fit:
    """Return the best fit that is found from changes (n,), with a loss of ``least_squares``."""
    tie = TIE * model.reach

    def changes(y: FloatArray) -> FloatArray:
        x = start.copy()
        x[free] = y
        return x

    shortest = [-0.9 / SHARE if model.changes[i].fit == 'lengths' else -math.inf for i in free]
    found = least_squares(
        lambda y: np.append(model.tips(changes(y), points.q) - points.tips, tie * y),
        np.maximum(start[free], shortest),
        bounds=(shortest, math.inf),
        loss=loss,
        f_scale=ROUGH * model.reach,
        max_nfev=int(np.clip(WORK / (len(free) * points.q.size), *STEPS)),
    )
    _, moves, directions = np.linalg.svd(found.jac, full_matrices=False)
    rank = np.count_nonzero(moves > 10.0 * tie)
    freedom = max(1, len(points.q) * points.dimensions - int(rank))
    cost = 2.0 * float(found.cost)
    noise = math.sqrt(cost / freedom) + tie
    errors = noise * np.linalg.norm(directions / moves[:, None], axis=0)
    return _Fit(model.wrapped(changes(found.x)), cost, freedom, noise, errors)


def _fit_all(
    model: Model, points: Points, free: Indices, begin: FloatArray, goes_on: GoesOn
) -> list[_Fit]:
    """Return robust fits from changes (n,), and from random zeros and senses; best first."""
    random, is_free = np.random.default_rng(1), np.isin(np.arange(len(begin)), free)
    turned = is_free & model.turns
    flipped = is_free & [change.fit == TRAVELS for change in model.changes]
    starts = random.uniform(-math.pi, math.pi, (SAMPLES, len(begin))) / ANGLE * turned
    starts -= 2.0 / SHARE * flipped * random.integers(0, 2, starts.shape)
    starts = starts[: SAMPLES * bool(starts.any())]
    order = np.argsort([model.distances(x, points).mean() for x in starts])
    found = [_fit(model, points, free, begin, ROBUST)]
    found += [_fit(model, points, free, starts[i], ROBUST) for i in order[:STARTS] if goes_on()]
    return sorted(found, key=attrgetter('cost'))


def _travels(
    model: Model, points: Points, free: Indices, begin: FloatArray, goes_on: GoesOn
) -> dict[str, float]:
    """Return how far joints seem to go, by name, if that is surely not as far as commanded."""
    free = np.union1d(free, model.indices([TRAVELS]))
    if len(points.q) * points.dimensions <= len(free):
        return {}
    found = _fit_all(model, points, free, begin, goes_on)[0]
    least = np.maximum(SLIGHT, SHARE * found.halves(SURE))
    off = [(model.changes[i], SHARE * float(found.x[i])) for i in free]
    return {
        change.name: 1.0 + by
        for (change, by), bound in zip(off, least, strict=True)
        if change.fit == TRAVELS and abs(by) > bound
    }


def _outliers(x: FloatArray, model: Model, points: Points, most: int) -> list[int]:
    """Return the points that are far off; of too many, the farthest."""
    off = model.distances(x, points)
    order = np.argsort(-off)[: min(most, int(MOST_OUTLIERS * len(off)))]
    return sorted(order[off[order] > OUTLIER * np.median(off) + 1e-9].tolist())
