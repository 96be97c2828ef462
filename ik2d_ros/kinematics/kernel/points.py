"""Points and directions of the plane as complex numbers, angles, and shared tolerances."""

from __future__ import annotations

import math

TAU = 2 * math.pi
FAR = 1e300  # More than any cost or distance.
SLACK = 1e-9  # rad or reaches; a joint value past a limit by no more is clamped to it.
TOUCHING = 1e-12  # reaches; curves that miss each other by no more touch.
TINY = 1e-12  # reaches; a shorter link has no length.
PARALLEL = 1e-9  # Directions are parallel below this sine of the angle between them.
SAME_DISTANCE = 1e-14  # reaches; distances that differ by less are equal.
SAME_MOVE = 1e-9  # rad or reaches; moves that differ by less are equal.
PLANE_TOLERANCE = 1e-13  # reaches; of a pose in a plane that is carried, and its annulus.
FARTHEST = 1e5  # reaches; beyond, the closest pose does not depend on the distance.
DESCENT_TOLERANCE = 1e-9  # reaches; an error at which the descent ends.
RADIAN = 0.5  # reaches; what a radian of the heading counts in an error.


def clamp(x: float, low: float, high: float) -> float:
    """Return the number in a range that is closest to x."""
    return min(max(x, low), high)


def is_within(angle: float, low: float, high: float, slack: float) -> bool:
    """Tell whether an angle is in a range, to a slack and whole turns aside."""
    if high - low >= TAU:
        return True
    return angle - TAU * math.floor((angle - low + slack) / TAU) <= high + slack


def turned_within(angle: float, low: float, high: float) -> float:
    """Return an angle beyond a limit, turned back by whole turns until it is not; else itself."""
    if angle > high:
        return angle - TAU * math.ceil((angle - high) / TAU)
    return angle + TAU * math.ceil((low - angle) / TAU) if angle < low else angle


def whole_turns_up(angle: float, slack: float) -> float:
    """Return the least whole number of turns that is no less than an angle, to a slack."""
    return math.ceil((angle - slack) / TAU) if angle > -FAR else -FAR


def whole_turns_down(angle: float, slack: float) -> float:
    """Return the largest whole number of turns that is no more than an angle, to a slack."""
    return math.floor((angle + slack) / TAU) if angle < FAR else FAR


def near_zero(angle: float) -> float:
    """Return an angle in rad without whole turns, from -pi to pi."""
    return angle - TAU * math.floor(angle / TAU + 0.5)


def unit(heading: float) -> complex:
    """Return the unit vector with a heading in rad."""
    return math.cos(heading) + 1j * math.sin(heading)


def phase(z: complex) -> float:
    """Return the heading of a vector in rad, 0 for none."""
    return math.atan2(z.imag, z.real)


def dot(a: complex, b: complex) -> float:
    """Return the inner product of two vectors."""
    return a.real * b.real + a.imag * b.imag


def apex(base: float, first: float, second: float) -> complex:
    r"""Return the third corner of a triangle, to the left of its base, by the law of cosines.

    .. math:: x = \frac{(c - b)(c + b) + a^2}{2 c}, \qquad y = \sqrt{a^2 - x^2}

    with the base c, from 0 along the x-axis and not 0, the shorter side a and the other one b, from
    the corner of a and c: so the angle there keeps its digits (Euclid, *Elements*, II.12 and
    II.13). The first side is that from 0. The angle between the sides loses digits next to
    stretched: it is off by 1e-14 rad where 1e-4 is missing, by 3e-12 at 1e-10. The corner itself is
    right to rounding.
    """
    if second < first:
        behind = ((base - first) * (base + first) + second * second) / (2 * base)
        return base - behind + 1j * math.sqrt(max(0.0, second * second - behind * behind))
    ahead = ((base - second) * (base + second) + first * first) / (2 * base)
    return ahead + 1j * math.sqrt(max(0.0, first * first - ahead * ahead))


def squared_length(z: complex) -> float:
    """Return the square of a vector's length."""
    return z.real * z.real + z.imag * z.imag
