"""An arm in space: a chain in a plane, and one joint that carries the plane to the target."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ik2d_ros.kinematics.arguments import (
    LARGEST_LENGTH,
    LARGEST_POSITION,
    ChainError,
    FloatArray,
    listed,
    named,
    refusal,
    replace_fields,
    shown,
)
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.joint import Joint, JointRow, Lift, Turntable
from ik2d_ros.kinematics.kernel.chain_solver import ChainSolver
from ik2d_ros.kinematics.kernel.lift import LiftSolver
from ik2d_ros.kinematics.kernel.turntable import TurntableSolver
from ik2d_ros.kinematics.plane import Number, Plane, dot, vector
from ik2d_ros.kinematics.room import check_room, draw_poses
from ik2d_ros.kinematics.turning_plane import TurningPlane
from ik2d_ros.kinematics.walls import HAIR, Contact, Wall

MOST_LEAN = 5e-3
"""rad; how far a turntable's axis may lean out of the plane that it carries."""

MOST_WALLS = 16

# The x-y plane of the base frame.
_FLAT = Plane((0.0, 0.0, 0.0), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))


@dataclass(frozen=True)
class Arm(JointRow):
    """A chain in a plane of space, before it a turntable, a lift or neither; immutable.

    Example:
        >>> from ik2d_ros.kinematics import Arm, Chain, Plane, Turntable
        >>> upright = Plane.from_pose((0.0, 0.0, 0.1), (math.pi / 2.0, 0.0, 0.0))
        >>> arm = Arm(Chain.from_lengths([0.30, 0.25]), upright, Turntable())
        >>> arm.forward([1.0, 0.0, 0.0]).round(3).tolist()
        [0.297, 0.463, 0.1]

    Attributes:
        chain: the joints in the plane.
        plane: where the chain moves while turntable or lift are at 0, in the base frame. Default:
            the x-y plane.
        turntable: the joint that turns the plane; its axis is parallel to the plane to 5e-3 rad.
        lift: the joint that shifts the plane along its normal.
        walls: planes in the base frame that no pivot and no tip crosses; at most 16.

    Raises:
        ChainError: a part is not of its kind, there are both turntable and lift, the turntable's
            axis is not parallel to the plane, two joints have the same name, or walls leave no
            pose.
    """

    chain: Chain
    plane: Plane = _FLAT
    turntable: Turntable | None = None
    lift: Lift | None = None
    walls: Sequence[Wall] = ()
    turning_plane: TurningPlane | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        kinds = {'chain': Chain, 'plane': Plane, 'turntable': Turntable, 'lift': Lift}
        for what, kind in kinds.items():
            part = getattr(self, what)
            if part is None and kind in (Turntable, Lift):
                continue
            if not isinstance(part, kind):
                raise ChainError(refusal(what, part, f'a {kind.__name__}'))
        replace_fields(self, plane=_checked_plane(self.plane))
        if self.turntable is not None and self.lift is not None:
            raise ChainError(
                f'an arm has a turntable or a lift, not both: {shown(self.turntable.name)} and '
                f'{shown(self.lift.name)}'
            )
        for carrier in self._carriers:
            if carrier.name in self.chain.names:
                raise ChainError(
                    f'joint names must be unique; given twice: {named((carrier.name,))}'
                )
        turning_plane = None
        if self.turntable is not None:
            lean = math.asin(min(1.0, abs(dot(self.turntable.axis, self.plane.axes[2]))))
            if lean > MOST_LEAN:
                raise ChainError(
                    f'joint {shown(self.turntable.name)}: the axis leans out of the plane by '
                    f'{lean:.6g} rad; it must be parallel to the plane, to {MOST_LEAN:g} rad',
                    'axis',
                )
            turning_plane = TurningPlane.of(self.plane, self.turntable.xyz, self.turntable.axis)
        replace_fields(self, turning_plane=turning_plane, walls=_checked_walls(self.walls))
        if self.walls:
            check_room(self)

    def __hash__(self) -> int:
        # Numbers hash alike in every process.
        return hash((self.chain, self.plane, self.turning_plane, self.limits[0], self.walls))

    def __reduce__(self) -> tuple[type[Arm], tuple[object, ...]]:
        # The tables are not sent to another process.
        return Arm, (self.chain, self.plane, self.turntable, self.lift, self.walls)

    # --- its joints ---

    @cached_property
    def _carriers(self) -> tuple[Turntable | Lift, ...]:
        return tuple(each for each in (self.turntable, self.lift) if each is not None)

    @cached_property
    def all_joints(self) -> tuple[Joint | Turntable | Lift, ...]:
        """Turntable or lift, if there is one, then the chain's joints."""
        return *self._carriers, *self.chain.joints

    @cached_property
    def middle(self) -> tuple[float, ...]:
        """Middle of each joint's range in rad or m, 0 where there are no limits."""
        return (*(each.middle for each in self._carriers), *self.chain.middle)

    @property
    def bent(self) -> bool:
        """Whether any joint has limits of its bend."""
        return self.chain.bent

    def settled(self, positions: Sequence[float]) -> list[float]:
        """Return positions (m,) within the limits of positions, moved within those of bends."""
        begin = len(self._carriers)
        return [*positions[:begin], *self.chain.settled(positions[begin:])]

    @property
    def size(self) -> float:
        """How far the chain reaches, in m, limits ignored; 1 m where that is next to 0."""
        return self.chain.size

    @cached_property
    def solver(self) -> TurntableSolver | LiftSolver:
        """The solver of the arm, made on first use."""
        return self._solver_with(self.chain.solver)

    def new_solver(self) -> TurntableSolver | LiftSolver:
        """Return another one with the same tables, for another thread."""
        return self._solver_with(self.chain.new_solver())

    def _solver_with(self, chain: ChainSolver) -> TurntableSolver | LiftSolver:
        lower, upper = self.limits[0]
        if self.turning_plane is not None:
            return TurntableSolver(chain, self.turning_plane, (lower, upper))
        if self.lift is None:
            return LiftSolver(chain, 0, (0.0, 0.0), False)
        travel = max(lower, -LARGEST_POSITION), min(upper, LARGEST_POSITION)
        return LiftSolver(chain, self.lift.axis, travel, not self.lift.continuous)

    @property
    def frame(self) -> Plane:
        """The solver's frame of targets: that of the turntable's axis, or the plane."""
        return self.plane if self.turning_plane is None else self.turning_plane.frame

    # --- forward kinematics ---

    def forward(self, q: ArrayLike) -> FloatArray:
        """Return where the tip is: forward kinematics.

        Args:
            q: (m,) joint positions in rad or m: of turntable or lift, if there is one, then of the
                chain; or (..., m), many poses at once.

        Returns:
            (3,) the tip in m in the base frame; (..., 3) for many poses.

        Raises:
            ArgumentError: ``q`` has not one number for each joint, or one is not finite, or is
                beyond 1e9.
        """
        return self.tips(self.poses('q', q))

    def tips(self, positions: FloatArray) -> FloatArray:
        """Return the tips (..., 3) for positions (..., m) that are already checked."""
        return np.stack(self.tip([*np.moveaxis(positions, -1, 0)]), axis=-1)

    def tip(self, positions: Sequence[Any]) -> tuple[Any, Any, Any]:
        """Return the tip for (m,) plain numbers, already checked; or for arrays of many."""
        x, y = self.chain.pivots(positions[len(self._carriers) :])[-1]
        return self.placed(x, y, positions[0])

    def placed(self, x: Number, y: Number, position: Number) -> tuple[Number, Number, Number]:
        """Return a point of the plane in the base frame, in m.

        Args:
            x: in the plane, in m.
            y: the same.
            position: of turntable or lift; it does not matter where there is neither.
        """
        if self.turning_plane is not None:
            return self.turning_plane.point(self.turning_plane.plane.point(x, y), position)
        return self.plane.point(x, y, position * self.lift.axis if self.lift is not None else 0.0)

    def tip_angles(self, positions: FloatArray) -> FloatArray:
        """Return the directions of the last link's frame in the plane, as it is carried.

        Args:
            positions: (..., m), already checked.

        Returns:
            (...,) rad, above -pi and up to pi.
        """
        return self.chain.tip_angles(positions[..., len(self._carriers) :])

    def carried_plane(self, position: float) -> Plane:
        """Return the plane in the base frame, as turntable or lift carry it.

        Its ``point(x, y)`` converts the chain's joints and tip to the base frame.

        Args:
            position: of turntable or lift; it does not matter where there is neither.
        """
        if self.turning_plane is not None:
            return self.turning_plane.plane_at(position)
        shift = position * self.lift.axis if self.lift is not None else 0.0
        return Plane(self.plane.point(0.0, 0.0, shift), self.plane.axes)

    # --- walls ---

    @cached_property
    def without_walls(self) -> Arm:
        """The arm as if there were no walls."""
        return replace(self, walls=()) if self.walls else self

    def clearances(self, positions: Sequence[Any]) -> list[Any]:
        """Return how far each pivot that can move, and the tip, is on this side of each wall.

        A wall along a plane that nothing carries is a reach away: no motion leads closer.

        Args:
            positions: (m,) plain numbers, already checked; or an array of many in place of each.

        Returns:
            (w * p,) in m, wall by wall; negative: across. They are numbers, or arrays.
        """
        if not self.walls:
            return []
        begin = len(self._carriers)
        points = self.chain.pivots(positions[begin:])[self._still :]
        one = other = 0.0 * positions[0]
        if self.lift is not None:
            one = positions[0]
        elif self.turning_plane is not None:
            by: Any = np if isinstance(positions[0], np.ndarray) else math
            one, other = by.cos(positions[0]), by.sin(positions[0])
        found: list[Any] = []
        for (a, b, c), (d, e, f), (g, h, i) in self._height_terms:
            x, y, z = a + b * one + c * other, d + e * one + f * other, g + h * one + i * other
            found += [x * u + y * v + z for u, v in points]
        return found

    def is_clear(self, positions: Sequence[float]) -> bool:
        """Return whether (m,) positions keep on this side of all walls, but for a hair."""
        return not self.walls or min(self.clearances(positions)) >= self.hair

    def are_clear(self, poses: FloatArray) -> NDArray[np.bool_]:
        """Return the same (k,) for many poses (k, m) of an arm with walls."""
        clear: NDArray[np.bool_] = np.min(self.clearances(list(poses.T)), axis=0) >= self.hair
        return clear

    @cached_property
    def units_of_move(self) -> FloatArray:
        """(m,) a move of each joint that counts as 1: by 1 rad, or of a slide by a reach in m."""
        return np.array([self.size if unit == 'm' else 1.0 for unit in self.units])

    @property
    def hair(self) -> float:
        """The clearance in m, all but 0, from which on something counts as on this side."""
        return -HAIR * self.size

    def contact(self, positions: Sequence[float]) -> Contact:
        """Return which part is deepest across a wall at (m,) positions, or next to one."""
        found = self.clearances(positions)
        names = self._parts
        depth, k = max((-clearance, k) for k, clearance in enumerate(found))
        return Contact(self.walls[k // len(names)].name, names[k % len(names)], depth)

    @cached_property
    def levers(self) -> tuple[float, ...]:
        """The most in m by which a point of the arm moves, by radian or metre of each joint."""
        after, levers = math.hypot(*self.chain.tool), []
        for joint in reversed(self.chain.joints):
            ends = (joint.lower, joint.upper) if joint.slides else (0.0,)
            after += max(abs(joint.length + joint.axis * (end or 0.0)) for end in ends)
            levers.append(1.0 if joint.slides else after)
        if self.turning_plane is not None:
            out, across, _ = self.turning_plane.plane.origin
            levers.append(math.hypot(out, across) + after)
        elif self.lift is not None:
            levers.append(1.0)
        return tuple(reversed(levers))

    @cached_property
    def _parts(self) -> list[str]:
        """Words for the points of :meth:`clearances`, of one wall."""
        pivots = [f'joint {shown(name)}' for name in self.chain.names]
        ends = ['the end of the last link'] if any(self.chain.tool) else []
        return [*pivots, *ends, 'the tip'][self._still :]

    @cached_property
    def _still(self) -> int:
        """How many of the first pivots no joint moves; the tip always counts."""
        poses = draw_poses(self, np.random.default_rng(0), self.middle, math.inf)
        *pivots, _ = self.chain.pivots([*poses.T[len(self._carriers) :]])
        for k, (x, y) in enumerate(pivots):
            point = self.placed(x, y, poses[:, 0])
            if max(np.ptp(part) for part in point) > HAIR * self.size:
                return k
        return len(pivots)

    @cached_property
    def _height_terms(self) -> list[list[tuple[float, float, float]]]:
        """How far points are from each wall, for :meth:`clearances`.

        That is linear in their x and y and a constant, each of which is linear in the lift's
        position, or in cosine and sine of the turntable's.
        """
        places = (0.0, 0.5 * math.pi, math.pi) if self.turning_plane is not None else (0.0, 1.0)

        def parts(wall: Wall, position: float) -> tuple[float, float, float]:
            at, x, y = (wall.height(*self.placed(*p, position)) for p in _CORNERS)
            return x - at, y - at, at

        terms = []
        for wall in self.walls:
            columns = zip(*(parts(wall, position) for position in places), strict=True)
            if self.turning_plane is None:
                x, y, z = ((at, far - at, 0.0) for at, far in columns)
                is_along = not self._carriers and math.hypot(x[0], y[0]) <= HAIR
                if is_along and z[0] >= self.hair:
                    z = self.size, 0.0, 0.0  # no motion leads across, or comes closer
                terms.append([x, y, z])
            else:
                terms.append([((a + c) / 2, (a - c) / 2, b - (a + c) / 2) for a, b, c in columns])
        return terms


_CORNERS = (0.0, 0.0), (1.0, 0.0), (0.0, 1.0)


def _checked_walls(walls: object) -> tuple[Wall, ...]:
    items = listed(walls, MOST_WALLS)
    if items is None:
        raise ChainError(f'walls are {shown(walls)}; give a list of walls')
    if len(items) > MOST_WALLS:
        raise ChainError(f'an arm has at most {MOST_WALLS} walls; more were given')
    for wall in items:
        if not isinstance(wall, Wall):
            raise ChainError(f'walls are made of walls; {shown(wall)} is not a Wall')
    return tuple(items)


def _checked_plane(plane: Plane) -> Plane:
    """Return a plane whose axes are right-handed unit vectors at right angles.

    Raises:
        ChainError: it is none.
    """
    try:
        origin, axes = vector('xyz', plane.origin, LARGEST_LENGTH, 'm'), np.array(plane.axes)
        sound = (
            axes.shape == (3, 3)
            and bool(np.isfinite(axes).all())
            and np.abs(axes @ axes.T - np.eye(3)).max() < 1e-9
            and np.linalg.det(axes) > 0.0
        )
    except (ValueError, TypeError, OverflowError):
        sound = False
    if not sound:
        raise ChainError(
            f'plane is {shown(plane)}; its origin must be three numbers from '
            f'{-LARGEST_LENGTH:.12g} to {LARGEST_LENGTH:.12g} in m, and its axes right-handed '
            'unit vectors at right angles'
        )
    return Plane(origin, plane.axes)
