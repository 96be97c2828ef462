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
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.kinematics.errors import ArgumentError, ChainError
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
        if not isinstance(self.name, str) or not self.name:
            raise ChainError(f'a joint needs a name: a text that is not empty, not {self.name!r}')
        link = self._vector()
        lower = None if self.lower is None else self._number('lower', self.lower)
        upper = None if self.upper is None else self._number('upper', self.upper)
        if (lower is None) != (upper is None):
            missing, given = ('lower', 'upper') if lower is None else ('upper', 'lower')
            raise ChainError(
                f"joint '{self.name}': {given} limit without {missing} limit; "
                'give both, or neither for a continuous joint'
            )
        if lower is not None and upper is not None and lower > upper:
            raise ChainError(
                f"joint '{self.name}': lower limit {lower} is above upper limit {upper}; "
                'it must be equal or below'
            )
        if finite(self.axis) not in (1.0, -1.0):
            raise ChainError(f"joint '{self.name}': axis is {self.axis!r}; it must be +1 or -1")
        object.__setattr__(self, 'link', link)
        object.__setattr__(self, 'lower', lower)
        object.__setattr__(self, 'upper', upper)
        object.__setattr__(self, 'offset', self._number('offset', self.offset))
        object.__setattr__(self, 'axis', int(self.axis))

    def _vector(self) -> tuple[float, float]:
        try:
            x, y = self.link
        except (TypeError, ValueError):
            raise ChainError(
                f"joint '{self.name}': link is {self.link!r}; it must be two numbers, [x, y] in m"
            ) from None
        return self._number('link', x), self._number('link', y)

    def _number(self, what: str, value: object) -> float:
        number = finite(value)
        if number is None:
            raise ChainError(
                f"joint '{self.name}': {what} is {value!r}; it must be a finite number"
            )
        return number

    @property
    def length(self) -> float:
        """Length of the link in m."""
        return math.hypot(*self.link)

    @property
    def continuous(self) -> bool:
        """Whether the joint has no position limits."""
        return self.lower is None


def finite(value: object) -> float | None:
    """The value as a finite float, or None where it is not one (text, bool, NaN, infinity)."""
    if isinstance(value, (bool, np.bool_, str, bytes)):
        return None
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _read_only(values: Sequence[float]) -> FloatArray:
    array = np.array(values, dtype=np.float64)
    array.setflags(write=False)
    return array


@dataclass(frozen=True)
class Chain:
    """A chain of revolute joints that all turn about the normal (z) of one plane; immutable.

    The base is the origin of the plane. The world angle of link frame i is
    ``sum over k <= i of (axis_k * q_k + offset_k)``.

    Attributes:
        joints: the joints from the base to the tip.

    Raises:
        ChainError: no joints, a name twice, or a reach that a float cannot hold.
    """

    joints: tuple[Joint, ...]
    _signs: tuple[float, ...] = field(init=False, repr=False, compare=False)
    _shifts: tuple[float, ...] = field(init=False, repr=False, compare=False)

    def __init__(self, joints: Sequence[Joint]) -> None:
        if isinstance(joints, Joint) or not isinstance(joints, Iterable):
            raise ChainError(f'a chain is made of a list of joints, not of {joints!r}')
        joints = tuple(joints)
        for joint in joints:
            if not isinstance(joint, Joint):
                raise ChainError(f'a chain is made of joints; {joint!r} is not a Joint')
        if not joints:
            raise ChainError('a chain needs at least one joint; none was given')
        names = [joint.name for joint in joints]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ChainError(f'joint names must be unique; given twice: {", ".join(twice)}')
        if not math.isfinite(sum(joint.length for joint in joints)):
            raise ChainError('the lengths of the links are too large: their sum is infinite')
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
        """A chain of straight links, its joints named ``joint1``, ``joint2``, ...

        Args:
            lengths: (n,) lengths of the links in m, none negative.
            limits: (n,) pairs (lower, upper) in rad, None for a continuous joint; or None for all.

        Raises:
            ChainError: a length or a limit is refused, or their numbers differ.
        """
        if not isinstance(lengths, Iterable):
            raise ChainError(f'lengths must be a list of numbers in m, not {lengths!r}')
        lengths = list(lengths)
        if limits is not None and not isinstance(limits, Iterable):
            raise ChainError(f'limits must be a list of pairs in rad or None, not {limits!r}')
        limits = [None] * len(lengths) if limits is None else list(limits)
        if len(limits) != len(lengths):
            raise ChainError(
                f'{len(limits)} limits for {len(lengths)} lengths; give one per joint, '
                'None for a continuous joint'
            )
        joints = []
        for number, (length, pair) in enumerate(zip(lengths, limits, strict=True), start=1):
            name = f'joint{number}'
            value = finite(length)
            if value is None or value < 0.0:
                raise ChainError(
                    f"joint '{name}': length is {length!r}; it must be a number of 0 or more, in m"
                )
            try:
                lower, upper = (None, None) if pair is None else pair
            except (TypeError, ValueError):
                raise ChainError(
                    f"joint '{name}': limits are {pair!r}; give (lower, upper) in rad or None"
                ) from None
            joints.append(Joint(name, (value, 0.0), lower, upper))
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
        return _read_only([lower for lower, _ in self.limits])

    @cached_property
    def upper(self) -> FloatArray:
        """(n,) largest positions in rad, inf for continuous joints; read-only."""
        return _read_only([upper for _, upper in self.limits])

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
        """Forward kinematics: where every joint and the tip are.

        Args:
            q: (n,) joint positions in rad; or (..., n), many poses at once.

        Returns:
            (n + 1, 2) points in m in the plane: every joint from the base on and, last, the tip;
            (..., n + 1, 2) for many poses.

        Raises:
            ArgumentError: ``q`` has not one number for each joint.
        """
        try:
            positions = np.asarray(q, dtype=np.float64)
        except (TypeError, ValueError):
            raise ArgumentError(f'q is {q!r}; it must be {len(self)} numbers in rad') from None
        if positions.ndim == 0 or positions.shape[-1] != len(self):
            raise ArgumentError(
                f'q has shape {positions.shape}; it must hold {len(self)} positions, '
                f'one for each of {", ".join(self.names)}'
            )
        angles = np.cumsum(positions * self.signs + self.shifts, axis=-1)
        points = np.zeros((*positions.shape[:-1], len(self) + 1, 2))
        np.cumsum(np.cos(angles) * self.lengths, axis=-1, out=points[..., 1:, 0])
        np.cumsum(np.sin(angles) * self.lengths, axis=-1, out=points[..., 1:, 1])
        return points
