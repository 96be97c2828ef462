"""Demo paths: the target as a function of the number of laps; no ROS imports.

Each shape takes the number of laps so far (0.25 is a quarter of the first lap) and stays in the
unit disc around the origin; ``point_at`` scales it and moves it to its centre.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from types import MappingProxyType

Point = tuple[float, float]

HOPS_PER_LAP = 5


def circle(laps: float, _seed: int = 0) -> Point:
    """Follow the unit circle, counter-clockwise from (1, 0)."""
    angle = _lap_angle(laps)
    return math.cos(angle), math.sin(angle)


def line(laps: float, _seed: int = 0) -> Point:
    """Go back and forth on the x-axis from -1 to 1, starting in the middle, slowing at the ends."""
    return math.sin(_lap_angle(laps)), 0.0


def eight(laps: float, _seed: int = 0) -> Point:
    """Follow a figure of eight (lemniscate of Gerono) along the x-axis, from its crossing."""
    angle = _lap_angle(laps)
    return math.sin(angle), math.sin(angle) * math.cos(angle)


def scatter(laps: float, seed: int = 0) -> Point:
    """Jump between points uniform in the unit disc, ``HOPS_PER_LAP`` per lap, without repetition.

    The other paths already show smooth following; a jump shows what the arm does when the next
    target is anywhere. The same seed always gives the same points.
    """
    hop = math.floor(laps * HOPS_PER_LAP)
    # A string seed is hashed the same way in every process, unlike a tuple's hash.
    generator = random.Random(f'{seed}/{hop}')  # noqa: S311
    radius = math.sqrt(generator.random())  # the root makes it uniform over the area
    angle = math.tau * generator.random()
    return radius * math.cos(angle), radius * math.sin(angle)


SHAPES: MappingProxyType[str, Callable[[float, int], Point]] = MappingProxyType(
    {'circle': circle, 'line': line, 'eight': eight, 'random': scatter}
)


def point_at(path: str, laps: float, center: Point, size: float, seed: int = 0) -> Point:
    """Return a point on a demo path.

    Args:
        path: a key of ``SHAPES``.
        laps: number of laps so far; any finite number, negative ones included.
        center: (x, y) of the path's centre in m.
        size: radius of the smallest disc around the centre that contains the path, in m.
        seed: seed of the ``random`` path; ignored by the others.

    Returns:
        (x, y) in m, in the frame of ``center``.
    """
    x, y = SHAPES[path](laps, seed)
    return center[0] + size * x, center[1] + size * y


def _lap_angle(laps: float) -> float:
    """Return the angle in [0, 2 pi); full laps are dropped first, so long runs keep precision."""
    return math.tau * (laps % 1.0)
