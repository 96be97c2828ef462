"""The measured figures of doc/solvers.md: after those of ``make trial``."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics import Chain, solve, solve_batch

LIMITS = ((-2.5, 2.5), (0.2, 2.5), (-2.5, -0.2), (-0.6, 0.6))


def two_bends(rng: np.random.Generator) -> float:
    """The largest error in reaches of two joints, by each bend (section 3)."""
    worst = 0.0
    for _ in range(20):
        chain = Chain.from_lengths(rng.uniform(0.1, 1.0, 2))
        angles, radii = rng.uniform(-np.pi, np.pi, 20_000), rng.uniform(*chain.reach, 20_000)
        targets = radii[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1)
        start = rng.uniform(-3.0, 3.0, 2)
        for bend in ('nearest', 'positive', 'negative'):
            q = solve_batch(chain, targets, start=start, bend=bend).q
            off = np.linalg.norm(chain.forward(q)[:, -1] - targets, axis=1)
            worst = max(worst, off.max() / chain.reach.outer)
    return float(worst)


def grid(rng: np.random.Generator) -> float:
    """By how much a pose of a grid is closer than that of two limited joints (section 4)."""
    worst = -math.inf
    for k in range(60):
        low, high = LIMITS[k % 4], LIMITS[k // 4 % 4]
        chain = Chain.from_lengths(rng.uniform(0.1, 1.0, 2), [low, high])
        first, second = (np.linspace(*pair, 1200) for pair in (low, high))
        poses = np.stack(np.meshgrid(first, second), axis=-1).reshape(-1, 2)
        tips = chain.forward(poses)[:, -1]
        for target in rng.uniform(-1.3, 1.3, (8, 2)) * chain.reach.outer:
            least = np.linalg.norm(tips - target, axis=1).min()
            found = solve(chain, target, tolerance=1e-12 * chain.reach.outer)
            worst = max(worst, (found.error - least) / chain.reach.outer)
    return float(worst)


def sweep(links: NDArray[np.complex128], target: complex) -> None:
    """Sweep once over links as complex numbers: exact where all are in line."""
    for i in reversed(range(len(links))):
        joint = links[:i].sum()
        turn = (target - joint) * np.conj(links[i:].sum())
        links[i:] *= turn / abs(turn)


def sweeps(_: np.random.Generator) -> int:
    """Sweeps of six equal links from straight, to 1e-3 of a target across (section 5)."""
    links, target, count = np.full(6, 1.0 / 6.0 + 0j), 0.999j, 0
    while abs(links.sum() - target) > 1e-3:
        sweep(links, target)
        count += 1
    return count


if __name__ == '__main__':
    for figure in (two_bends, grid, sweeps):
        print(f'{figure(np.random.default_rng(0))}: {figure.__doc__}')
