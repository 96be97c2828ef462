"""The ring that holds every position of the tip: limits of slides count, others do not."""

from __future__ import annotations

import math
from cmath import phase, rect
from collections.abc import Sequence
from typing import NamedTuple

from ik2d_ros.kinematics.kernel.joint_table import Link

_CANCELLED = 1e-14  # Share of the lengths; a sum no larger is 0 but for rounding.


class Annulus(NamedTuple):
    """The ring of points that a chain without limits reaches, around its base: two radii in m.

    No pose reaches within the inner one, which may be 0, or beyond the outer one.
    """

    inner: float
    outer: float


def annulus(links: Sequence[Link]) -> Annulus:
    """Return the smallest and the largest distance of the tip from the base.

    Revolute joints cut the chain into parts. A part reaches a convex set from its first joint, its
    slides within their limits, so its length takes all values between two. The parts turn freely:
    the polygon inequality bounds their sum. That before the first revolute joint does not turn, but
    that does not change the distances.
    """
    parts: list[tuple[float, float]] = []
    middle, heading = 0j, 0.0
    halves: list[complex] = []
    for link in links:
        if not link.slides:
            parts.append(_distances(middle, halves))
            middle, halves, heading = complex(link.fixed), [], 0.0
            continue
        heading += link.fixed
        middle += rect(0.5 * link.lower + 0.5 * link.upper, heading)
        halves.append(rect(0.5 * (link.upper - link.lower), heading))
    parts.append(_distances(middle, halves))
    total = math.fsum(most for _, most in parts)
    longest = math.fsum(
        max(abs(link.lower), abs(link.upper)) if link.slides else link.fixed for link in links
    )
    if total <= _CANCELLED * longest:
        return Annulus(0.0, 0.0)
    inner = max(math.fsum((least, most, -total)) for least, most in parts)
    return Annulus(max(0.0, inner), total)


def _distances(middle: complex, halves: Sequence[complex]) -> tuple[float, float]:
    """Return how far from 0 the nearest and the farthest point of a zonogon are.

    It has a middle, to which half vectors are added, each times a number from -1 to 1.
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
    farthest = max(map(abs, corners))
    # Slides along one line span no area: next to it, a sign is rounding.
    inside = all(
        (begin.conjugate() * (end - begin)).imag > _CANCELLED * farthest * abs(end - begin)
        for begin, end in around
    )
    nearest = 0.0 if inside else min(_distance_to(begin, end) for begin, end in around)
    return nearest, farthest


def _distance_to(begin: complex, end: complex) -> float:
    """Return the distance of 0 from a segment."""
    along = end - begin
    square = abs(along) ** 2
    share = -(begin * along.conjugate()).real / square if square else 0.0
    return abs(begin + min(max(share, 0.0), 1.0) * along)
