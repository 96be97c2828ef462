"""Poses that reach targets at tip angles, or at the closest ones, for many at once.

The stages of :mod:`.tip_angle` as arrays of bends, with a column per target, as in :mod:`.many`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import SAME_MOVE, into_range_many, near_many, wrapped
from ik2d_ros.kinematics.arrays import ComplexArray, Flags, FloatArray, Indices
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.closed_form.two_bone_many import elbow_bend_many
from ik2d_ros.kinematics.columns import links_many
from ik2d_ros.kinematics.descent.many import Links, tips, units
from ik2d_ros.kinematics.descent.stepping_many import Passes
from ik2d_ros.kinematics.planar.descent_many import descend_many
from ik2d_ros.kinematics.pose import at, problem_of
from ik2d_ros.kinematics.reach import annulus, folded
from ik2d_ros.kinematics.tip_angle.three_bone_many import three_bone_many
from ik2d_ros.kinematics.tip_angle.tip_angle import EDGE, can_be_had
from ik2d_ros.kinematics.tip_angle.tip_angle_poses import AngleProof
from ik2d_ros.kinematics.tip_angle.tip_angle_proof import (
    EXACT,
    Candidates,
    had_many,
    posed,
    turned,
)
from ik2d_ros.kinematics.tip_angle.tip_angle_spread import nearest_of_spread
from ik2d_ros.kinematics.tip_angle.tip_angle_steps import Aim, return_towards
from ik2d_ros.kinematics.tip_angle.tip_angle_steps_many import approach_many
from ik2d_ros.kinematics.tuning import (
    AIMED_STARTS,
    AIMED_STEPS,
    ANGLE_NEAR,
    LONG,
    NEAR_ANGLE,
    PATIENCE,
)


class Task(NamedTuple):
    """What is asked of the chain, apart from targets."""

    chain: Chain
    solver: str
    tolerance: float
    angle_tolerance: float
    max_iterations: int

    @property
    def tolerances(self) -> tuple[float, float]:
        """How far off a pose may be, in reaches and in rad."""
        return self.tolerance / (self.chain.reach.outer or 1.0), self.angle_tolerance


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


def aimed_many(task: Task, asked: Asked) -> tuple[FloatArray, Flags, Passes]:
    """Return bends (n, m) in rad that reach targets at their angles, without any proof.

    Without limits, else at the closest ones, as :func:`.tip_angle.reach_at_angle` does.

    Returns:
        The bends, which (m,) targets they reach, and (m,) the passes made.
    """
    chain = task.chain
    bends, there = asked.starts.copy(), _none(asked)
    passes: Passes = np.zeros(len(there), dtype=np.int64)
    if len(chain) > 3:
        near = _near(task, asked)
        if len(near):
            begun = asked.starts[:, near]
            bends[:, near], there[near] = _approached(task, asked, near, begun, passes)
    elif not chain.has_slides:
        bends, there = three_bone_many(
            chain.unit_lengths, chain.bend_limits, asked.goals, asked.headings, asked.starts
        )
    left = ~there
    if not chain.limited:
        some = np.flatnonzero(left)
        if len(some):
            bends[:, some], there[some] = _freely(task, asked.at(some))
    elif len(chain) > 3 and any(Links.of(chain).turning[2:]):
        some = np.flatnonzero(left & can_be_had_many(task, asked))
        if len(some):
            made = passes[some]
            bends[:, some], there[some] = _decoupled(task, asked.at(some), made)
            passes[some] = made
    return bends, there, passes


def _none(asked: Asked) -> Flags:
    return np.zeros(len(asked.goals), dtype=np.bool_)


def can_be_had_many(task: Task, asked: Asked) -> Flags:
    """Return which angles can be had as far as lengths tell."""
    if task.chain.has_slides:
        return np.ones(len(asked.goals), dtype=np.bool_)
    lengths = task.chain.unit_lengths
    distance = np.abs(asked.goals - lengths[-1] * units(asked.headings))
    return can_be_had(lengths, distance, task.tolerances)


def decided(
    proof: AngleProof, task: Task, asked: Asked, passes: Passes
) -> tuple[FloatArray, Flags]:
    """Return poses that reach targets at their angles or the closest ones, exactly.

    Where rounding has a say none, so that each such target gets a look of its own.

    Args:
        proof: of the chain.
        task: the chain, which has limits.
        asked: targets and angles that no steps have led to.
        passes: (m,) made.

    Returns:
        (n, m) bends in rad, and (m,) which are there.
    """
    bends, there = asked.starts.copy(), _none(asked)
    can = np.flatnonzero(can_be_had_many(task, asked))
    if not task.chain.has_slides:  # With slides, it takes as long to ask first.
        can = can[had_many(proof, asked.goals[can], asked.headings[can])]
    some = asked.at(can)
    found = posed(proof, some.goals, some.headings, some.starts)
    exact = (found.error <= EXACT) & (np.abs(found.off) <= EXACT)
    chosen = bends[:, can]
    there[can] = _choose(found, exact, np.zeros(len(exact)), some.starts, chosen)
    bends[:, can] = chosen
    if len(task.chain) > 3:
        near = _near(task, asked)
        for k in near[there[near]].tolist():
            problem = problem_of(task.chain, complex(asked.goals[k]))
            aim = Aim(problem, float(asked.headings[k]), *task.tolerances)
            pose, start = at(problem, bends[:, k].tolist()), asked.starts[:, k].tolist()
            pose, _ = return_towards(aim, pose, start, int(passes[k]), task.max_iterations)
            bends[:, k] = pose.bends
    left = ~there
    left[can[found.which]] = False
    which = np.flatnonzero(left)
    if len(which):
        some, chosen = asked.at(which), bends[:, which]
        found = turned(proof, some.goals, some.headings, some.starts)
        there[which] = closest_of(found, some.starts, chosen)
        bends[:, which] = chosen
    return bends, there


def closest_of(found: Candidates, starts: FloatArray, bends: FloatArray) -> Flags:
    """Write to ``bends`` the poses that come closest to the angles; return which are there."""
    off, good = np.abs(found.off), found.error <= EXACT
    least: FloatArray = np.full(starts.shape[1], np.inf)
    np.minimum.at(least, found.which[good], off[good])
    there = _choose(found, good, off, starts, bends)
    there[found.which[~good & (off < least[found.which])]] = False
    return there


def _near(task: Task, asked: Asked) -> Indices:
    """Return which targets and angles are near to those of the start."""
    links = Links.of(task.chain)
    _, turns = links_many(links.fixed, links.lengths, asked.starts)
    some = np.flatnonzero(np.abs(wrapped(asked.headings - turns.sum(axis=0))) < NEAR_ANGLE)
    return some[np.abs(asked.goals[some] - tips(links, asked.starts[:, some])) < ANGLE_NEAR]


def _approached(
    task: Task,
    asked: Asked,
    some: Indices,
    bends: FloatArray,
    passes: Passes,
    steps: int | None = None,
) -> tuple[FloatArray, Flags]:
    """Step from bends (n, k) in rad towards some targets; counts ``passes`` (m,) of all.

    By so many steps, or from what is near by as many as lead there.
    """
    made, most = passes[some], task.max_iterations
    stepped = approach_many(
        Links.of(task.chain),
        asked.goals[some],
        asked.headings[some],
        bends,
        task.tolerances,
        made,
        np.minimum(most, made + (most if steps is None else steps)),
        steps is None,
        steps or PATIENCE,
    )
    passes[some] = made
    return stepped


def _decoupled(task: Task, asked: Asked, passes: Passes) -> tuple[FloatArray, Flags]:
    """Close the chain to where the last joint has to be, and step from there where that fails.

    As :func:`.tip_angle._decoupled` does; ``passes`` (m,) made are counted on.
    """
    links = Links.of(task.chain)
    bends, wrists, headings = asked.starts.copy(), asked.goals, asked.headings
    # Slides behind the last joint that turns stay where they are.
    last = max(joint for joint, turns in enumerate(links.turning) if turns)
    for slide in range(len(bends) - 1, last, -1):
        wrists = wrists - bends[slide] * units(headings)
        headings = headings - (0.0 if links.fixed is None else links.fixed[slide])
    wrists = wrists - links.lengths[last] * units(headings)
    before = links.before(last)
    brought = descend_many(
        task.solver, before, wrists, bends[:last], task.tolerances[0], task.max_iterations
    )
    bends[:last] = brought.bends
    passes += brought.passes
    _, turns = links_many(before.fixed, before.lengths, brought.bends)
    wanted = headings - turns.sum(axis=0)
    lower, upper = links.lower[last], links.upper[last]
    bends[last], allowed = into_range_many(wanted, lower, upper, bends[last])
    out = np.flatnonzero(~allowed)
    bends[last, out] = np.clip(near_many(wanted[out], 0.5 * (lower + upper)), lower, upper)
    there = allowed & (brought.errors <= task.tolerances[0])
    left = np.flatnonzero(~there)
    if len(left):
        bends[:, left], there[left] = _approached(
            task, asked, left, bends[:, left], passes, AIMED_STEPS
        )
    for number in range(AIMED_STARTS if len(bends) >= LONG else 0):
        left = np.flatnonzero(~there)
        if not len(left):
            break
        near = nearest_of_spread(task.chain, asked.goals[left], asked.headings[left], number)
        bends[:, left], there[left] = _approached(task, asked, left, near, passes, AIMED_STEPS)
    return bends, there


def _freely(task: Task, asked: Asked) -> tuple[FloatArray, Flags]:
    """Do what :func:`.tip_angle._freely` does: without limits, exactly."""
    links = Links.of(task.chain)
    lengths = task.chain.unit_lengths
    inner, outer = annulus(lengths[:-1])
    last, goals, headings = lengths[-1], asked.goals, asked.headings
    wrists = goals - last * units(headings)
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
        wrists[out], distance[out] = edge * units(direction), edge
    bends = asked.starts.copy()
    stretched = distance >= outer - EDGE
    on_edge = stretched | ((inner > 0.0) & (distance <= inner + EDGE))
    some = np.flatnonzero(on_edge)
    shape = np.array(folded(lengths[:-1]))[:, None]
    bends[:-1, some] = np.where(stretched[some], 0.0, shape)
    turned = bends[0, some] + np.angle(wrists[some])
    bends[0, some] = np.where(wrists[some] == 0.0, asked.starts[0, some], turned)
    left = np.flatnonzero(~on_edge)
    if len(left) and len(bends) == 3:
        there[left] = False  # The closed form would have found it.
    elif len(left):
        begun = asked.starts[:-1, left]
        brought = descend_many(
            task.solver,
            links.before(len(bends) - 1),
            wrists[left],
            begun,
            task.tolerances[0],
            task.max_iterations,
        )
        bends[:-1, left] = brought.bends
        there[left] = brought.errors <= task.tolerances[0]
    bends[-1] = headings - bends[:-1].sum(axis=0)
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
