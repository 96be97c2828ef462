"""What a chain reaches where limits of revolute joints are ignored: an annulus."""

from __future__ import annotations

import math
from cmath import phase, rect
from collections.abc import Sequence
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
