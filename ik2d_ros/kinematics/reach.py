"""What a chain reaches where limits of revolute joints are ignored: an annulus, and its edges."""

from __future__ import annotations

import math
from cmath import phase, rect
from collections.abc import Sequence
from math import atan2, sqrt
from typing import NamedTuple

_ROUNDING = 1e-14  # Share of the lengths; links that take each other off leave no more.


class Annulus(NamedTuple):
    """The ring of points that a chain without limits reaches, around its base.

    Attributes:
        inner: radius in m of the disc about the base that no pose reaches; 0 for none.
        outer: largest distance in m that any pose reaches.
    """

    inner: float
    outer: float


def annulus(
    lengths: Sequence[float],
    turns: Sequence[float],
    strokes: Sequence[tuple[float, float] | None],
) -> Annulus:
    """Return the smallest and the largest distance of the tip from the base.

    Revolute joints cut the chain into parts. What a part reaches from its first joint, its slides
    within their limits, is convex, so that its length takes all values from the smallest to the
    largest. The parts turn freely, and so the polygon inequality gives what their sum takes. What
    comes before the first revolute joint turns with the point of view, not with a joint; the
    distances are the same.

    Args:
        lengths: (n,) of the links in m; of prismatic joints at position 0.
        turns: (n,) bend of each joint at position 0, in rad.
        strokes: (n,) how much longer each prismatic joint makes its link at either limit, in m; or
            None for a revolute joint.
    """
    parts: list[tuple[float, float]] = []
    middle, heading = 0j, 0.0
    halves: list[complex] = []
    for length, turn, stroke in zip(lengths, turns, strokes, strict=True):
        if stroke is None:
            parts.append(_distances(middle, halves))
            middle, halves, heading = complex(length), [], 0.0
            continue
        heading += turn
        low, high = stroke
        middle += rect(length + 0.5 * low + 0.5 * high, heading)
        halves.append(rect(0.5 * abs(high - low), heading))
    parts.append(_distances(middle, halves))
    total = math.fsum(most for _, most in parts)
    longest = math.fsum(
        length if stroke is None else max(abs(length + end) for end in stroke)
        for length, stroke in zip(lengths, strokes, strict=True)
    )
    if total <= _ROUNDING * longest:
        return Annulus(0.0, 0.0)
    inner = max(math.fsum((least, most, -total)) for least, most in parts)
    return Annulus(max(0.0, inner), total)


def _distances(middle: complex, halves: Sequence[complex]) -> tuple[float, float]:
    """Return the distances from 0 of the nearest and the farthest point of a zonogon.

    Args:
        middle: its centre.
        halves: what is added to the centre, each from -1 to 1 times.
    """
    upward = [
        half if half.imag > 0.0 or (half.imag == 0.0 and half.real > 0.0) else -half
        for half in halves
        if half
    ]
    if not upward:
        return abs(middle), abs(middle)
    sides = sorted(upward, key=phase)
    corner, corners = middle - sum(sides), []
    for side in [*sides, *(-side for side in sides)]:
        corners.append(corner)
        corner += 2.0 * side
    around = list(zip(corners, [*corners[1:], corners[0]], strict=True))
    inside = all((begin.conjugate() * (end - begin)).imag > 0.0 for begin, end in around)
    nearest = 0.0 if inside else min(_distance_to(begin, end) for begin, end in around)
    return nearest, max(map(abs, corners))


def _distance_to(begin: complex, end: complex) -> float:
    """Return the distance of 0 from a segment."""
    along = end - begin
    square = abs(along) ** 2
    share = -(begin * along.conjugate()).real / square if square else 0.0
    return abs(begin + min(max(share, 0.0), 1.0) * along)


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
