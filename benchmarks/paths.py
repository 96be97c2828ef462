"""Jumps along paths within limits: each target solved from the last pose, and the path known whole.

    python benchmarks/paths.py [--joints 10] [--search 600]

For each run: how many steps jump if each target is solved from the last pose; with ``solve_path``
and the first pose free; and with ``solve_path`` from that first pose. A joint jumps where it turns
more than twice as far as the least-squares step takes, within limits, and 0.01 rad. With
``--search``, where ``solve_path`` jumps, a way is looked for by other means: with three
or four joints by all poses on a grid, else by so many poses that explore from its first pose what
moves of that size allow. It says whether they get through, and else to which target.
"""

from __future__ import annotations

import argparse
import math
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

from crowd import Links, allowed, got_through
from exhaustive import reached

from ik2d_ros.kinematics import Chain, Status, solve
from ik2d_ros.kinematics.path import solve_path

STEPS, LAPS = 1000, 2
SINGULAR = 0.05  # Reaches a rad: the tip cannot take every direction there, and moves are large.
GRIDS = {3: (200, 4), 4: (40, 8)}  # Numbers for each joint, and targets from stop to stop.
LIMITS = {
    'wide': lambda joints: [(-2.6, 2.6)] * joints,
    'narrower': lambda joints: [(-2.0, 2.0)] * joints,
    'narrow': lambda joints: [(-1.5, 1.5)] * joints,
    'one-sided': lambda joints: [(-3.1, 3.1)] + [(0.0, 2.6)] * (joints - 1),
    'mostly one side': lambda joints: [(-3.1, 3.1)] + [(-0.3, 2.2)] * (joints - 1),
    'asymmetric': lambda joints: [(-1.0, 2.2)] * joints,
    'partly continuous': lambda joints: [None] + [(-1.5, 2.0)] * (joints - 1),
}
LINKS = {'equal': np.ones, 'unequal': lambda joints: np.linspace(1.0, 0.5, joints)}
PATHS = {
    'circle': lambda cos, sin: (0.55 + 0.2 * cos, 0.2 * sin),
    'line': lambda _, sin: (np.full(STEPS, 0.5), 0.4 * sin),
    'through the base': lambda cos, _: (0.8 * cos, np.zeros(STEPS)),
    'eight': lambda cos, sin: (0.5 + 0.3 * sin, 0.4 * sin * cos),
    'near the edge': lambda _, sin: (0.97 * np.cos(sin), 0.97 * np.sin(sin)),
}


def targets(name: str, size: float) -> np.ndarray:
    """(LAPS * STEPS, 2) points in m."""
    lap = np.linspace(0.0, 2.0 * math.pi, STEPS, endpoint=False)
    points = np.stack(PATHS[name](np.cos(lap), np.sin(lap)), axis=1)
    return size * np.concatenate([points] * LAPS)


def jumps(links: Links, points: np.ndarray, poses: np.ndarray) -> list[int]:
    """Which steps jump."""
    found = []
    for k, (before, after) in enumerate(pairwise(poses), start=1):
        largest = np.abs(after - before).max()
        if largest <= 0.01:
            continue
        spans = links.spans(before[:, None])[0][:, 0]
        slopes = np.linalg.svd(np.stack([spans.real, spans.imag]), compute_uv=False)
        most = allowed(links, before[:, None], complex(*points[k]) / links.size)[1]
        if slopes[-1] > SINGULAR and largest > most[0]:
            found.append(k)
    return found


def followed(chain: Chain, points: np.ndarray, start: np.ndarray) -> np.ndarray | None:
    """Each target solved from the pose of the last; None if one is not reached."""
    poses = []
    for point in points:
        answer = solve(chain, point, start=start, tolerance=1e-9 * chain.reach.outer)
        if answer.status is not Status.REACHED:
            return None
        start = answer.q
        poses.append(start)
    return np.array(poses)


def searched(
    links: Links, points: np.ndarray, first: np.ndarray, free: bool, count: int
) -> int | None:
    """The target at which a search of another kind ends; None if it gets to the end."""
    joints = len(links.lengths)
    if joints in GRIDS:
        return reached(links, points, None if free else first, *GRIDS[joints])
    return got_through(links, points, first, count)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--joints', type=int, nargs='+', default=[3, 4, 6, 10])
    parser.add_argument('--search', type=int, default=0, metavar='POSES')
    arguments = parser.parse_args()
    runs, with_jump, steps = 0, np.zeros(3, dtype=int), np.zeros(3, dtype=int)
    through = 0
    for joints in arguments.joints:
        for kind, limits in LIMITS.items():
            for links, lengths in LINKS.items():
                chain = Chain.from_lengths(lengths(joints), limits=limits(joints))
                arm, tolerance = Links.of(chain), 1e-9 * chain.reach.outer
                for name in PATHS:
                    points = targets(name, chain.reach.outer)
                    bent = np.clip(np.linspace(0.4, 0.8, joints), chain.lower, chain.upper)
                    plain = followed(chain, points, bent)
                    if plain is None:
                        continue
                    runs += 1
                    ways = [plain]
                    if jumps(arm, points, plain):
                        ways.append(solve_path(chain, points, bent, tolerance).q)
                        ways.append(solve_path(chain, points, plain[0], tolerance).q)
                    found = [jumps(arm, points, way) for way in ways]
                    counts = np.array([len(each) for each in found + found[:1] * (3 - len(ways))])
                    with_jump += counts > 0
                    steps += counts
                    if not counts.any():
                        continue
                    words = f'{joints} {links} links, {kind}, {name}: {counts} jumps'
                    for free, jumped in ((True, counts[1]), (False, counts[2])):
                        if not (arguments.search and jumped):
                            continue
                        first = ways[1 if free else 0][0]
                        end = searched(arm, points, first, free, arguments.search)
                        through += end is None
                        words += ', free' if free else ', from there'
                        words += ': a search ' + ('through' if end is None else f'to {end}')
                    print(words, flush=True)
    print(f'{runs} runs; with a jump {with_jump}, steps {steps}; a search only: {through}')


if __name__ == '__main__':
    main()
