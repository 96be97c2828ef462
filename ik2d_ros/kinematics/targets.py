"""Targets: checked, in plain numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ik2d_ros.kinematics.arguments import finite, listed, numbers, shown
from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.kinematics.errors import ArgumentError
from ik2d_ros.kinematics.plane import Vector

Numbers = Sequence[float] | NDArray[np.float64]


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
