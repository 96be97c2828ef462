"""An arm in space: a chain in a plane, a joint that carries the plane, and one that rolls the tip.

With its roll at a position, an arm is one without: its last link is another one, and its plane is
shifted along the normal. So it is solved (:meth:`Arm.at_roll`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ik2d_ros.kinematics.arguments import (
    LARGEST_LENGTH,
    LARGEST_POSITION,
    ChainError,
    FloatArray,
    finite_row,
    listed,
    refusal,
    replace_fields,
    shown,
)
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.joint import JointRow, Lift, Roll, Turntable, check_names
from ik2d_ros.kinematics.kernel.chain_solver import ChainSolver, LiftSolver
from ik2d_ros.kinematics.kernel.turntable import TurntableSolver
from ik2d_ros.kinematics.plane import (
    ROUNDING,
    Contact,
    Number,
    Plane,
    TurningPlane,
    Wall,
    dot,
    vector,
)

MOST_LEAN = 5e-3
"""rad; how far a turntable's axis may lean out of the plane that it carries."""

MOST_WALLS = 16
FEW = 5  # Joints of a chain whose tables are made in some ms.
MOST_ROLLS = 16  # Positions of the roll that an arm keeps its tables for.

_DRAWN = 512  # Poses that are drawn at once.

# The x-y plane of the base frame.
_FLAT = Plane((0.0, 0.0, 0.0), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))


@dataclass(frozen=True)
class Arm(JointRow):
    """A chain in a plane of space, with a turntable or a lift, and a roll, or not; immutable.

    Example:
        >>> from ik2d_ros.kinematics import Arm, Chain, Plane, Turntable
        >>> upright = Plane.from_pose((0.0, 0.0, 0.1), (math.pi / 2.0, 0.0, 0.0))
        >>> arm = Arm(Chain.from_lengths([0.30, 0.25]), upright, Turntable())
        >>> arm.forward([1.0, 0.0, 0.0]).round(3).tolist()
        [0.297, 0.463, 0.1]

    Attributes:
        chain: the joints in the plane.
        plane: where the chain moves while turntable or lift are at 0, in the base frame.
        turntable: the joint that turns the plane; its axis is parallel to the plane to 5e-3 rad.
        lift: the joint that shifts the plane along its normal.
        walls: planes in the base frame that no pivot and no tip crosses; at most 16.
        roll: the joint after the chain, which turns the tip about an axis in the plane.

    Raises:
        ChainError: a part is not of its kind, two of them exclude each other, the turntable's axis
            is not parallel to the plane, or two joints have the same name.
    """

    chain: Chain
    plane: Plane = _FLAT
    turntable: Turntable | None = None
    lift: Lift | None = None
    walls: Sequence[Wall] = ()
    roll: Roll | None = None

    def __post_init__(self) -> None:
        kinds = {'turntable': Turntable, 'lift': Lift, 'roll': Roll}
        for what, kind in {'chain': Chain, 'plane': Plane, **kinds}.items():
            part = getattr(self, what)
            if part is None and what in kinds:
                continue
            if not isinstance(part, kind):
                raise ChainError(refusal(what, part, f'a {kind.__name__}'))
        replace_fields(self, plane=_checked_plane(self.plane))
        if self.turntable is not None and self.lift is not None:
            names = f'{shown(self.turntable.name)} and {shown(self.lift.name)}'
            raise ChainError(
                f'an arm has a turntable or a lift, not both: {names}', 'turntable', 'lift'
            )
        parts = self.turntable, self.lift, *self.chain.joints, self.roll
        replace_fields(self, all_joints=tuple(each for each in parts if each is not None))
        check_names(self.names)
        if self.roll is not None and any(self.chain.tool):
            given = f'{list(self.chain.tool)} and {shown(self.roll.name)}'
            raise ChainError(f'an arm has a tool kept level or a roll, not both: {given}', 'tool')
        if self.turntable is not None:
            lean = math.asin(min(1.0, abs(dot(self.turntable.axis, self.plane.axes[2]))))
            if lean > MOST_LEAN:
                raise ChainError(
                    f'joint {shown(self.turntable.name)}: the axis leans out of the plane by '
                    f'{lean:.6g} rad; it must be parallel to the plane, to {MOST_LEAN:g} rad',
                    'axis',
                )
        walls = listed(self.walls, MOST_WALLS)
        if walls is None or len(walls) > MOST_WALLS or {*map(type, walls)} - {Wall}:
            allowed = f'give a list of at most {MOST_WALLS} walls'
            raise ChainError(f'walls are {shown(self.walls)}; {allowed}')
        replace_fields(self, walls=tuple(walls))

    # --- its joints ---

    def in_plane(self, positions: Sequence[Any]) -> Sequence[Any]:
        """Return the part of (m,) positions that are the chain's, (n,)."""
        return positions[self._chain_part]

    @cached_property
    def _chain_part(self) -> slice:
        begin = int(self.turntable is not None or self.lift is not None)
        return slice(begin, begin + len(self.chain))

    def project_to_bend_limits(self, positions: Sequence[float]) -> list[float]:
        """Return positions (m,) within the limits of positions, moved within those of bends."""
        part = self._chain_part
        settled = self.chain.project_to_bend_limits(positions[part])
        return [*positions[: part.start], *settled, *positions[part.stop :]]

    @property
    def size(self) -> float:
        """How far the chain reaches, in m, limits ignored; 1 m where that is next to 0."""
        return self.chain.size

    @cached_property
    def solver(self) -> TurntableSolver | LiftSolver:
        """The solver of the arm, made on first use."""
        return self._solver_with(self.chain.solver)

    def new_solver(self, decides: bool = True) -> TurntableSolver | LiftSolver:
        """Return another one, as :meth:`.Chain.new_solver` does."""
        return self._solver_with(self.chain.new_solver(decides))

    def is_ready(self, aimed: bool) -> bool:
        """Whether solving is short, and makes no large tables first; ``aimed``: for a tip angle."""
        made = getattr(vars(self.chain).get('solver'), 'solver', None)
        is_short = made and made.enumerated_from == 0 and (made.is_ready_for_angles or not aimed)
        # A roll off whose axis the tip is has tables for each of its positions.
        return len(self.chain) <= FEW or bool(is_short and not self.tip_radius)

    def _solver_with(self, chain: ChainSolver) -> TurntableSolver | LiftSolver:
        lower, upper = self.limits[0]
        if self.turning_plane is not None:
            return TurntableSolver(chain, self.turning_plane, (lower, upper))
        if self.lift is None:
            return LiftSolver(chain, 0, (0.0, 0.0), False)
        travel = max(lower, -LARGEST_POSITION), min(upper, LARGEST_POSITION)
        return LiftSolver(chain, self.lift.axis, travel, not self.lift.continuous)

    @cached_property
    def turning_plane(self) -> TurningPlane | None:
        """The plane as the turntable turns it; None without one."""
        if self.turntable is None:
            return None
        return TurningPlane.of(self.plane, self.turntable.xyz, self.turntable.axis)

    @property
    def frame(self) -> Plane:
        """The solver's frame of targets: that of the turntable's axis, or the plane."""
        return self.plane if self.turning_plane is None else self.turning_plane.frame

    def draw_poses(
        self, random: np.random.Generator, about: Sequence[float] | FloatArray, spread: float
    ) -> FloatArray:
        """Draw poses (k, m) within limits of positions, so many rad or reaches about (m,) ones."""
        span, size = math.pi * self.units_of_move, (_DRAWN, len(self))
        lower = np.where(np.isfinite(self.lower), self.lower, about - span)
        upper = np.where(np.isfinite(self.upper), self.upper, about + span)
        if math.isinf(spread):
            return random.uniform(lower, upper, size)
        moves = spread * self.units_of_move * random.normal(size=size)
        return np.clip(about + moves, lower, upper)

    # --- forward kinematics ---

    def forward(self, q: ArrayLike) -> FloatArray:
        """Return where the tip is, (3,) in m in the base frame: forward kinematics.

        Args:
            q: (m,) joint positions in rad or m: of turntable or lift, if there is one, then of the
                chain, then of the roll; or (..., m), many poses at once.

        Raises:
            ArgumentError: ``q`` has not one finite number up to 1e9 for each joint.
        """
        return self.tips(self.poses('q', q))

    def tips(self, positions: FloatArray) -> FloatArray:
        """Return the tips (..., 3) for positions (..., m) that are already checked."""
        return np.stack(self.tip([*np.moveaxis(positions, -1, 0)]), axis=-1)

    def tip(self, positions: Sequence[Any]) -> tuple[Any, Any, Any]:
        """Return the tip for (m,) plain numbers, already checked; or for arrays of many."""
        x, y, out = self.points(positions)[-1]
        return self.placed(x, y, positions[0], out)

    def points(self, positions: Sequence[Any]) -> list[tuple[Any, Any, Any]]:
        """Return x, y and out of the plane of pivots and tip in m, for (m,) numbers or arrays."""
        own = self.in_plane(positions)
        pivots = self.chain.pivots(own)
        found = [(x, y, 0.0) for x, y in pivots]
        if self.roll is not None:
            by: Any = np if isinstance(positions[0], np.ndarray) else math
            left, out = self.rolled(positions[-1])
            heading = self.chain.link_headings(own)[-1] + self._axis_left
            x, y = pivots[-1]
            found[-1] = x + left * by.cos(heading), y + left * by.sin(heading), out
        return found

    def placed(
        self, x: Number, y: Number, position: Number, out: Number | float = 0.0
    ) -> tuple[Number, Number, Number]:
        """Return a point of the plane, at a position of turntable or lift, in the base frame."""
        if self.turning_plane is not None:
            return self.turning_plane.point(self.turning_plane.plane.point(x, y, out), position)
        shift = position * self.lift.axis if self.lift is not None else 0.0
        return self.plane.point(x, y, out + shift)

    def tip_angles(self, positions: FloatArray) -> FloatArray:
        """Return tip angles (...,) in rad, above -pi and up to pi, for positions (..., m)."""
        return self.chain.tip_angles(positions[..., self._chain_part])

    def carried_plane(self, position: Any) -> Plane:
        """Return the plane in the base frame, as turntable or lift carry it at a position.

        Its vectors have arrays as components for an array of positions of a turntable.
        """
        if self.turning_plane is not None:
            return self.turning_plane.plane_at(position)
        return Plane(self.placed(0.0, 0.0, position), self.plane.axes)

    # --- the roll ---

    @cached_property
    def _beside(self) -> tuple[float, float]:
        """How far the tip at roll 0 is left of the roll's axis, and along the normal, in m."""
        link = self.chain.joints[-1].link
        return (self.roll.beside(link), self.roll.tip_z) if self.roll is not None else (0.0, 0.0)

    @cached_property
    def _axis_left(self) -> float:
        """Angle in rad from the last link to the left of the roll's axis."""
        axis = self.roll.axis if self.roll is not None else (1.0, 0.0)
        return math.atan2(axis[0], -axis[1]) - self.chain.joints[-1].direction

    @cached_property
    def tip_radius(self) -> float:
        """How far the tip is from the roll's axis in m; 0 without a roll."""
        return math.hypot(*self._beside)

    def rolled(self, position: Any) -> tuple[Any, Any]:
        """Return how far the tip is left of where it is at roll 0, and along the normal, in m."""
        by: Any = np if isinstance(position, np.ndarray) else math
        cos, sin = by.cos(position), by.sin(position)
        left, out = self._beside
        return left * (cos - 1.0) - out * sin, left * sin + out * cos

    @cached_property
    def _at_rolls(self) -> dict[float, Arm]:
        return {}

    def at_roll(self, position: float) -> Arm:
        """Return the arm without its roll, the tip where it is with that at a position in rad."""
        if self.roll is None:
            return self
        key = position if self.tip_radius else 0.0
        if (known := self._at_rolls.get(key)) is not None:
            return known
        if len(self._at_rolls) >= MOST_ROLLS:
            self._at_rolls.clear()
        (left, out), joints, (a, b) = self.rolled(key), [*self.chain.joints], self.roll.axis
        x, y, last = -b * left, a * left, len(joints) - 1
        while last >= 0 and joints[last].slides:
            # The link of a slide is also its way: what is aside goes to the link before.
            cos, sin = math.cos(joints[last].offset), math.sin(joints[last].offset)
            x, y, last = x * cos - y * sin, x * sin + y * cos, last - 1
        if last >= 0:
            p, q = joints[last].link
            joints[last] = joints[last].with_link((p + x, q + y))
            x = y = 0.0
        plane = Plane(self.plane.point(x, y, out), self.plane.axes)
        chain = Chain(joints) if self.tip_radius else self.chain  # with its tables
        self._at_rolls[key] = replace(self, chain=chain, plane=plane, roll=None)
        return self._at_rolls[key]

    def at_turn(self, position: float) -> Arm:
        """Return the arm without its walls, its turntable held at a position in rad."""
        held = self.turntable and replace(self.turntable, lower=position, upper=position)
        return replace(self, turntable=held, walls=())

    # --- walls ---

    @cached_property
    def without_walls(self) -> Arm:
        """The arm as if there were no walls."""
        return replace(self, walls=()) if self.walls else self

    def clearances(self, positions: Sequence[Any]) -> list[Any]:
        """Return how far each pivot that can move, and the tip, is on this side of each wall.

        They are (w * p,) in m, wall by wall; negative: across. A wall along a plane that nothing
        carries is a reach away: no motion leads closer. For positions as of :meth:`points`.
        """
        if not self.walls:
            return []
        points = self.points(positions)[self._still :]
        one = other = 0.0
        if self.lift is not None:
            one = positions[0]
        elif self.turning_plane is not None:
            by: Any = np if isinstance(positions[0], np.ndarray) else math
            one, other = by.cos(positions[0]), by.sin(positions[0])
        found: list[Any] = []
        for terms in self._height_terms:
            x, y, out, at = (a + b * one + c * other for a, b, c in terms)
            found += [x * u + y * v + out * w + at for u, v, w in points]
        return found

    def is_clear(self, positions: Sequence[float]) -> bool:
        """Return whether (m,) positions keep on this side of all walls, but for rounding."""
        return not self.walls or min(self.clearances(positions)) >= -self.clearance_tolerance

    def are_clear(self, poses: FloatArray) -> NDArray[np.bool_]:
        """Return the same (k,) for many poses (k, m) of an arm with walls."""
        least = np.min(self.clearances(list(poses.T)), axis=0)
        clear: NDArray[np.bool_] = least >= -self.clearance_tolerance
        return clear

    @cached_property
    def units_of_move(self) -> FloatArray:
        """(m,) a move of each joint that counts as 1: by 1 rad, or of a slide by a reach in m."""
        return np.array([self.size if unit == 'm' else 1.0 for unit in self.units])

    def largest_move(
        self, start: Sequence[float] | FloatArray, end: Sequence[float] | FloatArray
    ) -> float:
        """Return the largest move of a joint between (m,) positions, in such units."""
        return float(np.max(np.abs(np.subtract(end, start)) / self.units_of_move))

    @property
    def clearance_tolerance(self) -> float:
        """By how much in m a clearance may be below 0 and counts as 0: rounding."""
        return ROUNDING * self.size

    def contact(self, positions: Sequence[float]) -> Contact:
        """Return which part is deepest across a wall at (m,) positions, or next to one."""
        names, found = self._parts, self.clearances(positions)
        depth, k = max((-clearance, k) for k, clearance in enumerate(found))
        return Contact(self.walls[k // len(names)].name, names[k % len(names)], depth)

    @cached_property
    def lipschitz_constants(self) -> tuple[float, ...]:
        """The most in m by which a point of the arm moves, by radian or metre of each joint."""
        after, found = math.hypot(*self.chain.tool), []
        if self.roll is not None:
            found.append(self.tip_radius)
            after = self.tip_radius + abs(self._beside[0])  # from where the tip is at roll 0
        for joint in reversed(self.chain.joints):
            ends = (joint.lower, joint.upper) if joint.slides else (0.0,)
            after += max(abs(joint.length + joint.axis * (end or 0.0)) for end in ends)
            found.append(1.0 if joint.slides else after)
        if self.turning_plane is not None:
            out, across, _ = self.turning_plane.plane.origin
            found.append(math.hypot(out, across) + after + self.tip_radius)
        elif self.lift is not None:
            found.append(1.0)
        return tuple(reversed(found))

    @cached_property
    def _parts(self) -> list[str]:
        """Words for the points of :meth:`clearances`, of one wall."""
        names = [f'joint {shown(name)}' for name in self.chain.names]
        end = ['the end of the last link'] * any(self.chain.tool)
        return [*names, *end, 'the tip'][self._still :]

    @cached_property
    def _still(self) -> int:
        """How many of the first pivots no joint moves; the tip always counts."""
        poses = self.draw_poses(np.random.default_rng(0), self.middle, math.inf)[:8]  # some show it
        *pivots, _ = self.points([*poses.T])
        for k, (x, y, out) in enumerate(pivots):
            point = self.placed(x, y, poses[:, 0], out)
            if max(np.ptp(part) for part in point) > ROUNDING * self.size:
                return k
        return len(pivots)

    @cached_property
    def _height_terms(self) -> list[list[tuple[float, float, float]]]:
        """For each wall, terms of how far off points are: of x, y, out and 1.

        A term is linear in the lift's position, or in cosine and sine of the turntable's.
        """
        places = (0.0, 0.5 * math.pi, math.pi) if self.turning_plane is not None else (0.0, 1.0)

        def parts(wall: Wall, position: float) -> tuple[float, float, float, float]:
            at, x, y, out = (wall.height(*self.placed(x, y, position, z)) for x, y, z in _CORNERS)
            return x - at, y - at, out - at, at

        terms = []
        for wall in self.walls:
            columns = zip(*(parts(wall, position) for position in places), strict=True)
            if self.turning_plane is None:
                x, y, out, z = ((at, far - at, 0.0) for at, far in columns)
                is_fixed = self.lift is None and not self.tip_radius
                is_along = is_fixed and math.hypot(x[0], y[0]) <= ROUNDING
                if is_along and z[0] >= -self.clearance_tolerance:
                    z = self.size, 0.0, 0.0  # no motion leads across, or comes closer
                terms.append([x, y, out, z])
            else:
                terms.append([((a + c) / 2, (a - c) / 2, b - (a + c) / 2) for a, b, c in columns])
        return terms


_CORNERS = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def _checked_plane(plane: Plane) -> Plane:
    """Return a plane whose axes are right-handed unit vectors at right angles."""
    origin = vector('xyz', plane.origin, LARGEST_LENGTH, 'm', 'plane: ')
    axes = np.array([finite_row(axis, 3, 2.0) or [0.0] * 3 for axis in listed(plane.axes, 3) or ()])
    square = axes.shape == (3, 3)
    if not square or np.abs(axes @ axes.T - np.eye(3)).max() > 1e-9 or np.linalg.det(axes) < 0.0:
        allowed = 'right-handed unit vectors at right angles'
        raise ChainError(refusal('plane: axes', plane.axes, allowed), 'axes')
    return Plane(origin, plane.axes)
