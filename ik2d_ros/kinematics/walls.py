"""Walls: planes in space that no pivot and no tip of an arm crosses."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from ik2d_ros.kinematics.arguments import (
    LARGEST_LENGTH,
    ChainError,
    finite,
    name_of,
    refusal,
    replace_fields,
    shown,
)
from ik2d_ros.kinematics.plane import Number, Vector, direction, dot, vector

ROUNDING = 1e-10
"""In reaches: rounding that counts as on this side."""


@dataclass(frozen=True)
class Wall:
    """A plane in the base frame; an arm stays on the side to which the normal points.

    Example:
        >>> from ik2d_ros.kinematics import Arm, Chain, Wall, solve
        >>> wall = Wall(point=(0.0, 0.0, 0.0), normal=(0.0, 1.0, 0.0), clearance=0.01)
        >>> solve(Arm(Chain.from_lengths([0.30, 0.25]), walls=[wall]), (0.3, 0.0, 0.0)).status.name
        'BLOCKED'

    Attributes:
        point: in the plane, in m.
        normal: of any length but zero; kept as a unit vector.
        clearance: how far pivots and tip stay away in m: half of a link's thickness.
        name: what messages call it.

    Raises:
        ChainError: a value is not of its kind or out of its range.
    """

    point: Vector
    normal: Vector
    clearance: float = 0.0
    name: str = 'wall'

    def __post_init__(self) -> None:
        of = f'wall {shown(name_of("wall", self.name))}: '
        point = vector('point', self.point, LARGEST_LENGTH, 'm', of)
        normal = direction('normal', self.normal, of)
        clearance = finite(self.clearance)
        if clearance is None or not 0.0 <= clearance <= LARGEST_LENGTH:
            allowed = f'a number from 0 to {LARGEST_LENGTH:.12g}, in m'
            raise ChainError(refusal(f'{of}clearance', self.clearance, allowed), 'clearance')
        replace_fields(self, point=point, normal=normal, clearance=clearance)

    @cached_property
    def _offset(self) -> float:
        return dot(self.normal, self.point) + self.clearance

    def height(self, x: Number, y: Number, z: Number) -> Number:
        """Return how far a point of the base frame is on this side, in m; negative: across."""
        a, b, c = self.normal
        return a * x + b * y + c * z - self._offset


class Contact(NamedTuple):
    """What is, or would be, across a wall: its name, the part in words, and its depth in m."""

    wall: str
    part: str
    depth: float
