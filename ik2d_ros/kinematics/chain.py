"""The arm: a chain of revolute joints in one plane, and its forward kinematics.

Link vectors, offsets and senses of rotation are dealt with here alone: drawings and robot
descriptions take their points from :meth:`Chain.forward`, and the solvers work with bends.

Two descriptions of a pose are in use:

* *positions* ``q``, as a user knows them: one per joint, in the joint's own sense and zero;
* *bends*, as the solvers use them: ``bends[i]`` is the angle from the direction of link ``i - 1``
  to the direction of link ``i`` (from the plane's x-axis for the first), so that link vectors,
  offsets and senses of rotation are out of the way and a link is a length.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ik2d_ros.kinematics.arguments import (
    check_positions,
    finite,
    listed,
    named,
    poses,
    shown,
    text,
)
from ik2d_ros.kinematics.arrays import FloatArray, read_only
from ik2d_ros.kinematics.bounds import (
    LARGEST_ANGLE,
    LARGEST_LENGTH,
    MOST_JOINTS,
    MOST_LIMITED_JOINTS,
)
from ik2d_ros.kinematics.errors import ChainError
from ik2d_ros.kinematics.reach import Annulus, annulus


@dataclass(frozen=True)
class Joint:
    """One revolute joint and the link that it carries.

    Attributes:
        name: the joint's name, unique in its chain.
        link: vector from this joint to the next one (or to the tip), in m, in the frame that turns
            with the joint.
        lower: smallest position in rad, or None together with ``upper`` for a continuous joint.
        upper: largest position in rad.
        offset: angle of the link frame in rad where the position is 0.
        axis: +1 or -1, the sense of rotation about the plane's normal.

    Raises:
        ChainError: a value is not of its kind or out of its range.
    """

    name: str
    link: tuple[float, float]
    lower: float | None = None
    upper: float | None = None
    offset: float = 0.0
    axis: int = 1

    def __post_init__(self) -> None:
        name = text(self.name)
        if not name:
            raise ChainError(
                f'a joint needs a name: a text that is not empty, not {shown(self.name)}'
            )
        object.__setattr__(self, 'name', name)
        link = self._vector()
        lower = None if self.lower is None else self._angle('lower', self.lower)
        upper = None if self.upper is None else self._angle('upper', self.upper)
        if (lower is None) != (upper is None):
            missing, given = ('lower', 'upper') if lower is None else ('upper', 'lower')
            raise ChainError(
                f'joint {shown(name)}: {given} limit without {missing} limit; '
                'give both, or neither for a continuous joint'
            )
        if lower is not None and upper is not None and lower > upper:
            raise ChainError(
                f'joint {shown(name)}: lower limit {lower} is above upper limit {upper}; '
                'it must be equal or below'
            )
        axis = finite(self.axis)
        if axis not in (1.0, -1.0):
            raise ChainError(
                f'joint {shown(name)}: axis is {shown(self.axis)}; it must be +1 or -1'
            )
        object.__setattr__(self, 'link', link)
        object.__setattr__(self, 'lower', lower)
        object.__setattr__(self, 'upper', upper)
        object.__setattr__(self, 'offset', self._angle('offset', self.offset))
        object.__setattr__(self, 'axis', int(axis))

    def _vector(self) -> tuple[float, float]:
        items = listed(self.link, 2)
        if items is None or len(items) != 2:
            raise ChainError(
                f'joint {shown(self.name)}: link is {shown(self.link)}; '
                'it must be two numbers, [x, y] in m'
            )
        x, y = items
        return (
            self._number('link', x, LARGEST_LENGTH, 'm'),
            self._number('link', y, LARGEST_LENGTH, 'm'),
        )

    def _angle(self, what: str, value: object) -> float:
        return self._number(what, value, LARGEST_ANGLE, 'rad')

    def _number(self, what: str, value: object, largest: float, unit: str) -> float:
        number = finite(value)
        if number is None or abs(number) > largest:
            raise ChainError(
                f'joint {shown(self.name)}: {what} is {shown(value)}; it must be a finite number '
                f'from {-largest:.12g} to {largest:.12g}, in {unit}'
            )
        return number + 0.0  # Chains with 0 and -0 are equal, and so must do the same.

    @property
    def length(self) -> float:
        """Length of the link in m."""
        return math.hypot(*self.link)

    @property
    def continuous(self) -> bool:
        """Whether the joint has no position limits."""
        return self.lower is None


def _check_count(joints: Sequence[Joint]) -> None:
    if len(joints) > MOST_JOINTS:
        raise ChainError(f'a chain has at most {MOST_JOINTS} joints; more were given')
    if len(joints) > MOST_LIMITED_JOINTS and not all(joint.continuous for joint in joints):
        raise ChainError(
            f'a chain has at most {MOST_LIMITED_JOINTS} joints where any has limits; '
            f'{len(joints)} were given'
        )


@dataclass(frozen=True)
class Chain:
    """A chain of revolute joints that all turn about the normal (z) of one plane; immutable.

    The base is the origin of the plane. The world angle of link frame i is
    ``sum over k <= i of (axis_k * q_k + offset_k)``.

    Attributes:
        joints: the joints from the base to the tip.

    Raises:
        ChainError: no joints, or more than 1000 (256 where any has limits), or a name twice.
    """

    joints: tuple[Joint, ...]
    _signs: tuple[float, ...] = field(init=False, repr=False, compare=False)
    _shifts: tuple[float, ...] = field(init=False, repr=False, compare=False)

    def __init__(self, joints: Sequence[Joint]) -> None:
        given = listed(joints, MOST_JOINTS)
        if given is None:
            raise ChainError(f'a chain is made of a list of joints, not of {shown(joints)}')
        joints = tuple(given)
        for joint in joints:
            if not issubclass(type(joint), Joint):
                raise ChainError(f'a chain is made of joints; {shown(joint)} is not a Joint')
        if not joints:
            raise ChainError('a chain needs at least one joint; none was given')
        _check_count(joints)
        names = [joint.name for joint in joints]
        twice = tuple(sorted(name for name, count in Counter(names).items() if count > 1))
        if twice:
            raise ChainError(f'joint names must be unique; given twice: {named(twice)}')
        directions = [math.atan2(j.link[1], j.link[0]) if j.length else 0.0 for j in joints]
        shifts = [
            joint.offset + direction - before
            for joint, direction, before in zip(
                joints, directions, [0.0, *directions], strict=False
            )
        ]
        object.__setattr__(self, 'joints', joints)
        object.__setattr__(self, '_signs', tuple(float(joint.axis) for joint in joints))
        object.__setattr__(self, '_shifts', tuple(shifts))

    @classmethod
    def from_lengths(
        cls,
        lengths: Sequence[float],
        limits: Sequence[tuple[float, float] | None] | None = None,
    ) -> Chain:
        """Return a chain of straight links, its joints named ``joint1``, ``joint2``, ...

        Args:
            lengths: (n,) lengths of the links in m, none negative.
            limits: (n,) pairs (lower, upper) in rad, None for a continuous joint; or None for all.

        Raises:
            ChainError: a length or a limit is refused, or their numbers differ.
        """
        given = listed(lengths, MOST_JOINTS)
        if given is None:
            raise ChainError(f'lengths must be a list of numbers in m, not {shown(lengths)}')
        pairs = [None] * len(given) if limits is None else listed(limits, MOST_JOINTS)
        if pairs is None:
            raise ChainError(f'limits must be a list of pairs in rad or None, not {shown(limits)}')
        if len(given) > MOST_JOINTS:
            raise ChainError(f'a chain has at most {MOST_JOINTS} joints; more lengths were given')
        if len(pairs) != len(given):
            raise ChainError(
                f'{len(pairs)} limits for {len(given)} lengths; give one per joint, '
                'None for a continuous joint'
            )
        joints = []
        for number, (length, pair) in enumerate(zip(given, pairs, strict=True), start=1):
            name = f'joint{number}'
            value = finite(length)
            if value is None or not 0.0 <= value <= LARGEST_LENGTH:
                raise ChainError(
                    f"joint '{name}': length is {shown(length)}; it must be a number of 0 or more, "
                    f'at most {LARGEST_LENGTH:.12g}, in m'
                )
            ends = (None, None) if pair is None else listed(pair, 2)
            if ends is None or len(ends) != 2:
                raise ChainError(
                    f"joint '{name}': limits are {shown(pair)}; give (lower, upper) in rad or None"
                )
            joints.append(Joint(name, (value, 0.0), *ends))
        return cls(joints)

    def __len__(self) -> int:
        return len(self.joints)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the joints, from the base to the tip."""
        return tuple(joint.name for joint in self.joints)

    @cached_property
    def lengths(self) -> tuple[float, ...]:
        """Lengths of the links in m, from the base to the tip."""
        return tuple(joint.length for joint in self.joints)

    @cached_property
    def unit_lengths(self) -> tuple[float, ...]:
        """Lengths of the links in units of the outer reach, so that their sum is 1 (or 0)."""
        return tuple(length / (self.reach.outer or 1.0) for length in self.lengths)

    @cached_property
    def reach(self) -> Annulus:
        """Exact radii of the reachable annulus in m, limits ignored."""
        return annulus(self.lengths)

    @cached_property
    def unit_reach(self) -> Annulus:
        """The reachable annulus in units of the outer reach: its outer radius is 1 (or 0)."""
        size = self.reach.outer or 1.0
        return Annulus(self.reach.inner / size, self.reach.outer / size)

    @cached_property
    def limited(self) -> bool:
        """Whether any joint has position limits."""
        return not all(joint.continuous for joint in self.joints)

    @cached_property
    def limits(self) -> tuple[tuple[float, float], ...]:
        """(lower, upper) position of each joint in rad, -inf and inf for continuous joints."""
        return tuple(
            (-math.inf, math.inf) if j.lower is None or j.upper is None else (j.lower, j.upper)
            for j in self.joints
        )

    @cached_property
    def lower(self) -> FloatArray:
        """(n,) smallest positions in rad, -inf for continuous joints; read-only."""
        return read_only([lower for lower, _ in self.limits])

    @cached_property
    def upper(self) -> FloatArray:
        """(n,) largest positions in rad, inf for continuous joints; read-only."""
        return read_only([upper for _, upper in self.limits])

    @cached_property
    def middle(self) -> tuple[float, ...]:
        """Middle of each joint's range in rad, 0 for continuous joints."""
        return tuple(
            0.0 if j.lower is None or j.upper is None else 0.5 * j.lower + 0.5 * j.upper
            for j in self.joints
        )

    @cached_property
    def plain(self) -> bool:
        """Whether bends are positions: no link vectors, offsets or reversed senses."""
        return not any(self._shifts) and all(sign == 1.0 for sign in self._signs)

    @cached_property
    def signs(self) -> tuple[float, ...]:
        """Derivative of each bend by its joint's position: +1.0 or -1.0."""
        return self._signs

    @cached_property
    def shifts(self) -> tuple[float, ...]:
        """Bend of each joint in rad where all positions are 0."""
        return self._shifts

    @cached_property
    def bend_limits(self) -> tuple[tuple[float, float], ...]:
        """(lower, upper) bend of each joint in rad, -inf and inf for continuous joints."""
        pairs = []
        for (low, high), sign, shift in zip(self.limits, self.signs, self.shifts, strict=True):
            ends = (sign * low + shift, sign * high + shift)
            pairs.append((min(ends), max(ends)))
        return tuple(pairs)

    def forward(self, q: ArrayLike) -> FloatArray:
        """Return where every joint and the tip are: forward kinematics.

        Args:
            q: (n,) joint positions in rad; or (..., n), many poses at once.

        Returns:
            (n + 1, 2) points in m in the plane: every joint from the base on and, last, the tip;
            (..., n + 1, 2) for many poses.

        Raises:
            ArgumentError: ``q`` has not one number for each joint, or one is not finite, or is
                beyond 1e9 rad.
        """
        return self.points(poses('q', q, self.names, 'rad'))

    def check_positions(self, what: str, positions: FloatArray) -> None:
        """Check that no angle is NaN, or so large that sums of them overflow.

        Args:
            what: what the positions are called in a message.
            positions: (..., n) rad.

        Raises:
            ArgumentError: one is refused; the message says where it is, and of which joint.
        """
        check_positions(what, positions, self.names, 'rad')

    def points(self, positions: FloatArray) -> FloatArray:
        """Do what :meth:`forward` does, for positions (..., n) in rad that are checked already."""
        angles = np.cumsum(positions * self.signs + self.shifts, axis=-1)
        points = np.zeros((*positions.shape[:-1], len(self) + 1, 2))
        np.cumsum(np.cos(angles) * self.lengths, axis=-1, out=points[..., 1:, 0])
        np.cumsum(np.sin(angles) * self.lengths, axis=-1, out=points[..., 1:, 1])
        return points
