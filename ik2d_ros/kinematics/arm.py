"""An arm in space: a chain in a plane, and one joint that carries the plane to the target."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ik2d_ros.kinematics.arguments import ArgumentError, ChainError, finite, named, poses, shown
from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.kinematics.bounds import LARGEST_LENGTH, LARGEST_POSITION
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.joint import Joint, JointRow, Lift, Turntable
from ik2d_ros.kinematics.kernel.lift import LiftSolver
from ik2d_ros.kinematics.kernel.turntable import TurntableSolver
from ik2d_ros.kinematics.plane import Number, Plane, dot, vector
from ik2d_ros.kinematics.sweep import Sweep

MOST_LEAN = 5e-3
"""rad; how far a turntable's axis may lean out of the plane that it carries."""

# The x-y plane of the base frame.
_FLAT = Plane((0.0, 0.0, 0.0), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))


@dataclass(frozen=True)
class Arm(JointRow):
    """A chain in a plane of space, before it a turntable, a lift or neither; immutable.

    Attributes:
        chain: the joints in the plane.
        plane: where the chain moves while turntable or lift are at 0, in the base frame. Default:
            the x-y plane.
        turntable: the joint that turns the plane; its axis is parallel to the plane to 5e-3 rad.
        lift: the joint that shifts the plane along its normal.

    Raises:
        ChainError: a part is not of its kind, there are both turntable and lift, the turntable's
            axis is not parallel to the plane, or two joints have the same name.
    """

    chain: Chain
    plane: Plane = _FLAT
    turntable: Turntable | None = None
    lift: Lift | None = None
    sweep: Sweep | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        kinds = {'chain': Chain, 'plane': Plane, 'turntable': Turntable, 'lift': Lift}
        for what, kind in kinds.items():
            part = getattr(self, what)
            if part is None and kind in (Turntable, Lift):
                continue
            if not isinstance(part, kind):
                raise ChainError(f'{what} is {shown(part)}; it must be a {kind.__name__}')
        object.__setattr__(self, 'plane', _checked_plane(self.plane))
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
        sweep = None
        if self.turntable is not None:
            lean = math.asin(min(1.0, abs(dot(self.turntable.axis, self.plane.axes[2]))))
            if lean > MOST_LEAN:
                raise ChainError(
                    f'joint {shown(self.turntable.name)}: the axis leans out of the plane by '
                    f'{lean:.6g} rad; it must be parallel to the plane, to {MOST_LEAN:g} rad'
                )
            sweep = Sweep.of(self.plane, self.turntable.xyz, self.turntable.axis)
        object.__setattr__(self, 'sweep', sweep)

    def __hash__(self) -> int:
        # Numbers hash alike in every process.
        return hash((self.chain, self.plane, self.sweep, self.limits[0]))

    def __reduce__(self) -> tuple[type[Arm], tuple[object, ...]]:
        # The tables are not sent to another process.
        return Arm, (self.chain, self.plane, self.turntable, self.lift)

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
        """Whether any joint has limits of its angle to the link before besides its position's."""
        return self.chain.bent

    def settled(self, positions: Sequence[float]) -> list[float]:
        """Return positions (m,) inside the limits so that bends keep to theirs, too."""
        begin = len(self._carriers)
        return [*positions[:begin], *self.chain.settled(positions[begin:])]

    @property
    def size(self) -> float:
        """How far the chain reaches, in m, limits ignored."""
        return self.chain.reach.outer

    @cached_property
    def solver(self) -> TurntableSolver | LiftSolver:
        """The solver of the arm: made when first asked for, and kept."""
        lower, upper = self.limits[0]
        if self.sweep is not None:
            return TurntableSolver(self.chain.solver, self.sweep, (lower, upper))
        if self.lift is None:
            return LiftSolver(self.chain.solver, 0, (0.0, 0.0), False)
        travel = max(lower, -LARGEST_POSITION), min(upper, LARGEST_POSITION)
        return LiftSolver(self.chain.solver, self.lift.axis, travel, not self.lift.continuous)

    @property
    def frame(self) -> Plane:
        """Where the solver sees targets from: the frame of a turntable's axis, else the plane."""
        return self.plane if self.sweep is None else self.sweep.frame

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
        return self.tips(poses('q', q, self.names, self.units))

    def tips(self, positions: FloatArray) -> FloatArray:
        """Return the tips (..., 3) for positions (..., m) that are already checked."""
        begin = len(self._carriers)
        x, y = np.moveaxis(self.chain.points(positions[..., begin:])[..., -1, :], -1, 0)
        return np.stack(self.placed(x, y, positions[..., 0]), axis=-1)

    def placed(self, x: Number, y: Number, position: Number) -> tuple[Number, Number, Number]:
        """Return a point of the plane in the base frame, in m.

        Args:
            x: in the plane, in m.
            y: the same.
            position: of turntable or lift; it does not matter where there is neither.
        """
        if self.sweep is not None:
            return self.sweep.point(self.sweep.plane.point(x, y), position)
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
            position: of the turntable in rad or of the lift in m. It does not matter where there is
                neither.

        Raises:
            ArgumentError: the position is not a finite number, or is beyond 1e9.
        """
        given = finite(position)
        if given is None or abs(given) > LARGEST_POSITION:
            name = f' of joint {shown(self._carriers[0].name)}' if self._carriers else ''
            raise ArgumentError(
                f'position{name} is {shown(position)}; it must be a finite number from '
                f'{-LARGEST_POSITION:.12g} to {LARGEST_POSITION:.12g}'
            )
        if self.sweep is not None:
            return self.sweep.plane_at(given)
        shift = given * self.lift.axis if self.lift is not None else 0.0
        return Plane(self.plane.point(0.0, 0.0, shift), self.plane.axes)


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
