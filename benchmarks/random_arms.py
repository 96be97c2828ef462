"""Arms of any kind, poses of them, and a forward kinematics that is not the package's own."""

from __future__ import annotations

import math

import numpy as np
from findings import FloatArray

from ik2d_ros.kinematics import Chain, Joint

Limits = list[tuple[float, float] | None]


def forward(chain: Chain, q: FloatArray) -> FloatArray:
    """Return (m, 2) tips for (m, n) positions, deliberately not with the package's own code."""
    tips, angle = np.zeros(len(q), dtype=np.complex128), np.zeros(len(q))
    for joint, position in zip(chain.joints, q.T, strict=True):
        angle = angle + joint.axis * position + joint.offset
        tips += complex(*joint.link) * np.exp(1j * angle)
    return np.stack([tips.real, tips.imag], axis=1)


def slopes(chain: Chain, q: FloatArray) -> FloatArray:
    """Return (2, n) derivatives of the tip by the positions (n,)."""
    angle, links = 0.0, []
    for joint, position in zip(chain.joints, q, strict=True):
        angle += joint.axis * position + joint.offset
        links.append(complex(*joint.link) * np.exp(1j * angle))
    spans = np.cumsum(links[::-1])[::-1] * [joint.axis for joint in chain.joints]
    return np.stack([-spans.imag, spans.real])


def random_arm(limits: Limits, rng: np.random.Generator) -> Chain:
    """Return an arm of any links, offsets and senses of rotation."""
    links = len(limits)
    sizes, directions = rng.uniform(0.1, 1.0, links), rng.uniform(-math.pi, math.pi, links)
    offsets, axes = rng.uniform(-math.pi, math.pi, links), rng.choice([-1, 1], links)
    joints = []
    for i, pair in enumerate(limits):
        link = (sizes[i] * math.cos(directions[i]), sizes[i] * math.sin(directions[i]))
        joints.append(Joint(f'j{i}', link, *(pair or (None, None)), offsets[i], int(axes[i])))
    return Chain(joints)


def _ranges(middle: FloatArray, half: FloatArray) -> Limits:
    return list(zip((middle - half).tolist(), (middle + half).tolist(), strict=True))


def symmetric(links: int, rng: np.random.Generator) -> Limits:
    """Return limits that are symmetric, and the same at every joint."""
    return _ranges(np.zeros(links), np.full(links, rng.uniform(0.5, 3.0)))


def asymmetric(links: int, rng: np.random.Generator) -> Limits:
    """Any ranges."""
    return _ranges(rng.uniform(-2.0, 2.0, links), rng.uniform(0.3, 2.0, links))


def narrow(links: int, rng: np.random.Generator) -> Limits:
    """Little ranges anywhere."""
    return _ranges(rng.uniform(-2.0, 2.0, links), rng.uniform(0.01, 0.4, links))


def one_sided(links: int, rng: np.random.Generator) -> Limits:
    """Elbows, which bend to one side only."""
    return [(-3.1, 3.1), *[(0.0, rng.uniform(1.0, 3.0))] * (links - 1)]


def mixed(links: int, rng: np.random.Generator) -> Limits:
    """Some joints continuous, some not."""
    return [None if rng.random() < 0.5 else (-1.0, 1.5) for _ in range(links)]


def wide(links: int, rng: np.random.Generator) -> Limits:
    """Return limits of about a turn or more for each joint."""
    return _ranges(np.zeros(links), rng.uniform(2.8, 7.0, links))


LIMITS = (symmetric, asymmetric, narrow, one_sided, mixed, wide)


def within(chain: Chain) -> tuple[FloatArray, FloatArray]:
    """Return (n,) ends of the ranges to draw positions from: the limits, or a whole turn."""
    return (
        np.where(np.isfinite(chain.lower), chain.lower, -math.pi),
        np.where(np.isfinite(chain.upper), chain.upper, math.pi),
    )


def random_poses(chain: Chain, count: int, rng: np.random.Generator) -> FloatArray:
    """Return poses within the limits, a tenth of them with most joints at a limit."""
    lower, upper = within(chain)
    q = rng.uniform(lower, upper, (count, len(chain)))
    ends = np.where(rng.random(q.shape) < 0.5, lower, upper)
    cornered = (rng.random(count) < 0.1)[:, None] & (rng.random(q.shape) < 0.7)
    return np.where(cornered, ends, q)
