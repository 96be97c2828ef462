"""What `solve` and `solve_batch` are asked, apart from targets and starts: checked once."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeGuard, cast

import numpy as np

from ik2d_ros.kinematics.arguments import finite, numbers, shown, text, whole
from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.kinematics.bounds import MOST_PASSES
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.errors import ArgumentError

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
