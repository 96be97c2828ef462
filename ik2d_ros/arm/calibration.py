"""Calibration: zeros, senses, link lengths and base of an arm from measured tips; no ROS imports.

Least squares over the parameters of the arm, by Levenberg and Marquardt's method. Every unknown has
a scale, the error that it may plausibly have, in which its changes are counted.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
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
WIDTH = 1e-7  # in scales, of a difference quotient
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
        value: Any = parameters[self.parameter]
        if self.number is not None:
            return float(value[self.number])
        return math.hypot(*value) if isinstance(value, Sequence) else float(value)

    def put(self, value: float, parameters: dict[str, object]) -> None:
        """Change the number among parameters."""
        old: Any = parameters[self.parameter]
        if self.number is not None:
            new: Any = [*map(float, old)]
            new[self.number] = value
        else:
            new = max(value, 1e-3 * self.scale) if self.unit == 'm' else value  # a length
            if isinstance(old, Sequence):
                new = [new / math.hypot(*old) * each for each in old]
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
    """Fit parameters of an arm, by flat dotted name, to measured points: those of some ``FITS``.

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
    unknowns = tuple(_unknowns(arm, start, fits))
    for each in unknowns:
        start.setdefault(each.parameter, 0.0 if each.number is None else [0.0, 0.0, 0.0])
    least = -(-(len(unknowns) + 2) // points.dimensions)
    if len(points.q) < least:
        raise ConfigError(
            f'{len(points.q)} points do not determine {len(unknowns)} numbers; '
            f'{least} is the least, and three times as many are better'
        )
    before = _Fit(start, points, unknowns)
    flipped: tuple[str, ...] = ()
    if 'axis' in fits:
        flipped, before = _best_senses(arm, before)
    fit = before.best
    outliers: list[int] = []
    most = min(MOST_OUTLIERS * len(points.q), len(points.q) - least)
    while len(outliers) + 1 <= most:
        worst = _worst(replace(fit, points=points), outliers)
        if worst is None:
            break
        outliers.append(worst)
        fit = replace(fit, points=points.without(outliers)).best
    undetermined = []
    while (weak := fit.weakest()) is not None:
        undetermined.append(weak)
        kept = dict(fit.parameters)
        weak.unknown.put(weak.unknown.value(before.parameters), kept)
        others = tuple(each for each in fit.unknowns if each != weak.unknown)
        fit = replace(fit, parameters=kept, unknowns=others).best
    numbers = [
        Number(each, each.value(before.parameters), each.value(fit.parameters), uncertainty)
        for each, uncertainty in zip(fit.unknowns, fit.uncertainties(), strict=True)
    ]
    return Calibration(
        parameters={**parameters, **fit.parameters},
        flipped=flipped,
        numbers=numbers,
        undetermined=undetermined,
        outliers=sorted(outliers),
        before=_Fit(start, points).distances,
        after=replace(fit, points=points).distances,
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


@dataclass(frozen=True)
class _Fit:
    """The parameters of an arm, measured points, and the unknowns among the parameters."""

    parameters: dict[str, object]
    points: Points
    unknowns: tuple[Unknown, ...] = ()

    @cached_property
    def residuals(self) -> Array:
        """Where the arm's tips are beside the measured ones, (3 k,) in m."""
        arm = arm_from_parameters(self.parameters).kinematics
        return np.ravel(arm.forward(self.points.q) - self.points.tips)

    @property
    def distances(self) -> Array:
        """How far the arm's tips are from the measured ones, (k,) in m."""
        return np.asarray(np.linalg.norm(self.residuals.reshape(-1, 3), axis=1))

    @property
    def squares(self) -> float:
        """The sum of the squares of the residuals in m^2."""
        return float(self.residuals @ self.residuals)

    @property
    def freedom(self) -> int:
        """How many numbers were measured beyond those that are unknown."""
        return len(self.points.q) * self.points.dimensions - len(self.unknowns)

    @property
    def deviation(self) -> float:
        """The standard deviation of a measured coordinate in m."""
        return math.sqrt(self.squares / self.freedom)

    @cached_property
    def slopes(self) -> Array:
        """The slopes of the residuals, (3 k, unknowns), in m per scale."""
        steps = WIDTH * np.eye(len(self.unknowns))
        rows = [self.moved(step).residuals - self.residuals for step in steps]
        return np.reshape(rows, (len(steps), self.residuals.size)).T / WIDTH

    def moved(self, steps: Array) -> _Fit:
        """Return the fit with the unknowns changed, each by a step in its scale."""
        parameters = dict(self.parameters)
        for each, step in zip(self.unknowns, steps.tolist(), strict=True):
            each.put(each.value(parameters) + step * each.scale, parameters)
        return replace(self, parameters=parameters)

    @cached_property
    def best(self) -> _Fit:
        """The fit with the smallest squares, by Levenberg and Marquardt's method."""
        at, damping, count = self, 1e-3, len(self.unknowns)
        for _ in range(MOST_STEPS if count else 0):
            pull = math.sqrt(damping) * np.linalg.norm(at.slopes) * np.eye(count)
            wanted = np.concatenate([-at.residuals, np.zeros(count)])
            step = np.linalg.lstsq(np.vstack([at.slopes, pull]), wanted, rcond=None)[0]
            step /= max(1.0, float(np.abs(step).max()))
            tried = at.moved(step)
            gain = at.squares - tried.squares
            at, damping = (tried, 0.1 * damping) if gain > 0.0 else (at, 10.0 * damping)
            if gain <= CONVERGED * at.squares and np.abs(step).max() < 1e-6:
                break
        return at

    def weakest(self) -> Undetermined | None:
        """Return the unknown that is determined least, if it is not determined."""
        if not self.unknowns:
            return None
        _, singular, directions = np.linalg.svd(self.slopes, full_matrices=False)
        weak = max(self.deviation / WEAK, ROUNDING * singular[0])
        if singular[-1] > weak:
            return None
        shares = np.abs(directions[-1])
        index = max(np.flatnonzero(shares > 0.9 * shares.max()))
        others = np.flatnonzero(shares > 0.1)
        return Undetermined(
            self.unknowns[index],
            tuple(self.unknowns[each] for each in others if each != index),
            self._helpful(directions[-1], weak),
        )

    def _helpful(self, direction: Array, weak: float) -> list[Array]:
        """Return the two of many random poses that tell most about a direction of the unknowns."""
        ranges = np.clip(arm_from_parameters(self.parameters).limits, -math.pi, math.pi)
        poses = np.random.default_rng(2).uniform(ranges[:, 0], ranges[:, 1], (200, len(ranges)))
        slopes = replace(self, points=Points(poses, np.zeros((200, 3)), 3)).slopes
        told = np.linalg.norm((slopes @ direction).reshape(-1, 3), axis=1)
        best = np.argsort(told)[-2:]
        return [poses[each] for each in best if told[each] > max(weak, 1e-3 * np.abs(slopes).max())]

    def uncertainties(self) -> Array:
        """Return half of the 95 % interval of each unknown, by Student's distribution."""
        free = self.freedom
        # Quantile 0.975, by Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5.
        student = 1.96 + 2.372 / free + 2.823 / free**2 + 2.556 / free**3
        spread = np.linalg.norm(np.linalg.pinv(self.slopes), axis=1) * self.deviation
        return np.asarray(student * spread * [each.scale for each in self.unknowns])


def _best_senses(arm: ArmDescription, fit: _Fit) -> tuple[tuple[str, ...], _Fit]:
    """Return the joints to flip, as few as explain the points, and the fit with them."""
    if len(arm.names) > MOST_SENSES:
        raise ConfigError(
            f'the senses of {len(arm.names)} joints are too many to try; at most {MOST_SENSES}'
        )
    lowest = math.inf
    best: tuple[tuple[str, ...], _Fit] = (), fit
    for count in range(len(arm.names) + 1):
        for joints in combinations(zip(arm.names, arm.prefixes, strict=True), count):
            parameters = dict(fit.parameters)
            for _, prefix in joints:
                default = [0.0, 0.0, 1.0] if prefix == 'turntable' else 1
                axis: Any = parameters.get(f'{prefix}.axis', default)
                other = [-each for each in axis] if isinstance(axis, Sequence) else -axis
                parameters[f'{prefix}.axis'] = other
            flipped = replace(fit, parameters=parameters)
            # Twice the negative logarithm of the likelihood, up to a constant.
            squares = max(flipped.best.squares, np.finfo(float).tiny)
            badness = fit.points.dimensions * len(fit.points.q) * math.log(squares)
            if badness < lowest - WORTH:
                lowest, best = badness, (tuple(name for name, _ in joints), flipped)
    return best


def _worst(fit: _Fit, outliers: Sequence[int]) -> int | None:
    """Return the point that is furthest off, if it is an outlier."""
    distances = fit.distances
    distances[list(outliers)] = math.nan
    # The median of the length of normal errors, in standard deviations.
    median = {2: 1.1774, 3: 1.5382}[fit.points.dimensions]
    deviation = float(np.nanmedian(distances)) / median
    worst = int(np.nanargmax(distances))
    return worst if distances[worst] > OUTLIER * deviation + 1e-9 else None
