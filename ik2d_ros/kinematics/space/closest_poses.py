"""Where an arm on a turntable comes closest to targets, by the method that suits its chain."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import sub
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.angles import SAME_MOVE, TURN, into_range, into_range_many
from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.kept import kept
from ik2d_ros.kinematics.positions import clipped_many, commanded
from ik2d_ros.kinematics.proof.proof import clamped
from ik2d_ros.kinematics.proof.proof_many import allowed_many
from ik2d_ros.kinematics.space.closest_arcs import closest_tips
from ik2d_ros.kinematics.space.closest_arcs_many import closest_tips_many
from ik2d_ros.kinematics.space.closest_turns import closest_turns
from ik2d_ros.kinematics.space.edge_in_space import Edge, edge_of, has_edge
from ik2d_ros.kinematics.space.turning import Around, TurningPlane
from ik2d_ros.kinematics.sweep import Goal, Sweep

_POINT = 1e-15  # Of where it is; a smaller chain has its tip where its base is, but for rounding.
_SAME = 1e-8  # Reaches; poses that differ by less are as close.

# How far it is from the target in reaches, 0 where that is unknown; the turn; positions (n,) of the
# chain in rad, inside the limits, and where its tip is in the plane then, in m. None for the last
# two where the chain is to come as close as it can in its plane, that far from the target.
Pose = tuple[float, float, tuple[Sequence[float], complex] | None]


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
) -> list[Pose]:
    """Return where the tip comes closest to a target that is not within reach.

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
    chain, limits, begun_at = arm.chain, arm.limits[0], start[1:]
    radius, angle, height = goal
    size = chain.reach.outer
    edge = None
    if size > _POINT * max(sweep.scale, radius, abs(height)):
        edge = _known_edge(arm)
    if edge is None:
        return _by_search(arm, sweep, goal, start, begun)
    # The same as `Goal(...)`, which takes twice the time.
    near = tuple.__new__(Goal, (radius / size, angle, height / size))
    tips = closest_tips(edge, limits, near)
    poses: list[Pose] = []
    if limits[1] - limits[0] < TURN:
        away = tips[0].away if len(tips) == 1 else min([tip.away for tip in tips])
        lower, upper = limits
        beside = _beside(edge.sweep, near, lower, -1.0, away)
        beside_upper = _beside(edge.sweep, near, upper, 1.0, away)
        if beside < away:
            poses.append((beside, lower, None))
        if beside_upper < away:
            poses.insert(0 if beside_upper < beside else 1, (beside_upper, upper, None))
    bends: Sequence[float] | None = None
    made: list[tuple[float, ...]] = []
    for tip in tips:
        shape, mover, lead = edge.poses[tip.arc]
        pose, moved = shape.copy(), tip.angle + lead
        pose[mover] = moved
        lower, upper = chain.bend_limits[mover]
        if not (edge.one_turn and lower <= moved <= upper):
            bends = bends or chain.bends_at(begun_at)
            pose = list(map(clamped, pose, chain.bend_limits, bends))
        to = into_range(tip.turn, *limits, start[0])
        turn = tip.turn if to is None else to
        # At a corner of the edge two pieces have the same.
        if len(tips) > 1:
            whole = turn, *pose
            if any(max(map(abs, map(sub, whole, other))) < SAME_MOVE for other in made):
                continue
            made.append(whole)
        poses.append((tip.away, turn, commanded(chain, pose, begun_at)))
    return poses


@kept
def _known_edge(arm: Arm) -> Edge | None:
    """Return the edge of what the chain of an arm on a turntable reaches, if it is known.

    Making it takes milliseconds, so that it is kept.
    """
    if arm.sweep is None or not has_edge(arm.chain):
        return None
    return edge_of(arm.chain, arm.sweep)


def _by_search(
    arm: Arm, sweep: Sweep, goal: Goal, start: Sequence[float], begun: Sequence[Sequence[float]]
) -> list[Pose]:
    """Do what :func:`closest_poses` does where no edge is known, or is of no use."""
    chain, begun_at = arm.chain, np.array(begun).reshape(1, -1, len(arm.chain))
    with np.errstate(all='ignore'):  # Whatever the caller has set: what comes out is judged.
        (many,) = closest_poses_many(arm, sweep, np.array([goal]), np.array([start]), begun_at)
    if many.q is None:
        return [(0.0, turn, None) for turn in many.turns.tolist()]
    return [
        (0.0, turn, commanded(chain, chain.bends_at(q), start[1:]))
        for turn, q in zip(many.turns.tolist(), many.q.tolist(), strict=True)
    ]


def closest_poses_many(
    arm: Arm, sweep: Sweep, goals: FloatArray, starts: FloatArray, begun: FloatArray
) -> list[Closest]:
    """Do what :func:`closest_poses` does, for many targets.

    Args:
        arm: an arm with a turntable.
        sweep: of its plane.
        goals: (k, 3) the targets about its axis, as in a Goal.
        starts: (k, m) positions in rad, inside the limits.
        begun: (k, b, n) positions in rad, inside the limits; b may be 0 where there is an edge.
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
    edge = _known_edge(arm)
    if edge is None:
        return [_searched(chain, plane, near, starts, begun)]
    tips = closest_tips_many(edge, limits, near)
    poses = edge.arcs.bends[tips.arc].T.copy()
    poses[edge.arcs.mover[tips.arc], np.arange(len(tips.arc))] = (
        tips.angle + edge.arcs.lead[tips.arc]
    )
    q = _within_limits(chain, poses, starts[tips.which], edge.one_turn)
    turns, _ = into_range_many(tips.turn, *limits, starts[tips.which, 0])
    away = np.full(len(goals), np.inf)
    np.minimum.at(away, tips.which, tips.away)
    found = [Closest(tips.which, turns, q)]
    if limits[1] - limits[0] < TURN:
        lower, upper = (
            plane.beside(Around(*near.T), end, side, away) for end, side in zip(limits, (-1.0, 1.0))
        )
        which = np.concatenate([lower[0], upper[0]])
        beside = np.concatenate([lower[1], upper[1]])
        turns = np.repeat(limits, [len(lower[0]), len(upper[0])])
        found.append(Closest(which, turns, None, beside))
    return found


def _is_point(chain: Chain, sweep: Sweep, far: float) -> bool:
    """Whether the chain is so small that its tip is where its base is."""
    return chain.reach.outer <= _POINT * max(sweep.scale, far)


def _beside(sweep: Sweep, goal: Goal, end: float, side: float, enough: float) -> float:
    """Return how far a target is from the plane with the turntable at a limit, if that is less.

    Infinitely far where turning away from the limit takes it straight to what is seen there.

    Args:
        sweep: of the plane.
        goal: the target.
        end: the limit in rad.
        side: 1 if it is the upper one, -1 if it is the lower one.
        enough: what it is to be less than.
    """
    radius, angle, height = goal
    apart = angle - end
    beside = sweep.beside(radius * math.sin(apart), height)
    away = abs(beside)
    if away >= enough or beside * math.cos(apart) * side < 0.0:
        return math.inf
    return away


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


def _within_limits(
    chain: Chain, bends: FloatArray, starts: FloatArray, one_turn: bool = False
) -> FloatArray:
    """Return positions (k, n) at bends (n, k), inside the limits and near to starts (k, m).

    With ``one_turn`` no bend can be within limits a whole turn apart.
    """
    lower, upper = np.array(chain.bend_limits).T[:, :, None]
    if one_turn and (bends >= lower).all() and (bends <= upper).all():
        return clipped_many(chain, bends)
    begun = chain.bends_many(starts[:, 1:]).T
    allowed, _ = allowed_many(bends, lower, upper, begun)
    return clipped_many(chain, allowed)
