"""Starts: checked, and brought inside the limits."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot, isfinite, nan

import numpy as np

from ik2d_ros.kinematics.arguments import finite, listed, named, shown
from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.arrays import DOUBLE, FloatArray
from ik2d_ros.kinematics.bounds import LARGEST_POSITION
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.errors import ArgumentError
from ik2d_ros.kinematics.targets import Numbers


def clamped_start(chain: Chain | Arm, start: Numbers) -> list[float]:
    """Return the start (n,) in rad or m, inside the limits."""
    if type(start) is tuple and _is_inside(chain, start):
        return list(start)  # where an arm was told to be
    count = len(chain.limits)
    values: Sequence[object] | None
    if type(start) is np.ndarray and start.dtype is DOUBLE and start.shape == (count,):
        # The commonest start, stepping along a path, is checked in no time.
        numbers: list[float] = start.tolist()
        values = numbers
        if not chain.limited:
            if hypot(*numbers) <= LARGEST_POSITION:
                return numbers
        elif _is_inside(chain, numbers):
            return numbers
        elif not isfinite(sum(numbers)):
            numbers = [q if isfinite(q) else nan for q in numbers]
    else:
        values = listed(start, count)
        if values is None or len(values) != count:
            raise ArgumentError(
                f'start is {shown(start)}; it must be {count} positions in '
                f'{" or ".join(dict.fromkeys(chain.units))}, '
                f'one for each of {named(chain.names)}'
            )
        numbers = [v if type(v) is float and isfinite(v) else _or_nan(finite(v)) for v in values]
    if chain.limited:
        numbers = [
            q if lower <= q <= upper else min(max(q, lower), upper)
            for q, (lower, upper) in zip(numbers, chain.limits)
        ]
    if not hypot(*numbers) <= LARGEST_POSITION:
        _check_size(chain, numbers, values)
    return numbers


def _is_inside(chain: Chain | Arm, start: Sequence[float]) -> bool:
    """Whether these are positions inside the limits, as plain numbers."""
    limits = chain.limits
    if len(start) != len(limits):
        return False
    for q, (lower, upper) in zip(start, limits):
        if not (type(q) is float and lower <= q <= upper):
            return False
    return hypot(*start) <= LARGEST_POSITION


def _check_size(chain: Chain | Arm, numbers: Sequence[float], values: Sequence[object]) -> None:
    for name, unit, number, value in zip(chain.names, chain.units, numbers, values):
        if not isfinite(number):
            raise ArgumentError(
                f'start of joint {shown(name)} is {shown(value)}; it must be finite'
            )
        if abs(number) > LARGEST_POSITION:
            raise ArgumentError(
                f'start of joint {shown(name)} is {shown(value)}; it must be from '
                f'{-LARGEST_POSITION:.12g} to {LARGEST_POSITION:.12g} {unit}'
            )


def _or_nan(number: float | None) -> float:
    return nan if number is None else number


def clamped_starts(chain: Chain | Arm, given: FloatArray | None, count: int) -> FloatArray:
    """Return (count, n) positions in rad or m, inside the limits."""
    if given is None:
        return np.broadcast_to(chain.middle, (count, len(chain)))
    shapes = ((len(chain),), (count, len(chain)))
    if given.shape not in shapes:
        raise ArgumentError(f'start has shape {given.shape}; it must be {shapes[0]} or {shapes[1]}')
    clamped = np.clip(given, chain.lower, chain.upper)
    chain.check_positions('start', np.where(np.isfinite(given), clamped, given))
    return np.broadcast_to(clamped, shapes[1])


def columns_of(chain: Chain, starts: FloatArray) -> FloatArray:
    """Return the bends (n, m) of starts (m, n), those of a joint together in memory.

    Of the same start for all they are one column, broadcast: not to be changed.
    """
    if len(starts) and not starts.strides[0]:
        bends = chain.bends_many(starts[:1])
        return np.broadcast_to(bends.T, starts.T.shape)
    return np.ascontiguousarray(chain.bends_many(starts).T)
