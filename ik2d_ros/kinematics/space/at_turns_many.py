"""What a chain does where turns bring many targets into its plane, as :mod:`.at_turns` for one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.angles import SAME_MOVE
from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.arrays import Flags, FloatArray, Indices, taken
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.descent.stock import stock
from ik2d_ros.kinematics.planar.planar_solver import Effort, PlanarBatch, PlanarBatchSolver
from ik2d_ros.kinematics.proof.proof import Proof, proof_of
from ik2d_ros.kinematics.proof.proof_many import near_edge_many, reached_many
from ik2d_ros.kinematics.solution import Status
from ik2d_ros.kinematics.space.closest_in_space_many import Many
from ik2d_ros.kinematics.space.edge_in_space import has_edge
from ik2d_ros.kinematics.space.moves import largest_moves
from ik2d_ros.kinematics.space.places import nearest_of
from ik2d_ros.kinematics.space.places_many import ManyPlaces, are_within, swapped
from ik2d_ros.kinematics.targets import goals_of
from ik2d_ros.kinematics.tuning import PLACES_ASKED, PLACES_EVERY, PLACES_TOGETHER


class Task(NamedTuple):
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
        met: (m,) which are reached.
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
    ) -> Task:
        """Return the task before anything is tried."""
        count = len(starts)
        nearest = nearest_of(arm, tolerance)
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


def try_places(task: Task, places: tuple[ManyPlaces, ManyPlaces]) -> None:
    """Solve for the chain at both places, as far as that is worth it."""
    chain = task.arm.chain
    proof = proof_of(chain) if chain.limited else None
    proven: list[Flags] | None = None
    if proof is not None and _are_mostly_forbidden(task, places, proof):
        proven = _reached_at(task, places, proof)
    refused = [np.zeros(len(task.starts), dtype=np.bool_) for _ in places]
    # One place is mostly out of the chain's reach, which takes longest to find out.
    efforts = _efforts(chain)
    for effort in efforts:
        going = np.isinf(task.moved) & ~task.met
        order, searched = places, effort is Effort.ALL and len(efforts) > 1
        if searched and len(chain) > 2:
            order = _likelier_first(chain, places, np.flatnonzero(going))
        for number, (place, missed) in enumerate(zip(order, refused, strict=True)):
            worth = going & task.less(place)
            if searched:
                # Where the other answer took all the effort, that is it.
                worth &= np.isinf(task.moved)
            may = worth & are_within(task.arm, place.away, task.tolerance)
            if proven is not None:
                np.logical_or(missed, may & ~proven[number], out=missed)
                may &= proven[number]
            if searched and len(chain) == 2:
                # Two joints are not searched for: all that is left is to come close.
                may &= task.beyond
            some = np.flatnonzero(may if effort is Effort.CLOSE else may | (worth & task.every))
            hit = _try(task, place, some, effort)
            if len(chain) == 2:
                missed[some] = ~hit
    if proof is not None:
        _try_near_edge(task, places, refused, proof)


def _try_near_edge(
    task: Task, places: tuple[ManyPlaces, ManyPlaces], refused: Sequence[Flags], proof: Proof
) -> None:
    """Solve for the chain where a place was ``refused`` for less than matters.

    The arm changes the side only where it has to. Two joints may have missed it by rounding.
    """
    chain, size = task.arm.chain, task.arm.size or 1.0
    at_edge = []
    for place, missed in zip(places, refused, strict=True):
        worth = missed & task.less(place)
        some = np.flatnonzero(worth & (np.isfinite(task.moved) | (len(chain) == 2)))
        near = near_edge_many(proof, goals_of(place.spots[some], size), task.tolerance / size)
        at_edge.append(some[near])
    every = np.concatenate(at_edge)
    if not len(every):
        return
    # They are few, mostly: those of both places take as long as those of one.
    spots = np.concatenate([place.spots[some] for place, some in zip(places, at_edge, strict=True)])
    found = _in_plane(task, every, spots, Effort.ALL)
    parts = zip(*(np.split(each, [len(at_edge[0])]) for each in found), strict=True)
    for place, some, (q, away, status) in zip(places, at_edge, parts, strict=True):
        _keep(task, place, some, Effort.ALL, q, away, status)


def _are_mostly_forbidden(task: Task, places: tuple[ManyPlaces, ManyPlaces], proof: Proof) -> bool:
    """Return whether it is worth asking the proof first: it is not where most can be reached."""
    if len(task.arm.chain) == 2:
        return False
    sample = np.arange(0, len(task.starts), PLACES_ASKED)
    one, other = _reached_at(task, places, proof, sample)
    return 2 * int((one | other).sum()) < len(sample)


def _reached_at(
    task: Task,
    places: tuple[ManyPlaces, ManyPlaces],
    proof: Proof,
    sample: Indices | slice = slice(None),
) -> list[Flags]:
    """Return which targets, or of a sample, limits allow at each place: asked for in one go."""
    reached: list[Flags] = [
        (place.allowed & are_within(task.arm, place.away, task.tolerance))[sample]
        for place in places
    ]
    spots = [place.spots[sample][some] for place, some in zip(places, reached, strict=True)]
    answers = reached_many(proof, goals_of(np.concatenate(spots), task.arm.size or 1.0))
    for some, answer in zip(reached, np.split(answers, [len(spots[0])]), strict=True):
        some[some] = answer
    return reached


def _try(task: Task, place: ManyPlaces, some: Indices, effort: Effort) -> Flags:
    """Solve for the chain at a place for some targets, and return which that reaches."""
    if not len(some):
        return np.zeros(0, dtype=np.bool_)
    return _keep(
        task, place, some, effort, *_in_plane(task, some, taken(place.spots, some), effort)
    )


def _in_plane(task: Task, some: Indices, spots: FloatArray, effort: Effort) -> PlanarBatch:
    """Solve for the chain for some targets that are at the spots (k, 2) in its plane."""
    q, away, status = task.planar(some, spots, effort, task.tolerance)
    these = np.flatnonzero(task.beyond[some])
    if len(these) and effort is Effort.ALL:
        # What is missing across the plane stays: the rest is to be as little as can be.
        q[these], away[these], status[these] = task.planar(
            some[these], spots[these], effort, task.nearest
        )
    return q, away, status


def _keep(
    task: Task,
    place: ManyPlaces,
    some: Indices,
    effort: Effort,
    q: FloatArray,
    away: FloatArray,
    status: NDArray[np.int8],
) -> Flags:
    """Keep what the chain has found at a place, and return which of the targets that reaches."""
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
    move = largest_moves(task.arm.chain, poses, taken(task.starts, some))
    better = np.flatnonzero(hit & ~task.beyond[some] & (move < task.moved[some] - SAME_MOVE))
    which = some[better]
    task.q[which] = taken(poses, better)
    task.error[which], task.moved[which] = away[better], move[better]
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
