"""Time parameterisation of a path: as fast as limits allow, the tip no faster than a given speed.

Between two poses all joints move evenly; about each pose their directions are blended, over as much
of the path to either side as leaves the tip within the tolerance. On every piece, straight or
blended, positions are quadratic in a parameter, and limits of velocity and acceleration bound the
square of its rate, and how fast that may change. Two passes, one from either end, find the largest
squares (J. Bobrow, S. Dubowsky and J. Gibson, *Time-Optimal Control of Robotic Manipulators Along
Specified Paths*, 1985). A path has up to a million poses: pieces are computed a chunk at a time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ik2d_ros.kinematics.arguments import (
    ArgumentError,
    FloatArray,
    finite,
    numbers,
    refusal,
    shown,
)
from ik2d_ros.kinematics.path import Path

_FOR_BENDS = 0.9  # Share of an acceleration that a blend may take at its fastest.
_MARGINS = (math.inf, 4.0, 2.0, 1.5, 1.2, 1.1)  # Of squared rates, for each try.
_SLOWEST = 1e-3  # Share of the parameter's rate below which the tip is at rest.
_LARGEST = 1e12  # Stands for no limit of speed, velocity or acceleration.
_SMALLEST = 1e-9  # Smallest limit: the square of a smaller one may underflow.
_NEGLIGIBLE = 1e-12  # Share of the largest move that is none.
_CHUNK = 8192  # Pieces that are computed at once.
_MOST_PLAIN = 1000  # Pieces that are kept in plain numbers.

_Integers = NDArray[np.int_]


@dataclass(frozen=True, eq=False)
class _Pieces:
    """Lines between p poses (even numbers) and the blends between these lines (odd numbers).

    They are at q (p, n), length (p,) along the path; lines are of these sizes in the parameter, of
    which blends cut some on either side of each pose.
    """

    q: FloatArray
    length: FloatArray
    sizes: FloatArray
    cuts: FloatArray

    @cached_property
    def ends(self) -> list[list[float]]:
        """(2, n + 1) smallest and largest values: blends are between those of poses."""
        return [
            [*self.q.min(axis=0).tolist(), -math.inf],
            [*self.q.max(axis=0).tolist(), math.inf],
        ]

    @property
    def count(self) -> int:
        """Number of pieces."""
        return 2 * len(self.sizes) - 1

    def size(self, which: _Integers) -> FloatArray:
        """Return how large pieces (k,) are in the parameter."""
        line, is_blend = np.divmod(which, 2)
        cut = self.cuts[line + 1]
        size = np.where(is_blend, 2 * cut, self.sizes[line] - self.cuts[line] - cut)
        return size.clip(min=0.0)

    def at(self, which: _Integers) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return values where pieces (k,) begin, and first and second derivatives, (k, n + 1)."""
        line, is_blend = np.divmod(which, 2)
        slopes, after = self._slopes(line), self._slopes(line + is_blend)
        cut = self.cuts[line + 1]
        moved = np.where(is_blend, -cut, self.cuts[line])
        bends = (after - slopes) / np.where(is_blend, 2 * cut, 1.0)[..., None]
        return self._values(line + is_blend) + moved[..., None] * slopes, slopes, bends

    def _slopes(self, line: _Integers) -> FloatArray:
        moves = self._values(line + 1) - self._values(line)
        slopes: FloatArray = moves / self.sizes[line][..., None]
        return slopes

    def _values(self, pose: _Integers) -> FloatArray:
        return np.concatenate([self.q[pose], self.length[pose][..., None]], axis=-1)


@dataclass(frozen=True, eq=False)
class TimedPath:
    """Positions along a path by time, the arm at rest at both ends."""

    _pieces: _Pieces = field(repr=False)
    _begins: FloatArray = field(repr=False)  # (m + 1,) in s, of the pieces; last, the end.
    _rates: FloatArray = field(repr=False)  # (m + 1,) of the parameter there.
    _peaks: FloatArray = field(repr=False)  # (m,) the largest rates.
    _pulls: FloatArray = field(repr=False)  # (m,) by which the rates rise and fall.
    # Of some pieces, in plain numbers: an arm asks again and again for times next to each other.
    _plain: dict[int, tuple[list[float], list[tuple[float, ...]]]] = field(
        default_factory=dict, repr=False
    )

    @property
    def duration(self) -> float:
        """Duration of the whole path in s."""
        return float(self._begins[-1])

    @property
    def times(self) -> FloatArray:
        """(k,) in s, from 0, each later than the one before: between them pulls are constant."""
        rises = (self._peaks - self._rates[:-1]) / self._pulls
        falls = (self._peaks - self._rates[1:]) / self._pulls
        begins, ends = self._begins[:-1], self._begins[1:]
        times: FloatArray = np.unique([*self._begins, *(begins + rises), *(ends - falls)])
        return times

    def at(self, times: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return where the arm is at one or many times (j,) in s, clamped to both ends.

        Returns:
            (n,) or (j, n) positions in rad or m, (n,) or (j, n) velocities in rad/s or m/s, and how
            far along the path the tip is in m, one number or (j,).

        Raises:
            ArgumentError: a time is NaN.
        """
        asked = numbers('times', times)
        if np.isnan(asked).any():
            raise ArgumentError(f'times are {shown(times)}; none may be NaN')
        within = asked.clip(0.0, self.duration).ravel().tolist()
        states = [*map(self._state_at, within)]
        found = np.array(states).reshape(*asked.shape, 3, -1)
        return found[..., 0, :-1], found[..., 1, :-1], found[..., 0, -1]

    def motion_at(self, time: float) -> tuple[list[float], ...]:
        """Return (n,) positions, velocities and accelerations at a time in s, in plain numbers."""
        return tuple(row[:-1] for row in self._state_at(time))

    def _state_at(self, time: float) -> tuple[list[float], list[float], list[float]]:
        """Return values at a time, their velocities and accelerations, (n + 1,)."""
        k = min(int(self._begins.searchsorted(time, 'right')), self._pieces.count) - 1
        if (known := self._plain.get(k)) is None:
            row = *self._begins[k : k + 2], *self._rates[k : k + 2], self._peaks[k], self._pulls[k]
            piece = (each.tolist() for each in self._pieces.at(np.array(k)))
            known = [*map(float, row)], [*zip(*piece, *self._pieces.ends)]
            if len(self._plain) >= _MOST_PLAIN:
                self._plain.clear()
            self._plain[k] = known
        (begin, end, first, last, peak, pull), moves = known
        rise, fall = (peak - first) / pull, (peak - last) / pull
        # From the ends of a piece: a huge pull would magnify what a time since the start rounds.
        since, left = time - begin, end - time
        rising, falling = min(since, rise), max(fall - left, 0.0)
        along = rising * (first + 0.5 * pull * rising) + (since - rising - falling) * peak
        along += falling * (peak - 0.5 * pull * falling)
        rate = first + pull * (rising - falling)
        pull *= (since < rise) - 1.0 * (left <= fall)
        slopes = [slope + bend * along for _, slope, bend, _, _ in moves]
        pulls = [
            there * pull + bend * rate * rate for there, (_, _, bend, _, _) in zip(slopes, moves)
        ]
        q = [
            min(max(value + along * (slope + 0.5 * bend * along), lower), upper)
            for value, slope, bend, lower, upper in moves
        ]
        return q, [there * rate for there in slopes], pulls

    def curves(self) -> Iterator[tuple[FloatArray, FloatArray, FloatArray, FloatArray]]:
        """Yield its pieces, some at a time, on each of which positions are quadratic.

        Each is (k,) when they begin in s, and (k, n) where; by how much joints would move in each
        at the rate at its beginning, and by how much that changes.
        """
        for which in _chunks(self._pieces.count):
            sizes = self._pieces.size(which)[:, None]
            q, slopes, bends = (each[:, :-1] for each in self._pieces.at(which))
            yield self._begins[which], q, slopes * sizes, bends * sizes**2


def timed(path: Path, limits: ArrayLike, speed: float) -> TimedPath:
    """Say when the arm is where on a path, as soon as limits allow.

    The tip moves at the speed, or slower where joints or corners ask for it; at both ends the arm
    is at rest. Corners are rounded within the path's tolerance, but for the ends of the path.

    Example:
        >>> from ik2d_ros.kinematics import Chain, solve_path, timed
        >>> path = solve_path(Chain.from_lengths([0.30, 0.25]), [(0.4, 0.0), (0.4, 0.2)])
        >>> round(timed(path, [(2.0, 5.0)] * 2, speed=0.05).duration, 1)
        4.0

    Args:
        path: poses along a path, whole or not.
        limits: (n, 2) largest velocity and acceleration of each joint, in rad/s and rad/s^2, or m/s
            and m/s^2; infinity for none.
        speed: the largest of the tip in m/s.

    Raises:
        ArgumentError: an argument is not of its kind or out of its range, or the path has no moves.
    """
    if not isinstance(path, Path):
        raise ArgumentError(refusal('path', path, 'a Path'))
    fastest = finite(speed)
    if fastest is None or fastest < _SMALLEST:
        allowed = f'a number above 0, at least {_SMALLEST:g}, in m/s'
        raise ArgumentError(refusal('speed', speed, allowed))
    fastest = min(fastest, _LARGEST)
    if not len(path.q):
        raise ArgumentError(f'path has no poses: its first point is {path.status.name}')
    given = numbers('limits', limits)
    if given.shape != (path.q.shape[1], 2) or not (given >= _SMALLEST).all():
        raise ArgumentError(
            f'limits are {shown(limits)}; they must be ({path.q.shape[1]}, 2) numbers above 0, at '
            f'least {_SMALLEST:g}: velocity and acceleration of each joint, infinity for none'
        )
    velocities, accelerations = np.minimum(given, _LARGEST).T
    pieces, tips = _blended(path)
    squares, gains, pulls, peaks = (np.ones(pieces.count) for _ in range(4))
    between = np.zeros(pieces.count + 1)
    # Going slower leaves more acceleration, where that has limits, for getting faster.
    for margin in _MARGINS if (accelerations < _LARGEST).any() else _MARGINS[:1]:
        for which in _chunks(pieces.count):
            _, slopes, bends = (each[:, :-1] for each in pieces.at(which))
            size, (line, is_blend) = pieces.size(which), np.divmod(which, 2)
            steepest = np.maximum(np.abs(slopes), np.abs(slopes + size[:, None] * bends))
            bends = np.abs(bends)
            tip = np.maximum(tips[line], tips[line + is_blend])
            with np.errstate(divide='ignore', over='ignore'):  # to infinity: no limit
                most = [
                    ((velocities / steepest) ** 2).min(axis=1),
                    _FOR_BENDS * (accelerations / bends).min(axis=1),
                    (fastest / np.maximum(tip, _SLOWEST)) ** 2,
                    margin * peaks[which],
                ]
                squares[which] = square = np.min(most, axis=0)
                pull = (accelerations - bends * square[:, None]) / steepest
                pull = pull.min(axis=1, initial=_LARGEST)
            pulls[which], gains[which] = pull, 2 * pull * size
        _pass(squares, gains, between, peaks)
    return _run(pieces, pulls, between, peaks)


def _blended(path: Path) -> tuple[_Pieces, FloatArray]:
    """Return the pieces of a path, and (p - 1,) moves of the tip per parameter on its lines."""
    moves = np.linalg.norm(np.diff(path.q, axis=0), axis=1)
    steps = np.diff(path.length)
    if not (moves.any() or steps.any()):
        raise ArgumentError('path has no moves: all its poses are one')
    weight = steps.sum() / moves.sum() if steps.any() and moves.any() else 1.0
    sizes = np.hypot(steps, weight * moves)
    some = sizes > _NEGLIGIBLE * sizes.max()
    kept, sizes = np.append(True, some), sizes[some]
    tips = np.diff(path.points[kept], axis=0) / sizes[:, None]
    turns = np.linalg.norm(np.diff(tips, axis=0), axis=1)
    short = np.minimum(sizes[:-1], sizes[1:])
    aside = path.path_tolerance
    # Between poses the tip leaves the line by as much, which also turns it.
    halves = np.minimum(0.5 * short, 4 * aside / (turns + 8 * aside / short))
    cuts = np.concatenate([[0.0], halves, [0.0]])
    q, length = (path.q, path.length) if some.all() else (path.q[kept], path.length[kept])
    return _Pieces(q, length, sizes, cuts), np.linalg.norm(tips, axis=1)


def _chunks(count: int) -> Iterator[_Integers]:
    """Yield the numbers from 0 on, some at a time."""
    for begin in range(0, count, _CHUNK):
        yield np.arange(begin, min(begin + _CHUNK, count))


def _pass(squares: FloatArray, gains: FloatArray, between: FloatArray, peaks: FloatArray) -> None:
    """Find the squares of the rate between (m,) pieces, (m + 1,), and the largest on each."""
    np.minimum(squares[1:], squares[:-1], out=between[1:-1])
    _hold(between, gains)
    _hold(between[::-1], gains[::-1])
    first, last = between[:-1], between[1:]
    np.add(first, last, out=peaks)
    peaks += gains
    peaks *= 0.5
    np.minimum(peaks, squares, out=peaks)
    np.maximum(peaks, first, out=peaks)
    np.maximum(peaks, last, out=peaks)


def _hold(squares: FloatArray, gains: FloatArray) -> None:
    """Lower squares (m + 1,) until none is more than the one before and the gain (m,) between."""
    for begin in range(0, len(gains), _CHUNK):
        held, gain = squares[begin : begin + _CHUNK + 1], gains[begin : begin + _CHUNK]
        step = 1
        while step < len(held):
            lower = np.minimum(held[step:], held[:-step] + gain)
            if (lower == held[step:]).all():
                break
            held[step:] = lower
            gain = gain[:-step] + gain[step:]
            step *= 2


def _run(pieces: _Pieces, pulls: FloatArray, between: FloatArray, peaks: FloatArray) -> TimedPath:
    """Go along pieces: on each the rate rises, stays at its largest, and falls."""
    rates, fastest = np.sqrt(between, out=between), np.sqrt(peaks, out=peaks)
    begins = np.zeros(pieces.count + 1)
    for which in _chunks(pieces.count):
        peak, first, last = fastest[which], rates[which], rates[which + 1]
        even = pieces.size(which) - (peak**2 - 0.5 * (first**2 + last**2)) / pulls[which]
        begins[which + 1] = (2 * peak - first - last) / pulls[which] + np.maximum(even, 0) / peak
    return TimedPath(pieces, np.cumsum(begins, out=begins), rates, fastest, pulls)
