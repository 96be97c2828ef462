"""Poses that reach targets at tip angles, or at the closest ones, for many at once.

The stages of :mod:`.tip_angle` as arrays of bends, with a column per target, as in :mod:`.many`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import SAME_MOVE, into_range_many, wrapped
from ik2d_ros.kinematics.arrays import ComplexArray, Flags, FloatArray, Indices
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.closed_form.two_bone_many import elbow_bend_many
from ik2d_ros.kinematics.columns import links_many
from ik2d_ros.kinematics.descent.closing_many import close_many
from ik2d_ros.kinematics.descent.many import Links, units
from ik2d_ros.kinematics.planar.strategy_many import solved
from ik2d_ros.kinematics.reach import annulus
from ik2d_ros.kinematics.tip_angle.three_bone_many import three_bone_many
from ik2d_ros.kinematics.tip_angle.tip_angle import EDGE
from ik2d_ros.kinematics.tip_angle.tip_angle_proof import (
    EXACT,
    AngleProof,
    Candidates,
    angle_proof_of,
    posed,
    turned,
)
from ik2d_ros.kinematics.tip_angle.tip_angle_search import nearest_of_spread
from ik2d_ros.kinematics.tip_angle.tip_angle_steps_many import approach_many
from ik2d_ros.kinematics.tuning import AIMED_STARTS, AIMED_STEPS, FEW_CLOSURES, LONG


class Task(NamedTuple):
    """What is asked of the chain, apart from targets."""

    chain: Chain
    solver: str
    tolerance: float
    angle_tolerance: float
    max_iterations: int


class Asked(NamedTuple):
    """Targets, an element or a column each.

    Attributes:
        goals: (m,) where the tips are to go, in reaches.
        headings: (m,) of the last link in rad.
        starts: (n, m) bends in rad, inside the limits.
    """

    goals: ComplexArray
    headings: FloatArray
    starts: FloatArray

    def at(self, some: Indices) -> Asked:
        """Return some of them."""
        return Asked(self.goals[some], self.headings[some], self.starts[:, some])


def aimed_many(task: Task, asked: Asked) -> tuple[FloatArray, Flags]:
    """Return bends (n, m) in rad that reach targets at their angles, or at the closest ones.

    Also which reach the target at all, as far as arrays can tell.
    """
    chain = task.chain
    if len(chain) == 3 and not chain.has_slides:
        bends, there = three_bone_many(
            chain.unit_lengths, chain.bend_limits, asked.goals, asked.headings, asked.starts
        )
    elif len(chain) == 3:
        bends, there = asked.starts.copy(), np.zeros(len(asked.goals), dtype=np.bool_)
    elif chain.limited:
        bends, there = _decoupled(task, asked)
    else:
        return _freely(task, asked)
    left = np.flatnonzero(~there)
    if not len(left):
        return bends, there
    if not chain.limited:
        bends[:, left], there[left] = _freely(task, asked.at(left))
        return bends, there
    proof = angle_proof_of(chain)
    if proof is not None:
        bends[:, left], there[left] = _decided(proof, asked.at(left))
    return bends, there


def _decoupled(task: Task, asked: Asked) -> tuple[FloatArray, Flags]:
    """Close the chain to where the last joint has to be, and step from there where that fails."""
    links = Links.of(task.chain)
    bends, wrists, headings = asked.starts.copy(), asked.goals, asked.headings
    # Slides behind the last joint that turns stay where they are.
    last = _last_turning(links)
    for slide in range(len(bends) - 1, last, -1):
        wrists = wrists - bends[slide] * units(headings)
        headings = headings - (0.0 if links.fixed is None else links.fixed[slide])
    wrists = wrists - links.lengths[last] * units(headings)
    bends[:last], met = close_many(_links_before(task.chain, last), wrists, bends[:last])
    _, turns = links_many(links.fixed, links.lengths, bends)
    wanted = headings - turns[:last].sum(axis=0)
    bends[last], allowed = into_range_many(
        wanted, links.lower[last], links.upper[last], bends[last]
    )
    there = met & allowed
    left = np.flatnonzero(~there)
    proof = angle_proof_of(task.chain)
    if proof is not None and proof.tables.posed.entries <= FEW_CLOSURES:
        return bends, there  # It is as quick as steps.
    if len(left):
        bends[:, left], there[left] = _stepped(task, asked.at(left), bends[:, left])
    if len(links.lengths) < LONG:
        return bends, there
    for start in range(AIMED_STARTS):
        left = np.flatnonzero(~there)
        if not len(left):
            break
        some = asked.at(left)
        near = nearest_of_spread(task.chain, some.goals, some.headings, start)
        bends[:, left], there[left] = _stepped(task, some, near)
    return bends, there


def _stepped(task: Task, asked: Asked, bends: FloatArray) -> tuple[FloatArray, Flags]:
    """Return where steps lead from bends (n, m) in rad, and which are where they have to be."""
    links, size = Links.of(task.chain), task.chain.reach.outer or 1.0
    enough = task.tolerance / size, task.angle_tolerance
    steps = min(AIMED_STEPS, task.max_iterations)
    return approach_many(links, asked.goals, asked.headings, bends, enough, steps)


def _freely(task: Task, asked: Asked) -> tuple[FloatArray, Flags]:
    """Reach targets at their angles, or the closest ones, without limits."""
    chain = task.chain
    lengths = chain.unit_lengths
    inner, outer = annulus(lengths[:-1])
    last, goals, headings = lengths[-1], asked.goals, asked.headings
    wrists = goals - last * np.exp(1j * headings)
    distance = np.abs(wrists)
    there = np.ones(len(goals), dtype=np.bool_)
    out = np.flatnonzero((distance > outer + EDGE) | (distance < inner - EDGE))
    if len(out):
        edge = np.where(distance[out] > outer, outer, inner)
        toward, away = np.angle(goals[out]), np.abs(goals[out])
        there[out] = (
            (np.abs(edge - last) - EDGE <= away) & (away <= edge + last + EDGE) & (last > 0.0)
        )
        elbow = elbow_bend_many(edge, last, away)
        lead = np.arctan2(last * np.sin(elbow), edge + last * np.cos(elbow))
        sides = np.stack([toward - lead, toward + lead]), np.stack([elbow, -elbow])
        nearer = np.abs(wrapped(sides[0] + sides[1] - headings[out])).argmin(axis=0)
        columns = np.arange(len(out))
        direction = sides[0][nearer, columns]
        headings = headings.copy()
        headings[out] = direction + sides[1][nearer, columns]
        wrists[out] = edge * np.exp(1j * direction)
    bends = np.empty(asked.starts.shape)
    # Two joints can mostly close it; the others are few.
    bends[:-1], met = close_many(_links_before(chain, len(chain) - 1), wrists, asked.starts[:-1])
    left = np.flatnonzero(~met & there)
    if len(left):
        bends[:-1, left], met[left] = _brought(task, wrists[left], asked.starts[:-1, left])
    bends[-1] = headings - bends[:-1].sum(axis=0)
    return bends, there & met


def _brought(task: Task, wrists: ComplexArray, starts: FloatArray) -> tuple[FloatArray, Flags]:
    """Return bends of the joints before the last that bring it to places, and which they do."""
    chain = task.chain
    before, size = _before_last(chain), chain.reach.outer or 1.0
    begun = before.positions_many(starts.T)
    poses = solved(
        before,
        np.stack([wrists.real, wrists.imag], axis=1) * size,
        task.solver,
        begun,
        begun,
        'nearest',
        task.tolerance,
        task.max_iterations,
    )
    return before.bends_many(poses.q).T, poses.error <= task.tolerance


def _last_turning(links: Links) -> int:
    """Return the last revolute joint, or the first joint where there is none."""
    return max((joint for joint, turns in enumerate(links.turning) if turns), default=0)


def _links_before(chain: Chain, last: int) -> Links:
    """Return the links before a joint, in reaches of the whole chain."""
    lengths, lower, upper, fixed = Links.of(chain)
    before = lengths[:last], lower[:last], upper[:last]
    return Links(*before, None if fixed is None else fixed[:last])


@lru_cache(maxsize=64)
def _before_last(chain: Chain) -> Chain:
    return Chain(chain.joints[:-1])


def _decided(proof: AngleProof, asked: Asked) -> tuple[FloatArray, Flags]:
    """Return poses that reach targets at their angles or the closest ones, exactly.

    Where rounding has a say, none, so that each such target gets a look of its own.
    """
    bends = asked.starts.copy()
    found = posed(proof, asked.goals, asked.headings, asked.starts)
    exact = (found.error <= EXACT) & (np.abs(found.off) <= EXACT)
    there = _choose(found, exact, np.zeros(len(exact)), asked.starts, bends)
    unclear = np.zeros(len(there), dtype=np.bool_)
    unclear[found.which] = True
    left = np.flatnonzero(~there & ~unclear)
    if len(left):
        some = asked.at(left)
        found = turned(proof, some.goals, some.headings, some.starts)
        off, good = np.abs(found.off), found.error <= EXACT
        least: FloatArray = np.full(len(left), np.inf)
        np.minimum.at(least, found.which[good], off[good])
        chosen = bends[:, left]
        met = _choose(found, good, off, some.starts, chosen)
        met[found.which[~good & (off < least[found.which])]] = False
        bends[:, left], there[left] = chosen, met
    return bends, there


def _choose(
    found: Candidates, good: Flags, cost: FloatArray, starts: FloatArray, bends: FloatArray
) -> Flags:
    """Write to ``bends`` the good pose that costs least, of several the one that moves least."""
    which, poses, cost = found.which[good], found.bends[:, good], cost[good]
    there = np.zeros(starts.shape[1], dtype=np.bool_)
    least: FloatArray = np.full(len(there), np.inf)
    np.minimum.at(least, which, cost)
    cheap = cost <= least[which] + SAME_MOVE
    which, poses = which[cheap], poses[:, cheap]
    move = np.abs(poses - starts[:, which]).max(axis=0)
    least[:] = np.inf
    np.minimum.at(least, which, move)
    # The first is written last.
    best = np.flatnonzero(move <= least[which] + SAME_MOVE)[::-1]
    bends[:, which[best]] = poses[:, best]
    there[which] = True
    return there
