"""Angles that differ by whole turns, and what many at once take less time for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import remainder

import numpy as np
from numpy.typing import NDArray

TURN = 2.0 * math.pi

# (lower, upper) of each angle in rad, infinite where there is no limit.
Limits = Sequence[tuple[float, float]]

# Rounding of a few angles' sum: an angle this little outside its limits is at the limit.
ANGLE_ROUNDING = 1e-14

# rad; outside its limits by less, an angle is at the limit rather than a whole turn away.
NO_TURN = 1e-11

# Joint moves in rad that differ by less count as equal, so that rounding never picks a pose: it
# depends on the size of the arm and on whether there are many targets or one.
SAME_MOVE = 1e-9


def phase(number: complex) -> float:
    """Return the angle of a complex number in rad, 0 for 0.

    Unlike :func:`cmath.phase`, no error where the angle is too small for a float.
    """
    return math.atan2(number.imag, number.real)


# rad; of half a turn to either side, which only rounding tells apart, the positive one is taken.
HALF = 1e-12
# How far from a reference :func:`near` goes.
LEAST, MOST = HALF - math.pi, HALF + math.pi


def near(angle: float, reference: float) -> float:
    """Return the angle plus whole turns, within half a turn of the reference; all in rad."""
    return reference + (remainder(angle - reference - HALF, TURN) + HALF)


def near_many(
    angles: NDArray[np.float64], references: float | NDArray[np.float64]
) -> NDArray[np.float64]:
    """Do what :func:`near` does, element by element."""
    return references + (wrapped(angles - references - HALF) + HALF)


def wrapped(angles: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return angles in rad without whole turns, from -pi to pi."""
    return angles - TURN * np.rint(angles / TURN)


def into_range(
    angle: float,
    lower: float,
    upper: float,
    reference: float,
    rounding: float = ANGLE_ROUNDING,
) -> float | None:
    """Return the angle plus whole turns that is in [lower, upper] and nearest to the reference.

    Args:
        angle: an angle in rad.
        lower: smallest angle in rad, or -inf.
        upper: largest angle in rad, or inf.
        reference: an angle in [lower, upper], in rad.
        rounding: how far outside an angle in rad still counts as at the end.

    Returns:
        The angle in rad, or None where no turn of it is in the range.
    """
    # As in :func:`near`, written out: what calls this mostly does little else.
    turned = reference + (remainder(angle - reference - HALF, TURN) + HALF)
    if lower <= turned <= upper:  # nearly always
        return turned
    # Only the nearest turns on either side can be in the range and near to the reference. Where
    # much counts as rounding, one that is inside beats a nearer one that is outside; but no joint
    # goes round for next to nothing.
    beyond = lower - turned if turned < lower else turned - upper
    if beyond > rounding or beyond > ANGLE_ROUNDING:
        other = turned - TURN if turned >= reference else turned + TURN
        instead = lower - other if other < lower else other - upper
        if instead < beyond:
            if beyond <= NO_TURN and instead <= rounding:
                return lower if turned < lower else upper
            turned, beyond = other, instead
    if beyond > rounding:
        return None
    return lower if turned < lower else upper if turned > upper else turned  # noqa: FURB136


def into_range_many(
    angle: NDArray[np.float64],
    lower: float | NDArray[np.float64],
    upper: float | NDArray[np.float64],
    reference: NDArray[np.float64],
    rounding: float = ANGLE_ROUNDING,
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Do what :func:`into_range` does, element by element.

    Returns:
        The angles in rad, always in the range, and whether they are turns of those asked for.
    """
    away = angle - reference
    turned = away - HALF
    turned /= TURN
    np.rint(turned, out=turned)
    turned *= TURN
    away -= turned
    np.add(reference, away, out=turned)
    beyond = np.maximum(lower - turned, turned - upper)
    inside = beyond <= min(rounding, ANGLE_ROUNDING)
    if not inside.all():
        other = turned - np.copysign(TURN, away)
        instead = np.maximum(lower - other, other - upper)
        better = ~inside & (instead < beyond)
        turned = np.where(better & (beyond > NO_TURN), other, turned)
        inside = np.where(better, instead, beyond) <= rounding
    np.maximum(turned, lower, out=turned)  # `np.clip` takes longer for few.
    np.minimum(turned, upper, out=turned)
    return turned, inside


def cosines_and_sines(
    angles: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return both for angles in rad.

    From the tangents of the halves: NumPy takes a fraction of the time for these, where it has wide
    vectors, and no more elsewhere. What is rounded is as little.
    """
    tangents = np.tan(0.5 * angles)
    squares = tangents * tangents
    shares = 1.0 / (1.0 + squares)
    tangents *= 2.0
    tangents *= shares
    np.subtract(1.0, squares, out=squares)
    squares *= shares
    return squares, tangents
