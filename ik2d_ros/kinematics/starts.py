"""Starts: checked, and brought inside the limits."""

from __future__ import annotations

import numpy as np

from ik2d_ros.kinematics.arguments import check_positions, finite, listed, named, shown
from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.kinematics.bounds import LARGEST_POSITION
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.errors import ArgumentError
from ik2d_ros.kinematics.targets import Numbers


def clamped_start(chain: Chain | Arm, start: Numbers) -> list[float]:
    """Return the start (n,) in rad or m, inside the limits.

    Raises:
        ArgumentError: it is something else; the message names the joint.
    """
    values = listed(start, len(chain))
    if values is None or len(values) != len(chain):
        raise ArgumentError(
            f'start is {shown(start)}; it must be {len(chain)} positions in '
            f'{" or ".join(dict.fromkeys(chain.units))}, one for each of {named(chain.names)}'
        )
    clamped = []
    for k, (value, (lower, upper)) in enumerate(zip(values, chain.limits)):
        number = finite(value)
        if number is None:
            raise ArgumentError(
                f'start of joint {shown(chain.names[k])} is {shown(value)}; it must be finite'
            )
        position = min(max(number, lower), upper)
        if abs(position) > LARGEST_POSITION:
            raise ArgumentError(
                f'start of joint {shown(chain.names[k])} is {shown(value)}; it must be from '
                f'{-LARGEST_POSITION:.12g} to {LARGEST_POSITION:.12g} {chain.units[k]}'
            )
        clamped.append(position)
    return chain.settled(clamped) if chain.bent else clamped


def clamped_starts(chain: Chain | Arm, given: FloatArray | None, count: int) -> FloatArray:
    """Return (count, n) positions in rad or m, inside the limits.

    Raises:
        ArgumentError: they are something else; the message says where.
    """
    if given is None:
        return np.broadcast_to(chain.middle, (count, len(chain)))
    shapes = ((len(chain),), (count, len(chain)))
    if given.shape not in shapes:
        raise ArgumentError(f'start has shape {given.shape}; it must be {shapes[0]} or {shapes[1]}')
    clamped = np.clip(given, chain.lower, chain.upper)
    finite_or_given = np.where(np.isfinite(given), clamped, given)
    check_positions('start', finite_or_given, chain.names, chain.units)
    if chain.bent:
        rows = clamped.reshape(-1, len(chain)).tolist()
        clamped = np.array([chain.settled(row) for row in rows]).reshape(clamped.shape)
    return np.broadcast_to(clamped, shapes[1])
