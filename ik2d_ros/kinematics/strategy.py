"""What is done to reach one target in the plane, and in which order."""

from __future__ import annotations

import math
from cmath import rect
from collections.abc import Sequence
from itertools import accumulate
from math import inf

import numpy as np

from ik2d_ros.kinematics import ccd, hybrid
from ik2d_ros.kinematics.angles import TURN, into_range, near
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.edge import edge_pose
from ik2d_ros.kinematics.in_space import PlanarAnswer
from ik2d_ros.kinematics.pose import Problem, at, tip_at
from ik2d_ros.kinematics.proof import Proof, closest, nearest, poses, proof_of
from ik2d_ros.kinematics.search import search
from ik2d_ros.kinematics.sliding_pair import sliding_pair
from ik2d_ros.kinematics.stepping import ease_towards
from ik2d_ros.kinematics.targets import goal_of
from ik2d_ros.kinematics.two_bone import two_bone

# What a solver has found: bends (n,) in rad; where the tip is, in reaches, if that is known;
# whether no pose within the limits is known to be closer; and the passes that it took. A plain
# tuple: it is made and unpacked in a fraction of the time of a named one.
_Found = tuple[Sequence[float], complex | None, bool, int]

_DESCENTS = {'ccd': ccd.descend, 'hybrid': hybrid.descend}


def in_plane(
    chain: Chain,
    x: float,
    y: float,
    start_q: Sequence[float],
    solver: str,
    bend: str,
    tolerance: float,
    max_iterations: int,
    thorough: bool = True,
) -> PlanarAnswer:
    """Return what :func:`.solve.solve` finds for arguments that are checked already.

    Without being thorough, only what the way from the start leads to.
    """
    start_bends = start_q
    if not chain.plain:
        start_bends = [a * q + b for a, q, b in zip(chain.signs, start_q, chain.shifts)]
    size = chain.reach.outer or 1.0
    goal = goal_of(x, y, size)
    if solver == 'two_bone':
        found: _Found = _pair(chain, goal, start_bends, bend), None, True, 0
    else:
        found = _descended(
            chain, goal, start_bends, solver, tolerance / size, max_iterations, thorough
        )
    bends, unit_tip, settled, passes = found
    q, tip = _positions(chain, bends, unit_tip, start_q)
    return q, tip, math.hypot(x - tip.real, y - tip.imag), settled, passes


def search_in_plane(
    chain: Chain,
    places: Sequence[tuple[float, float]],
    start_q: Sequence[float],
    stalled: Sequence[PlanarAnswer],
    tolerance: float,
    max_iterations: int,
) -> list[PlanarAnswer]:
    """Return the answers of the search for those that have stalled, and the others as they are."""
    answers = list(stalled)
    if not chain.limited:
        return answers
    left = [
        k
        for k, (_, _, error, settled, passes) in enumerate(stalled)
        if not settled and error > tolerance and passes < max_iterations
    ]
    if not left:
        return answers
    size = chain.reach.outer or 1.0
    start, *bends = [
        [a * q + b for a, q, b in zip(chain.signs, positions, chain.shifts)]
        for positions in (start_q, *(stalled[k][0] for k in left))
    ]
    found = _searched(
        chain,
        [goal_of(*places[k], size) for k in left],
        start,
        bends,
        tolerance / size,
        max(stalled[k][4] for k in left),
        max_iterations,
    )
    for k, (best, unit_tip, settled, passes) in zip(left, found, strict=True):
        x, y = places[k]
        q, tip = _positions(chain, best, unit_tip, start_q)
        answers[k] = q, tip, math.hypot(x - tip.real, y - tip.imag), settled, passes
    return answers


def _pair(chain: Chain, goal: complex, start: Sequence[float], bend: str) -> Sequence[float]:
    """Return the exact pose of two joints, which is always the closest one."""
    shoulder, elbow = start
    if chain.has_slides:
        return sliding_pair(chain, goal, (shoulder, elbow), bend)
    limits = chain.bend_limits if chain.limited else None
    return two_bone(chain.unit_lengths, limits, goal, (shoulder, elbow), bend)


def _descended(
    chain: Chain,
    goal: complex,
    start: Sequence[float],
    solver: str,
    tolerance: float,
    budget: int,
    thorough: bool,
) -> _Found:
    outright = edge_pose(chain, goal, start)
    if outright is not None:
        return outright, None, True, 0
    limits = chain.bend_limits if chain.limited else None
    problem = Problem(chain.unit_lengths, limits, goal, chain.fixed_bends)
    pose, passes = _DESCENTS[solver](problem, start, tolerance, budget)
    if limits is None or pose.error <= tolerance or passes >= budget:
        return pose.bends, pose.points[-1], False, passes
    if len(chain) == 2:
        return _pair(chain, goal, start, 'nearest'), None, True, passes
    if not thorough:
        return pose.bends, None, False, passes
    return _searched(chain, [goal], start, [pose.bends], tolerance, passes, budget)[0]


def _searched(
    chain: Chain,
    goals: Sequence[complex],
    start: Sequence[float],
    stalled: Sequence[Sequence[float]],
    tolerance: float,
    passes: int,
    budget: int,
) -> list[_Found]:
    """Return what is found for targets at each of which a descent has stalled."""
    proof = proof_of(chain)
    if proof is not None:
        return [_decided(proof, goal, start, tolerance, passes, budget) for goal in goals]
    with np.errstate(all='ignore'):  # Whatever the caller has set: it is judged by what comes out.
        found = search(
            chain,
            np.array(goals),
            np.tile(np.array(start)[:, None], len(goals)),
            np.array(stalled).T,
            tolerance,
            budget - passes,
        )
    return [
        (bends, None, settled, passes + found.passes)
        for bends, settled in zip(found.bends.T.tolist(), found.settled.tolist(), strict=True)
    ]


def _decided(
    proof: Proof,
    goal: complex,
    start: Sequence[float],
    tolerance: float,
    passes: int,
    budget: int,
) -> _Found:
    """Return a pose that reaches a target, if limits allow one, or the closest pose."""
    found = poses(proof, goal, start)
    if not found:
        return closest(proof, goal, start), None, True, passes + 1
    # What is proven to reach it has joints at a limit, and others that need not have moved.
    problem = Problem(proof.lengths, proof.limits, goal, proof.fixed)
    begun = at(problem, nearest(found, start))
    pose, passes = ease_towards(problem, proof.limits, begun, start, tolerance, passes + 1, budget)
    return pose.bends, pose.points[-1], False, passes


def _positions(
    chain: Chain, bends: Sequence[float], unit_tip: complex | None, start: Sequence[float]
) -> tuple[Sequence[float], complex]:
    """Return positions (n,) in rad, inside the limits to the last bit, and the tip there in m."""
    if chain.plain and not chain.limited:
        if unit_tip is not None and _are_near(bends, start):
            return bends, unit_tip * chain.reach.outer
        positions = list(map(near, bends, start))
        return positions, sum(map(rect, chain.lengths, accumulate(positions)))
    if chain.has_slides:
        return _positions_with_slides(chain, bends, start)
    positions = []
    angle, tip = 0.0, 0j
    for bend, sign, shift, length, (lower, upper), now in zip(
        bends, chain.signs, chain.shifts, chain.lengths, chain.limits, start
    ):
        q = sign * (bend - shift)
        if lower == -inf:
            q = near(q, now)
        elif upper - lower > TURN:
            turned = into_range(q, lower, upper, now)
            q = min(max(q, lower), upper) if turned is None else turned
        elif q < lower:
            q = lower
        elif q > upper:
            q = upper
        positions.append(q)
        angle += sign * q + shift
        tip += rect(length, angle)
    return positions, tip


def _positions_with_slides(
    chain: Chain, bends: Sequence[float], start: Sequence[float]
) -> tuple[Sequence[float], complex]:
    positions = []
    for joint, bend, sign, shift, (lower, upper), now in zip(
        chain.joints, bends, chain.signs, chain.shifts, chain.limits, start
    ):
        q = (bend - shift) / sign
        if not joint.slides:
            turned = into_range(q, lower, upper, now)
            q = q if turned is None else turned
        positions.append(min(max(q, lower), upper))
    numbers = [a * q + b for a, q, b in zip(chain.signs, positions, chain.shifts)]
    tip = tip_at(chain.unit_lengths, numbers, chain.fixed_bends)
    return positions, tip * chain.reach.outer


def _are_near(bends: Sequence[float], start: Sequence[float]) -> bool:
    """Return whether no bend is more than half a turn from where it started."""
    for bend, now in zip(bends, start):  # noqa: SIM110  # in half the time of `all`
        if not -math.pi <= bend - now <= math.pi:
            return False
    return True
