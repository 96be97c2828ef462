"""Targets, starts and options of solvers and paths, checked once."""

from __future__ import annotations

from functools import lru_cache
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ik2d_ros.kinematics.arguments import (
    LARGEST_POSITION,
    MOST_PASSES,
    ArgumentError,
    FloatArray,
    Numbers,
    finite,
    finite_row,
    listed,
    named,
    numbers,
    refusal,
    shown,
    span,
    text,
    warn_of,
)
from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.kernel.codes import METHODS

SOLVERS = ('auto', 'two_bone', 'ccd', 'hybrid')
BENDS = ('nearest', 'positive', 'negative')
BENDING = ('auto', 'two_bone')  # The solvers that bend two joints to a side.

NO_ANGLE = inf  # Any tip angle will do.

_FOR_ANGLE = 3  # Joints that a point and an angle take.
_COORDINATES = {2: 'two numbers, (x, y)', 3: 'three numbers for an arm, (x, y, z)'}


class Options(NamedTuple):
    """Checked options; the codes are method, side to bend to and most passes of the kernel."""

    solver: str
    tolerance: float
    codes: tuple[int, int, int]


def flat_chain(arm: object) -> Chain:
    """Return the chain that moves in the plane: an arm's, or the chain itself."""
    if isinstance(arm, Arm):
        return arm.chain
    if isinstance(arm, Chain):
        return arm
    raise ArgumentError(refusal('chain', arm, 'a Chain or an Arm'))


def check_options(
    joints: int, solver: str, bend: str, tolerance: float, max_iterations: int
) -> Options:
    """Check what does not depend on the target."""
    try:
        return _checked_options(joints, solver, bend, tolerance, max_iterations)
    except TypeError:  # what cannot be hashed, such as a list
        return _checked_options.__wrapped__(joints, solver, bend, tolerance, max_iterations)


@lru_cache(maxsize=256, typed=True)
def _checked_options(
    joints: int, solver: str, bend: str, tolerance: float, max_iterations: int
) -> Options:
    method, way = text(solver), text(bend)
    if method not in SOLVERS:
        raise ArgumentError(refusal('solver', solver, f'one of {", ".join(SOLVERS)}'))
    if method == 'two_bone' and joints != 2:
        raise ArgumentError(f"solver 'two_bone' needs exactly 2 joints; this chain has {joints}")
    if way not in BENDS:
        raise ArgumentError(refusal('bend', bend, f'one of {", ".join(BENDS)}'))
    distance = check_tolerance('tolerance', tolerance, 'm')
    count = finite(max_iterations)
    if count is None or count < 1 or count % 1:
        allowed = 'a whole number, 1 or more'
        raise ArgumentError(refusal('max_iterations', max_iterations, allowed))
    if method == 'auto':
        method = 'two_bone' if joints == 2 else 'hybrid'
    side = (0, 1, -1)[BENDS.index(way)] if method in BENDING else 0
    return Options(method, distance, (METHODS[method], side, int(min(count, MOST_PASSES))))


def check_tolerance(name: str, value: object, unit: str) -> float:
    """Return a tolerance: a number above 0."""
    number = finite(value)
    if number is None or number <= 0.0:
        raise ArgumentError(refusal(name, value, f'a number above 0, in {unit}'))
    return number


def check_angle(chain: Chain, angle: object, angle_tolerance: object) -> tuple[float, float]:
    """Return the requested tip angle, ``NO_ANGLE`` for None, and its tolerance, in rad."""
    allowed = check_tolerance('angle_tolerance', angle_tolerance, 'rad')
    if angle is None:
        return NO_ANGLE, allowed
    if words := angle_refusal(chain):
        raise ArgumentError(words)
    asked = finite(angle)
    if asked is None:
        raise ArgumentError(refusal('angle', angle, 'a finite number in rad, or None for any'))
    warn_of('angle', asked, 'rad')
    return asked, allowed


def angle_refusal(chain: Chain) -> str:
    """Return why a chain cannot reach points at a tip angle; empty if it can."""
    words = f'a tip angle needs {_FOR_ANGLE} joints or more; this chain has {len(chain)}'
    return words if len(chain) < _FOR_ANGLE else ''


def check_angles(
    chain: Chain, angles: object, angle_tolerance: object, count: int
) -> tuple[FloatArray, float]:
    """Return (count,) angles, none for None, and their tolerance, in rad."""
    _, allowed = check_angle(chain, None if angles is None else 0.0, angle_tolerance)
    if angles is None:
        return np.empty(0), allowed
    return _one_or_each('angle', angles, count), allowed


def check_roll(chain: Chain | Arm, roll: object) -> float:
    """Return the position in rad that an arm's roll is asked for."""
    if not isinstance(chain, Arm) or chain.roll is None:
        raise ArgumentError(refusal('roll', roll, 'None for an arm that has no roll'))
    asked = finite(roll)
    if asked is None:
        raise ArgumentError(refusal('roll', roll, 'a finite number in rad, or None'))
    warn_of('roll', asked, 'rad')
    return asked


def check_rolls(chain: Chain | Arm, rolls: object, starts: FloatArray) -> FloatArray:
    """Return (count,) positions in rad that an arm's roll is asked for; by default, the starts."""
    if rolls is None:
        return starts[:, -1]
    if not isinstance(chain, Arm) or chain.roll is None:
        check_roll(chain, rolls)
    return _one_or_each('roll', rolls, len(starts))


def _one_or_each(what: str, values: object, count: int) -> FloatArray:
    """Return (count,) finite numbers in rad, from one for all or one for each."""
    given = finite_numbers(what, values)
    if given.shape not in ((), (count,)):
        raise ArgumentError(f'{what} has shape {given.shape}; it must be one number or ({count},)')
    warn_of(what, np.abs(given).max(initial=0.0), 'rad')
    return np.broadcast_to(given, (count,))


def target_of(target: Numbers, dimensions: int) -> tuple[float, ...]:
    """Return the coordinates in m of a target: two for a chain, three for an arm."""
    point = finite_row(target, dimensions)
    if point is None:
        raise ArgumentError(refusal('target', target, f'{_COORDINATES[dimensions]}, finite, in m'))
    return point


def points_of(targets: ArrayLike, dimensions: int, what: str = 'targets') -> FloatArray:
    """Return points (m, dimensions) in m; a message calls them ``what``."""
    points = finite_numbers(what, targets)
    if not points.size:
        points = points.reshape(0, dimensions)
    if points.ndim != 2 or points.shape[1] != dimensions:
        raise ArgumentError(f'{what} have shape {points.shape}; it must be (m, {dimensions}), in m')
    return points


def finite_numbers(what: str, values: object) -> FloatArray:
    """Return an array of any shape, all its numbers finite; a message calls it ``what``."""
    array = numbers(what, values)
    if not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        at = f'{what}{list(where)}' if where else what
        raise ArgumentError(f'{at} is {array[where]}; all numbers must be finite')
    return array


def clamped_start(chain: Chain | Arm, start: Numbers | None) -> list[float]:
    """Return the start (n,) inside the limits; for None the middle of the ranges."""
    if start is None:
        return list(chain.middle)
    count = len(chain)
    values = listed(start, count)
    if values is None or len(values) != count:
        raise ArgumentError(
            f'start is {shown(start)}; it must be {len(chain)} positions in '
            f'{" or ".join(dict.fromkeys(chain.units))}, one for each of {named(chain.names)}'
        )
    clamped = []
    for k, (value, (lower, upper)) in enumerate(zip(values, chain.limits)):
        if type(value) is float and lower <= value <= upper and abs(value) <= LARGEST_POSITION:
            clamped.append(value)  # as nearly all are, in half the time
            continue
        position = finite(value)
        if position is not None and not lower <= position <= upper:
            warn_of('start', position, chain.units[k], chain.names[k])
            position = min(max(position, lower), upper)
        if position is None or abs(position) > LARGEST_POSITION:
            allowed = f'a finite number {span(LARGEST_POSITION, chain.units[k])}'
            raise ArgumentError(refusal(f'start of joint {shown(chain.names[k])}', value, allowed))
        clamped.append(position)
    return chain.project_to_bend_limits(clamped) if chain.has_bend_limits else clamped


def clamped_starts(chain: Chain | Arm, start: ArrayLike | None, count: int) -> FloatArray:
    """Return starts (1, n) or (count, n), as :func:`clamped_start` does."""
    if start is None:
        return np.array([chain.middle])
    given = numbers('start', start)
    shapes = ((len(chain),), (count, len(chain)))
    if given.shape not in shapes:
        raise ArgumentError(f'start has shape {given.shape}; it must be {shapes[0]} or {shapes[1]}')
    clamped = np.clip(given, chain.lower, chain.upper)
    finite_or_given = np.where(np.isfinite(given), clamped, given)
    chain.poses('start', finite_or_given)
    far = np.where(given == clamped, 0.0, np.abs(given)).reshape(-1, len(chain)).max(0)
    for name, size, unit in zip(chain.names, far, chain.units):
        warn_of('start', size, unit, name)
    return chain.project_poses(clamped.reshape(-1, len(chain)))
