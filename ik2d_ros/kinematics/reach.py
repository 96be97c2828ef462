"""What a chain reaches where limits are ignored: an annulus, and the exact poses on its edges."""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import atan2, sqrt
from typing import NamedTuple


class Annulus(NamedTuple):
    """The ring of points that a chain without limits reaches, around its base.

    Attributes:
        inner: radius in m of the disc about the base that no pose reaches; 0 for none.
        outer: largest distance in m that any pose reaches.
    """

    inner: float
    outer: float


def annulus(lengths: Sequence[float]) -> Annulus:
    """Return the reachable annulus of links with these lengths (m).

    Turning the joints adds vectors of given lengths in free directions. Their sum takes every
    length from ``max(0, 2 * longest - sum)`` to ``sum`` (the polygon inequality), and by turning
    the first joint every direction.
    """
    total = math.fsum(lengths)
    longest = max(lengths)
    return Annulus(max(0.0, math.fsum((2.0 * longest, -total))), total)


def folded(lengths: Sequence[float]) -> list[float]:
    """Return bends (n,) in rad that bring the tip as near to the base as these links can.

    The tip then lies on the positive x-axis at the inner radius. If one link is longer than all
    others together, it points one way and they point back. Otherwise the links close to a polygon:
    cut into three runs, none longer than half of the whole, they are the sides of a triangle.
    """
    longest = max(range(len(lengths)), key=lengths.__getitem__)
    half = 0.5 * math.fsum(lengths)
    if lengths[longest] >= half:
        directions = [0.0 if link == longest else math.pi for link in range(len(lengths))]
    else:
        directions = _triangle(lengths, half)
    return [now - before for now, before in zip(directions, [0.0, *directions], strict=False)]


def _triangle(lengths: Sequence[float], half: float) -> list[float]:
    """Return directions of links in rad that close to a triangle; each is at most ``half``."""
    first, corner = 0.0, 0
    while first + lengths[corner] <= half:
        first += lengths[corner]
        corner += 1
    second = lengths[corner]
    third = max(0.0, 2.0 * half - first - second)
    # Exterior angles of a triangle with these sides; the link at the corner is the second side.
    turn_one = math.pi - _interior(first, second, third)
    turn_two = math.pi - _interior(second, third, first)
    return [
        0.0 if link < corner else turn_one if link == corner else turn_one + turn_two
        for link in range(len(lengths))
    ]


def _interior(a: float, b: float, opposite: float) -> float:
    """Return the angle between sides ``a`` and ``b`` of a triangle with a side ``opposite``."""
    return math.pi - elbow_bend(a, b, opposite)


def elbow_bend(a: float, b: float, distance: float) -> float:
    """Return the bend in [0, pi] rad at which two links of lengths a and b span a distance.

    The law of cosines solved for the half angle,
    ``tan^2(bend / 2) = ((a + b)^2 - d^2) / (d^2 - (a - b)^2)``, with the differences of squares
    factored and their terms added in the order that loses nothing. Where the links are stretched
    or folded, the arc cosine loses half of the digits (W. Kahan, "Miscalculating Area and Angles of
    a Needle-like Triangle", 2014). A distance that is too far gives 0, one that is too near pi.

    Args:
        a: length of the first link, 0 or more.
        b: length of the second link, 0 or more.
        distance: what they are to span, 0 or more, in the same unit.
    """
    if a < b:
        a, b = b, a
    to_stretched = (a - distance) + b
    from_folded = distance - (a - b) if b >= distance else b - (a - distance)
    if to_stretched <= 0.0:
        return 0.0
    if from_folded <= 0.0:
        return math.pi
    return 2.0 * atan2(
        sqrt(to_stretched * (a + (b + distance))),
        sqrt(from_folded * (distance + (a - b))),
    )
