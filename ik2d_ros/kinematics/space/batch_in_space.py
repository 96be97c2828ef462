"""Many targets in space for one arm, as :mod:`.in_space` does for one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import SAME_MOVE
from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.arrays import Flags, FloatArray, Indices
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.descent.stock import stock
from ik2d_ros.kinematics.planar.planar_solver import Effort, PlanarBatch, PlanarBatchSolver
from ik2d_ros.kinematics.proof.proof import Proof, proof_of
from ik2d_ros.kinematics.proof.proof_many import near_edge_many, reached_many
from ik2d_ros.kinematics.solution import Status
from ik2d_ros.kinematics.space.closest_in_space_many import (
    Many,
    chosen,
    other_poses,
    straight_poses,
    why_not_many,
)
from ik2d_ros.kinematics.space.edge_in_space import has_edge
from ik2d_ros.kinematics.space.in_space import CLOSEST
from ik2d_ros.kinematics.space.moves import largest_moves
from ik2d_ros.kinematics.space.places_many import (
    ManyPlaces,
    are_inside,
    places_of_many,
    seen_from_axis_many,
    swapped,
)
from ik2d_ros.kinematics.sweep import Sweep
from ik2d_ros.kinematics.targets import goals_of
from ik2d_ros.kinematics.tuning import PLACES_ASKED, PLACES_EVERY, PLACES_TOGETHER


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
    places, beyond = places_of_many(arm, sweep, goals, rounding, starts[:, 0])
    on_axis = goals[:, 0] <= rounding
    # How close the chain comes to what is out of reach matters only where that is how close the arm
    # comes.
    every = on_axis
    if sweep.d == 0.0 == sweep.e:
        every = every | (places[0].allowed & places[1].allowed)
    task = _Task.begun(arm, starts, beyond, every, tolerance, planar)
    nearer = np.minimum(places[0].away, places[1].away)
    outside = np.flatnonzero((nearer > arm.size + tolerance) & ~on_axis)
    straight, outside = straight_poses(arm, sweep, goals, starts, outside)
    task.tried.extend(straight)
    task.met[outside] = True  # As well as can be.
    _try_places(task, places)
    q, error, status = task.q, task.error, np.zeros(len(points), dtype=np.int8)
    left = np.flatnonzero(np.isinf(task.moved))
    if len(left):
        # As for one target: those are all the poses that may be closest.
        others = left[~(task.met | every)[left]]
        task.tried.extend(
            other_poses(arm, sweep, goals, others, task.tried, starts, planar, task.nearest)
        )
        q[left], error[left] = chosen(arm, points, left, task.tried, starts)
        missed = left[error[left] > tolerance]
        away = np.stack([place.away[missed] for place in places])
        stopped = ~task.proven[missed]
        status[missed] = why_not_many(arm, away, beyond[missed], stopped, error[missed])
    return q, error, status


class _Task(NamedTuple):
    """Many targets, and how far they have come; all arrays have a row or an element each.

    Attributes:
        arm: the arm.
        starts: (m, n + 1) positions in rad.
        beyond: (m,) which are nearer to the axis than the plane.
        every: (m,) to which the chain is to come as close as it can at each place.
        tolerance: distance in m that counts as reached.
        nearest: distance in m that counts as reached where the rest is to be as little as can be.
        planar: solves for the chain.
        q: (m, n + 1) positions, where a target is reached.
        error: (m,) distances in m.
        moved: (m,) the largest joint move; infinite where a target is not reached.
        met: (m,) which are reached, or as well as can be.
        proven: (m,) for which no solver has stopped without a proof.
        tried: poses.
    """

    arm: Arm
    starts: FloatArray
    beyond: Flags
    every: Flags
    tolerance: float
    nearest: float
    planar: PlanarBatchSolver
    q: FloatArray
    error: FloatArray
    moved: FloatArray
    met: Flags
    proven: Flags
    tried: Many

    @classmethod
    def begun(
        cls,
        arm: Arm,
        starts: FloatArray,
        beyond: Flags,
        every: Flags,
        tolerance: float,
        planar: PlanarBatchSolver,
    ) -> _Task:
        """Return the task before anything is tried."""
        count = len(starts)
        nearest = min(tolerance, CLOSEST * arm.size or tolerance)
        return cls(
            arm,
            starts,
            beyond,
            every,
            tolerance,
            nearest,
            planar,
            starts.copy(),
            np.zeros(count),
            np.full(count, np.inf),
            np.zeros(count, dtype=np.bool_),
            np.ones(count, dtype=np.bool_),
            [],
        )

    def less(self, place: ManyPlaces) -> Flags:
        """Return (m,) where the turntable alone does not turn as far as any joint has to so far."""
        turns = np.abs(place.turn - self.starts[:, 0])
        less: Flags = place.allowed & (turns < self.moved - SAME_MOVE)
        return less


def _try_places(task: _Task, places: tuple[ManyPlaces, ManyPlaces]) -> None:
    """Solve for the chain at both places, as far as that is worth it."""
    chain, size = task.arm.chain, task.arm.size or 1.0
    proof = proof_of(chain) if chain.limited else None
    asked = proof if proof is not None and _are_mostly_forbidden(task, places, proof) else None
    refused = [np.zeros(len(task.starts), dtype=np.bool_) for _ in places]
    # One place is mostly out of the chain's reach, which takes longest to find out.
    efforts = _efforts(chain)
    for effort in efforts:
        going = np.isinf(task.moved) & ~task.met
        order, searched = places, effort is Effort.ALL and len(efforts) > 1
        if searched and len(chain) > 2:
            order = _likelier_first(chain, places, np.flatnonzero(going))
        for place, missed in zip(order, refused, strict=True):
            worth = going & task.less(place)
            if searched:
                # Where the other answer took all the effort, that is it.
                worth &= np.isinf(task.moved)
            may = worth & are_inside(task.arm, place, task.tolerance)
            if asked is not None:
                some = np.flatnonzero(may)
                may[some] = reached_many(asked, goals_of(place.spots[some], size))
                missed[some] = ~may[some]
            if searched and len(chain) == 2:
                # Two joints are not searched for: all that is left is to come close.
                may &= task.beyond
            some = np.flatnonzero(may if effort is Effort.CLOSE else may | (worth & task.every))
            hit = _try(task, place, some, effort)
            if len(chain) == 2:
                missed[some] = ~hit
    if proof is None:
        return
    for place, missed in zip(places, refused, strict=True):
        # The arm changes the side only where it has to: not for less than matters. Two joints may
        # have missed it by rounding.
        worth = missed & task.less(place)
        some = np.flatnonzero(worth & (np.isfinite(task.moved) | (len(chain) == 2)))
        near = near_edge_many(proof, goals_of(place.spots[some], size), task.tolerance / size)
        _try(task, place, some[near], Effort.ALL)


def _are_mostly_forbidden(task: _Task, places: tuple[ManyPlaces, ManyPlaces], proof: Proof) -> bool:
    """Return whether it is worth asking the proof first: it is not where most can be reached."""
    if len(task.arm.chain) == 2:
        return False
    sample = np.arange(0, len(task.starts), PLACES_ASKED)
    which = [
        sample[(place.allowed & are_inside(task.arm, place, task.tolerance))[sample]]
        for place in places
    ]
    spots = [place.spots[some] for place, some in zip(places, which, strict=True)]
    goals = goals_of(np.concatenate(spots), task.arm.size or 1.0)
    reached = np.concatenate(which)[reached_many(proof, goals)]
    return 2 * len(np.unique(reached)) < len(sample)


def _try(task: _Task, place: ManyPlaces, some: Indices, effort: Effort) -> Flags:
    """Solve for the chain at a place for some targets, and return which that reaches."""
    if not len(some):
        return np.zeros(0, dtype=np.bool_)
    spots = place.spots[some]
    q, away, status = task.planar(some, spots, effort, task.tolerance)
    these = np.flatnonzero(task.beyond[some])
    if len(these) and effort is Effort.ALL:
        # What is missing across the plane stays: the rest is to be as little as can be.
        q[these], away[these], status[these] = task.planar(
            some[these], spots[these], effort, task.nearest
        )
    hit = away <= task.tolerance
    if effort is Effort.CLOSE and not hit.any():
        return hit
    poses = np.column_stack([place.turn[some], q])
    if effort is Effort.ALL:
        # What limits forbid is no better than what is on the edge, where that is known.
        known = has_edge(task.arm.chain) & (status != Status.NOT_CONVERGED)
        kept = np.flatnonzero(hit | task.every[some] | ~known)
        task.tried.append((some[kept], poses[kept]))
        task.met[some] |= hit
        task.proven[some] &= status != Status.NOT_CONVERGED
    move = largest_moves(task.arm.chain, poses, task.starts[some])
    better = hit & ~task.beyond[some] & (move < task.moved[some] - SAME_MOVE)
    which = some[better]
    task.q[which], task.error[which], task.moved[which] = poses[better], away[better], move[better]
    return hit


def _efforts(chain: Chain) -> tuple[Effort, ...]:
    """Return the efforts that differ for a chain."""
    if not chain.limited:
        return (Effort.ALL,)
    # With two joints all that is left to do is to come close, which most targets do not need.
    return (Effort.ALL,) if len(chain) != 2 and proof_of(chain) is not None else tuple(Effort)


def _likelier_first(
    chain: Chain, places: tuple[ManyPlaces, ManyPlaces], some: Indices
) -> tuple[ManyPlaces, ManyPlaces]:
    """Return the places with the one first for some targets that poses of the stock come nearer to.

    It is mostly the only one within the chain's reach.
    """
    first, second = (
        np.where(place.allowed[some], _from_stock(chain, place.spots[some]), np.inf)
        for place in places
    )
    swap: Flags = np.zeros(len(places[0].turn), dtype=np.bool_)
    swap[some] = second < first
    return swapped(*places, swap)


def _from_stock(chain: Chain, spots: FloatArray) -> FloatArray:
    """Return (k,) how far places (k, 2) in m are from the nearest tip of the stock, in reaches."""
    tips = stock(chain).tips.ravel()[::PLACES_EVERY]
    targets = (spots / chain.reach.outer) @ np.array([1.0, 1j])
    parts = [
        np.abs(targets[begin : begin + PLACES_TOGETHER, None] - tips).min(axis=1)
        for begin in range(0, len(targets), PLACES_TOGETHER)
    ]
    return np.concatenate(parts) if parts else np.empty(0)
