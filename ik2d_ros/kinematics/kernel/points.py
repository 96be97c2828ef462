"""Points and directions of the plane as complex numbers, and angles."""

from __future__ import annotations

import math

TAU = 2 * math.pi


def clamp(x: float, low: float, high: float) -> float:
    """Return the number in a range that is closest to x."""
    return min(max(x, low), high)


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


def norm(z: complex) -> float:
    """Return the square of a vector's length."""
    return z.real * z.real + z.imag * z.imag
