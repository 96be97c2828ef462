"""The chain: revolute and prismatic joints in one plane, and its forward kinematics.

Users know a pose by its *positions* ``q``, one per joint, in the joint's own sense and zero;
solvers by a *value* of each joint, lengths in reaches: see :mod:`ik2d_ros.kinematics.kernel`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ik2d_ros.kinematics.arguments import (
    MOST_JOINTS,
    ChainError,
    FloatArray,
    finite,
    listed,
    refusal,
    replace_fields,
    shown,
)
from ik2d_ros.kinematics.joint import Joint, JointRow, check_names, plane_vector
from ik2d_ros.kinematics.kernel.annulus import Annulus, annulus
from ik2d_ros.kinematics.kernel.chain_solver import ChainSolver
from ik2d_ros.kinematics.kernel.headings import Headings, counting_turns
from ik2d_ros.kinematics.kernel.joint_table import EVERY, Link
from ik2d_ros.kinematics.kernel.solver import Solver

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
        if given is None or not all(isinstance(joint, Joint) for joint in given):
            raise ChainError(f'a chain is made of a list of joints, not of {shown(joints)}')
        if not 1 <= len(given) <= MOST_JOINTS:
            words = f'at least one joint and at most {MOST_JOINTS} joints'
            raise ChainError(f'a chain has {words}; {len(given)} were given', 'joints')
        joints = tuple(given)
        check_names([joint.name for joint in joints], 'joints')
        if joints[0].min_bend is not None:
            words = 'min_bend and max_bend are limits to the link before; the first joint has none'
            raise ChainError(f'joint {shown(joints[0].name)}: {words}', 'joints')
        replace_fields(self, joints=joints, all_joints=joints, tool=plane_vector('tool', tool))
        if self.has_bend_limits and self._headings.blocked is not None:
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
        pairs = listed([None] * len(given) if limits is None else limits, MOST_JOINTS)
        if pairs is None or len(pairs) != len(given):
            allowed = f'(lower, upper) in rad or None for each of {len(given)} lengths'
            raise ChainError(f'limits are {shown(limits)}; give {allowed}')
        joints = []
        for i, (length, pair) in enumerate(zip(given, pairs), 1):
            name, ends = f'joint{i}', listed(pair or (None, None), 2) or ()
            if len(ends) != 2:
                raise ChainError(f"joint '{name}': limits are {shown(pair)}; give two, or None")
            lower, upper = ends
            number = finite(length)
            if number is None or number < 0.0:
                raise ChainError(refusal(f"joint '{name}': length", length, '0 or more, in m'))
            joints.append(Joint(name, (number, 0.0), lower, upper))
        return cls(joints)

    @cached_property
    def lengths(self) -> tuple[float, ...]:
        """Lengths of the links in m, from the base to the tip."""
        return tuple(joint.length for joint in self.joints)

    @cached_property
    def linked(self) -> bool:
        """Whether any joint but the first is absolute."""
        return any(joint.absolute for joint in self.joints[1:])

    def project_to_bend_limits(self, positions: Sequence[float]) -> list[float]:
        """Return positions (n,) within the limits of positions, moved within those of bends."""
        if not self.has_bend_limits:
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
        before the first revolute joint, the reachable area is no annulus, but no target outside is
        in it.
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
        return self._new_solver(None)

    def new_solver(self, decides: bool = True) -> ChainSolver:
        """Return another one with the same tables, for another thread.

        One that does not decide takes small steps only, and needs no tables.
        """
        return self._new_solver(self.solver.solver if decides else None, decides)

    def _new_solver(self, like: Solver | None, decides: bool = True) -> ChainSolver:
        inner, outer = self.reach
        return ChainSolver(
            Solver(self.links, inner / self.size, outer / self.size, like, decides),
            self.size,
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
            q: (n,) joint positions in rad or m; or (..., n), many poses at once.

        Returns:
            (n + 1, 2) points in m in the plane: every joint from the base on and, last, the tip;
            (..., n + 1, 2) for many poses.

        Raises:
            ArgumentError: ``q`` has not one finite number up to 1e9 for each joint.
        """
        positions = self.poses('q', q)
        *pivots, tip = self.pivots([*np.moveaxis(positions, -1, 0)])
        parts = [part for point in (*pivots[: len(self)], tip) for part in point]
        points = np.stack(np.broadcast_arrays(*parts), axis=-1)
        return points.reshape(*positions.shape[:-1], len(self) + 1, 2)

    def pivots(self, positions: Sequence[Any]) -> list[tuple[Any, Any]]:
        """Return x and y of the same points, and where the last link ends before a tool.

        Positions are (n,) plain numbers, or an array of many in place of each.
        """
        by: Any = np if isinstance(positions[0], np.ndarray) else math
        x = y = 0.0
        points = [(x, y)]
        rows = zip(positions, self.link_headings(positions), self._rows)
        for q, heading, (_, stretches, _, length, _) in rows:
            reach = length + stretches * q if stretches else length
            x, y = x + reach * by.cos(heading), y + reach * by.sin(heading)
            points.append((x, y))
        if any(self.tool):
            points.append((x + self.tool[0], y + self.tool[1]))
        return points

    def tip_angle(self, positions: Sequence[float]) -> float:
        """Return the direction of the last link's frame for (n,) checked positions, in rad."""
        return float(self.tip_angles(np.array(positions)))

    def tip_angles(self, positions: FloatArray) -> FloatArray:
        """Return tip angles (...,) in rad, above -pi and up to pi, for positions (..., n)."""
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
        """How positions turn and stretch each link; bend, length at 0; if bends begin anew."""
        pairs = zip(self.joints, self._turns)
        return [(j.turns, j.axis * j.slides, bend, j.length, j.absolute) for j, bend in pairs]
