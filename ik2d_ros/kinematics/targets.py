"""Targets: checked, and as the solvers see them."""

from __future__ import annotations

from cmath import rect
from collections.abc import Sequence
from math import atan2, hypot, isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ik2d_ros.kinematics.arguments import finite, listed, numbers, shown
from ik2d_ros.kinematics.arrays import DOUBLE, ComplexArray, FloatArray
from ik2d_ros.kinematics.errors import ArgumentError
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.kinematics.pose import LENGTH_ROUNDING

# Reaches; from here on the closest pose does not depend on the distance, which would only take
# the digits that tell poses apart.
FARTHEST = 1e5

Numbers = Sequence[float] | NDArray[np.float64]


def point_of(target: Numbers) -> tuple[float, float]:
    """Return x and y in m of the target of a chain.

    Raises:
        ArgumentError: it is something else.
    """
    items = target if type(target) is tuple else listed(target, 2)
    if items is None or len(items) != 2:
        raise ArgumentError(f'target is {shown(target)}; it must be two numbers, (x, y) in m')
    x, y = items
    if type(x) is float and type(y) is float and isfinite(x + y):
        return x, y
    at_x, at_y = finite(x), finite(y)
    if at_x is None or at_y is None:
        raise ArgumentError(
            f'target is ({shown(x)}, {shown(y)}); it must be two finite numbers, in m'
        )
    return at_x, at_y


def space_point_of(target: Numbers) -> Vector:
    """Return x, y and z in m of the target of an arm.

    Raises:
        ArgumentError: it is something else.
    """
    items: Sequence[Any] | None
    if type(target) is np.ndarray and target.dtype is DOUBLE and target.shape == (3,):
        items = target.tolist()  # in half the time of what any sequence takes
    else:
        items = target if type(target) is tuple else listed(target, 3)
    if items is None or len(items) != 3:
        raise ArgumentError(
            f'target is {shown(target)}; for an arm it must be three numbers, (x, y, z) in m'
        )
    x, y, z = items
    if type(x) is float and type(y) is float and type(z) is float and isfinite(x + y + z):
        return x, y, z
    x, y, z = map(finite, items)
    if x is None or y is None or z is None:
        words = ', '.join(map(shown, items))
        raise ArgumentError(f'target is ({words}); it must be three finite numbers, in m')
    return x, y, z


def points_of(targets: ArrayLike, dimensions: int) -> FloatArray:
    """Return targets (m, dimensions) in m, finite or not.

    Raises:
        ArgumentError: they are something else.
    """
    points = numbers('targets', targets)
    if not points.size:
        points = points.reshape(0, dimensions)
    if points.ndim != 2 or points.shape[1] != dimensions:
        raise ArgumentError(
            f'targets have shape {points.shape}; it must be (m, {dimensions}), in m'
        )
    return points


def check_finite(points: FloatArray) -> None:
    """Check that all numbers are finite.

    Raises:
        ArgumentError: one is not; the message says where.
    """
    if not np.isfinite(points).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(points))[0])
        raise ArgumentError(f'targets{list(where)} is {points[where]}; all must be finite')


def goal_of(x: float, y: float, size: float) -> complex:
    """Return the target in reaches.

    One beyond all measure is brought in, for its direction is enough. One that only rounding keeps
    off the base is at the base, where every direction is as good.
    """
    distance = hypot(x, y) / size
    if LENGTH_ROUNDING < distance <= FARTHEST:
        return complex(x / size, y / size)
    return 0j if distance <= LENGTH_ROUNDING else rect(FARTHEST, atan2(y, x))


def goals_of(points: FloatArray, size: float) -> ComplexArray:
    """Return (k,) targets in reaches, those beyond all measure brought in as by :func:`goal_of`."""
    goals: ComplexArray = np.ascontiguousarray(points / size).view(np.complex128)[:, 0]
    distance = np.abs(goals)
    goals[distance <= LENGTH_ROUNDING] = 0.0
    beyond = distance > FARTHEST
    if beyond.any():
        goals[beyond] = FARTHEST * np.exp(1j * np.arctan2(points[beyond, 1], points[beyond, 0]))
    return goals
