"""Poses that come closest in space to many targets that an arm on a turntable does not reach."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.angles import SAME_MOVE, into_range_many
from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.arrays import Flags, FloatArray, Indices, norms
from ik2d_ros.kinematics.links import Links
from ik2d_ros.kinematics.links import tips as tips_of
from ik2d_ros.kinematics.planar.planar_solver import Effort, PlanarBatchSolver
from ik2d_ros.kinematics.positions import commanded_many
from ik2d_ros.kinematics.proof.proof import proof_of
from ik2d_ros.kinematics.proof.proof_many import decide_many
from ik2d_ros.kinematics.solution import Status
from ik2d_ros.kinematics.space.closest_poses import Closest, closest_poses_many
from ik2d_ros.kinematics.space.closest_straight import straight_many
from ik2d_ros.kinematics.space.edge_in_space import has_edge
from ik2d_ros.kinematics.space.in_space import SAME_DISTANCE
from ik2d_ros.kinematics.space.moves import largest_moves
from ik2d_ros.kinematics.space.places import OUTSIDE
from ik2d_ros.kinematics.space.places_many import are_within, beside_plane_many
from ik2d_ros.kinematics.sweep import Sweep
from ik2d_ros.kinematics.targets import goals_of
from ik2d_ros.kinematics.tuning import NEAR

# Poses: the targets (k,) that they are for, and positions (k, n + 1).
Many = list[tuple[Indices, FloatArray]]


def straight_poses(
    arm: Arm, sweep: Sweep, goals: FloatArray, starts: FloatArray
) -> tuple[list[FloatArray], Flags]:
    """Return the closest poses to targets beyond reach, and for which that takes no search.

    Args:
        arm: an arm with a turntable.
        sweep: of its plane.
        goals: (k, 3) the targets about its axis, as in a Goal.
        starts: (k, m) positions in rad, inside the limits.

    Returns:
        (k, m) positions, and once more if there are two answers: that first whose turn is smaller;
        and (k,) where they are good.
    """
    chain = arm.chain
    found: list[FloatArray] = []
    known: Flags = np.ones(len(goals), dtype=np.bool_)
    if chain.has_slides:
        return found, ~known
    begun = chain.bends_many(starts[:, 1:]).T if chain.limited else None
    for to in straight_many(sweep, arm.size, goals):
        turns, can = into_range_many(to.turn, *arm.limits[0], starts[:, 0])
        bends: FloatArray = np.zeros((len(chain), len(goals)))
        bends[0] = to.direction
        known &= to.known & can
        if begun is not None:
            links = Links.of(chain)
            bends, allowed = into_range_many(bends, links.lower, links.upper, begun)
            known &= allowed.all(axis=0)
        poses = np.empty((len(chain) + 1, len(goals)))
        poses[0], poses[1:] = turns, commanded_many(chain, bends, starts[:, 1:]).T
        found.append(poses.T)
    if not found:
        return found, ~known
    if len(found) == 2:
        # The smaller turn comes first, as of places.
        one, other = found
        move, less = (np.abs(poses[:, 0] - starts[:, 0]) for poses in found)
        swap = (less < move - SAME_MOVE)[:, None]
        found = [np.where(swap, other, one), np.where(swap, one, other)]
    return found, known


def other_poses(
    arm: Arm,
    sweep: Sweep,
    goals: FloatArray,
    left: Indices,
    tried: Many,
    starts: FloatArray,
    planar: PlanarBatchSolver,
    nearest: float,
) -> Many:
    """Return poses that come closer by a turn at which the target is not in the plane."""
    chain = arm.chain
    found: Many = []
    begun = starts[:, None, 1:][:, :0]
    if not has_edge(chain):
        begun = np.repeat(starts[:, None, 1:], len(tried), axis=1)
        for row, (some, poses) in enumerate(tried):
            begun[some, row] = poses[:, 1:]
    for closest in closest_poses_many(arm, sweep, goals[left], starts[left], begun[left]):
        if closest.q is None:
            found.append(
                _above(arm, sweep, goals, left, closest, starts, planar, nearest, not found)
            )
        else:
            poses = np.column_stack([closest.turns, closest.q])
            found.append((left[closest.which], poses))
    return found


def _above(
    arm: Arm,
    sweep: Sweep,
    goals: FloatArray,
    left: Indices,
    closest: Closest,
    starts: FloatArray,
    planar: PlanarBatchSolver,
    nearest: float,
    every: bool,
) -> tuple[Indices, FloatArray]:
    """Return poses straight above or below targets, with the turntable at a limit.

    What the chain's limits forbid there is no better than what is on the edge, and left out where
    the proof says so, unless ``every`` is asked for.
    """
    chain, some, turns = arm.chain, left[closest.which], closest.turns
    _, spots = beside_plane_many(sweep, goals[some], turns)
    proof = proof_of(chain) if chain.limited and not every else None
    if proof is None or closest.away is None:
        q, _, _ = planar(some, spots, Effort.ALL, nearest)
        return some, np.column_stack([turns, q])
    inside = np.flatnonzero(are_within(arm, np.hypot(*spots.T), nearest))
    some, turns, spots, away = some[inside], turns[inside], spots[inside], closest.away[inside]
    if len(chain) == 2:
        # The closed form takes less than the proof, and needs no search.
        q, missing, _ = planar(some, spots, Effort.CLOSE, nearest)
        good = _nearest_only(some, away, missing <= nearest, len(goals))
        return some[good], np.column_stack([turns[good], q[good]])
    begun = chain.bends_many(starts[some, 1:]).T
    goal = goals_of(spots, arm.size or 1.0)
    bends, reached = decide_many(proof, goal, begun, closest=False)
    good = _nearest_only(some, away, reached, len(goals))
    some, turns, spots = some[good], turns[good], spots[good]
    q = commanded_many(chain, bends[:, good], starts[some, 1:])
    tips = tips_of(Links.of(chain), begun[:, good])
    near = np.flatnonzero(np.abs(tips - goal[good]) < NEAR)
    if len(near):
        # Along a path the chain follows.
        q[near], _, _ = planar(some[near], spots[near], Effort.ALL, nearest)
    return some, np.column_stack([turns, q])


def _nearest_only(some: Indices, away: FloatArray, good: Flags, count: int) -> Flags:
    """Return which of the good ones (k,) are closest to their targets, of so many."""
    least: FloatArray = np.full(count, np.inf)
    np.minimum.at(least, some[good], away[good])
    return good & (away <= least[some] + SAME_DISTANCE)


def chosen(
    arm: Arm,
    points: FloatArray,
    left: Indices,
    tried: Many,
    starts: FloatArray,
    tolerance: float,
) -> tuple[FloatArray, FloatArray]:
    """Return the closest of the poses for each target left; of equals the one that moves least.

    Also how far the tips are then from the targets, in m. All that reach a target, within the
    tolerance in m, are equals.
    """
    row = np.full(len(points), -1)
    row[left] = np.arange(len(left))
    which = np.concatenate([row[some] for some, _ in tried])
    poses = np.concatenate([poses for _, poses in tried])
    if (which < 0).any():  # Of others.
        which, poses = which[which >= 0], poses[which >= 0]
    away = norms(arm.tips(poses) - points[left[which]])
    order: Indices = np.arange(len(which))
    if len(which) > len(left):
        closest: FloatArray = np.full(len(left), np.inf)
        np.minimum.at(closest, which, away)
        enough = np.where(closest <= tolerance, tolerance, closest + SAME_DISTANCE * arm.size)
        order = np.flatnonzero(away <= enough[which])
    if len(order) > len(left):
        move = largest_moves(arm.chain, poses[order], starts[left[which[order]]])
        order = order[np.lexsort((-order, -move))]
    best = np.empty(len(left), dtype=np.intp)
    best[which[order]] = order  # The last that is written moves least.
    return poses[best], away[best]


def why_not_many(
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
