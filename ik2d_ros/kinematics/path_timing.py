"""When an arm is where on a path: as fast as its limits allow, the tip no faster than asked for.

Between two poses all joints move evenly; at each pose their directions would change at once. So
there they are blended: about each pose the directions change evenly, over as much of the path to
either side as leaves the tip within the tolerance. On every piece, straight or blended, positions
are then quadratic in a parameter, and limits of velocity and acceleration bound the square of its
rate, and how fast that may change. Two passes, one from either end, find the largest squares, as in
J. Bobrow, S. Dubowsky and J. Gibson, *Time-Optimal Control of Robotic Manipulators Along Specified
Paths*, 1985.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ik2d_ros.kinematics.arguments import ArgumentError, finite, numbers, shown
from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.kinematics.path import Path

_FOR_BENDS = 0.9  # Share of an acceleration that a blend may take at its fastest.
_MARGINS = (4.0, 2.0, 1.5, 1.2, 1.1, 1.0)  # Of squared rates, for each try.
_SLOWEST = 1e-3  # Share of the parameter's rate below which the tip is at rest.
_LARGEST = 1e12  # Stands for no limit of speed, velocity or acceleration.
_SMALLEST = 1e-9  # Smallest limit: the square of a smaller one may underflow.


class _Pieces(NamedTuple):
    """Pieces of a path, along which what moves is quadratic in a parameter.

    Attributes:
        sizes: (m,) of the pieces in the parameter.
        values: (m, n + 1) positions and length where they begin.
        slopes: (m, n + 1) their derivatives there.
        bends: (m, n + 1) their second derivatives.
        tip: (m,) how far the tip moves per parameter, at the most.
    """

    sizes: FloatArray
    values: FloatArray
    slopes: FloatArray
    bends: FloatArray
    tip: FloatArray


@dataclass(frozen=True, eq=False)
class TimedPath:
    """Positions along a path by time, the arm at rest at both ends.

    Attributes:
        times: (k,) in s, from 0; each later than the one before.
        q: (k, n) positions in rad or m then.
        velocities: (k, n) in rad/s or m/s then.
        accelerations: (k, n) in rad/s^2 or m/s^2 from then on.
        length: (k,) how far along the path the tip is then, in m.
        duration: of all in s.
    """

    times: FloatArray
    q: FloatArray = field(init=False)
    velocities: FloatArray = field(init=False)
    accelerations: FloatArray = field(init=False)
    length: FloatArray = field(init=False)
    _pieces: _Pieces = field(repr=False)
    _rates: FloatArray = field(repr=False)  # (k,) of the parameter,
    _pulls: FloatArray = field(repr=False)  # and their derivatives by time.

    def __post_init__(self) -> None:
        values, rates, pulls = self._at(self.times)
        for name, array in (
            ('q', values[:, :-1]),
            ('velocities', rates[:, :-1]),
            ('accelerations', pulls[:, :-1]),
            ('length', values[:, -1]),
        ):
            object.__setattr__(self, name, array)

    @property
    def duration(self) -> float:
        """Duration of the whole path in s."""
        return float(self.times[-1])

    def at(self, times: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return where the arm is at a time, or at many.

        Args:
            times: one or (j,) in s; before 0 the arm is at the beginning, after all at the end.

        Returns:
            (n,) or (j, n) positions in rad or m, (n,) or (j, n) velocities in rad/s or m/s, and how
            far along the path the tip is in m, one number or (j,).

        Raises:
            ArgumentError: a time is NaN.
        """
        asked = numbers('times', times)
        if np.isnan(asked).any():
            raise ArgumentError(f'times are {shown(times)}; none may be NaN')
        values, rates, _ = self._at(np.clip(asked, 0.0, self.duration))
        return values[..., :-1], rates[..., :-1], values[..., -1]

    def _at(self, times: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return what moves at some times, its velocities, and its accelerations from then on."""
        pieces = self._pieces
        k = np.clip(np.searchsorted(self.times, times, 'right') - 1, 0, len(self._rates) - 1)
        since = (times - self.times[k])[..., None]
        pull = self._pulls[k][..., None]
        rate = self._rates[k][..., None] + pull * since
        along = since * (self._rates[k][..., None] + 0.5 * pull * since)
        slope = pieces.slopes[k] + pieces.bends[k] * along
        values = pieces.values[k] + along * (pieces.slopes[k] + 0.5 * pieces.bends[k] * along)
        return values, slope * rate, slope * pull + pieces.bends[k] * rate * rate


def timed(path: Path, limits: ArrayLike, speed: float) -> TimedPath:
    """Say when the arm is where on a path, as soon as limits allow.

    The tip moves at the speed, or slower where joints or corners ask for it; at both ends the arm
    is at rest. Corners are rounded: the tip is no farther than the path's tolerance from the lines,
    but need not come to their ends.

    Args:
        path: poses along a path, whole or not.
        limits: (n, 2) largest velocity and acceleration of each joint, in rad/s and rad/s^2, or m/s
            and m/s^2; infinity for none.
        speed: the largest of the tip in m/s.

    Raises:
        ArgumentError: an argument is not of its kind or out of its range, or the path has no moves.
    """
    if not isinstance(path, Path):
        raise ArgumentError(f'path is {shown(path)}; it must be a Path')
    fastest = finite(speed)
    if fastest is None or fastest < _SMALLEST:
        raise ArgumentError(
            f'speed is {shown(speed)}; it must be a number above 0, at least {_SMALLEST:g}, in m/s'
        )
    fastest = min(fastest, _LARGEST)
    if not len(path.q):
        raise ArgumentError(f'path has no poses: its first point is {path.status.name}')
    velocities, accelerations = _checked_limits(limits, path.q.shape[1])
    pieces = _blended(path)
    steepest = np.maximum(
        np.abs(pieces.slopes), np.abs(pieces.slopes + pieces.sizes[:, None] * pieces.bends)
    )[:, :-1]
    bends = np.abs(pieces.bends[:, :-1])
    with np.errstate(divide='ignore', invalid='ignore'):
        most = np.minimum(
            np.nanmin((velocities / steepest) ** 2, axis=1),
            _FOR_BENDS * np.nanmin(accelerations / bends, axis=1),
        )
        most = np.minimum(most, (fastest / np.maximum(pieces.tip, _SLOWEST)) ** 2)
        squares = most
        # Going slower leaves more acceleration for getting faster.
        for margin in _MARGINS:
            pulls = np.nanmin((accelerations - bends * squares[:, None]) / steepest, axis=1)
            passed = _passed(pieces.sizes, squares, pulls)
            squares = np.minimum(most, margin * passed[1])
    return _run(pieces, pulls, *passed)


def _checked_limits(limits: ArrayLike, joints: int) -> tuple[FloatArray, FloatArray]:
    given = numbers('limits', limits)
    if given.shape != (joints, 2) or not (given >= _SMALLEST).all():
        raise ArgumentError(
            f'limits are {shown(limits)}; they must be ({joints}, 2) numbers above 0, at '
            f'least {_SMALLEST:g}: velocity and acceleration of each joint, infinity for none'
        )
    velocities, accelerations = np.minimum(given, _LARGEST).T
    return velocities, accelerations


def _blended(path: Path) -> _Pieces:
    """Return the pieces of a path: lines between poses, and blends about them."""
    moves = np.linalg.norm(np.diff(path.q, axis=0), axis=1)
    steps = np.diff(path.length)
    kept = np.append(True, (moves > 0.0) | (steps > 0.0))
    values = np.column_stack([path.q, path.length])[kept]
    points, moves, steps = path.points[kept], moves[kept[1:]], steps[kept[1:]]
    if not len(steps):
        raise ArgumentError('path has no moves: all its poses are one')
    weight = steps.sum() / moves.sum() if steps.any() and moves.any() else 1.0
    sizes = np.hypot(steps, weight * moves)
    slopes = np.diff(values, axis=0) / sizes[:, None]
    tips = np.diff(points, axis=0) / sizes[:, None]
    turns = np.linalg.norm(np.diff(tips, axis=0), axis=1)
    short = np.minimum(sizes[:-1], sizes[1:])
    aside = path.path_tolerance
    # Between poses the tip is beside the line by as much: that turns it, too.
    halves = np.minimum(0.5 * short, 4 * aside / (turns + 8 * aside / short))
    before, after = np.append(0.0, halves), np.append(halves, 0.0)
    count = 2 * len(sizes) - 1
    rows = (count, values.shape[1])
    every = _Pieces(
        np.empty(count), np.empty(rows), np.empty(rows), np.zeros(rows), np.empty(count)
    )
    every.sizes[::2], every.sizes[1::2] = sizes - before - after, 2 * halves
    every.slopes[::2], every.slopes[1::2] = slopes, slopes[:-1]
    every.values[::2] = values[:-1] + before[:, None] * slopes
    every.values[1::2] = values[1:-1] - halves[:, None] * slopes[:-1]
    every.bends[1::2] = np.diff(slopes, axis=0) / (2 * halves)[:, None]
    every.tip[::2] = np.linalg.norm(tips, axis=1)
    every.tip[1::2] = np.maximum(every.tip[:-1:2], every.tip[2::2])
    some = every.sizes > 1e-12 * sizes.max()
    return _Pieces(*(column[some] for column in every))


def _passed(
    sizes: FloatArray, most: FloatArray, pulls: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the squares of the rate where each piece begins, at its fastest, and where it ends."""
    gains = (2 * pulls * sizes).tolist()
    between = np.concatenate([[0.0], np.minimum(most[1:], most[:-1]), [0.0]]).tolist()
    for k, gain in enumerate(gains):
        between[k + 1] = min(between[k + 1], between[k] + gain)
    for k in range(len(gains) - 1, -1, -1):
        between[k] = min(between[k], between[k + 1] + gains[k])
    first, last = np.array(between[:-1]), np.array(between[1:])
    peak = np.minimum(most, 0.5 * (first + last) + pulls * sizes)
    return first, np.maximum(peak, np.maximum(first, last)), last


def _run(
    pieces: _Pieces, pulls: FloatArray, first: FloatArray, peak: FloatArray, last: FloatArray
) -> TimedPath:
    """Go along pieces: on each the rate rises, stays at its largest, and falls."""
    rise, fall = (peak - first) / (2 * pulls), (peak - last) / (2 * pulls)
    # Three parts of each piece.
    parts = np.stack([rise, np.maximum(pieces.sizes - rise - fall, 0.0), fall], axis=1).ravel()
    rates = np.sqrt(np.stack([first, peak, peak], axis=1)).ravel()
    ends = np.sqrt(np.stack([peak, peak, last], axis=1).ravel())
    offsets = np.stack([np.zeros_like(rise), rise, pieces.sizes - fall], axis=1).ravel()
    signed = np.stack([pulls, np.zeros_like(pulls), -pulls], axis=1).ravel()
    some = parts > 1e-12 * np.repeat(pieces.sizes, 3)
    which = np.repeat(np.arange(len(pieces.sizes)), 3)[some]
    along = offsets[some][:, None]
    slopes, bends = pieces.slopes[which], pieces.bends[which]
    values = pieces.values[which] + along * (slopes + 0.5 * bends * along)
    durations = 2 * parts[some] / (rates[some] + ends[some])
    moved = _Pieces(parts[some], values, slopes + bends * along, bends, pieces.tip[which])
    times = np.append(0.0, np.cumsum(durations))
    lasting = np.diff(times) > 0.0
    times = np.append(times[:-1][lasting], times[-1])
    moved = _Pieces(*(column[lasting] for column in moved))
    return TimedPath(times, moved, rates[some][lasting], signed[some][lasting])
