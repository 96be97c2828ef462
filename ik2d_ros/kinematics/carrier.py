"""The joint that carries the plane of an arm: a turntable, or a lift."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ik2d_ros.kinematics.arguments import finite, listed, shown, text
from ik2d_ros.kinematics.bounds import LARGEST_ANGLE, LARGEST_LENGTH
from ik2d_ros.kinematics.errors import ArgumentError, ChainError
from ik2d_ros.kinematics.plane import Vector, vector


@dataclass(frozen=True)
class Turntable:
    """A revolute joint before the plane, its axis parallel to the plane: a waist, a swing, a hip.

    The axis need not lie in the plane.

    Attributes:
        xyz: a point on the axis, in m, in the base frame.
        axis: direction of the axis in the base frame, of any length but zero.
        lower: smallest position in rad, or None together with ``upper`` for a continuous joint.
        upper: largest position in rad.
        name: the joint's name; not one of the chain's.

    Raises:
        ChainError: a value is not of its kind or out of its range.
    """

    xyz: Vector = (0.0, 0.0, 0.0)
    axis: Vector = (0.0, 0.0, 1.0)
    lower: float | None = None
    upper: float | None = None
    name: str = 'turntable'

    def __post_init__(self) -> None:
        name = _name('turntable', self.name)
        lower, upper = _limits(name, self.lower, self.upper, LARGEST_ANGLE, 'rad')
        try:
            xyz = vector(f'joint {shown(name)}: xyz', self.xyz, LARGEST_LENGTH, 'm')
        except ArgumentError as error:
            raise ChainError(str(error)) from None
        axis = _direction(self.axis)
        if axis is None:
            raise ChainError(
                f'joint {shown(name)}: axis is {shown(self.axis)}; it must be three finite '
                'numbers, not all of them 0'
            )
        for what, value in zip(
            ('name', 'xyz', 'axis', 'lower', 'upper'), (name, xyz, axis, lower, upper), strict=True
        ):
            object.__setattr__(self, what, value)


@dataclass(frozen=True)
class Lift:
    """A prismatic joint along the plane's normal: the z of a SCARA, wherever in the chain it sits.

    Attributes:
        axis: +1 or -1: along the plane's normal, or against it.
        lower: smallest position in m, or None together with ``upper`` where there is no limit.
        upper: largest position in m.
        name: the joint's name; not one of the chain's.

    Raises:
        ChainError: a value is not of its kind or out of its range.
    """

    axis: int = 1
    lower: float | None = None
    upper: float | None = None
    name: str = 'lift'

    def __post_init__(self) -> None:
        name = _name('lift', self.name)
        lower, upper = _limits(name, self.lower, self.upper, LARGEST_LENGTH, 'm')
        axis = finite(self.axis)
        if axis not in (1.0, -1.0):
            raise ChainError(
                f'joint {shown(name)}: axis is {shown(self.axis)}; it must be +1 or -1, along the '
                "plane's normal or against it"
            )
        for what, value in zip(
            ('name', 'axis', 'lower', 'upper'), (name, int(axis), lower, upper), strict=True
        ):
            object.__setattr__(self, what, value)


def _name(kind: str, given: object) -> str:
    name = text(given)
    if not name:
        raise ChainError(f'a {kind} needs a name: a text that is not empty, not {shown(given)}')
    return name


def _limits(
    name: str, lower: object, upper: object, largest: float, unit: str
) -> tuple[float | None, float | None]:
    ends: list[float | None] = []
    for what, value in (('lower', lower), ('upper', upper)):
        number = None if value is None else finite(value)
        if value is not None and (number is None or abs(number) > largest):
            raise ChainError(
                f'joint {shown(name)}: {what} is {shown(value)}; it must be a finite number '
                f'from {-largest:.12g} to {largest:.12g}, in {unit}'
            )
        ends.append(None if number is None else number + 0.0)
    low, high = ends
    if (low is None) != (high is None):
        missing, given = ('lower', 'upper') if low is None else ('upper', 'lower')
        raise ChainError(
            f'joint {shown(name)}: {given} limit without {missing} limit; give both, or neither'
        )
    if low is not None and high is not None and low > high:
        raise ChainError(
            f'joint {shown(name)}: lower limit {low} is above upper limit {high}; '
            'it must be equal or below'
        )
    return low, high


def _direction(value: object) -> Vector | None:
    """Return the unit vector of three numbers; None where they have none."""
    items = listed(value, 3)
    if items is None or len(items) != 3:
        return None
    parts = [finite(item) for item in items]
    largest = max((abs(part) for part in parts if part is not None), default=0.0)
    if None in parts or largest == 0.0:
        return None
    # The largest is 1 first, so that neither tiny nor huge components lose their squares.
    x, y, z = (part / largest for part in parts if part is not None)
    length = math.hypot(x, y, z)
    return x / length, y / length, z / length
