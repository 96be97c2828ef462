"""Calibration: zeros, lengths and base of an arm from measured tips; no ROS imports."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from scipy.optimize import least_squares
from scipy.special import fdtri, stdtrit

from ik2d_ros.calibration.model import ANGLE, SHARE, TRAVELS, Calibration, Model, Number
from ik2d_ros.kinematics.arguments import FloatArray
from ik2d_ros.parameters.checks import ConfigError

TIE = 1e-7  # reaches that a step of a change weighs: of equal fits, the one next to the file
ROUGH = 0.01  # reaches: farther points weigh less
STEPS = 40  # of a fit, at most
DIFFERENCE = 1e-7  # of a change, for the slopes of errors: they nearly are linear
SAMPLES, STARTS = 1000, 6  # random zeros that are looked at, and the best, from which is fitted
CONFIDENCE = 0.98  # of an interval; those that came out narrow by chance are shown: 95 % of them
ALIKE = 0.99  # confidence that no other numbers fit as well
SURE, SLIGHT = 1.0 - 1e-5, 0.2  # confidence that a joint goes another way, and by how many steps


def calibrate(
    parameters: Mapping[str, object],
    q: FloatArray,
    tips: FloatArray,
    fits: Sequence[str],
    goes_on: Callable[[], bool] = lambda: True,
) -> Calibration:
    """Fit parameters of an arm to measured points.

    Args:
        parameters: of the arm, by flat dotted name.
        q: (k, m) positions that the driver reports, in rad or m.
        tips: where the tip was: (k, 2) in m in the arm's plane, or (k, 3) in the base frame.
        fits: what to fit: some of ``FITS``.
        goes_on: called after each fit: whether there is time for others.

    Raises:
        ConfigError: the arm has no such numbers.
    """
    model = Model(parameters)
    shown = np.isin(model.fits, fits)
    if not shown.any():
        raise ConfigError(f'this arm has no {" or ".join(fits)} to fit')

    def errors(x: FloatArray) -> FloatArray:
        found = model.tips(x, q)
        if tips.shape[1] == 2:
            found = model.arm.kinematics.plane.located(found)[..., :2]
        return found - tips

    x, halves = _best_fit(model, errors, fits, CONFIDENCE, goes_on)
    other, sure = _best_fit(model, errors, [*fits, TRAVELS], SURE, goes_on)
    is_off = (model.fits == TRAVELS) & (np.abs(other) > np.maximum(SLIGHT, sure))
    if is_off.any():
        x, halves, shown = other, sure, is_off
    spread = np.where(halves <= 1.0, np.abs(model.steps) * halves, math.inf).tolist()
    numbers = [*map(Number, model.changes, model.values(x), spread)]
    return Calibration(
        parameters=model.written(x),
        numbers=[numbers[i] for i in np.flatnonzero(shown)],
        before=np.linalg.norm(errors(0.0 * x), axis=1),
        after=np.linalg.norm(errors(x), axis=1),
    )


def _best_fit(
    model: Model,
    errors: Callable[[FloatArray], FloatArray],
    fits: Sequence[str],
    confidence: float,
    goes_on: Callable[[], bool],
) -> tuple[FloatArray, FloatArray]:
    """Return changes (n,) that fit points, and half of the interval of each, as in regression.

    Fits begin at the file, and at random zeros and senses. What another fit that is as good has
    otherwise has no interval: inf.
    """
    tie, free, random = TIE * model.reach, np.isin(model.fits, fits), np.random.default_rng(1)
    size = SAMPLES, len(free)
    starts = random.uniform(-math.pi, math.pi, size) / ANGLE * model.turns
    starts -= 2.0 / SHARE * random.integers(0, 2, size) * (model.fits == TRAVELS)
    starts *= free
    parts = np.array_split(starts, 40)  # all at once may need 2 GB
    off = np.concatenate([np.linalg.norm(errors(some), axis=-1).mean(-1) for some in parts])
    starts = np.vstack([0.0 * starts[:1], starts[np.argsort(off)[:STARTS]]])
    shortest = np.where(model.fits == 'lengths', -0.9 / SHARE, -math.inf)[free]
    x, found = np.zeros(len(free)), []
    rows = DIFFERENCE * np.vstack([x, np.eye(len(x))[free]])

    def residuals(y: FloatArray) -> FloatArray:
        x[free] = y
        return np.append(errors(x), tie * y)

    def slopes(y: FloatArray) -> FloatArray:
        x[free] = y
        here, ahead = np.split(errors(x + rows), [1])
        return np.vstack([(ahead - here).reshape(len(y), -1).T / DIFFERENCE, tie * np.eye(len(y))])

    for start in starts:
        fit = least_squares(
            residuals,
            start[free],
            slopes,
            bounds=(shortest, math.inf),
            loss='soft_l1',
            f_scale=ROUGH * model.reach,
            max_nfev=STEPS,
        )
        x[free] = fit.x
        fit.x = model.wrapped(x)
        found.append(fit)
        if not goes_on():
            break
    measured, count = errors(x).size, np.count_nonzero(free)
    freedom = max(1, measured - count)
    rounding = freedom * tie**2
    least = 2.0 * min(fit.cost for fit in found) + rounding
    most = least * (1.0 + count / freedom * fdtri(count, freedom, ALIKE))  # F-test
    alike = [fit for fit in found if 2.0 * fit.cost <= most]
    best = min(alike, key=lambda fit: float(np.abs(fit.x).sum()))
    halves = np.where(free, math.inf, 0.0)
    if measured > count and goes_on():
        noise = math.sqrt((2.0 * best.cost + rounding) / freedom)
        shares = np.linalg.norm(np.linalg.inv(np.linalg.qr(best.jac, 'r')), axis=1)
        halves[free] = stdtrit(freedom, 0.5 + 0.5 * confidence) * noise * shares
    for fit in alike:
        halves[np.abs(model.wrapped(fit.x - best.x)) > halves] = math.inf
    return best.x, halves
