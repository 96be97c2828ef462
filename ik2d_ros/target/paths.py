"""Demo paths: where a target is after so many laps, as plain functions without ROS.

Each shape is a function of the number of laps driven so far (0.25 is a quarter of the first lap)
and lives in the unit disc around the origin; ``point_at`` moves it to its place and size.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from types import MappingProxyType

Point = tuple[float, float]

HOPS_PER_LAP = 5


def circle(laps: float, _seed: int = 0) -> Point:
    """Unit circle, counter-clockwise from (1, 0)."""
    angle = _lap_angle(laps)
    return math.cos(angle), math.sin(angle)


def line(laps: float, _seed: int = 0) -> Point:
    """Back and forth on the x axis from -1 to 1, from the middle, slowing down at the ends."""
    return math.sin(_lap_angle(laps)), 0.0


def eight(laps: float, _seed: int = 0) -> Point:
    """Figure of eight (lemniscate of Gerono) lying along the x axis, from its crossing."""
    angle = _lap_angle(laps)
    return math.sin(angle), math.sin(angle) * math.cos(angle)


def scatter(laps: float, seed: int = 0) -> Point:
    """Hops between points uniform in the unit disc, ``HOPS_PER_LAP`` a lap, none ever repeated.

    It hops rather than glides because the other paths already test following; a hop shows what
    the arm does when the next target is anywhere. The same seed gives the same points always.
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
    """Point of a demo path.

    Args:
        path: A key of ``SHAPES``.
        laps: Laps driven so far; any finite number, also negative.
        center: (x, y) of the path's centre in m.
        size: Radius of the smallest disc around the centre that holds the path, in m.
        seed: Picks the points of the ``random`` path; the others ignore it.

    Returns:
        (x, y) in m, in the frame of ``center``.
    """
    x, y = SHAPES[path](laps, seed)
    return center[0] + size * x, center[1] + size * y


def _lap_angle(laps: float) -> float:
    """Angle in [0, 2 pi): full laps are dropped first, so that long runs lose no precision."""
    return math.tau * (laps % 1.0)
