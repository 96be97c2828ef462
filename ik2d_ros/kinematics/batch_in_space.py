"""Many targets in space for one arm, as :mod:`.in_space` does for one."""

from __future__ import annotations

import enum
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.angles import SAME_MOVE
from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.arrays import FloatArray, norms
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.closest_poses import closest_poses_many
from ik2d_ros.kinematics.in_space import CLOSEST, OUTSIDE, SAME_DISTANCE
from ik2d_ros.kinematics.moves import largest_moves
from ik2d_ros.kinematics.places_many import (
    ManyPlaces,
    are_inside,
    picked,
    places_of_many,
    seen_from_axis_many,
    spots_of,
)
from ik2d_ros.kinematics.proof import proof_of
from ik2d_ros.kinematics.solution import Status
from ik2d_ros.kinematics.stock import stock
from ik2d_ros.kinematics.sweep import Sweep
from ik2d_ros.kinematics.tuning import PLACES_EVERY, PLACES_TOGETHER

Indices = NDArray[np.intp]
Flags = NDArray[np.bool_]


class Effort(enum.Enum):
    """How much is done to reach targets with a chain of three and more joints within limits."""

    CLOSE = enum.auto()
    """All but the proof or the search."""
    ALL = enum.auto()
    """All that the solver has."""


# Positions (m, n) in rad, distances (m,) from the targets in m, and values (m,) of Status.
PlanarBatch = tuple[FloatArray, FloatArray, NDArray[np.int8]]

# Solves in the plane for some targets (k,) of the batch: which ones, where (k, 2) in m, and with
# how much effort; and within which distance in m that counts as reached.
PlanarBatchSolver = Callable[[Indices, FloatArray, Effort, float], PlanarBatch]


def solve_many_on_turntable(
    arm: Arm,
    sweep: Sweep,
    points: FloatArray,
    starts: FloatArray,
    tolerance: float,
    planar: PlanarBatchSolver,
) -> PlanarBatch:
    """Return the poses for an arm with a turntable.

    Args:
        arm: the arm.
        sweep: of its plane.
        points: (m, 3) targets in m, in the base frame.
        starts: (m, n + 1) positions in rad, inside the limits.
        tolerance: distance in m that counts as reached.
        planar: solves for the chain.

    Returns:
        As a planar batch, with the turntable first and distances in space.
    """
    goals, rounding = seen_from_axis_many(arm, sweep, points)
    places, across, beyond = places_of_many(arm, sweep, goals, rounding, starts[:, 0])
    count, now = len(points), starts[:, 0]
    q, error = starts.copy(), np.zeros(count)
    moved: FloatArray = np.full(count, np.inf)  # By the largest joint move, where it is reached.
    proven: Flags = np.ones(count, dtype=np.bool_)
    met: Flags = np.zeros(count, dtype=np.bool_)
    tried: list[tuple[Indices, FloatArray]] = []
    nearest = min(tolerance, CLOSEST * arm.size or tolerance)
    on_axis = goals[:, 0] <= rounding
    whole = places[0].allowed & places[1].allowed & (sweep.d == 0.0 == sweep.e)
    # One place is mostly out of the chain's reach, which takes longest to find out.
    efforts = _efforts(arm.chain)
    for effort in efforts:
        going = np.isinf(moved)
        order = places
        if effort is Effort.ALL and len(efforts) > 1 and len(arm.chain) > 2:
            order = _likelier_first(arm, sweep, places, across, goals, np.flatnonzero(going))
        for place in order:
            # Where the turntable alone turns farther than any joint for the other answer, that is
            # it; and where that answer took all the effort.
            worth = going & place.allowed & (np.abs(place.turn - now) < moved - SAME_MOVE)
            if order is not places:
                worth &= np.isinf(moved)
            some = np.flatnonzero(worth)
            spots = spots_of(sweep, place, across, goals, some)
            # How close the chain comes to what is out of reach matters only where that is how close
            # the arm comes.
            matters = are_inside(arm, spots, tolerance)
            if effort is Effort.ALL:
                matters |= whole[some] | on_axis[some]
            some, spots = some[matters], spots[matters]
            chain_q, away, status = planar(some, spots, effort, tolerance)
            if beyond[some].any() and effort is Effort.ALL:
                # What is missing across the plane stays: the rest is to be as little as can be.
                these = np.flatnonzero(beyond[some])
                chain_q[these], away[these], status[these] = planar(
                    some[these], spots[these], effort, nearest
                )
            poses = np.column_stack([place.turn[some], chain_q])
            hit = away <= tolerance
            if effort is Effort.ALL:
                tried.append((some, poses))
                met[some] |= hit
                proven[some] &= status != Status.NOT_CONVERGED
            move = largest_moves(arm.chain, poses, starts[some])
            better = hit & ~beyond[some] & (move < moved[some] - SAME_MOVE)
            which = some[better]
            q[which], error[which], moved[which] = poses[better], away[better], move[better]
    status = np.zeros(count, dtype=np.int8)
    left = np.flatnonzero(np.isinf(moved))
    if len(left):
        # As for one target: those are all the poses that may be closest.
        enough = met | whole | on_axis
        tried += _others(arm, sweep, goals, left[~enough[left]], tried, starts, planar, nearest)
        q[left] = _chosen(arm, points, left, tried, starts)
        error[left] = norms(arm.tips(q[left]) - points[left])
        missed = left[error[left] > tolerance]
        away = np.stack(
            [np.hypot(*spots_of(sweep, place, across, goals, missed).T) for place in places]
        )
        status[missed] = _why_not(arm, away, beyond[missed], ~proven[missed], error[missed])
    return q, error, status


def _efforts(chain: Chain) -> tuple[Effort, ...]:
    """Return the efforts that differ for a chain."""
    if not chain.limited:
        return (Effort.ALL,)
    # With two joints all that is left to do is to come close, which most targets do not need.
    return (Effort.ALL,) if len(chain) != 2 and proof_of(chain) is not None else tuple(Effort)


def _likelier_first(
    arm: Arm,
    sweep: Sweep,
    places: tuple[ManyPlaces, ManyPlaces],
    across: FloatArray,
    goals: FloatArray,
    some: Indices,
) -> tuple[ManyPlaces, ManyPlaces]:
    """Return the places with the one first for some targets that poses of the stock come nearer to.

    It is mostly the only one within the chain's reach.
    """
    first, second = (
        np.where(
            place.allowed[some],
            _from_stock(arm.chain, spots_of(sweep, place, across, goals, some)),
            np.inf,
        )
        for place in places
    )
    swap: Flags = np.zeros(len(goals), dtype=np.bool_)
    swap[some] = second < first
    one, other = places
    return picked(one, other, swap), picked(other, one, swap)


def _from_stock(chain: Chain, spots: FloatArray) -> FloatArray:
    """Return (k,) how far places (k, 2) in m are from the nearest tip of the stock, in reaches."""
    tips = stock(chain).tips.ravel()[::PLACES_EVERY]
    targets = (spots / chain.reach.outer) @ np.array([1.0, 1j])
    parts = [
        np.abs(targets[begin : begin + PLACES_TOGETHER, None] - tips).min(axis=1)
        for begin in range(0, len(targets), PLACES_TOGETHER)
    ]
    return np.concatenate(parts) if parts else np.empty(0)


def _others(
    arm: Arm,
    sweep: Sweep,
    goals: FloatArray,
    left: Indices,
    tried: list[tuple[Indices, FloatArray]],
    starts: FloatArray,
    planar: PlanarBatchSolver,
    nearest: float,
) -> list[tuple[Indices, FloatArray]]:
    """Return poses that come closer by a turn at which the target is not in the plane."""
    begun = np.repeat(starts[:, None, 1:], len(tried), axis=1)
    for row, (some, poses) in enumerate(tried):
        begun[some, row] = poses[:, 1:]
    chain, found = arm.chain, []
    for closest in closest_poses_many(arm, sweep, goals[left], starts[left], begun[left]):
        some, turns, q = left[closest.which], closest.turns, closest.q
        if q is None:
            radius, angle, height = goals[some].T
            apart = angle - turns
            spots = sweep.flatten(radius * np.cos(apart), radius * np.sin(apart), height)
            # What two joints do not reach there is no better than what is on the edge.
            effort = Effort.CLOSE if len(chain) == 2 else Effort.ALL
            q, _, _ = planar(some, np.column_stack(spots), effort, nearest)
        found.append((some, np.column_stack([turns, q])))
    return found


def _chosen(
    arm: Arm,
    points: FloatArray,
    left: Indices,
    tried: list[tuple[Indices, FloatArray]],
    starts: FloatArray,
) -> FloatArray:
    """Return the closest of the poses for each target left; of equals the one that moves least."""
    which = np.concatenate([some for some, _ in tried])
    poses = np.concatenate([poses for _, poses in tried])
    away = norms(arm.tips(poses) - points[which])
    move = largest_moves(arm.chain, poses, starts[which])
    closest: FloatArray = np.full(len(points), np.inf)
    np.minimum.at(closest, which, away)
    move[away > closest[which] + SAME_DISTANCE * arm.size] = np.inf
    best = np.full(len(points), -1)
    order = np.lexsort((-np.arange(len(which)), -move))
    best[which[order]] = order  # The last that is written moves least.
    chosen: FloatArray = poses[best[left]]
    return chosen


def _why_not(
    arm: Arm, away: FloatArray, beside: Flags, stopped: Flags, error: FloatArray
) -> NDArray[np.int8]:
    """Do what ``_why_not`` of :mod:`.in_space` does, for targets (k,); ``away`` is (2, k)."""
    inner, outer = arm.chain.reach
    missing = np.maximum(away - outer, inner - away)
    nearest = np.take_along_axis(away, missing.argmin(axis=0)[None], axis=0)[0]
    unproven = stopped | (error <= OUTSIDE * outer) | (not arm.limited)
    why = np.where(unproven, Status.NOT_CONVERGED, Status.JOINT_LIMIT)
    why = np.where(beside, Status.TOO_NEAR, why)
    outside = missing.min(axis=0) > OUTSIDE * (outer + (arm.sweep.scale if arm.sweep else 0.0))
    why = np.where(outside, np.where(nearest > outer, Status.TOO_FAR, Status.TOO_NEAR), why)
    return why.astype(np.int8)
