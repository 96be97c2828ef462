"""What small moves allow along a path, found by many poses that explore it side by side.

Units and arrays are those of :mod:`.links`: a column is a pose, lengths are in reaches.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import TURN
from ik2d_ros.kinematics.arrays import ComplexArray, Flags, FloatArray, Indices
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.descent.many import descend_many
from ik2d_ros.kinematics.descent.stock import stock
from ik2d_ros.kinematics.links import Links
from ik2d_ros.kinematics.paths.path_moves import advanced, thinned
from ik2d_ros.kinematics.tuning import (
    PATH_ABOUT,
    PATH_AHEAD,
    PATH_BACK,
    PATH_CHOICE,
    PATH_EVERY,
    PATH_GUIDED,
    PATH_MORE,
    PATH_NUMBERS,
    PATH_PAST,
    PATH_SEED_STEPS,
    PATH_SEEDS,
    PATH_STAYING,
    PATH_STRIDE,
    PATH_TIMES,
    PATH_TRIES,
)


class Explored(NamedTuple):
    """A way along a path, as far as any was found.

    Attributes:
        stops: (k,) which targets it stops at, from the first to the last that it gets to.
        bends: (n, k) rad, at the stops.
    """

    stops: list[int]
    bends: FloatArray


class _Crowd(NamedTuple):
    """Poses that have explored a path, one stop after the other.

    Attributes:
        bends: (n, k) rad, for each stop.
        parents: (k,) from which of the stop before each has come, for each stop but the first.
    """

    bends: list[FloatArray]
    parents: list[Indices]

    @property
    def last(self) -> int:
        """The last stop that any has got to."""
        return len(self.bends) - 1


class Task(NamedTuple):
    """A path, and how it is explored.

    Attributes:
        chain: the chain.
        targets: (m,) the path, in reaches.
        plain: (n, m) bends in rad that reach the targets, maybe with jumps.
        free: whether the first pose is.
        pools: (n, k) poses that reach some of the targets, as far as they have been needed.
    """

    chain: Chain
    targets: ComplexArray
    plain: FloatArray
    free: bool
    pools: dict[int, FloatArray]


def explored(task: Task, count: int, slow: Flags) -> Explored:
    """Return the way that gets farthest along a path by small moves, of those that are found.

    Poses walk along the path side by side, each towards another pose, as far as its tip stays on
    the path; those that cannot go on are dropped, and of the others those go on that are unlike.
    Where all end, others walk back from beyond, and the first walk towards them.

    Args:
        task: the path.
        count: how many poses walk at a time, at the most.
        slow: (m,) at which targets to stop anyhow.
    """
    walk = _Walk(task, count, slow)
    seeds = task.plain[:, :1]
    if task.free:
        seeds = np.hstack([seeds, _seeds(task, 0)])
    crowd = walk.onward(0, seeds, None)
    for _ in range(PATH_TRIES):
        if crowd.last == walk.last:
            break
        longer = walk.past(crowd)
        if longer.last <= crowd.last:
            break
        crowd = longer
    return Explored(walk.stops[: crowd.last + 1], _way(crowd, task.plain[:, 0]))


def _seeds(task: Task, at: int) -> FloatArray:
    """Return poses (n, k) of all kinds that reach a target, in bends; maybe none."""
    links, poses = Links.of(task.chain), stock(task.chain).bends
    kinds = np.concatenate([kind[:, :PATH_SEEDS] for kind in poses], axis=1)
    goals = np.full(kinds.shape[1], task.targets[at])
    ended = descend_many(links, goals, kinds, PATH_ABOUT, PATH_SEED_STEPS)
    found = ended.bends[:, ended.errors <= PATH_ABOUT]
    # In the turn in which the arm is there anyhow.
    turns = np.rint((task.plain[:, at : at + 1] - found) / TURN)
    return np.where(np.isinf(links.lower), found + TURN * turns, found)


class _Walk:
    """A path with what is drawn along it, always the same for the same path."""

    def __init__(self, task: Task, count: int, slow: Flags) -> None:
        self.task = task
        self.links = Links.of(task.chain)
        self.clock = _clock(task.targets)
        self.stops = _stops(self.clock, slow)
        self.last = len(self.stops) - 1
        kept = PATH_NUMBERS // (len(task.chain) * len(self.stops))
        self.count = max(2, min(count, kept))
        self.rng = np.random.default_rng(0)
        limited = np.isfinite(self.links.lower)
        self.anywhere = (
            np.where(limited, self.links.lower, -np.pi),
            np.where(limited, self.links.upper, np.pi),
        )

    def onward(self, begin: int, seeds: FloatArray, guide: tuple[int, _Crowd] | None) -> _Crowd:
        """Return a crowd from a stop on; ``guide`` has walked back from the stop that it names."""
        return self._explored(range(begin, self.last + 1), seeds, guide)

    def back(self, begin: int, end: int, seeds: FloatArray) -> _Crowd:
        """Return a crowd from a stop back to another one."""
        return self._explored(range(begin, end - 1, -1), seeds, None)

    def past(self, crowd: _Crowd) -> _Crowd:
        """Return a crowd that has got farther, if one is found: towards what comes back."""
        ended = self.clock[self.stops[crowd.last]]
        beyond = min(self._stop_at(ended + PATH_PAST), self.last)
        at = self.stops[beyond]
        seeds = np.hstack([self.task.plain[:, at : at + 1], _seeds(self.task, at)])
        returned = self.back(beyond, self._stop_at(ended - PATH_BACK), seeds)
        begin = beyond - returned.last
        if begin >= crowd.last:
            return crowd
        first = crowd.bends[begin]
        if self.task.free and begin == 0:
            first = np.hstack([first, returned.bends[-1]])
        onward = self.onward(begin, first, (beyond, returned))
        if self.task.free and begin == 0:
            return onward
        # Those that go on are some of the first.
        return _Crowd(
            [*crowd.bends[: begin + 1], *onward.bends[1:]],
            [*crowd.parents[:begin], *onward.parents],
        )

    def _stop_at(self, time: float) -> int:
        """Return the first stop that is not before a time; one more than the last if all are."""
        return int(np.searchsorted(self.clock[self.stops], time))

    def _explored(
        self, stops: range, seeds: FloatArray, guide: tuple[int, _Crowd] | None
    ) -> _Crowd:
        bends = seeds
        poses, parents = [bends], []
        led: Indices = np.full(bends.shape[1], -1)
        goals = np.empty_like(bends)
        everyone = np.ones(bends.shape[1], dtype=np.bool_)
        self._draw(everyone, stops, 0, bends, goals, led, guide)
        for k in range(len(stops) - 1):
            there = self.stops[stops[k + 1]]
            here = self.stops[stops[k]]
            passed = abs(self.clock[there] - self.clock[here])
            new = self.rng.random(bends.shape[1]) < passed / PATH_STAYING
            self._draw(new, stops, k, bends, goals, led, guide)
            if guide is not None:
                self._lead(goals, led, stops[k], guide)
            tried, from_ = advanced(
                self.links, self.task.targets[there], bends, goals, abs(there - here)
            )
            if not len(from_):
                break
            kept = thinned(tried, from_, self.count, self.rng)
            bends, chosen = tried[:, kept], from_[kept]
            goals, led = goals[:, chosen], led[chosen]
            again = np.ones(len(chosen), dtype=np.bool_)
            again[np.unique(chosen, return_index=True)[1]] = False
            self._draw(again, stops, k + 1, bends, goals, led, guide)
            poses.append(bends)
            parents.append(chosen)
        return _Crowd(poses, parents)

    def _draw(
        self,
        which: Flags,
        stops: range,
        k: int,
        bends: FloatArray,
        goals: FloatArray,
        led: Indices,
        guide: tuple[int, _Crowd] | None,
    ) -> None:
        """Draw where some poses walk to: a guide, a pose that what comes needs, or anywhere."""
        rng, some = self.rng, np.flatnonzero(which)
        if not len(some):
            return
        led[some] = -1
        goals[:, some] = rng.uniform(*self.anywhere, (len(goals), len(some)))
        kind = rng.random(len(some))
        # Those of one draw share the target, so that few are solved for.
        times = self.clock[self.stops[stops[k]]] + stops.step * PATH_AHEAD * rng.random(len(some))
        ahead = np.minimum(np.searchsorted(self.clock, times), len(self.clock) - 1)
        pool = self._pool(int(ahead[0]))
        if pool.shape[1]:
            pooled = some[kind < 0.4]
            goals[:, pooled] = pool[:, rng.integers(pool.shape[1], size=len(pooled))]
        plain = some[kind > 0.7]
        goals[:, plain] = self.task.plain[:, ahead[kind > 0.7]]
        if guide is None:
            return
        layer = guide[0] - stops[k]
        if not 1 <= layer <= guide[1].last:
            return
        poses = guide[1].bends[layer]
        follow = some[rng.random(len(some)) < PATH_GUIDED]
        tried = rng.integers(poses.shape[1], size=(PATH_CHOICE, len(follow)))
        away = np.abs(poses[:, tried] - bends[:, None, follow]).max(axis=0)
        led[follow] = tried[away.argmin(axis=0), np.arange(len(follow))]

    @staticmethod
    def _lead(goals: FloatArray, led: Indices, stop: int, guide: tuple[int, _Crowd]) -> None:
        """Let those that are led walk towards where their guides are at the next stop."""
        layer = guide[0] - stop - 1
        if not 0 <= layer < guide[1].last:
            led[:] = -1
            return
        follow = np.flatnonzero(led >= 0)
        led[follow] = guide[1].parents[layer][led[follow]]
        goals[:, follow] = guide[1].bends[layer][:, led[follow]]

    def _pool(self, at: int) -> FloatArray:
        """Return poses (n, k) that reach a target about one; maybe none."""
        about = at // PATH_EVERY
        if about not in self.task.pools:
            self.task.pools[about] = _seeds(self.task, about * PATH_EVERY)
        return self.task.pools[about]


def _way(crowd: _Crowd, near: FloatArray) -> FloatArray:
    """Return (n, k) the way to the last stop that begins nearest to bends (n,)."""
    lanes: list[Indices] = [np.arange(crowd.bends[-1].shape[1])]
    for parents in crowd.parents[::-1]:
        lanes.append(parents[lanes[-1]])
    first = crowd.bends[0][:, lanes[-1]]
    lane = int(np.abs(first - near[:, None]).max(axis=0).argmin())
    return np.array(
        [bends[:, each[lane]] for bends, each in zip(crowd.bends, lanes[::-1], strict=True)]
    ).T


def _clock(targets: ComplexArray) -> FloatArray:
    """Return how far joints may turn (m,), at the least, from the first target to each, in rad."""
    away = np.abs(np.diff(targets))
    clock: FloatArray = np.concatenate([[0.0], np.cumsum(PATH_TIMES * away + PATH_MORE)])
    return clock


def _stops(clock: FloatArray, slow: Flags) -> list[int]:
    """Return which targets to stop at: more of them where the path is quick."""
    must = np.append(np.flatnonzero(slow), len(clock) - 1)
    stops = [0]
    while stops[-1] < len(clock) - 1:
        now = stops[-1]
        far = int(np.searchsorted(clock, clock[now] + PATH_STRIDE, 'right')) - 1
        stops.append(min(max(far, now + 1), int(must[np.searchsorted(must, now, 'right')])))
    return stops
