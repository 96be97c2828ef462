"""What `solve` and `solve_batch` are asked: targets, starts and options, checked once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TypeGuard, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ik2d_ros.kinematics.arguments import (
    check_positions,
    finite,
    listed,
    named,
    numbers,
    shown,
    text,
    whole,
)
from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.kinematics.bounds import LARGEST_POSITION, MOST_PASSES
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.errors import ArgumentError
from ik2d_ros.kinematics.plane import Vector

Numbers = Sequence[float] | NDArray[np.float64]

SOLVERS = ('auto', 'two_bone', 'ccd', 'hybrid')
BENDS = ('nearest', 'positive', 'negative')

_FOR_ANGLE = 3  # Joints that a point and an angle take.

# A plain tuple: it is made and unpacked in a fraction of the time of a named one. The arguments
# that do not depend on the target: solver, bend, tolerance and max_iterations.
_Options = tuple[str, str, float, int]


def is_arm(chain: object) -> TypeGuard[Arm]:
    """Whether it is an arm in space."""
    # What an object says that it is (`__class__`), it need not be.
    return issubclass(type(chain), Arm)


def check_chain(chain: object) -> Chain:
    """Check that it is a chain, and return it.

    Raises:
        ArgumentError: it is something else.
    """
    if issubclass(type(chain), Chain):
        return cast(Chain, chain)
    raise ArgumentError(f'chain is {shown(chain)}; it must be a Chain or an Arm')


def check_options(
    joints: int, solver: str, bend: str, tolerance: float, max_iterations: int
) -> _Options:
    """Check what does not depend on the target.

    Returns:
        ``solver``, which is never ``auto``, ``bend``, ``tolerance`` and ``max_iterations`` in the
        plain types.

    Raises:
        ArgumentError: an option is not of its kind or out of its range.
    """
    try:
        return _checked_options(joints, solver, bend, tolerance, max_iterations)
    except ArgumentError:
        raise
    except Exception:  # what cannot be hashed or compared, such as a list
        return _checked_options.__wrapped__(joints, solver, bend, tolerance, max_iterations)


@lru_cache(maxsize=256, typed=True)
def _checked_options(
    joints: int, solver: str, bend: str, tolerance: float, max_iterations: int
) -> _Options:
    method, side = text(solver), text(bend)
    if method not in SOLVERS:
        raise ArgumentError(f'solver is {shown(solver)}; it must be one of {", ".join(SOLVERS)}')
    if method == 'two_bone' and joints != 2:
        raise ArgumentError(f"solver 'two_bone' needs exactly 2 joints; this chain has {joints}")
    if side not in BENDS:
        raise ArgumentError(f'bend is {shown(bend)}; it must be one of {", ".join(BENDS)}')
    distance = finite(tolerance)
    if distance is None or distance <= 0.0:
        raise ArgumentError(f'tolerance is {shown(tolerance)}; it must be a number above 0, in m')
    count = whole(max_iterations)
    if count is None:
        raise ArgumentError(f'max_iterations is {shown(max_iterations)}; it must be a whole number')
    if count < 1:
        raise ArgumentError(f'max_iterations is {shown(max_iterations)}; it must be 1 or more')
    if method == 'auto':
        method = 'two_bone' if joints == 2 else 'hybrid'
    return method, side, distance, min(count, MOST_PASSES)


def check_angle(chain: Chain, angle: object, angle_tolerance: object) -> tuple[float | None, float]:
    """Check the angle that is asked for, or None.

    Returns:
        Both in rad.

    Raises:
        ArgumentError: one is not of its kind or out of its range, or the chain has too few joints.
    """
    allowed = finite(angle_tolerance)
    if allowed is None or allowed <= 0.0:
        raise ArgumentError(
            f'angle_tolerance is {shown(angle_tolerance)}; it must be a number above 0, in rad'
        )
    if angle is None:
        return None, allowed
    _check_joints_for_angle(chain)
    asked = finite(angle)
    if asked is None:
        raise ArgumentError(
            f'angle is {shown(angle)}; it must be a finite number in rad, or None for any'
        )
    return asked, allowed


def check_angles(
    chain: Chain, angles: object, angle_tolerance: object, count: int
) -> tuple[FloatArray, float]:
    """Check the angles that are asked for, one for all targets or one for each.

    Returns:
        (count,) angles and the tolerance, in rad.

    Raises:
        ArgumentError: one is not of its kind or out of its range, or the chain has too few joints.
    """
    _, allowed = check_angle(chain, None, angle_tolerance)
    _check_joints_for_angle(chain)
    given = numbers('angle', angles)
    if given.shape not in ((), (count,)):
        raise ArgumentError(f'angle has shape {given.shape}; it must be one number or ({count},)')
    if not np.isfinite(given).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(given))[0])
        at = f'angle{list(where)}' if where else 'angle'
        raise ArgumentError(f'{at} is {given[where]}; it must be finite, in rad')
    return np.broadcast_to(given, (count,)), allowed


def _check_joints_for_angle(chain: Chain) -> None:
    if len(chain) < _FOR_ANGLE:
        raise ArgumentError(f'angle needs {_FOR_ANGLE} joints or more; this chain has {len(chain)}')


def point_of(target: Numbers) -> tuple[float, float]:
    """Return x and y in m of the target of a chain.

    Raises:
        ArgumentError: it is something else.
    """
    items = listed(target, 2)
    if items is None or len(items) != 2:
        raise ArgumentError(f'target is {shown(target)}; it must be two numbers, (x, y) in m')
    x, y = map(finite, items)
    if x is None or y is None:
        words = ', '.join(map(shown, items))
        raise ArgumentError(f'target is ({words}); it must be two finite numbers, in m')
    return x, y


def space_point_of(target: Numbers) -> Vector:
    """Return x, y and z in m of the target of an arm.

    Raises:
        ArgumentError: it is something else.
    """
    items = listed(target, 3)
    if items is None or len(items) != 3:
        raise ArgumentError(
            f'target is {shown(target)}; for an arm it must be three numbers, (x, y, z) in m'
        )
    x, y, z = map(finite, items)
    if x is None or y is None or z is None:
        words = ', '.join(map(shown, items))
        raise ArgumentError(f'target is ({words}); it must be three finite numbers, in m')
    return x, y, z


def points_of(targets: ArrayLike, dimensions: int, what: str = 'targets') -> FloatArray:
    """Return points (m, dimensions) in m, finite or not; a message calls them ``what``.

    Raises:
        ArgumentError: they are something else.
    """
    points = numbers(what, targets)
    if not points.size:
        points = points.reshape(0, dimensions)
    if points.ndim != 2 or points.shape[1] != dimensions:
        raise ArgumentError(f'{what} have shape {points.shape}; it must be (m, {dimensions}), in m')
    return points


def check_finite(points: FloatArray, what: str = 'targets') -> None:
    """Check that all numbers are finite.

    Raises:
        ArgumentError: one is not; the message says where.
    """
    if not np.isfinite(points).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(points))[0])
        raise ArgumentError(f'{what}{list(where)} is {points[where]}; all must be finite')


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
