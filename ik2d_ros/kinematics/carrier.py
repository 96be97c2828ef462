"""The joint that carries the plane of an arm: a turntable, or a lift."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ik2d_ros.kinematics.arguments import finite, listed, shown
from ik2d_ros.kinematics.bounds import LARGEST_LENGTH
from ik2d_ros.kinematics.errors import ArgumentError, ChainError
from ik2d_ros.kinematics.joint import joint_limits, joint_name, replace_fields, sense
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
        name = joint_name('turntable', self.name)
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
        lower, upper = joint_limits(name, self.lower, self.upper, slides=False)
        replace_fields(self, name=name, xyz=xyz, axis=axis, lower=lower, upper=upper)


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
        name = joint_name('lift', self.name)
        lower, upper = joint_limits(name, self.lower, self.upper, slides=True)
        replace_fields(self, name=name, axis=sense(name, self.axis), lower=lower, upper=upper)


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
