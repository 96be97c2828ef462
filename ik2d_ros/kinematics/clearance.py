r"""Whether motions keep an arm on this side of its walls, judged by samples.

Between two samples that are a time :math:`T` apart, a clearance is less than on the chord by at
most the chord error, :math:`C T^2 / 8`. No second derivative of a clearance is larger than

.. math:: C = \sum_j L_j A_j + c\,\Omega V

if joint j has the Lipschitz constant :math:`L_j` and the acceleration :math:`A_j`, no link turns
faster than :math:`\Omega` and no point moves faster than :math:`V`; :math:`c` is 2 where joints
slide, else 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from operator import mul, sub
from typing import Any, NamedTuple

import numpy as np

from ik2d_ros.kinematics.arguments import FloatArray
from ik2d_ros.kinematics.arm import Arm

BETWEEN_COMMANDS = 1e-4
"""In m, and in reaches: how far the arm may be across a wall between two commands."""

PLANNED = 1e-7  # The same in reaches between two samples of a motion that is planned,
COMMANDED = 5e-10  # and of one whose commands are not looked at again.
_PARTS = 8  # Into which a move next to a wall is divided, again and again.
_AT_ONCE = 256  # Moves; other threads get their turn between.


def minimum_clearances(arm: Arm, clearances: Sequence[float]) -> list[float]:
    """Return the least clearances in m of motions from some: what is across comes no further."""
    return [min(-arm.clearance_tolerance, clearance) for clearance in clearances]


def curvature(arm: Arm, speeds: Sequence[Any], accelerations: Sequence[Any]) -> Any:
    """Return a bound of the second derivatives of clearances in m/s^2.

    Speeds and accelerations are the largest of the joints, (m,), or arrays of many in place of
    each.
    """
    turning = sum(v for v, unit in zip(speeds, arm.units) if unit == 'rad')
    share = 2.0 if 'm' in arm.units else 1.0
    fastest = sum(map(mul, arm.lipschitz_constants, speeds))
    return sum(map(mul, arm.lipschitz_constants, accelerations)) + share * turning * fastest


def collisions(
    arm: Arm,
    begins: FloatArray,
    moves: FloatArray,
    bends: FloatArray | None = None,
    tolerance: float = PLANNED,
    is_located: bool = True,
) -> tuple[FloatArray, FloatArray]:
    """Return where moves meet walls, as far as samples show.

    What is across where the first begins may stay so, but comes no further.

    Args:
        arm: the arm, with walls.
        begins: (k, m) positions at the beginning of each move.
        moves: (k, m) by how much joints would move in each at the speed of its beginning.
        bends: (k, m) the changes of that speed; None if it is even.
        tolerance: how far in reaches it may be across between two samples.
        is_located: whether to find where moves meet walls, not only which: their shares are finite.

    Returns:
        (k,) shares of each move up to which it keeps off, and (k,) at which it is across; infinity
        where it keeps off to its end.
    """
    bends = np.zeros_like(moves) if bends is None else bends
    least = np.array(minimum_clearances(arm, arm.clearances(begins[0].tolist())))
    clear, across = np.full((2, len(begins)), math.inf)
    count, every = len(begins), (begins, moves, bends)
    for k in range(0, count, _AT_ONCE):
        begins, moves, bends = (each[k : k + _AT_ONCE] for each in every)
        numbers, width = np.arange(k, min(k + _AT_ONCE, count)), 1.0
        shares: FloatArray = np.zeros(len(numbers))
        while True:
            ends = np.concatenate([begins, begins + moves + 0.5 * bends])
            gaps = (np.array(arm.clearances([*ends.T])).T - least).min(axis=-1).reshape(2, -1)
            speeds = np.maximum(np.abs(moves), np.abs(moves + bends))
            errors = 0.125 * curvature(arm, [*speeds.T], [*np.abs(bends).T])
            lowest = gaps.min(axis=0)
            if len(hits := np.flatnonzero(lowest < 0.0)):
                hits = hits[np.unique(numbers[hits], return_index=True)[1]]
                clear[numbers[hits]] = shares[hits] if is_located else 0.0
                across[numbers[hits]] = shares[hits] + width * (gaps[0, hits] >= 0.0)
            near = (lowest < errors) & (errors > tolerance * arm.size) & (shares < clear[numbers])
            if not near.any():
                break
            # What is near is looked at again in parts.
            parts = np.tile(np.arange(_PARTS) / _PARTS, np.count_nonzero(near))[:, None]
            begins, moves, bends = (
                np.repeat(each[near], _PARTS, axis=0) for each in (begins, moves, bends)
            )
            begins, moves = begins + parts * (moves + 0.5 * parts * bends), moves + parts * bends
            moves, bends, width = moves / _PARTS, bends / _PARTS**2, width / _PARTS
            numbers = np.repeat(numbers[near], _PARTS)
            shares = np.repeat(shares[near], _PARTS) + parts[:, 0] * width * _PARTS
    return clear, across


def keeps_off(arm: Arm, poses: FloatArray | Sequence[Sequence[float] | FloatArray]) -> bool:
    """Return whether an arm with walls keeps off if joints move evenly from each pose to the next.

    Args:
        arm: the arm.
        poses: (k, m).
    """
    rows = np.array(poses, float)
    _, across = collisions(arm, rows[:-1], np.diff(rows, axis=0), is_located=False)
    return bool(np.isinf(across).all())


class Stop(NamedTuple):
    """The way to a stop.

    Attributes:
        positions: returns (m,) positions at a time in s.
        duration: in s.
        travels: (m,) how far each joint goes, to and fro.
        fastest: returns the largest velocity and acceleration of each joint.
    """

    positions: Callable[[float], Sequence[float]]
    duration: float
    travels: Sequence[float]
    fastest: Callable[[], tuple[Sequence[float], Sequence[float]]]


class StopCheck(NamedTuple):
    """Whether an arm can stop on this side of its walls: what is across only comes back.

    ``least`` are the (c,) least clearances in m that it may have; ``was_clear`` if none was across.
    """

    arm: Arm
    least: Sequence[float]
    was_clear: bool

    @classmethod
    def at(cls, arm: Arm, positions: Sequence[float]) -> StopCheck:
        """Return the check of an arm at (m,) positions, wherever that is."""
        least = minimum_clearances(arm, arm.clearances(positions))
        return cls(arm, least, min(least, default=0.0) >= -arm.clearance_tolerance)

    def after(self, positions: Sequence[float]) -> StopCheck:
        """Return the check once what was across has come back to (m,) positions."""
        if self.was_clear:
            return self
        here = StopCheck.at(self.arm, positions)
        return here._replace(least=[*map(max, self.least, here.least)])

    def gap(self, positions: Sequence[float]) -> float:
        """Return how much the smallest clearance at (m,) positions is above the least, in m."""
        return min(map(sub, self.arm.clearances(positions), self.least), default=math.inf)

    def collision(
        self,
        before: Sequence[float] | None,
        here: Sequence[float],
        stop: Stop | None,
        step: float,
    ) -> Sequence[float] | None:
        """Return positions across a wall from one command to a stop; None if that keeps off.

        The commands before, or None, and here are (m,), a step in s apart; the stop begins here, or
        is None if the arm is at rest.
        """
        gap = self.gap(here)
        if gap < 0.0:
            return here
        if before is not None and (across := self.between(before, here, gap)):
            return across
        if stop is None or not self.least:
            return None
        travel = sum(map(mul, self.arm.lipschitz_constants, stop.travels))
        if gap >= travel:
            return None
        end = stop.positions(stop.duration)
        if gap + (far := self.gap(end)) >= travel:
            return None
        error = 0.125 * curvature(self.arm, *stop.fastest()) * step * step
        count = 1 << max(0, math.ceil(math.log2(stop.duration / step)))  # steps
        spans = [((0, here, gap), (count, end, far))]
        while spans:
            first, last = spans.pop()
            gap, steps = min(first[2], last[2]), last[0] - first[0]
            if gap < 0.0:
                return first[1] if first[2] < 0.0 else last[1]
            if gap >= error * steps * steps:
                continue
            if steps == 1:
                if across := self.between(first[1], last[1], gap):
                    return across
                continue
            number = first[0] + steps // 2
            positions = stop.positions(number * step)
            middle = number, positions, self.gap(positions)
            spans += [(middle, last), (first, middle)]
        return None

    def between(
        self, before: Sequence[float], after: Sequence[float], gap: float = 0.0
    ) -> Sequence[float] | None:
        """Return positions too far across a wall as joints move evenly to the next command.

        None if there are none; the gap is that of one or both of the commands, or less.
        """
        arm, sizes = self.arm, [*map(abs, map(sub, after, before))]
        if gap >= sum(map(mul, arm.lipschitz_constants, sizes)):
            return None
        error = 0.125 * curvature(arm, sizes, [0.0] * len(sizes))
        most = BETWEEN_COMMANDS * min(1.0, arm.size)
        if error <= most or min(gap, self.gap(before)) >= error:
            return None
        count = math.ceil(math.sqrt(error / most))
        for k in range(1, count):
            positions = [q + k / count * (p - q) for q, p in zip(before, after)]
            if self.gap(positions) < 0.0:
                return positions
        return None
