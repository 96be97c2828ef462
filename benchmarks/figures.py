"""The measured figures of doc/solvers.md: after those of ``make trial``."""

from __future__ import annotations

import math

import numpy as np

from ik2d_ros.kinematics import Chain, solve, solve_batch

LIMITS = ((-2.5, 2.5), (0.2, 2.5), (-2.5, -0.2), (-0.6, 0.6))


def inner_radius(rng: np.random.Generator) -> float:
    """How far the tip is from the inner radius, in reaches, for targets at it (section 2)."""
    worst = 0.0
    for links in list(range(1, 30)) * 20:
        chain = Chain.from_lengths(10.0 ** rng.uniform(-3.0, 0.0, links))
        inner, outer = chain.reach
        start, near = rng.uniform(-3.0, 3.0, links), 1e-15 * outer
        tip = solve(chain, (0.0, 0.0), start=start, tolerance=near).tip
        worst = max(worst, abs(math.hypot(*tip) - inner) / outer)
    return worst


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


def sweeps(_: np.random.Generator) -> list[int]:
    """Sweeps of six equal links from straight, to 1e-3 of a target across (section 5)."""
    counts = []
    for radius in (0.9, 0.98, 0.999):
        q, count, off = np.zeros(6), 0, math.inf
        while off > 1e-3:
            count += 1
            for j in range(5, -1, -1):
                points = np.cumsum(np.append(0.0, np.exp(1j * np.cumsum(q)) / 6.0))
                q[j] += np.angle((1j * radius - points[j]) / (points[-1] - points[j]))
            off = abs(np.exp(1j * np.cumsum(q)).sum() / 6.0 - 1j * radius)
        counts.append(count)
    return counts


if __name__ == '__main__':
    for figure in (inner_radius, two_bends, grid, sweeps):
        print(f'{figure(np.random.default_rng(0))}: {figure.__doc__}')
