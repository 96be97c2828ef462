"""Descents of many poses at once, in NumPy.

Arrays have a column per pose, so that one joint of all poses lies together in memory. Lengths are
in units of the chain's reach, angles are bends (see :mod:`.chain`), points are complex.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.ccd import LARGEST_TURN
from ik2d_ros.kinematics.chain import Chain

FloatArray = NDArray[np.float64]
ComplexArray = NDArray[np.complex128]

_CHUNK = 2048  # Columns at a time: what a descent works on then stays in the cache.
_STUCK = 1e7  # Damping beyond which no step, however short, comes closer.
_CREEP = 1e-9  # Share of the error that a step must take off to be worth another one.


class Arm(NamedTuple):
    """Links and limits of a chain as columns.

    Attributes:
        lengths: (n, 1) lengths of the links, in reaches.
        lower: (n, 1) smallest bends in rad, -inf for continuous joints.
        upper: (n, 1) largest bends in rad, inf for continuous joints.
    """

    lengths: FloatArray
    lower: FloatArray
    upper: FloatArray

    @classmethod
    def of(cls, chain: Chain) -> Arm:
        """The links and limits of a chain."""
        lower, upper = np.array(chain.bend_limits).T[:, :, None]
        return cls(np.array(chain.unit_lengths)[:, None], lower, upper)


class Descents(NamedTuple):
    """Where descents ended.

    Attributes:
        bends: (n, m) rad, inside the limits.
        errors: (m,) distances of the tips from their targets, in reaches.
        steps: the largest number of steps that any of them made.
    """

    bends: FloatArray
    errors: FloatArray
    steps: int


class _Reach(NamedTuple):
    """What a step looks at: vectors from each joint to the tip, from the tip to the target, and
    by how much the square of the distance falls with each bend (halved)."""

    sx: FloatArray
    sy: FloatArray
    ex: FloatArray
    ey: FloatArray
    pull: FloatArray


_Stepper = Callable[[Arm, _Reach, NDArray[np.bool_], FloatArray], FloatArray]


def tips(arm: Arm, bends: FloatArray) -> ComplexArray:
    """(m,) where the tips are, in reaches, for (n, m) bends in rad."""
    angles = np.cumsum(bends, axis=0)
    x, y = arm.lengths * np.cos(angles), arm.lengths * np.sin(angles)
    tip: ComplexArray = x.sum(axis=0) + 1j * y.sum(axis=0)
    return tip


def slope(arm: Arm, targets: ComplexArray, bends: FloatArray) -> FloatArray:
    """(m,) how steeply the tips could still be brought closer within the limits, in reaches.

    The largest derivative of a distance by a bend that the limits do not block; 0 at a pose from
    which no small move brings the tip closer.
    """
    look = _look(arm, targets, bends)
    pull = np.where(_held(arm, bends, look.pull), 0.0, look.pull)
    away = np.hypot(look.ex, look.ey)
    steepest: FloatArray = np.abs(pull).max(axis=0) / np.maximum(away, 1e-300)
    return steepest


def descend_many(
    arm: Arm, targets: ComplexArray, starts: FloatArray, tolerance: float, budget: int
) -> Descents:
    """Bring every tip onto its target by damped Gauss-Newton steps, or as close as they lead.

    Quick where the target can be reached: the way to it is straight then.

    Args:
        arm: links and limits.
        targets: (m,) where the tips shall go, in reaches.
        starts: (n, m) bends in rad to move from, inside the limits.
        tolerance: distance from the target that is good enough, in reaches.
        budget: how many steps there may be.
    """
    return _descend(arm, targets, starts, tolerance, budget, _gauss_newton)


def settle_many(
    arm: Arm, targets: ComplexArray, starts: FloatArray, tolerance: float, budget: int
) -> Descents:
    """As :func:`descend_many`, by Newton steps with the exact second derivatives.

    Quick where the target cannot be reached: the closest pose depends on the curvature.
    """
    return _descend(arm, targets, starts, tolerance, budget, _newton)


def _descend(
    arm: Arm,
    targets: ComplexArray,
    starts: FloatArray,
    tolerance: float,
    budget: int,
    stepper: _Stepper,
) -> Descents:
    bends, errors, steps = starts.copy(), np.empty(len(targets)), 0
    for begin in range(0, len(targets), _CHUNK):
        part = slice(begin, begin + _CHUNK)
        bends[:, part], errors[part], needed = _descend_chunk(
            arm, targets[part], starts[:, part], tolerance, budget, stepper
        )
        steps = max(steps, needed)
    return Descents(bends, errors, steps)


def _descend_chunk(
    arm: Arm,
    targets: ComplexArray,
    starts: FloatArray,
    tolerance: float,
    budget: int,
    stepper: _Stepper,
) -> Descents:
    bends = starts.copy()
    errors = np.abs(targets - tips(arm, starts))
    going = np.flatnonzero(errors > tolerance)
    damping = np.full(len(going), 1e-4)
    creeps = np.zeros(len(going), dtype=np.int64)
    step = 0
    while len(going) and step < budget:
        step += 1
        before, error = bends[:, going], errors[going]
        look = _look(arm, targets[going], before)
        turns = stepper(arm, look, _held(arm, before, look.pull), damping)
        largest = np.abs(turns).max(axis=0)
        turns *= LARGEST_TURN / np.maximum(largest, LARGEST_TURN)
        stepped = np.clip(before + turns, arm.lower, arm.upper)
        after = np.abs(targets[going] - tips(arm, stepped))
        closer = after < error
        creeps = np.where(closer & (after > (1.0 - _CREEP) * error), creeps + 1, 0)
        bends[:, going] = np.where(closer, stepped, before)
        errors[going] = np.where(closer, after, error)
        damping = np.where(closer, np.maximum(0.1 * damping, 1e-12), 8.0 * damping)
        more = (errors[going] > tolerance) & (damping < _STUCK) & (creeps < 3)
        going, damping, creeps = going[more], damping[more], creeps[more]
    return Descents(bends, errors, step)


def _look(arm: Arm, targets: ComplexArray, bends: FloatArray) -> _Reach:
    angles = np.cumsum(bends, axis=0)
    x, y = arm.lengths * np.cos(angles), arm.lengths * np.sin(angles)
    # From each joint to the tip: sums of the links from there on.
    sx, sy = np.cumsum(x[::-1], axis=0)[::-1], np.cumsum(y[::-1], axis=0)[::-1]
    ex, ey = targets.real - sx[0], targets.imag - sy[0]
    return _Reach(sx, sy, ex, ey, sx * ey - sy * ex)


def _held(arm: Arm, bends: FloatArray, pull: FloatArray) -> NDArray[np.bool_]:
    """Which joints are at a limit that the pull presses them against."""
    held: NDArray[np.bool_] = ((bends <= arm.lower) & (pull < 0.0)) | (
        (bends >= arm.upper) & (pull > 0.0)
    )
    return held


def _gauss_newton(
    arm: Arm, look: _Reach, held: NDArray[np.bool_], damping: FloatArray
) -> FloatArray:
    """Damped least turns, as in :func:`.ccd.gauss_newton`; joints that are held take no part."""
    sx, sy = np.where(held, 0.0, look.sx), np.where(held, 0.0, look.sy)
    xx, yy, xy = (sx * sx).sum(axis=0), (sy * sy).sum(axis=0), (sx * sy).sum(axis=0)
    extra = damping * (xx + yy) + 1e-30
    xx += extra
    yy += extra
    determinant = xx * yy - xy * xy
    ux = (xx * look.ex + xy * look.ey) / determinant
    uy = (xy * look.ex + yy * look.ey) / determinant
    turns: FloatArray = sx * uy - sy * ux
    return turns


def _newton(arm: Arm, look: _Reach, held: NDArray[np.bool_], damping: FloatArray) -> FloatArray:
    """Newton steps on half the squared distance, damped until its Hessian is positive definite.

    With s_i from joint i to the tip and e from the tip to the target, the gradient is
    ``-cross(s_i, e)`` and the Hessian ``s_i . s_j + e . s_max(i, j)``: turning both joints moves the
    tip by ``-s`` of the later one to second order.
    """
    n = len(look.sx)
    later = np.maximum.outer(np.arange(n), np.arange(n))
    along = (look.ex * look.sx + look.ey * look.sy).T
    sx, sy = look.sx.T, look.sy.T
    hessian = sx[:, :, None] * sx[:, None, :] + sy[:, :, None] * sy[:, None, :] + along[:, later]
    free = ~held.T
    hessian *= free[:, :, None] & free[:, None, :]
    values, vectors = np.linalg.eigh(hessian)
    floor = damping[:, None] + 1e-12
    gradient = np.where(free, look.pull.T, 0.0)
    inside = (vectors.transpose(0, 2, 1) @ gradient[:, :, None])[:, :, 0]
    # Against a negative curvature the step goes downhill all the same.
    step = (vectors @ (inside / (np.abs(values) + floor))[:, :, None])[:, :, 0]
    turns: FloatArray = step.T * ~held
    return turns
