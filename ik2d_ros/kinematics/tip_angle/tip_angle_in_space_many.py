"""Many targets at tip angles for an arm with a turntable: :mod:`.tip_angle_in_space` for arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.angles import SAME_MOVE, wrapped
from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.arrays import Flags, FloatArray, Indices, norms
from ik2d_ros.kinematics.solution import Batch, Status
from ik2d_ros.kinematics.space.moves import largest_moves
from ik2d_ros.kinematics.space.places import nearest_of
from ik2d_ros.kinematics.space.places_many import (
    ManyPlaces,
    are_inside,
    beside_plane_many,
    places_of_many,
    seen_from_axis_many,
)
from ik2d_ros.kinematics.sweep import Sweep
from ik2d_ros.kinematics.tip_angle.tip_angle_in_space import SAME_ANGLE

# Solves in the plane, or without the angle, for some targets (k,) of the batch; in the plane they
# are at (k, 2) in m, and the distance in m that counts as reached is given.
PlanarAtAngle = Callable[[Indices, FloatArray, float], Batch]
WithoutAngle = Callable[[Indices], Batch]


def solve_many_on_turntable_at_angle(
    arm: Arm,
    sweep: Sweep,
    points: FloatArray,
    angles: FloatArray,
    angle_tolerance: float,
    starts: FloatArray,
    tolerance: float,
    planar: PlanarAtAngle,
    without: WithoutAngle,
) -> Batch:
    """Return the poses for an arm with a turntable.

    Args:
        arm: the arm.
        sweep: of its plane.
        points: (m, 3) targets in m, in the base frame.
        angles: (m,) of the tips in rad.
        angle_tolerance: distance from them in rad that counts as reached.
        starts: (m, n + 1) positions in rad, inside the limits.
        tolerance: distance in m that counts as reached.
        planar: solves for the chain at the angles.
        without: solves for the arm without them, where a point cannot be reached.
    """
    goals, rounding = seen_from_axis_many(arm, sweep, points)
    places, beyond = places_of_many(arm, sweep, goals, rounding, starts[:, 0])
    count, now = len(points), starts[:, 0]
    turns: list[_Turn] = []
    least: FloatArray = np.full(count, np.inf)
    for place in places:
        # Where the turntable alone turns farther than any joint for the other answer, that is it.
        worth = place.allowed & ~beyond & (np.abs(place.turn - now) <= least - SAME_MOVE)
        some = np.flatnonzero(worth & are_inside(arm, place.away, tolerance))
        flat = planar(some, place.spots[some], tolerance)
        there = flat.error <= tolerance
        turns.append(_answered(arm, some, place.turn[some], flat, starts, there))
        least = np.where(turns[-1].met, turns[-1].moved, np.inf)
    stopped = np.logical_or.reduce([turn.status == Status.NOT_CONVERGED for turn in turns])
    best = _better(*turns)
    nearest = nearest_of(arm, tolerance)
    for turn, may in _almost_at(arm, places, beyond):
        away, spots = beside_plane_many(sweep, goals, turn)
        worth = may & ~best.met & (away <= tolerance)
        some = np.flatnonzero(worth & are_inside(arm, np.hypot(*spots.T), tolerance))
        if len(some):
            flat = planar(some, spots[some], nearest)
            there = np.hypot(away[some], flat.error) <= tolerance
            answered = _answered(arm, some, turn[some], flat, starts, there)
            best = _better(best, answered._replace(proven=answered.met))
    there, met, q, _, off, status, proven = best
    proven &= met | ~stopped
    error = norms(arm.tips(q) - points)
    lost = there & (error > tolerance)
    status[lost], proven[lost] = Status.NOT_CONVERGED, False
    left = np.flatnonzero(~there)
    if len(left):
        plain = without(left)
        off[left] = np.abs(wrapped(plain.angle - angles[left]))
        missed = (plain.status == Status.REACHED) & (off[left] > angle_tolerance)
        q[left], error[left] = plain.q, plain.error
        status[left] = np.where(missed, Status.TIP_ANGLE, plain.status)
        proven[left] = plain.proven & ~missed
    return Batch(q, error, status, proven, off, arm)


class _Turn(NamedTuple):
    """What the chain does at one turn for each target; nothing where it was not asked.

    Attributes:
        there: (m,) whether the point is reached.
        met: (m,) whether the angle is, too.
        q: (m, n + 1) positions.
        moved: (m,) the largest joint move there.
        off: (m,) distance from the angle in rad.
        status: (m,) in the plane; where it was not asked, that the angle is missed.
        proven: (m,) whether that is a proof.
    """

    there: Flags
    met: Flags
    q: FloatArray
    moved: FloatArray
    off: FloatArray
    status: NDArray[np.int8]
    proven: Flags


def _answered(
    arm: Arm,
    some: Indices,
    turns: FloatArray,
    flat: Batch,
    starts: FloatArray,
    there: Flags,
) -> _Turn:
    """Return the answers (k,) for some of the targets among nothing for the others."""
    count = len(starts)
    turn = _Turn(
        np.zeros(count, dtype=np.bool_),
        np.zeros(count, dtype=np.bool_),
        starts.copy(),
        np.full(count, np.inf),
        np.full(count, np.inf),
        np.full(count, Status.TIP_ANGLE, dtype=np.int8),
        np.ones(count, dtype=np.bool_),
    )
    turn.q[some] = np.column_stack([turns, flat.q])
    turn.there[some] = there
    turn.met[some] = there & (flat.status == Status.REACHED)
    turn.moved[some] = largest_moves(arm.chain, turn.q[some], starts[some])
    turn.off[some], turn.status[some] = flat.angle_error, flat.status
    turn.proven[some] = flat.proven
    return turn


def _almost_at(
    arm: Arm, places: tuple[ManyPlaces, ManyPlaces], beyond: Flags
) -> list[tuple[FloatArray, Flags]]:
    """Return what :func:`.tip_angle_in_space.almost_at` does: turns (m,), and which may (m,)."""
    one, _ = places
    turns = [(one.turn, one.allowed & beyond)] if beyond.any() else []
    for end in arm.limits[0]:
        if np.isfinite(end):
            known = [place.allowed & (np.abs(end - place.turn) <= SAME_MOVE) for place in places]
            turns.append((np.full(len(beyond), end), ~(known[0] | known[1])))
    return turns


def _better(one: _Turn, other: _Turn) -> _Turn:
    """Return what is better of two turns for each target."""
    second = _is_better(other, one)
    return _Turn(
        one.there | other.there,
        one.met | other.met,
        np.where(second[:, None], other.q, one.q),
        np.where(second, other.moved, one.moved),
        np.where(second, other.off, one.off),
        np.where(second, other.status, one.status),
        np.where(second, other.proven, one.proven),
    )


def _is_better(one: _Turn, than: _Turn) -> Flags:
    """Return (m,) where one turn is better: the angle reached, or closer, or smaller moves."""
    less = one.moved < than.moved - SAME_MOVE
    nearer, farther = one.off < than.off - SAME_ANGLE, one.off > than.off + SAME_ANGLE
    closer = nearer | (less & ~farther)
    better: Flags = one.there & (~than.there | np.where(than.met, one.met & less, one.met | closer))
    return better
