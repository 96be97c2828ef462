"""What the contenders are asked: arms, targets and starts, the same for all of them.

Every arm has a reach of 1 m, so that an error in m is a share of the reach. Nothing here is random
but by a seed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Limits = tuple[tuple[float, float], ...]

STARTS = ('random', 'straight', 'collinear')
LIMITS = ('symmetric', 'asymmetric', 'narrow', 'one-sided elbow', 'mixed')
# m that a rad beside a tip angle counts: 1e-9 m and 1e-6 rad are as good, as others do not tell
# smaller rotations from none.
RADIAN = 1e-3


@dataclass(frozen=True)
class Problems:
    """Targets for one arm.

    Attributes:
        lengths: (n,) lengths of the links in m.
        limits: (lower, upper) of each joint in rad, infinite for a continuous joint; None for none.
        targets: (m, 2) in m; (m, 3) where the tip is to have an angle, too, in rad.
        starts: (m, n) in rad; NaN where a solve starts from the answer before.
    """

    lengths: tuple[float, ...]
    limits: Limits | None
    targets: FloatArray
    starts: FloatArray

    def __len__(self) -> int:
        return len(self.targets)

    def first(self, count: int) -> Problems:
        """Return the first ``count`` of them."""
        return replace(self, targets=self.targets[:count], starts=self.starts[:count])

    def save(self, path: Path) -> None:
        """Write them for a process of another Python."""
        limits = np.zeros((0, 2)) if self.limits is None else np.array(self.limits)
        np.savez(
            path,
            lengths=np.array(self.lengths),
            limits=limits,
            targets=self.targets,
            starts=self.starts,
        )


def forward(lengths: tuple[float, ...], q: FloatArray) -> FloatArray:
    """Return (..., n + 1, 2) joints and tip for (..., n) rad, on purpose not by the package."""
    world = np.cumsum(q, axis=-1)
    links = np.array(lengths)[..., None] * np.stack([np.cos(world), np.sin(world)], axis=-1)
    base = np.zeros((*links.shape[:-2], 1, 2))
    return np.concatenate([base, np.cumsum(links, axis=-2)], axis=-2)


def errors(problems: Problems, q: FloatArray) -> FloatArray:
    """Return (m,) distances from the tips to the targets in m; infinite where q breaks a limit.

    Where the tip is to have an angle, that counts, too: m for each rad beside it, ``RADIAN``.
    """
    tips = forward(problems.lengths, q)[:, -1]
    away = np.linalg.norm(tips - problems.targets[:, :2], axis=-1)
    if problems.targets.shape[1] == 3:
        off = q.sum(axis=-1) - problems.targets[:, 2]
        away = np.maximum(away, RADIAN * np.abs(np.arctan2(np.sin(off), np.cos(off))))
    if problems.limits is not None:
        lower, upper = np.array(problems.limits).T
        away = np.where(((q >= lower) & (q <= upper)).all(axis=-1), away, np.inf)
    return np.where(np.isfinite(q).all(axis=-1), away, np.inf)


def equal_links(count: int) -> tuple[float, ...]:
    """Return links of the same length."""
    return (1.0 / count,) * count


def annulus_radii(inner: float, outer: float, count: int, rng: np.random.Generator) -> FloatArray:
    """Return (count,) distances from the base of points uniform over the annulus."""
    return np.sqrt(rng.uniform(inner**2, outer**2, count))


def polar(radii: FloatArray, angles: FloatArray) -> FloatArray:
    """Return (m, 2) points at (m,) distances and angles in rad."""
    return radii[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=-1)


def inside(lengths: tuple[float, ...], count: int, seed: int) -> Problems:
    """Return targets uniform over the annulus and random starts, as in a usual solve; no limits."""
    rng = np.random.default_rng([seed, len(lengths), 7])
    outer = sum(lengths)
    inner = max(0.0, 2.0 * max(lengths) - outer)
    radii = annulus_radii(inner, outer, count, rng)
    angles = rng.uniform(-math.pi, math.pi, count)
    targets = polar(radii, angles)
    return Problems(lengths, None, targets, rng.uniform(-math.pi, math.pi, (count, len(lengths))))


def at_angles(lengths: tuple[float, ...], count: int, seed: int) -> Problems:
    """Return points and tip angles of random poses, and random starts; no limits."""
    rng = np.random.default_rng([seed, len(lengths), 8])
    poses, starts = rng.uniform(-math.pi, math.pi, (2, count, len(lengths)))
    angles = np.remainder(poses.sum(axis=-1) + math.pi, 2.0 * math.pi) - math.pi
    targets = np.column_stack([forward(lengths, poses)[:, -1], angles])
    return Problems(lengths, None, targets, starts)


def limits_of(kind: str, joints: int) -> Limits:
    """Joint limits of one of the kinds in ``LIMITS``."""
    if kind == 'symmetric':
        return ((-2.0, 2.0),) * joints
    if kind == 'asymmetric':
        return tuple((-0.5, 2.2) if i % 2 else (-1.8, 0.7) for i in range(joints))
    if kind == 'narrow':
        return ((-0.4, 0.4),) * joints
    if kind == 'one-sided elbow':
        return ((-2.6, 2.6), *((0.0, 2.6),) * (joints - 1))
    return tuple((-1.5, 1.0) if i % 2 else (-math.inf, math.inf) for i in range(joints))


def within_limits(lengths: tuple[float, ...], count: int, kind: str, seed: int) -> Problems:
    """Return targets that the limits allow: the tips of random poses inside; starts likewise."""
    limits = limits_of(kind, len(lengths))
    rng = np.random.default_rng([seed, len(lengths), LIMITS.index(kind)])
    lower, upper = np.clip(np.array(limits).T, -math.pi, math.pi)
    poses, starts = rng.uniform(lower, upper, (2, count, len(lengths)))
    return Problems(lengths, limits, forward(lengths, poses)[:, -1], starts)
