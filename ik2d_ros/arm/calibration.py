"""Calibration: zeros, senses, link lengths and base of an arm from measured tips; no ROS imports.

Least squares over the parameters of the arm, by Levenberg and Marquardt's method. Every unknown has
a scale, the error that it may plausibly have, in which its changes are counted.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ik2d_ros.arm.description import ArmDescription, arm_from_parameters
from ik2d_ros.parameters.checks import ConfigError

FITS = ('offsets', 'lengths', 'axis', 'base')
"""What can be fitted."""

ANGLE, SHARE = 0.5, 0.1
"""Scales: plausible errors of an angle, in rad, and of a length, as a share of it."""

OUTLIER = 5.0  # standard deviations
MOST_OUTLIERS = 0.25  # of the points
MOST_STEPS = 50
CONVERGED = 1e-9  # relative gain of a step that is the last one
WEAK = 0.5  # standard error of a direction, in scales, from which it is not determined
ROUNDING = 1e-6  # of the largest singular value: below, a direction changes nothing
WORTH = 10.0  # by which another sense must raise twice the logarithm of the likelihood
MOST_SENSES = 8  # joints

Array = npt.NDArray[np.float64]
Parameters = Mapping[str, object]


class Unknown(NamedTuple):
    """A number that is fitted.

    Attributes:
        parameter: its name; of a vector without ``number``, its length is fitted.
        number: which one of a vector.
        unit: rad or m.
        scale: its plausible error.
    """

    parameter: str
    number: int | None
    unit: str
    scale: float

    def __str__(self) -> str:
        return self.parameter if self.number is None else f'{self.parameter}[{self.number}]'

    def value(self, parameters: Parameters) -> float:
        """Return the number among parameters."""
        value: Any = parameters.get(self.parameter)
        if value is None:
            return 0.0
        if self.number is not None:
            return float(value[self.number])
        return math.hypot(*value) if isinstance(value, Sequence) else float(value)

    def put(self, value: float, parameters: dict[str, object]) -> None:
        """Change the number among parameters."""
        old: Any = parameters.get(self.parameter)
        if self.number is None and self.unit == 'm':
            value = max(value, 1e-3 * self.scale)  # a length
        if self.number is not None:
            new: Any = [0.0, 0.0, 0.0] if old is None else [float(each) for each in old]
            new[self.number] = value
        elif isinstance(old, Sequence):
            new = [value / math.hypot(*old) * each for each in old]
        else:
            new = value
        parameters[self.parameter] = new


class Number(NamedTuple):
    """A fitted number.

    Attributes:
        unknown: what it is.
        before, after: its value, in rad or m.
        uncertainty: half of its interval of 95 %.
    """

    unknown: Unknown
    before: float
    after: float
    uncertainty: float


class Undetermined(NamedTuple):
    """An unknown that the points do not determine; it keeps its value.

    Attributes:
        unknown: what it is.
        others: unknowns that change the tips of the points as it does.
        poses: poses to measure, by which it would be determined; none where none would do.
    """

    unknown: Unknown
    others: tuple[Unknown, ...]
    poses: list[Array]


@dataclass(frozen=True)
class Calibration:
    """What the points say about an arm.

    Attributes:
        parameters: the parameters, with fitted values.
        flipped: names of the joints whose sense is the other one.
        numbers: the fitted numbers.
        undetermined: the numbers that keep their values.
        outliers: indices of points that were left out.
        before: (k,) distance in m of each measured tip from that of the file.
        after: (k,) the same from that of the fitted arm.
    """

    parameters: dict[str, object]
    flipped: tuple[str, ...]
    numbers: list[Number]
    undetermined: list[Undetermined]
    outliers: list[int]
    before: Array
    after: Array


class Points(NamedTuple):
    """Measured points.

    Attributes:
        q: (k, m) positions that the driver reports, in rad or m.
        tips: (k, 3) where the tip was, in m in the base frame.
        dimensions: how many of the coordinates were measured: 2 in the plane, 3 in space.
    """

    q: Array
    tips: Array
    dimensions: int

    def without(self, outliers: Sequence[int]) -> Points:
        """Return the points but for some."""
        return self._replace(
            q=np.delete(self.q, outliers, axis=0), tips=np.delete(self.tips, outliers, axis=0)
        )


def calibrate(parameters: Parameters, points: Points, fits: Sequence[str]) -> Calibration:
    """Fit an arm to measured points.

    Args:
        parameters: the arm's, by flat dotted name.
        points: what was measured.
        fits: what is fitted, of ``FITS``.

    Raises:
        ConfigError: there are too few points, points in the plane for its pose, or more joints
            than senses can be tried for.
    """
    if 'base' in fits and points.dimensions < 3:
        raise ConfigError(
            "the pose of the base is not determined by points in the arm's plane; a point must be "
            'X Y Z, in base_frame'
        )
    start = {name: value for name, value in parameters.items() if not name.endswith('.home')}
    arm = arm_from_parameters(start)
    unknowns = list(_unknowns(arm, start, fits))
    least = -(-(len(unknowns) + 2) // points.dimensions)
    if len(points.q) < least:
        raise ConfigError(
            f'{len(points.q)} points do not determine {len(unknowns)} numbers; '
            f'{least} is the least, and three times as many are better'
        )
    flipped: tuple[str, ...] = ()
    if 'axis' in fits:
        flipped, start = _best_senses(arm, start, points, unknowns)
    fitted = _fit(start, points, unknowns)
    outliers: list[int] = []
    most = min(MOST_OUTLIERS * len(points.q), len(points.q) - least)
    while len(outliers) + 1 <= most and (worst := _worst(fitted, points, outliers)) is not None:
        outliers.append(worst)
        fitted = _fit(fitted, points.without(outliers), unknowns)
    kept, undetermined = points.without(outliers), []
    while (weak := _weakest(fitted, kept, unknowns)) is not None:
        unknowns.remove(weak.unknown)
        undetermined.append(weak)
        weak.unknown.put(weak.unknown.value(start), fitted)
        fitted = _fit(fitted, kept, unknowns)
    errors = _standard_errors(fitted, kept, unknowns)
    numbers = [
        Number(each, each.value(start), each.value(fitted), error)
        for each, error in zip(unknowns, errors, strict=True)
    ]
    return Calibration(
        parameters={**parameters, **fitted},
        flipped=flipped,
        numbers=numbers,
        undetermined=undetermined,
        outliers=sorted(outliers),
        before=_distances(parameters, points),
        after=_distances(fitted, points),
    )


def _unknowns(
    arm: ArmDescription, parameters: Parameters, fits: Sequence[str]
) -> Iterator[Unknown]:
    """Yield the unknowns of what is fitted; the zero of a joint that slides is its length."""
    for joint in arm.chain.joints:
        prefix, length = f'chain.{joint.name}', math.hypot(*joint.link)
        slides = joint.type == 'prismatic'
        if 'offsets' in fits and not slides:
            yield Unknown(f'{prefix}.offset', None, 'rad', ANGLE)
        if ('offsets' if slides else 'lengths') in fits and length > 0.0:
            name = 'link' if parameters.get(f'{prefix}.link') is not None else 'length'
            yield Unknown(f'{prefix}.{name}', None, 'm', SHARE * length)
    if 'base' in fits:
        for index in range(3):
            yield Unknown('base.xyz', index, 'm', SHARE * arm.reach.outer)
        for index in range(3):
            yield Unknown('base.rpy', index, 'rad', ANGLE)


def _best_senses(
    arm: ArmDescription, start: dict[str, object], points: Points, unknowns: Sequence[Unknown]
) -> tuple[tuple[str, ...], dict[str, object]]:
    """Return the joints to flip, as few as explain the points, and the parameters with them."""
    turning = dict(zip(arm.names, arm.prefixes, strict=True))
    if len(turning) > MOST_SENSES:
        raise ConfigError(
            f'the senses of {len(turning)} joints are too many to try; at most {MOST_SENSES}'
        )
    lowest = math.inf
    best: tuple[tuple[str, ...], dict[str, object]] = (), start
    for count in range(len(turning) + 1):
        for names in combinations(turning, count):
            flipped = dict(start)
            for name in names:
                axis: Any = start.get(f'{turning[name]}.axis')
                other = [0.0, 0.0, -1.0] if turning[name] == 'turntable' else -1
                if axis is not None:
                    other = [-each for each in axis] if isinstance(axis, Sequence) else -axis
                flipped[f'{turning[name]}.axis'] = other
            residuals = _residuals(_fit(flipped, points, unknowns), points)
            # Twice the negative logarithm of the likelihood, up to a constant.
            squares = max(float(residuals @ residuals), np.finfo(float).tiny)
            badness = points.dimensions * len(points.q) * math.log(squares)
            if badness < lowest - WORTH:
                lowest, best = badness, (names, flipped)
    return best


def _fit(
    start: dict[str, object], points: Points, unknowns: Sequence[Unknown]
) -> dict[str, object]:
    """Return the parameters with the unknowns fitted, from the values that they have."""
    at = dict(start)
    residuals = _residuals(at, points)
    damping = 1e-3
    scales = np.array([each.scale for each in unknowns])
    for _ in range(MOST_STEPS if unknowns else 0):
        slopes = _slopes(at, points, unknowns)
        step = np.linalg.lstsq(
            np.vstack([slopes, math.sqrt(damping) * np.linalg.norm(slopes) * np.eye(len(scales))]),
            np.concatenate([-residuals, np.zeros(len(scales))]),
            rcond=None,
        )[0]
        step /= max(1.0, float(np.abs(step).max()))
        tried = _with(at, unknowns, _values(at, unknowns) + scales * step)
        found = _residuals(tried, points)
        gain = residuals @ residuals - found @ found
        if gain > 0.0:
            at, residuals, damping = tried, found, 0.1 * damping
        else:
            damping *= 10.0
        if gain <= CONVERGED * float(residuals @ residuals) and np.abs(step).max() < 1e-6:
            break
    return at


def _slopes(parameters: dict[str, object], points: Points, unknowns: Sequence[Unknown]) -> Array:
    """Return the slopes of the residuals, (3 k, unknowns), in m per scale."""
    values, width = _values(parameters, unknowns), 1e-5

    def beside(index: int, by: float) -> Array:
        moved = values.copy()
        moved[index] += by * unknowns[index].scale
        return _residuals(_with(parameters, unknowns, moved), points)

    columns = [
        (beside(index, width) - beside(index, -width)) / (2 * width)
        for index in range(len(unknowns))
    ]
    return np.column_stack(columns) if columns else np.zeros((points.tips.size, 0))


def _worst(parameters: Parameters, points: Points, outliers: Sequence[int]) -> int | None:
    """Return the point that is furthest off, if it is an outlier."""
    distances = _distances(parameters, points)
    distances[list(outliers)] = math.nan
    # The median of the length of normal errors, in standard deviations.
    median = {2: 1.1774, 3: 1.5382}[points.dimensions]
    deviation = float(np.nanmedian(distances)) / median
    worst = int(np.nanargmax(distances))
    is_outlier = distances[worst] > OUTLIER * deviation + 1e-9
    return worst if is_outlier else None


def _deviation(parameters: Parameters, points: Points, unknowns: Sequence[Unknown]) -> float:
    """Return the standard deviation of a measured coordinate in m."""
    residuals = _residuals(parameters, points)
    free = len(points.q) * points.dimensions - len(unknowns)
    return math.sqrt(float(residuals @ residuals) / free)


def _weakest(
    fitted: dict[str, object], points: Points, unknowns: Sequence[Unknown]
) -> Undetermined | None:
    """Return the unknown that is determined least, if it is not determined."""
    if not unknowns:
        return None
    _, singular, directions = np.linalg.svd(_slopes(fitted, points, unknowns))
    deviation = _deviation(fitted, points, unknowns)
    weak = max(deviation / WEAK, ROUNDING * singular[0])
    if singular[-1] > weak:
        return None
    shares = np.abs(directions[-1])
    index = max(np.flatnonzero(shares > 0.9 * shares.max()))
    others = tuple(unknowns[each] for each in np.flatnonzero(shares > 0.1) if each != index)
    poses = _helpful(fitted, points, unknowns, directions[-1], weak)
    return Undetermined(unknowns[index], others, poses)


def _helpful(
    fitted: dict[str, object],
    points: Points,
    unknowns: Sequence[Unknown],
    direction: Array,
    weak: float,
) -> list[Array]:
    """Return the two of many random poses that tell most about a direction of the unknowns."""
    arm = arm_from_parameters(fitted)
    random = np.random.default_rng(2)
    ranges = np.clip(np.array(arm.limits), -math.pi, math.pi)
    poses = random.uniform(ranges[:, 0], ranges[:, 1], (200, len(ranges)))
    tips = np.zeros((len(poses), 3))
    slopes = _slopes(fitted, points._replace(q=poses, tips=tips), unknowns)
    told = np.linalg.norm((slopes @ direction).reshape(-1, 3), axis=1)
    best = np.argsort(told)[-2:]
    return [poses[each] for each in best if told[each] > max(weak, 1e-3 * np.abs(slopes).max())]


def _standard_errors(
    fitted: dict[str, object], points: Points, unknowns: Sequence[Unknown]
) -> Array:
    """Return half of the 95 % interval of each unknown, by Student's distribution."""
    slopes = _slopes(fitted, points, unknowns)
    free = len(points.q) * points.dimensions - len(unknowns)
    # Quantile 0.975, by Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5.
    student = 1.96 + 2.372 / free + 2.823 / free**2 + 2.556 / free**3
    inverse = np.linalg.pinv(slopes)
    spread = np.linalg.norm(inverse, axis=1) * _deviation(fitted, points, unknowns)
    scales = np.array([each.scale for each in unknowns])
    return np.asarray(student * spread * scales)


def _residuals(parameters: Parameters, points: Points) -> Array:
    """Return where the arm's tips are beside the measured ones, (3 k,) in m."""
    arm = arm_from_parameters(parameters).kinematics
    return np.ravel(arm.forward(points.q) - points.tips)


def _distances(parameters: Parameters, points: Points) -> Array:
    return np.asarray(np.linalg.norm(_residuals(parameters, points).reshape(-1, 3), axis=1))


def _values(parameters: Parameters, unknowns: Sequence[Unknown]) -> Array:
    return np.array([each.value(parameters) for each in unknowns])


def _with(
    parameters: Parameters, unknowns: Sequence[Unknown], values: Sequence[float] | Array
) -> dict[str, object]:
    changed = dict(parameters)
    for each, value in zip(unknowns, values, strict=True):
        each.put(float(value), changed)
    return changed
