"""Whether limits allow targets, and else the closest poses: :mod:`.proof` for many at once.

Arrays of poses have a column per target, as in :mod:`.many`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.angles import SAME_MOVE, TURN, into_range_many
from ik2d_ros.kinematics.arrays import ComplexArray, FloatArray
from ik2d_ros.kinematics.proof import SLACK, Crossings, Proof
from ik2d_ros.kinematics.two_bone_many import elbow_bend_many

_CELLS = 200_000  # Pieces of arcs times targets that are looked at together, to stay in the cache.

Indices = NDArray[np.intp]
Flags = NDArray[np.bool_]


class Decided(NamedTuple):
    """Answers for a number of targets.

    Attributes:
        bends: (n, m) rad, inside the limits.
        reached: (m,) whether the limits allow the target; else the pose is the closest.
    """

    bends: FloatArray
    reached: Flags


class _Candidates(NamedTuple):
    """Poses, an element each.

    Attributes:
        which: (c,) the targets that they are for.
        bends: (n, c) rad.
    """

    which: Indices
    bends: FloatArray


def decide_many(proof: Proof, targets: ComplexArray, starts: FloatArray) -> Decided:
    """Return poses that reach targets where the limits allow one, else the closest poses.

    Args:
        proof: of the chain.
        targets: (m,) in reaches.
        starts: (n, m) bends in rad, inside the limits: of several poses the one with the smallest
            largest joint move from here is taken.
    """
    count = len(targets)
    bends, reached = np.empty(starts.shape), np.empty(count, dtype=np.bool_)
    size = max([2 * len(proof.edge.radius), *(len(each.near) for each in proof.crossings)])
    step = max(16, _CELLS // size)
    for begin in range(0, count, step):
        part = slice(begin, begin + step)
        bends[:, part], reached[part] = _decide(proof, targets[part], starts[:, part])
    return Decided(bends, reached)


def _decide(proof: Proof, targets: ComplexArray, starts: FloatArray) -> Decided:
    found = [
        _crossed(proof, joint, crossings, span, heading, starts)
        for joint, (crossings, span, heading) in enumerate(
            zip(proof.crossings, *_seen(proof, targets, starts), strict=True)
        )
    ]
    bends, reached = starts.copy(), np.zeros(len(targets), dtype=np.bool_)
    _choose(found, starts, bends)
    for candidates in found:
        reached[candidates.which] = True
    left = np.flatnonzero(~reached)
    if len(left):
        closest = starts[:, left]
        _choose([_closest(proof, targets[left], closest)], closest.copy(), closest)
        bends[:, left] = closest
    return Decided(bends, reached)


def _seen(
    proof: Proof, targets: ComplexArray, starts: FloatArray
) -> tuple[list[ComplexArray], list[FloatArray]]:
    """Return vectors (m,) from each joint at the start to the targets, and headings before it."""
    spans: list[ComplexArray] = [targets]
    headings: list[FloatArray] = [np.zeros(len(targets))]
    for length, bend in zip(proof.lengths[:-1], starts[:-1], strict=True):
        headings.append(headings[-1] + bend)
        spans.append(spans[-1] - length * np.exp(1j * headings[-1]))
    return spans, headings


def _crossed(
    proof: Proof,
    joint: int,
    crossings: Crossings,
    span: ComplexArray,
    heading: FloatArray,
    starts: FloatArray,
) -> _Candidates:
    """Return the poses with a joint where the target meets what the chain reaches after it."""
    distance = np.abs(span)
    met = (crossings.near[:, None] <= distance) & (distance <= crossings.far[:, None])
    piece, which = np.nonzero(met)
    away, direction, radius, side, to, _ = crossings.table[:, piece]
    k = crossings.arc[piece]
    arcs, start = crossings.arcs, starts[:, which]
    elbow = side * elbow_bend_many(away, radius, distance[which])
    to = np.where(side == 0.0, to, direction + elbow)
    columns = np.arange(len(which))
    poses = start.copy()
    poses[joint + 1 :] = arcs.bends[k].T
    if joint + 1 < len(starts):
        at = joint + 1 + arcs.mover[k]
        lead = arcs.lead[k]
        lower, upper = np.array(proof.limits).T[:, at]
        turned, _ = allowed_many(to + lead, lower, upper, start[at, columns])
        poses[at, columns] = turned
        to = turned - lead
    place = away * np.exp(1j * direction) + radius * np.exp(1j * to)
    bend = np.angle(span[which]) - heading[which] - np.angle(place)
    poses[joint], good = allowed_many(bend, *proof.limits[joint], start[joint])
    return _Candidates(which[good], poses[:, good])


def _closest(proof: Proof, targets: ComplexArray, starts: FloatArray) -> _Candidates:
    """Return the poses at the points of the edge that are closest to targets."""
    edge = proof.edge
    x = targets.real - edge.center.real[:, None]
    y = targets.imag - edge.center.imag[:, None]
    distance = np.sqrt(x * x + y * y)
    along = x * proof.middle.real[:, None] + y * proof.middle.imag[:, None]
    error = np.abs(distance - edge.radius[:, None])
    error[along < distance * proof.spread[:, None]] = np.inf
    x = targets.real - proof.ends.real[:, None]
    y = targets.imag - proof.ends.imag[:, None]
    at_ends = np.sqrt(x * x + y * y)
    best = np.minimum(error.min(axis=0), at_ends.min(axis=0)) + SLACK
    k, which = np.nonzero(error <= best)
    end, which_end = np.nonzero(at_ends <= best)
    last, k_end = np.divmod(end, len(edge.radius))
    to = np.concatenate(
        [np.angle(targets[which] - edge.center[k]), edge.begin[k_end] + last * edge.length[k_end]]
    )
    k, which = np.concatenate([k, k_end]), np.concatenate([which, which_end])
    poses = edge.bends[k].T.copy()
    poses[edge.mover[k], np.arange(len(k))] = to + edge.lead[k]
    lower, upper = np.array(proof.limits).T[:, :, None]
    poses, _ = allowed_many(poses, lower, upper, starts[:, which])
    return _Candidates(which, poses)


def _choose(found: list[_Candidates], starts: FloatArray, bends: FloatArray) -> None:
    """Write to ``bends`` the first pose for each target with the smallest largest joint move."""
    moves = [np.abs(each.bends - starts[:, each.which]).max(axis=0) for each in found]
    least = np.full(starts.shape[1], np.inf)
    for each, move in zip(found, moves, strict=True):
        np.minimum.at(least, each.which, move)
    # The first is written last.
    for each, move in zip(found[::-1], moves[::-1], strict=True):
        good = np.flatnonzero(move <= least[each.which] + SAME_MOVE)[::-1]
        bends[:, each.which[good]] = each.bends[:, good]


def allowed_many(
    angle: FloatArray,
    lower: float | FloatArray,
    upper: float | FloatArray,
    reference: FloatArray,
) -> tuple[FloatArray, Flags]:
    """Do what :func:`.proof.clamped` does, element by element; also which angles are allowed."""
    turned, inside = into_range_many(angle, lower, upper, reference, SLACK)
    if inside.all():
        return turned, inside
    middle = np.where(np.isinf(lower), 0.0, 0.5 * (np.asarray(lower) + upper))
    away = angle - middle
    nearer = middle + away - TURN * np.rint(away / TURN)
    return np.where(inside, turned, np.clip(nearer, lower, upper)), inside
