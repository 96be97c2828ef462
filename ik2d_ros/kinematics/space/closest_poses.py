"""Where an arm on a turntable comes closest to targets, by the method that suits its chain."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.angles import into_range, into_range_many
from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.positions import clipped, clipped_many
from ik2d_ros.kinematics.proof.proof import clamped
from ik2d_ros.kinematics.proof.proof_many import allowed_many
from ik2d_ros.kinematics.space.closest_arcs import closest_tips
from ik2d_ros.kinematics.space.closest_arcs_many import closest_tips_many
from ik2d_ros.kinematics.space.closest_turns import closest_turns
from ik2d_ros.kinematics.space.edge_in_space import edge_of, has_edge
from ik2d_ros.kinematics.space.turning import Around, TurningPlane
from ik2d_ros.kinematics.sweep import Goal, Sweep

_POINT = 1e-15  # Of where it is; a smaller chain has its tip where its base is, but for rounding.
_SAME = 1e-8  # Reaches; poses that differ by less are as close.

# How far it is from the target in reaches, 0 where that is unknown; turn and positions of the chain
# (n,) in rad, inside the limits. None for the positions where the chain is to come as close as it
# can in its plane, which is that far from the target.
Pose = tuple[float, float, Sequence[float] | None]


class Closest(NamedTuple):
    """Poses of many targets, an element each; one of a target's is the closest.

    Attributes:
        which: (k,) the targets that they are for.
        turns: (k,) positions of the turntable in rad, inside its limits.
        q: (k, n) positions of the chain in rad, inside its limits; None where the chain is to come
            as close as it can in its plane.
        away: (k,) how far the target is from the plane then, in reaches; None if that is unknown.
    """

    which: NDArray[np.intp]
    turns: FloatArray
    q: FloatArray | None
    away: FloatArray | None = None


def closest_poses(
    arm: Arm, sweep: Sweep, goal: Goal, start: Sequence[float], begun: Sequence[Sequence[float]]
) -> Iterator[Pose]:
    """Yield where the tip comes closest to a target that is not within reach.

    The plane at a limit of the turntable comes first, where it is closer than any tip on the edge
    of what the chain reaches.

    Args:
        arm: an arm with a turntable.
        sweep: of its plane.
        goal: the target about the turntable's axis.
        start: (m,) positions in rad, inside the limits; angles are in the turns nearest to it.
        begun: positions (n,) of the chain in rad, inside the limits, where a search is to begin
            besides.
    """
    chain, limits = arm.chain, arm.limits[0]
    if not has_edge(chain) or _is_point(chain, sweep, max(goal.radius, abs(goal.height))):
        with np.errstate(all='ignore'):  # Whatever the caller has set: what comes out is judged.
            begun_at = np.array(begun).reshape(1, -1, len(chain))
            (many,) = closest_poses_many(arm, sweep, np.array([goal]), np.array([start]), begun_at)
        positions = [None] * len(many.turns) if many.q is None else many.q.tolist()
        for turn, q in zip(many.turns.tolist(), positions, strict=True):
            yield 0.0, turn, q
        return
    size = chain.reach.outer
    near = Goal(goal.radius / size, goal.angle, goal.height / size)
    edge = edge_of(chain, sweep)
    tips = closest_tips(edge, limits, near)
    away = min(tip.away for tip in tips)
    ends = [(_beside(edge.sweep, near, end), end) for end in limits if math.isfinite(end)]
    for beside, end in sorted(ends):
        if beside < away:
            yield beside, end, None
    bends = chain.bends_at(start[1:])
    for tip in tips:
        shape, mover, lead = edge.poses[tip.arc]
        pose = shape.copy()
        pose[mover] = tip.angle + lead
        pose = list(map(clamped, pose, chain.bend_limits, bends))
        to = into_range(tip.turn, *limits, start[0])
        yield tip.away, tip.turn if to is None else to, clipped(chain, pose)


def closest_poses_many(
    arm: Arm, sweep: Sweep, goals: FloatArray, starts: FloatArray, begun: FloatArray | None
) -> list[Closest]:
    """Do what :func:`closest_poses` does, for many targets.

    Args:
        arm: an arm with a turntable.
        sweep: of its plane.
        goals: (k, 3) the targets about its axis, as in a Goal.
        starts: (k, m) positions in rad, inside the limits.
        begun: (k, b, n) positions in rad, inside the limits; not needed where there is an edge.
    """
    chain, limits = arm.chain, arm.limits[0]
    every, size = np.arange(len(goals)), chain.reach.outer
    if not len(goals):
        return []
    if _is_point(chain, sweep, float(np.abs(goals[:, ::2]).max())):
        # All that matters is where the chain's base is.
        out, across, _ = sweep.raised(0.0, 0.0)
        around = Around(*goals.T)
        turns = TurningPlane(sweep, *limits).turns(around, np.array(out), np.array(across))
        turns, _ = into_range_many(turns, *limits, starts[:, 0])
        return [Closest(every, turns, None)]
    near = goals / (size, 1.0, size)
    unit = sweep._replace(d=sweep.d / size, base=(sweep.base[0] / size, sweep.base[1] / size))
    plane = TurningPlane(unit, *limits)
    if begun is not None and not has_edge(chain):
        return [_searched(chain, plane, near, starts, begun)]
    edge = edge_of(chain, sweep)
    tips = closest_tips_many(edge, limits, near)
    poses = edge.arcs.bends[tips.arc].T.copy()
    poses[edge.arcs.mover[tips.arc], np.arange(len(tips.arc))] = (
        tips.angle + edge.arcs.lead[tips.arc]
    )
    q = _within_limits(chain, poses, starts[tips.which])
    turns, _ = into_range_many(tips.turn, *limits, starts[tips.which, 0])
    away = np.full(len(goals), np.inf)
    np.minimum.at(away, tips.which, tips.away)
    found = [Closest(tips.which, turns, q)]
    ends = [end for end in limits if math.isfinite(end)]
    if ends:
        beside = np.stack([plane.beside(Around(*near.T), end) for end in ends])
        number, which = np.nonzero(beside < away)
        found.append(Closest(which, np.array(ends)[number], None, beside[number, which]))
    return found


def _is_point(chain: Chain, sweep: Sweep, far: float) -> bool:
    """Whether the chain is so small that its tip is where its base is."""
    return chain.reach.outer <= _POINT * max(sweep.scale, far)


def _beside(sweep: Sweep, goal: Goal, turn: float) -> float:
    """Return how far a target is from the turned plane."""
    across = goal.radius * math.sin(goal.angle - turn)
    return abs(sweep.c * across + sweep.e * goal.height - sweep.d)


def _searched(
    chain: Chain, plane: TurningPlane, goals: FloatArray, starts: FloatArray, begun: FloatArray
) -> Closest:
    """Return the poses of a search, for chains of whose area no edge is known."""
    turns, bends, away = closest_turns(
        chain, plane, Around(*goals.T), np.moveaxis(chain.bends_many(begun), 2, 0)
    )
    which, column = np.nonzero(away <= away.min(axis=1, keepdims=True) + _SAME)
    q = _within_limits(chain, bends[:, which, column], starts[which])
    to, _ = into_range_many(turns[which, column], plane.lower, plane.upper, starts[which, 0])
    return Closest(which, to, q)


def _within_limits(chain: Chain, bends: FloatArray, starts: FloatArray) -> FloatArray:
    """Return positions (k, n) at bends (n, k), inside the limits and near to starts (k, m)."""
    lower, upper = np.array(chain.bend_limits).T[:, :, None]
    begun = chain.bends_many(starts[:, 1:]).T
    allowed, _ = allowed_many(bends, lower, upper, begun)
    return clipped_many(chain, allowed)
