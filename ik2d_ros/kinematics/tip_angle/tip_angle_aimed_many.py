"""Poses that reach targets at tip angles, or at the closest ones, for many at once.

The stages of :mod:`.tip_angle` as arrays of bends, with a column per target, as in :mod:`.links`.
"""

from __future__ import annotations

import numpy as np

from ik2d_ros.kinematics.angles import into_range_many, near_many, wrapped
from ik2d_ros.kinematics.arrays import Flags, FloatArray, Indices
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.columns import links_many
from ik2d_ros.kinematics.descent.stepping_many import Passes
from ik2d_ros.kinematics.links import Links, tips, units
from ik2d_ros.kinematics.planar.descent_many import descend_many
from ik2d_ros.kinematics.pose import at, problem_of
from ik2d_ros.kinematics.reach import annulus
from ik2d_ros.kinematics.tip_angle.three_bone_many import three_bone_many
from ik2d_ros.kinematics.tip_angle.tip_angle_begun import Asked, Begun, Task
from ik2d_ros.kinematics.tip_angle.tip_angle_edge import EDGE, can_be_had, shape_on_edge
from ik2d_ros.kinematics.tip_angle.tip_angle_edge_many import closest_on_edge_many, on_edge_many
from ik2d_ros.kinematics.tip_angle.tip_angle_spread import nearest_of_spread
from ik2d_ros.kinematics.tip_angle.tip_angle_steps import Aim, approach
from ik2d_ros.kinematics.tip_angle.tip_angle_steps_many import approach_many
from ik2d_ros.kinematics.tip_angle.tip_angle_triples_many import close_three_many
from ik2d_ros.kinematics.tuning import (
    AIMED_STEPS,
    ANGLE_NEAR,
    ANGLE_PROOF_JOINTS,
    FEW_STEPPED,
    NEAR_ANGLE,
)


def inside_many(task: Task, asked: Asked) -> Flags:
    """Return which targets are in the annulus, but for the tolerance."""
    (inner, outer), loose = task.chain.unit_reach, task.tolerances[0]
    distance = np.abs(asked.goals)
    inside: Flags = (distance >= inner - loose) & (distance <= outer + loose)
    return inside


def closed_many(task: Task, asked: Asked) -> Begun:
    """Bring tips of a limited chain onto targets at their angles by three joints alone.

    That is enough for most. Left out are those near the start, which small moves come first for,
    and those of which lengths tell that there is no pose.
    """
    begun = Begun.at_start(asked)
    can = inside_many(task, asked) & can_be_had_many(task, asked)
    can[near_start_many(task, asked)] = False
    _close(task, asked, begun, np.flatnonzero(can))
    return begun


def begun_many(task: Task, asked: Asked, begun: Begun) -> None:
    """Bring tips onto targets at their angles, by small moves or three joints.

    Also to the closest angles where lengths say which these are: without limits, or within limits
    that allow them. As :func:`.tip_angle.reach_at_angle` does, but for the closure to the last
    joint, steps and the proof.
    """
    chain = task.chain
    if len(chain) > 3:
        near = near_start_many(task, asked)
        near = near[~begun.there.take(near)]
        if len(near):
            starts = asked.starts.take(near, axis=1)
            bends, there = _approached(task, asked, near, starts, begun.passes)
            begun.bends[:, near], begun.there[near] = bends, there
    elif not chain.has_slides:
        bends, there = three_bone_many(
            chain.unit_lengths, chain.bend_limits, asked.goals, asked.headings, asked.starts
        )
        begun.bends[:], begun.there[:] = bends, there
    left = ~(begun.there | begun.closed)
    some = np.flatnonzero(left)
    if not len(some):
        return
    if not chain.limited:
        begun.bends[:, some], begun.there[some] = _freely(task, asked.at(some))
        return
    can = can_be_had_many(task, asked)
    some = np.flatnonzero(left & ~can)
    if len(some):
        goals, headings, starts = asked.at(some)
        begun.bends[:, some], begun.there[some] = closest_on_edge_many(
            Links.of(chain), chain.unit_lengths, goals, headings, starts
        )
    if takes_closure(chain):
        _close(task, asked, begun, np.flatnonzero(left & can))


def _close(task: Task, asked: Asked, begun: Begun, some: Indices) -> None:
    """Write what three joints alone reach of some of the targets."""
    if task.solver != 'hybrid':
        return
    some = some[begun.passes.take(some) < task.max_iterations]
    if len(some):
        found = close_three_many(task.chain, asked.at(some))
        begun.put(some, found, begun.passes.take(some) + 1)
        begun.closed[some] = True


def takes_closure(chain: Chain) -> bool:
    """Whether the joints before the last one that turns may bring it anywhere, and then steps."""
    return len(chain) > 3 and any(Links.of(chain).turning[2:])


def stepped_many(
    task: Task, asked: Asked, bends: FloatArray, passes: Passes
) -> tuple[FloatArray, Flags]:
    """Step from bends (n, m) in rad that limits have kept from targets at angles.

    Returns:
        The bends, and which (m,) targets they reach; passes (m,) made are counted on.
    """
    return _approached(task, asked, np.arange(len(passes)), bends, passes, AIMED_STEPS)


def stepped_from_elsewhere(task: Task, asked: Asked, passes: Passes) -> tuple[FloatArray, Flags]:
    """Step from poses all over the ranges of a long chain, whose proof takes longer; as above."""
    near = nearest_of_spread(task.chain, asked.goals, asked.headings)
    return stepped_many(task, asked, near, passes)


def can_be_had_many(task: Task, asked: Asked) -> Flags:
    """Return which angles can be had as far as lengths tell."""
    if task.chain.has_slides:
        return np.ones(len(asked.goals), dtype=np.bool_)
    lengths = task.chain.unit_lengths
    distance = np.abs(asked.goals - lengths[-1] * units(asked.headings))
    return can_be_had(lengths, distance, task.tolerances)


def near_start_many(task: Task, asked: Asked) -> Indices:
    """Return which targets and angles are near to those of the start."""
    links, starts = Links.of(task.chain), asked.starts
    if len(asked.goals) and not starts.strides[1]:
        starts = starts[:, :1]
    _, turns = links_many(links.fixed, links.lengths, starts)
    some = np.flatnonzero(np.abs(wrapped(asked.headings - turns.sum(axis=0))) < NEAR_ANGLE)
    if starts.shape[1] > 1:
        starts = starts.take(some, axis=1)
    return some[np.abs(asked.goals[some] - tips(links, starts)) < ANGLE_NEAR]


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
    if len(some) <= FEW_STEPPED:
        return _approached_alone(task, asked, some, bends, passes, steps)
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
    )
    passes[some] = made
    return stepped


def _approached_alone(
    task: Task, asked: Asked, some: Indices, bends: FloatArray, passes: Passes, steps: int | None
) -> tuple[FloatArray, Flags]:
    """Do the same one by one: for few that takes less."""
    bends, there = bends.copy(), np.zeros(len(some), dtype=np.bool_)
    for k, which in enumerate(some.tolist()):
        problem = problem_of(task.chain, complex(asked.goals[which]))
        aim = Aim(problem, float(asked.headings[which]), *task.tolerances)
        made = int(passes[which])
        most = task.max_iterations if steps is None else min(task.max_iterations, made + steps)
        begun = at(problem, bends[:, k].tolist())
        pose, passes[which] = approach(aim, begun, made, most, steps is None)
        bends[:, k], there[k] = pose.bends, aim.met(pose)
    return bends, there


def decoupled_many(task: Task, asked: Asked, passes: Passes) -> tuple[FloatArray, Flags]:
    """Close the chain to where the last joint has to be; ``passes`` (m,) made are counted on."""
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
        task.solver,
        before,
        wrists,
        asked.starts[:last],
        task.tolerances[0],
        task.max_iterations,
        len(bends) > ANGLE_PROOF_JOINTS,
    )
    bends[:last] = brought.bends
    passes += brought.passes
    _, turns = links_many(before.fixed, before.lengths, brought.bends)
    wanted = headings - turns.sum(axis=0)
    lower, upper = links.lower[last], links.upper[last]
    bends[last], allowed = into_range_many(wanted, lower, upper, bends[last])
    out = np.flatnonzero(~allowed)
    bends[last, out] = np.clip(near_many(wanted[out], 0.5 * (lower + upper)), lower, upper)
    return bends, allowed & (brought.errors <= task.tolerances[0])


def _freely(task: Task, asked: Asked) -> tuple[FloatArray, Flags]:
    """Do what :func:`.tip_angle._freely` does: without limits, exactly."""
    links = Links.of(task.chain)
    lengths = task.chain.unit_lengths
    rest = lengths[:-1]
    inner, outer = annulus(rest, [0.0] * len(rest), [None] * len(rest))
    last, goals, headings = lengths[-1], asked.goals, asked.headings
    wrists = goals - last * units(headings)
    distance = np.abs(wrists)
    there = np.ones(len(goals), dtype=np.bool_)
    out = np.flatnonzero((distance > outer + EDGE) | (distance < inner - EDGE))
    if len(out):
        edge = on_edge_many(lengths, goals[out], distance[out])
        there[out] = edge.there
        nearer = np.abs(wrapped(edge.headings - headings[out])).argmin(axis=0)
        columns = np.arange(len(out))
        headings = headings.copy()
        headings[out] = edge.headings[nearer, columns]
        wrists[out] = edge.radius * units(edge.directions[nearer, columns])
        distance[out] = edge.radius
    bends = asked.starts.copy()
    stretched = distance >= outer - EDGE
    on_edge = stretched | ((inner > 0.0) & (distance <= inner + EDGE))
    some = np.flatnonzero(on_edge)
    shape = np.array(shape_on_edge(lengths, False))[:, None]
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
