"""Calibration: zeros, lengths and base of an arm from measured tips; no ROS imports.

A number is given only if the points hold it: its interval is narrow enough to be trusted, and no
other numbers fit as well.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import NamedTuple

import numpy as np
from scipy.special import fdtri

from ik2d_ros.calibration.fitting import ROBUST, Fit, GoesOn, fit, fit_all
from ik2d_ros.calibration.model import TRAVELS, Change, Model, Points
from ik2d_ros.kinematics.arguments import FloatArray
from ik2d_ros.parameters.checks import ConfigError

OUTLIER, MOST_OUTLIERS = 5.0, 0.25  # standard deviations; of the points
MEDIAN = {2: 1.1774, 3: 1.5382}  # of the length of normal errors, in standard deviations
ALIKE = 0.99  # confidence that no other numbers fit as well
SURE, SLIGHT = 1.0 - 1e-5, 0.02  # confidence that joints go farther than told, and by how much
FAR = 0.01  # of the reach: an error that is left, from which on other senses are tried
FARTHEST = 10.0  # units by which a number is moved to see what others do
MOST_WORK = 1e6  # points times numbers times joints: of more points, some are fitted


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
        undetermined: what the others change.
        travels: how far joints seem to go, by name, in parts of what they are told. Where there are
            some, such an arm does not fit the points, and no number counts.
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
    begun, counts = time.monotonic(), count()

    def goes_on(longest: float) -> bool:
        progress(next(counts))
        return time.monotonic() < begun + longest

    work = len(points.q) * len(begin) * len(points.q[0]) / MOST_WORK
    used = points.only(
        slice(None, None, max(1, min(math.ceil(work), len(points.q) // (2 * least))))
    )
    rough = fit_all(model, used, free, begin, lambda: goes_on(4.0))
    travels, other = _travels(min(rough, key=_cost), lambda: goes_on(8.0))
    rough = sorted([*rough, other], key=_cost)
    outliers = _outliers(rough[0].x, model, used, len(used.q) - least)
    kept = used.only(np.delete(np.arange(len(used.q)), outliers))
    fine = [fit(model, kept, free, rough[0].x)]
    fine += [fit(model, kept, free, each.x) for each in rough[1:] if goes_on(12.0)]
    fine += _along_valleys(min(fine, key=_cost), lambda: goes_on(16.0))
    alike = _alike(fine)
    best = min(alike, key=lambda each: float(np.abs(each.x / model.units).sum()))
    farthest = np.max([each.apart(best) for each in alike], axis=0)
    held = (best.halves <= 1.0) & (farthest <= best.halves) & goes_on(16.0)
    changes, values = [model.changes[i] for i in free], model.values(best.x)[free].tolist()
    spread = np.abs(model.growth(best.x) * model.units)[free] * best.halves
    found = [*zip(changes, values, spread.tolist(), strict=True)]
    return Calibration(
        parameters=model.written(best.x),
        numbers=[Number(*each) for each, is_held in zip(found, held, strict=True) if is_held],
        undetermined=[each for each, is_held in zip(changes, held, strict=True) if not is_held],
        travels=travels,
        outliers=_outliers(best.x, model, points, len(points.q) - least),
        before=model.distances(begin, points),
        after=model.distances(best.x, points),
    )


def _cost(found: Fit) -> float:
    return found.cost


def _alike(fits: Sequence[Fit]) -> list[Fit]:
    """Return the fits that are as good as the best one, by the F-test."""
    best = min(fits, key=_cost)
    size = len(best.free)
    most = best.cost + size * best.noise**2 * fdtri(size, best.freedom, ALIKE)
    return [each for each in fits if each.cost <= most]


def _along_valleys(best: Fit, goes_on: GoesOn) -> Iterator[Fit]:
    """Yield fits with each number that is hardly determined held at the ends of its interval."""
    ends = np.minimum(best.halves, FARTHEST) * best.model.units[best.free]
    for index, end in zip(best.free, ends, strict=True):
        if end > best.model.units[index] and goes_on():
            others = best.free[best.free != index]
            for sign in (-1.0, 1.0):
                start = best.x + sign * end * (np.arange(len(best.x)) == index)
                yield replace(fit(best.model, best.points, others, start), free=best.free)


def _travels(best: Fit, goes_on: GoesOn) -> tuple[dict[str, float], Fit]:
    """Return how far joints seem to go, if that explains the points, and a fit with their zeros."""
    model, points = best.model, best.points
    more = model.indices([TRAVELS])
    both = np.union1d(best.free, more)
    found = fit(model, points, both, best.x, ROBUST)
    if best.noise > FAR * model.reach:
        found = min(fit_all(model, points, both, best.x, goes_on), key=_cost)
    told = found.x.copy()
    told[more] = 0.0
    other = fit(model, points, best.free, told, ROBUST)
    freedom = len(points.q) * points.dimensions - len(both)
    gain = min(best.cost, other.cost) - found.cost
    least = len(more) * found.cost * fdtri(len(more), freedom, SURE) / max(1, freedom)
    if freedom < 1 or gain < least:
        return {}, other
    by = {int(i): half for i, half in zip(both, found.halves * model.units[both], strict=True)}
    return {
        model.changes[i].name: 1.0 + float(found.x[i])
        for i in more
        if abs(found.x[i]) > max(SLIGHT, by[int(i)])
    }, other


def _outliers(x: FloatArray, model: Model, points: Points, most: int) -> list[int]:
    """Return the points that are far off; of too many, the farthest."""
    off = model.distances(x, points)
    noise = float(np.median(off)) / MEDIAN[points.dimensions]
    order = np.argsort(-off)[: min(most, int(MOST_OUTLIERS * len(off)))]
    return sorted(order[off[order] > OUTLIER * noise + 1e-9].tolist())
