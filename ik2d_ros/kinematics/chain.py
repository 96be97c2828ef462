"""The arm: a chain of revolute and prismatic joints in one plane, and its forward kinematics.

Link vectors, offsets and senses of the joints are dealt with here alone: drawings and robot
descriptions take their points from :meth:`Chain.forward`, and the solvers work with bends.

Two descriptions of a pose are in use:

* *positions* ``q``, as a user knows them: one per joint, in the joint's own sense and zero;
* *bends*, as the solvers use them: ``bends[i]`` is the angle from the direction of link ``i - 1``
  to the direction of link ``i`` (from the plane's x-axis for the first), so that link vectors,
  offsets and senses of rotation are out of the way and a link is a length. A prismatic joint has
  a fixed bend, and its number among the bends is instead the length of its link in reaches, with
  a sign: below 0 where it has slid past its joint.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import repeat
from operator import mul

import numpy as np
from numpy.typing import ArrayLike

from ik2d_ros.kinematics.angles import TURN, Limits, cosines_and_sines
from ik2d_ros.kinematics.arguments import check_positions, listed, named, poses, shown
from ik2d_ros.kinematics.arrays import FloatArray, read_only
from ik2d_ros.kinematics.bounds import MOST_JOINTS, MOST_LIMITED_JOINTS
from ik2d_ros.kinematics.columns import FixedBends, fixed_array, links_many
from ik2d_ros.kinematics.errors import ChainError
from ik2d_ros.kinematics.joint import Joint
from ik2d_ros.kinematics.kernel.chain_solver import ChainSolver, Description, Scale
from ik2d_ros.kinematics.kernel.linkage import Link
from ik2d_ros.kinematics.reach import Annulus, annulus
from ik2d_ros.kinematics.straight_links import straight_joints


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
    """A chain of joints that all turn about the normal (z) of one plane, or slide in it; immutable.

    The base is the origin of the plane. The world angle of link frame i is
    ``sum over k <= i of (axis_k * q_k + offset_k)``, without ``q_k`` where joint k is prismatic.

    Attributes:
        joints: the joints from the base to the tip.

    Raises:
        ChainError: no joints, or more than 1000 (256 where any has limits), or a name twice.
    """

    joints: tuple[Joint, ...]
    _turns: tuple[float, ...] = field(init=False, repr=False, compare=False)

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
        directions = [joint.direction for joint in joints]
        turns = [
            joint.offset + direction - before
            for joint, direction, before in zip(
                joints, directions, [0.0, *directions], strict=False
            )
        ]
        object.__setattr__(self, 'joints', joints)
        object.__setattr__(self, '_turns', tuple(turns))

    @classmethod
    def from_lengths(
        cls,
        lengths: Sequence[float],
        limits: Sequence[tuple[float, float] | None] | None = None,
        types: Sequence[str] | None = None,
    ) -> Chain:
        """Return a chain of straight links, its joints named ``joint1``, ``joint2``, ...

        Args:
            lengths: (n,) lengths of the links in m, none negative.
            limits: (n,) pairs (lower, upper) in rad, in m for a prismatic joint, None for a
                continuous joint; or None for all.
            types: (n,) ``revolute`` or ``prismatic``; or None where all are revolute.

        Raises:
            ChainError: a length, a limit or a type is refused, or their numbers differ.
        """
        return cls(straight_joints(lengths, limits, types))

    @cached_property
    def _hash(self) -> int:
        # Of numbers alone, for they have the same hash in any process that a chain is sent to.
        return hash((self.lengths, self._turns, self.limits))

    def __hash__(self) -> int:
        # What is known of a chain is looked up by it, several times a solve.
        return self._hash

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
    def types(self) -> tuple[str, ...]:
        """Type of each joint, ``revolute`` or ``prismatic``."""
        return tuple(joint.type for joint in self.joints)

    @cached_property
    def units(self) -> tuple[str, ...]:
        """Unit of each joint's positions, ``rad`` or ``m``."""
        return tuple(joint.unit for joint in self.joints)

    @cached_property
    def has_slides(self) -> bool:
        """Whether any joint is prismatic."""
        return any(joint.slides for joint in self.joints)

    @cached_property
    def unit_lengths(self) -> tuple[float, ...]:
        """Lengths of the links in units of the outer reach, so that their sum is 1 (or 0).

        Where joints are prismatic, they are those at position 0, and their sum may be anything.
        """
        return tuple(length / self.size for length in self.lengths)

    @cached_property
    def reach(self) -> Annulus:
        """Exact radii of the reachable annulus in m, limits of revolute joints ignored.

        Prismatic joints keep to theirs. Where one comes before the first revolute joint, as a rail
        does, what is reached is no annulus: these are the distances from the base of its nearest
        and of its farthest point. No target outside them is reached, but maybe not all inside.
        """
        strokes = [
            (joint.axis * joint.lower, joint.axis * joint.upper)
            if joint.slides and joint.lower is not None and joint.upper is not None
            else None
            for joint in self.joints
        ]
        return annulus(self.lengths, self._turns, strokes)

    @cached_property
    def size(self) -> float:
        """What the solvers call one reach: the outer radius in m, or 1 m where that is 0."""
        return self.reach.outer or 1.0

    @cached_property
    def unit_reach(self) -> Annulus:
        """The reachable annulus in units of the outer reach: its outer radius is 1 (or 0)."""
        return Annulus(self.reach.inner / self.size, self.reach.outer / self.size)

    @cached_property
    def limited(self) -> bool:
        """Whether any joint has position limits."""
        return not all(joint.continuous for joint in self.joints)

    @cached_property
    def limits(self) -> tuple[tuple[float, float], ...]:
        """(lower, upper) position of each joint in rad or m, -inf and inf for continuous joints."""
        return tuple(
            (-math.inf, math.inf) if j.lower is None or j.upper is None else (j.lower, j.upper)
            for j in self.joints
        )

    @cached_property
    def lower(self) -> FloatArray:
        """(n,) smallest positions in rad or m, -inf for continuous joints; read-only."""
        return read_only([lower for lower, _ in self.limits])

    @cached_property
    def upper(self) -> FloatArray:
        """(n,) largest positions in rad or m, inf for continuous joints; read-only."""
        return read_only([upper for _, upper in self.limits])

    @cached_property
    def middle(self) -> tuple[float, ...]:
        """Middle of each joint's range in rad or m, 0 for continuous joints."""
        return tuple(
            0.0 if j.lower is None or j.upper is None else 0.5 * j.lower + 0.5 * j.upper
            for j in self.joints
        )

    @cached_property
    def plain(self) -> bool:
        """Whether bends are positions: no link vectors, offsets, reversed senses or slides."""
        return (
            not self.has_slides and not any(self.shifts) and all(sign == 1.0 for sign in self.signs)
        )

    @cached_property
    def free(self) -> bool:
        """Whether it is plain and without limits: as most are, for which much is quicker."""
        return self.plain and not self.limited

    @cached_property
    def signs(self) -> tuple[float, ...]:
        """Derivative of each bend by its joint's position: how far the link turns, +1.0 or -1.0.

        Of a prismatic joint: that of its link's length in reaches, in 1/m.
        """
        return tuple(
            joint.axis / self.size if joint.slides else joint.turns for joint in self.joints
        )

    @cached_property
    def shifts(self) -> tuple[float, ...]:
        """Bend of each joint in rad, or length of a prismatic one's link in reaches, at 0."""
        return tuple(
            length if joint.slides else turn
            for joint, length, turn in zip(self.joints, self.unit_lengths, self._turns, strict=True)
        )

    @cached_property
    def _scale(self) -> tuple[FloatArray, FloatArray]:
        return read_only(self.signs), read_only(self.shifts)

    @cached_property
    def fixed_bends(self) -> tuple[float | None, ...] | None:
        """Bend of each prismatic joint in rad, None for a revolute one; None where all are."""
        if not self.has_slides:
            return None
        return tuple(
            turn if joint.slides else None
            for joint, turn in zip(self.joints, self._turns, strict=True)
        )

    @cached_property
    def _fixed(self) -> FloatArray | None:
        return None if self.fixed_bends is None else fixed_array(self.fixed_bends)

    @cached_property
    def bend_limits(self) -> tuple[tuple[float, float], ...]:
        """(lower, upper) bend of each joint in rad, -inf and inf for continuous joints.

        Of a prismatic joint: the length of its link in reaches, with a sign.
        """
        ends = (
            self.bends_at([low for low, _ in self.limits]),
            self.bends_at([high for _, high in self.limits]),
        )
        return tuple((min(pair), max(pair)) for pair in zip(*ends, strict=True))

    @cached_property
    def task(self) -> tuple[tuple[float, ...], Limits | None, FixedBends]:
        """Lengths of the links in reaches, limits of the bends, bends of slides; None for none."""
        return self.unit_lengths, self.bend_limits if self.limited else None, self.fixed_bends

    @cached_property
    def solver(self) -> ChainSolver:
        """What solves for it, with its tables: made when it is first asked for, and kept."""
        continuous = (-math.inf, math.inf)
        links = [
            Link(False, length, *limits) if bend is None else Link(True, bend, *limits)
            for length, limits, bend in zip(
                self.unit_lengths,
                self.bend_limits if self.limited else repeat(continuous),
                self.fixed_bends or repeat(None),
            )
        ]
        scales = [
            Scale(sign, shift, lower, upper)
            for sign, shift, (lower, upper) in zip(self.signs, self.shifts, self.limits)
        ]
        aside = self.tip_direction
        return ChainSolver(Description(links, scales, *self.unit_reach, self.size, aside))

    def __reduce__(self) -> tuple[type[Chain], tuple[tuple[Joint, ...]]]:
        # In another process its tables are made anew.
        return Chain, (self.joints,)

    def bends_at(self, positions: Sequence[float]) -> Sequence[float]:
        """Return the bends (n,) at positions (n,); the positions themselves in a plain chain."""
        if self.plain:
            return positions
        return [a * q + b for a, q, b in zip(self.signs, positions, self.shifts)]

    def positions_at(self, bends: Sequence[float]) -> Sequence[float]:
        """Return the positions (n,) at bends (n,): the inverse of :meth:`bends_at`."""
        if self.plain:
            return bends
        return [(bend - b) / a for a, bend, b in zip(self.signs, bends, self.shifts)]

    def bends_many(self, positions: FloatArray) -> FloatArray:
        """Do what :meth:`bends_at` does for positions (..., n); always another array."""
        if self.plain:
            return np.array(positions, order='C')
        signs, shifts = self._scale
        return positions * signs + shifts

    def positions_many(self, bends: FloatArray) -> FloatArray:
        """Do what :meth:`positions_at` does for bends (..., n); always another array."""
        if self.plain:
            return np.array(bends, order='C')
        signs, shifts = self._scale
        return (bends - shifts) / signs

    def forward(self, q: ArrayLike) -> FloatArray:
        """Return where every joint and the tip are: forward kinematics.

        Args:
            q: (n,) joint positions in rad, in m of prismatic joints; or (..., n), many poses at
                once.

        Returns:
            (n + 1, 2) points in m in the plane: every joint from the base on and, last, the tip;
            (..., n + 1, 2) for many poses.

        Raises:
            ArgumentError: ``q`` has not one number for each joint, or one is not finite, or is
                beyond 1e9 rad or m.
        """
        return self.points(poses('q', q, self.names, self.units))

    @cached_property
    def tip_angle_at_zero(self) -> float:
        """Direction of the last link's frame in rad where all positions are 0."""
        return math.fsum(joint.offset for joint in self.joints)

    @cached_property
    def tip_direction(self) -> float:
        """Direction of the last link in its frame in rad; 0 where it has no length."""
        return self.joints[-1].direction

    @cached_property
    def tip_turns(self) -> tuple[float, ...]:
        """Derivative of the direction of the last link's frame by each joint's position."""
        return tuple(joint.turns for joint in self.joints)

    def tip_angle(self, positions: Sequence[float]) -> float:
        """Return the direction of the last link's frame for (n,) checked positions, in rad."""
        turns = sum(positions) if self.plain else sum(map(mul, self.tip_turns, positions))
        angle = self.tip_angle_at_zero + turns
        if abs(angle) < math.pi:
            return angle
        turned = math.remainder(angle, TURN)
        return -turned if turned == -math.pi else turned

    def tip_angles(self, positions: FloatArray) -> FloatArray:
        """Do what :meth:`tip_angle` does, for positions (..., n)."""
        turned = self.tip_angle_at_zero + positions @ np.array(self.tip_turns)
        turned -= 2.0 * math.pi * np.rint(turned / (2.0 * math.pi))
        return np.where(turned <= -math.pi, math.pi, turned)

    def check_positions(self, what: str, positions: FloatArray) -> None:
        """Check that no position is NaN, or so large that sums of them overflow.

        Args:
            what: what the positions are called in a message.
            positions: (..., n) rad or m.

        Raises:
            ArgumentError: one is refused; the message says where it is, and of which joint.
        """
        check_positions(what, positions, self.names, self.units)

    def points(self, positions: FloatArray) -> FloatArray:
        """Do what :meth:`forward` does, for positions (..., n) that are checked already."""
        lengths, bends = self._links(positions)
        angles = np.cumsum(bends, axis=-1)
        points = np.zeros((*positions.shape[:-1], len(self) + 1, 2))
        np.cumsum(np.cos(angles) * lengths, axis=-1, out=points[..., 1:, 0])
        np.cumsum(np.sin(angles) * lengths, axis=-1, out=points[..., 1:, 1])
        return points

    def tips(self, positions: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return x and y in m of the tips alone, for positions (k, n) that are checked already.

        Quick where those of a joint lie together in memory.
        """
        lengths, bends = self._links(positions)
        angles = np.cumsum(bends.T, axis=0)
        columns = lengths.T if lengths.ndim == 2 else lengths[:, None]
        cosines, sines = cosines_and_sines(angles)
        cosines *= columns
        sines *= columns
        return cosines.sum(axis=0), sines.sum(axis=0)

    def _links(self, positions: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return lengths in m and bends in rad of the links for positions (..., n)."""
        bends = positions if self.plain else self.bends_many(positions)
        if self._fixed is None:
            return np.array(self.lengths), bends
        lengths, bends = links_many(self._fixed, self.unit_lengths, bends)
        return lengths * self.size, bends
