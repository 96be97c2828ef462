"""The times of paths within limits, and those of toppra, the shortest times along a spline.

    pip install toppra
    python benchmarks/path_times.py

The tip's speed is not limited. ``toppra`` goes along a spline through the same poses, from rest to
rest; it keeps to limits at its grid points, ``timed`` everywhere.
"""

from __future__ import annotations

import math
import time

import numpy as np
import toppra
from toppra.algorithm import TOPPRA
from toppra.constraint import JointAccelerationConstraint, JointVelocityConstraint

from ik2d_ros.kinematics import Chain, Path, solve_path, timed

LAP = np.linspace(0.0, 2.0 * math.pi, 200)
PATHS = {
    'circle': np.stack([0.35 + 0.1 * np.cos(LAP), 0.1 * np.sin(LAP)], axis=1),
    'eight': np.stack([0.35 + 0.1 * np.sin(LAP), 0.1 * np.sin(2 * LAP)], axis=1),
    'line': np.array([(0.35, -0.3), (0.35, 0.3)]),
}
LIMITS = {'2 rad/s, 5 rad/s2': (2.0, 5.0), '1 rad/s, 50 rad/s2': (1.0, 50.0)}


def with_toppra(path: Path, limits: tuple[float, float]) -> tuple[float, float]:
    """Return the duration in s, and the largest acceleration as a share of its limit."""
    begin = toppra.SplineInterpolator(path.length, path.q)
    ranges = [np.array([(-most, most)] * path.q.shape[1]) for most in limits]
    constraints = [JointVelocityConstraint(ranges[0]), JointAccelerationConstraint(ranges[1])]
    grid = np.linspace(0.0, path.end, 1000)
    found = TOPPRA(constraints, begin, gridpoints=grid).compute_trajectory(0, 0)
    times = np.linspace(0.0, found.duration, 20_000)
    return found.duration, float(np.abs(found(times, 2)).max()) / limits[1]


def main() -> None:
    chain = Chain.from_lengths([0.30, 0.25], limits=[(-2.6, 2.6)] * 2)
    print('| path, limits | timed, s | toppra, s | ms | ms, toppra | toppra, most of limit |')
    print('|---|--:|--:|--:|--:|--:|')
    for name, points in PATHS.items():
        path = solve_path(chain, points)
        for words, limits in LIMITS.items():
            begin = time.perf_counter()
            course = timed(path, [limits] * 2, 1e3)
            middle = time.perf_counter()
            duration, most = with_toppra(path, limits)
            end = time.perf_counter()
            print(
                f'| {name}, {words} | {course.duration:.3f} | {duration:.3f} |'
                f' {1e3 * (middle - begin):.1f} | {1e3 * (end - middle):.1f} | {most:.2f} |'
            )


if __name__ == '__main__':
    main()
