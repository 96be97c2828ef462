"""The arm: a chain of revolute and prismatic joints in one plane, and its forward kinematics.

Users know a pose by its *positions* ``q``, one per joint, in the joint's own sense and zero;
solvers by a *value* of each joint, lengths in reaches: see :mod:`ik2d_ros.kinematics.kernel`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ik2d_ros.kinematics.arguments import (
    LARGEST_LENGTH,
    MOST_JOINTS,
    ChainError,
    FloatArray,
    finite,
    finite_row,
    listed,
    named,
    refusal,
    replace_fields,
    shown,
    span,
)
from ik2d_ros.kinematics.joint import TYPES, Joint, JointRow
from ik2d_ros.kinematics.kernel.annulus import Annulus, annulus
from ik2d_ros.kinematics.kernel.chain_solver import ChainSolver, ChainTable
from ik2d_ros.kinematics.kernel.headings import Headings, counting_turns
from ik2d_ros.kinematics.kernel.joint_table import EVERY, Link

NEXT_TO_NOTHING = 1e-200  # m; dividing by less may overflow.


@dataclass(frozen=True)
class Chain(JointRow):
    """A chain of joints that all turn about the normal (z) of one plane, or slide in it; immutable.

    The base is the origin of the plane. The world angle of link frame i is
    ``sum over k <= i of (axis_k * q_k + offset_k)``, without ``q_k`` where joint k is prismatic,
    and from the last absolute joint at or before i on.

    Example:
        >>> from ik2d_ros.kinematics import Chain
        >>> chain = Chain.from_lengths([0.30, 0.25], limits=[(-2.6, 2.6), (-2.6, 2.6)])
        >>> chain.forward([0.0, 0.0])[-1].tolist()
        [0.55, 0.0]

    Attributes:
        joints: the joints from the base to the tip.
        tool: (2,) in m, a constant vector in the plane from the last joint's link to the tip: a
            tool that a second parallelogram keeps level.

    Raises:
        ChainError: no joints, or more than 64, or a name twice; or limits that leave no pose.
    """

    joints: tuple[Joint, ...]
    tool: tuple[float, float]

    def __init__(self, joints: Sequence[Joint], tool: Sequence[float] = (0.0, 0.0)) -> None:
        given = listed(joints, MOST_JOINTS)
        if given is None:
            raise ChainError(f'a chain is made of a list of joints, not of {shown(joints)}')
        joints = tuple(given)
        for joint in joints:
            if not isinstance(joint, Joint):
                raise ChainError(f'a chain is made of joints; {shown(joint)} is not a Joint')
        if not joints:
            raise ChainError('a chain needs at least one joint; none was given', 'joints')
        if len(joints) > MOST_JOINTS:
            raise ChainError(f'a chain has at most {MOST_JOINTS} joints; more were given', 'joints')
        names = Counter(joint.name for joint in joints)
        twice = tuple(sorted(name for name, count in names.items() if count > 1))
        if twice:
            raise ChainError(f'joint names must be unique; given twice: {named(twice)}', 'joints')
        if joints[0].min_bend is not None:
            raise ChainError(
                f'joint {shown(joints[0].name)}: min_bend and max_bend are limits to the link '
                'before; the first joint has none',
                'joints',
            )
        place = finite_row(tool, 2, LARGEST_LENGTH)
        if place is None:
            allowed = f'two numbers, [x, y], {span(LARGEST_LENGTH, "m")}'
            raise ChainError(refusal('tool', tool, allowed), 'tool')
        replace_fields(self, joints=joints, tool=tuple(part + 0.0 for part in place))
        if self.bent and self._headings.blocked is not None:
            raise ChainError(
                f'joint {shown(self.names[self._headings.blocked])}: its limits and those of the '
                'joints beside it leave no pose; widen its limits, or min_bend and max_bend',
                'joints',
            )

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
        given = listed(lengths, MOST_JOINTS)
        if given is None:
            raise ChainError(f'lengths must be a list of numbers in m, not {shown(lengths)}')
        count, allowed = len(given), f'one of {", ".join(TYPES)}'
        pairs = _one_each('limits', limits, '(lower, upper) in rad or None', None, count)
        kinds = _one_each('types', types, allowed, 'revolute', count)
        rows = enumerate(zip(given, pairs, kinds), 1)
        return cls([_straight_joint(f'joint{number}', *row) for number, row in rows])

    @cached_property
    def _hash(self) -> int:
        # Numbers hash alike in every process that a chain is sent to.
        return hash((self.lengths, self._turns, self.limits, self.tool))

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[type[Chain], tuple[tuple[Joint, ...], tuple[float, float]]]:
        # The solver's tables are not sent to another process.
        return Chain, (self.joints, self.tool)

    @property
    def all_joints(self) -> tuple[Joint, ...]:
        """The same as ``joints``."""
        return self.joints

    @cached_property
    def lengths(self) -> tuple[float, ...]:
        """Lengths of the links in m, from the base to the tip."""
        return tuple(joint.length for joint in self.joints)

    @cached_property
    def linked(self) -> bool:
        """Whether any joint but the first is absolute."""
        return any(joint.absolute for joint in self.joints[1:])

    @cached_property
    def bent(self) -> bool:
        """Whether any joint has limits of its bend."""
        return any(joint.min_bend is not None for joint in self.joints)

    @cached_property
    def middle(self) -> tuple[float, ...]:
        """Middle of each joint's range in rad or m, 0 for continuous joints.

        If limits of bends forbid that, a pose that they allow.
        """
        return tuple(self.settled([joint.middle for joint in self.joints]))

    def settled(self, positions: Sequence[float]) -> list[float]:
        """Return positions (n,) within the limits of positions, moved within those of bends."""
        if not self.bent:
            return list(positions)
        rows = list(zip(positions, self.signs, self.shifts, self.limits))
        numbers = self._headings.clamp([sign * q + shift for q, sign, shift, _ in rows])
        return [
            q if number == sign * q + shift else min(max((number - shift) / sign, lower), upper)
            for number, (q, sign, shift, (lower, upper)) in zip(numbers, rows)
        ]

    @cached_property
    def _headings(self) -> Headings:
        """The poses that all limits together leave."""
        return Headings(self.links)

    @cached_property
    def reach(self) -> Annulus:
        """Exact radii of the reachable annulus in m, limits of revolute joints ignored.

        A tool moves its centre off the base. Prismatic joints keep to their limits. If one comes
        before the first revolute joint, as a rail does, the reachable area is no annulus; the radii
        are then the distances of its nearest and farthest points. Targets outside are out of reach;
        some inside may also be.
        """
        return annulus(self._links(1.0))

    @cached_property
    def size(self) -> float:
        """The length unit of the solvers in m: the outer radius, or 1 m where that is next to 0."""
        return self.reach.outer if self.reach.outer > NEXT_TO_NOTHING else 1.0

    # --- positions and bends ---

    @cached_property
    def _turns(self) -> tuple[float, ...]:
        """Bend of each link at position 0 in rad; of an absolute joint, direction of its link."""
        before = [0.0, *(joint.direction for joint in self.joints)]
        return tuple(
            joint.offset + joint.direction - (0.0 if joint.absolute else direction)
            for joint, direction in zip(self.joints, before)
        )

    @cached_property
    def signs(self) -> tuple[float, ...]:
        """Derivative of each joint's value by its position: +1.0 or -1.0; 1/m of a slide."""
        return tuple(slope for slope, _ in self._numbers(self.size))

    @cached_property
    def shifts(self) -> tuple[float, ...]:
        """Value of each joint at position 0, in rad or reaches."""
        return tuple(at_0 for _, at_0 in self._numbers(self.size))

    def _numbers(self, size: float) -> list[tuple[float, float]]:
        """Return both of each joint, for a reach in m."""
        return [
            (joint.axis / size, joint.length / size) if joint.slides else (joint.turns, turn)
            for joint, turn in zip(self.joints, self._turns)
        ]

    @cached_property
    def solver(self) -> ChainSolver:
        """The solver of the chain, with its tables, made on first use."""
        return ChainSolver(self._table)

    def new_solver(self) -> ChainSolver:
        """Return another one with the same tables, for another thread."""
        return ChainSolver(self._table, self.solver.solver)

    def new_stepper(self) -> ChainSolver:
        """Return one that takes small steps only, without tables for decisions."""
        return ChainSolver(self._table, decides=False)

    @property
    def _table(self) -> ChainTable:
        """The chain as its solver takes it."""
        return ChainTable(
            self.links,
            self.size,
            self.reach,
            self.joints[-1].direction,
            self.tool,
            self.signs,
            self.shifts,
            self.limits,
        )

    @cached_property
    def links(self) -> list[Link]:
        """The joints as the solver takes them, lengths in reaches."""
        return self._links(self.size)

    def _links(self, size: float) -> list[Link]:
        """Return the joints as the solver takes them, with a unit of length in m."""
        links = []
        rows = zip(self.joints, self._turns, self.limits, self._numbers(size))
        for joint, turn, (lower, upper), (sign, at_0) in rows:
            fixed = turn if joint.slides else joint.length / size
            low, high = sorted((sign * lower + at_0, sign * upper + at_0))
            first = joint is self.joints[0] and not joint.slides
            absolute = self.linked and (joint.absolute or first)
            least, most = joint.min_bend, joint.max_bend
            bends = EVERY if least is None or most is None else (least, most)
            links.append(Link(joint.slides, fixed, low, high, absolute, bends))
        return counting_turns(links)

    # --- forward kinematics ---

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
        return self.points(self.poses('q', q))

    def points(self, positions: FloatArray) -> FloatArray:
        """Return joints and tips (..., n + 1, 2) for positions (..., n), already checked."""
        *pivots, tip = self.pivots([*np.moveaxis(positions, -1, 0)])
        parts = [part for point in (*pivots[: len(self)], tip) for part in point]
        points = np.stack(np.broadcast_arrays(*parts), axis=-1)
        return points.reshape(*positions.shape[:-1], len(self) + 1, 2)

    def pivots(self, positions: Sequence[Any]) -> list[tuple[Any, Any]]:
        """Return x and y of the same points: of one pose (n,) in plain numbers, for speed.

        Each position may be an array of many. With a tool, the end of the last link comes before
        the tip.
        """
        by: Any = np if isinstance(positions[0], np.ndarray) else math
        x = y = 0.0
        points = [(x, y)]
        rows = zip(positions, self.link_headings(positions), self._rows)
        for q, heading, (_, stretches, _, length, _) in rows:
            reach = length + stretches * q
            x, y = x + reach * by.cos(heading), y + reach * by.sin(heading)
            points.append((x, y))
        if any(self.tool):
            points.append((x + self.tool[0], y + self.tool[1]))
        return points

    def tip_angle(self, positions: Sequence[float]) -> float:
        """Return the direction of the last link's frame for (n,) checked positions, in rad."""
        return float(self.tip_angles(np.array(positions)))

    def tip_angles(self, positions: FloatArray) -> FloatArray:
        """Return the directions of the last link's frame for positions (..., n), in rad.

        They are above -pi and up to pi.
        """
        headings = self.link_headings([*np.moveaxis(positions, -1, 0)])
        angles = headings[-1] - self.joints[-1].direction
        angles = angles - math.tau * np.rint(angles / math.tau)
        return np.where(angles <= -math.pi, math.pi, angles)

    def link_headings(self, positions: Sequence[Any]) -> list[Any]:
        """Return the direction of each link in rad, for the same positions as :meth:`pivots`."""
        heading, headings = 0.0, []
        for q, (turns, _, bend, _, begins) in zip(positions, self._rows):
            heading = (0.0 if begins else heading) + (bend + turns * q)
            headings.append(heading)
        return headings

    @cached_property
    def _rows(self) -> list[tuple[float, float, float, float, bool]]:
        """How each position turns and stretches its link; bend and length in m at 0.

        Last, whether the sum of the bends begins anew.
        """
        pairs = zip(self.joints, self._turns)
        return [(j.turns, j.axis * j.slides, bend, j.length, j.absolute) for j, bend in pairs]


def _one_each(
    what: str, values: object, allowed: str, default: object, count: int
) -> Sequence[Any]:
    """Return one value for each joint: the default for None."""
    items = [default] * count if values is None else listed(values, MOST_JOINTS)
    if items is None or len(items) != count:
        raise ChainError(f'{what} are {shown(values)}; give {allowed} for each of {count} lengths')
    return items


def _straight_joint(name: str, length: object, pair: object, kind: str) -> Joint:
    value = finite(length)
    if value is None or not 0.0 <= value <= LARGEST_LENGTH:
        allowed = f'a number of 0 or more, at most {LARGEST_LENGTH:.12g}, in m'
        raise ChainError(refusal(f"joint '{name}': length", length, allowed))
    ends = (None, None) if pair is None else listed(pair, 2)
    if ends is None or len(ends) != 2:
        raise ChainError(
            f"joint '{name}': limits are {shown(pair)}; give (lower, upper) in rad or None"
        )
    lower, upper = ends
    return Joint(name, (value, 0.0), lower, upper, type=kind)
