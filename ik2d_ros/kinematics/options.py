"""What `solve` and `solve_batch` are asked, apart from targets and starts: checked once."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeGuard, cast

from ik2d_ros.kinematics.arguments import finite, shown, text, whole
from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.errors import ArgumentError

SOLVERS = ('auto', 'two_bone', 'ccd', 'hybrid')
BENDS = ('nearest', 'positive', 'negative')

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
    return method, side, distance, count
