"""A crowd of poses that follows a path: what small moves allow, found by exploring."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics import Chain

ROUNDS = 8  # of bringing the tips onto the target.
STAYING = 150  # Steps after which a pose goes elsewhere, in the mean.
REACHED = 1e-9  # Reaches.


class Links(NamedTuple):
    """A chain of revolute joints: lengths (n, 1) in reaches, limits (n, 1) in rad, reach in m."""

    lengths: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    size: float

    @classmethod
    def of(cls, chain: Chain) -> Links:
        return cls(
            np.array(chain.unit_lengths)[:, None],
            chain.lower[:, None],
            chain.upper[:, None],
            chain.reach.outer,
        )

    def spans(self, bends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """From the joints to the tips (n, m), and the tips (m,), in reaches."""
        links = self.lengths * np.exp(1j * np.cumsum(bends, axis=0))
        points = np.cumsum(links, axis=0)
        return points[-1] - points + links, points[-1]


def least_turns(spans: np.ndarray, moves: np.ndarray) -> np.ndarray:
    """The least turns (n, m) that move the tips by (m,); a joint with the span 0 does not turn."""
    x, y = spans.real, spans.imag
    xx, yy, xy = (x * x).sum(axis=0), (y * y).sum(axis=0), (x * y).sum(axis=0)
    extra = 1e-9 * (xx + yy) + 1e-100
    xx, yy = xx + extra, yy + extra
    scale = xx * yy - xy * xy
    ux = (xx * moves.real + xy * moves.imag) / scale
    uy = (xy * moves.real + yy * moves.imag) / scale
    return x * uy - y * ux


def turns_within(
    spans: np.ndarray, bends: np.ndarray, lower: np.ndarray, upper: np.ndarray, moves: np.ndarray
) -> np.ndarray:
    """The same within limits: joints stop there, and the others make up for it."""
    held, made = np.zeros(bends.shape, dtype=bool), np.zeros(bends.shape)
    for _ in range(len(bends)):
        left = moves - (1j * spans * np.where(held, made, 0.0)).sum(axis=0)
        turns = np.where(held, made, least_turns(np.where(held, 0.0, spans), left))
        made = np.clip(bends + turns, lower, upper) - bends
        stopped = ~held & (np.abs(made - turns) > 1e-12)
        if not stopped.any():
            break
        held |= stopped
    return made


def allowed(links: Links, bends: np.ndarray, target: complex) -> tuple[np.ndarray, np.ndarray]:
    """The least turns (n, m) to a target, and how far any joint may turn before it jumps (m,)."""
    spans, tips = links.spans(bends)
    turns = turns_within(spans, bends, links.lower, links.upper, target - tips)
    return turns, 2.0 * np.abs(turns).max(axis=0) + 0.01


def searched(links: Links, bends: np.ndarray, target: complex) -> tuple[np.ndarray, np.ndarray]:
    """The same for a search: where limits hold all that move the tip, the least is no small move.

    There it counts as at most four times what it is without limits.
    """
    turns, most = allowed(links, bends, target)
    spans, tips = links.spans(bends)
    freely = np.abs(least_turns(spans, target - tips)).max(axis=0)
    return turns, np.minimum(most, 8.0 * freely + 0.01)


def got_through(links: Links, points: np.ndarray, start: np.ndarray, count: int) -> int | None:
    """The step that no pose of the crowd takes without a jump; None if one gets through.

    Each pose walks towards one that is drawn at random, as far as the tip stays on the path, and
    after a while towards another one. Poses that cannot go on take the place of others.
    """
    rng = np.random.default_rng(1)
    bends = np.repeat(start[:, None], count, axis=1)
    lowest, highest = np.maximum(links.lower, -3.1), np.minimum(links.upper, 3.1)
    goals = rng.uniform(lowest, highest, bends.shape)
    for k, point in enumerate(points):
        target = complex(*point) / links.size
        new = rng.random(count) < 1.0 / STAYING
        goals[:, new] = rng.uniform(lowest, highest, bends.shape)[:, new]
        turns, most = searched(links, bends, target)
        spans, _ = links.spans(bends)
        pressed = ((bends <= links.lower) & (goals < bends)) | (
            (bends >= links.upper) & (goals > bends)
        )
        ways = np.where(pressed, 0.0, goals - bends)
        ways -= least_turns(spans, (1j * spans * ways).sum(axis=0))
        ways *= most * rng.uniform(0.0, 1.0, count) / (np.abs(ways).max(axis=0) + 1e-12)
        lower = np.tile(np.maximum(links.lower, bends - most), 2)
        upper = np.tile(np.minimum(links.upper, bends + most), 2)
        tried = np.clip(np.concatenate([bends + turns + ways, bends + turns], axis=1), lower, upper)
        for _ in range(ROUNDS):
            spans, tips = links.spans(tried)
            tried = np.clip(
                tried + turns_within(spans, tried, lower, upper, target - tips), lower, upper
            )
        alive = np.flatnonzero(np.abs(target - links.spans(tried)[1]) < REACHED)
        if not len(alive):
            return k
        fill = max(0, count - len(alive))
        kept = np.concatenate([alive, rng.choice(alive, fill)])[:count]
        bends, goals = tried[:, kept], goals[:, kept % count]
        if fill:
            goals[:, -fill:] = rng.uniform(lowest, highest, (len(start), fill))
    return None
