"""Demo paths: the target as a function of the number of laps; no ROS imports."""

from __future__ import annotations

import math
import random

Point = tuple[float, float]

SHAPES = ('circle', 'line', 'eight', 'random')
HOPS_PER_LAP = 5


def point_at(path: str, laps: float, center: Point, size: float, seed: int = 0) -> Point:
    """Return a point on a demo path.

    A circle begins at its right end, counter-clockwise; a line, along x, in its middle, and slows
    down at its ends; an eight (lemniscate of Gerono, along x) at its crossing.

    Args:
        path: one of ``SHAPES``.
        laps: number of laps so far; any finite number, negative ones included.
        center: (x, y) of the path's centre in m.
        size: radius of the smallest disc around the centre that contains the path, in m.
        seed: seed of the ``random`` path; ignored by the others.

    Returns:
        (x, y) in m, in the frame of ``center``.
    """
    angle = math.tau * (laps % 1.0)  # without full laps, so long runs keep precision
    cos, sin = math.cos(angle), math.sin(angle)
    smooth = {'circle': (cos, sin), 'line': (sin, 0.0), 'eight': (sin, sin * cos)}
    x, y = smooth.get(path) or _scattered(math.floor(laps * HOPS_PER_LAP), seed)
    return center[0] + size * x, center[1] + size * y


def _scattered(hop: int, seed: int) -> Point:
    """Return a random point, uniform in the unit disc; the same seed gives the same points.

    The other paths already show smooth following; a jump shows what the arm does when the next
    target is anywhere.
    """
    # A string seed is hashed the same way in every process, unlike a tuple's hash.
    generator = random.Random(f'{seed}/{hop}')  # noqa: S311
    radius = math.sqrt(generator.random())  # the root makes it uniform over the area
    angle = math.tau * generator.random()
    return radius * math.cos(angle), radius * math.sin(angle)
