"""Whether limits allow targets, and else the closest poses: :mod:`.proof` for many at once.

Arrays of poses have a column per target, as in :mod:`.links`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import SAME_MOVE, into_range_many, wrapped
from ik2d_ros.kinematics.arrays import ComplexArray, Flags, FloatArray, Indices
from ik2d_ros.kinematics.links import units
from ik2d_ros.kinematics.proof.crossings import SLACK, Crossings, meet_many
from ik2d_ros.kinematics.proof.pieces import EdgePieces
from ik2d_ros.kinematics.proof.proof import Proof
from ik2d_ros.kinematics.tuning import PIECES_TOGETHER, PROOF_CELLS


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


def decide_many(
    proof: Proof, targets: ComplexArray, starts: FloatArray, closest: bool = True
) -> Decided:
    """Return poses that reach targets where the limits allow one, else the closest poses.

    Args:
        proof: of the chain.
        targets: (m,) in reaches.
        starts: (n, m) bends in rad, inside the limits: of several poses the one with the smallest
            largest joint move from here is taken.
        closest: whether to look for the closest poses; else they are the starts.
    """
    bends, reached = np.empty(starts.shape), np.empty(len(targets), dtype=np.bool_)
    size = max(
        [
            2 * len(proof.edge.radius) + len(proof.segments.begin),
            *(len(each.near) for each in proof.crossings),
        ]
    )
    step = max(16, PROOF_CELLS // size)
    for begin in range(0, len(targets), step):
        part = slice(begin, begin + step)
        bends[:, part], reached[part] = _decide(proof, targets[part], starts[:, part], closest)
    return Decided(bends, reached)


def reached_many(proof: Proof, targets: ComplexArray) -> Flags:
    """Return (m,) whether the limits allow targets (m,) in reaches: without the poses."""
    start = [0.0 if lower == -np.inf else 0.5 * (lower + upper) for lower, upper in proof.limits]
    reached: Flags = np.zeros(len(targets), dtype=np.bool_)
    step = PROOF_CELLS // PIECES_TOGETHER
    for begin in range(0, len(targets), step):
        part = slice(begin, begin + step)
        starts = np.repeat(np.array(start)[:, None], len(targets[part]), axis=1)
        spans, headings = _seen(proof, targets[part], starts)
        done = reached[part]
        for joint, crossings in enumerate(proof.crossings):
            # Most are reached by way of many pieces: a few at a time tell as much.
            for some in _parted(crossings):
                left = np.flatnonzero(~done)
                span, heading = spans[joint][left], headings[joint][left]
                found = _crossed(proof, joint, some, span, heading, starts[:, left])
                done[left[found.which]] = True
    return reached


def near_edge_many(proof: Proof, targets: ComplexArray, within: float) -> Flags:
    """Return (m,) which targets (m,) are so near to the edge of the area, all in reaches.

    They may be inside or outside.
    """
    near: Flags = np.zeros(len(targets), dtype=np.bool_)
    size = 2 * len(proof.edge.radius) + len(proof.segments.begin)
    step = max(16, PROOF_CELLS // max(1, size))
    for begin in range(0, len(targets), step):
        part = slice(begin, begin + step)
        away = [each.min(axis=0, initial=np.inf) for each in _edge_distances(proof, targets[part])]
        near[part] = np.minimum.reduce(away[:3]) <= within
    return near


def _parted(crossings: Crossings) -> Iterator[Crossings]:
    """Yield the crossings of a joint, some pieces at a time."""
    for begin in range(0, len(crossings.near), PIECES_TOGETHER):
        some = slice(begin, begin + PIECES_TOGETHER)
        yield crossings._replace(
            near=crossings.near[some],
            far=crossings.far[some],
            table=crossings.table[:, some],
            which=crossings.which[some],
        )


def _decide(proof: Proof, targets: ComplexArray, starts: FloatArray, closest: bool) -> Decided:
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
    if closest and len(left):
        nearest = starts[:, left]
        _choose([_closest(proof, targets[left], nearest)], nearest.copy(), nearest)
        bends[:, left] = nearest
    return Decided(bends, reached)


def _seen(
    proof: Proof, targets: ComplexArray, starts: FloatArray
) -> tuple[list[ComplexArray], list[FloatArray]]:
    """Return vectors (m,) from each joint at the start to the targets, and headings before it."""
    spans: list[ComplexArray] = [targets]
    headings: list[FloatArray] = [np.zeros(len(targets))]
    fixed = proof.fixed or [None] * len(starts)
    for length, bend, number in zip(proof.lengths[:-1], fixed, starts[:-1], strict=False):
        heading = headings[-1] + (number if bend is None else bend)
        headings.append(heading)
        size = length if bend is None else number
        spans.append(spans[-1] - size * units(heading))
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
    bend = None if proof.fixed is None else proof.fixed[joint]
    if bend is None:
        level = np.abs(span)
    else:
        span = span * units(-heading - bend)
        level = span.imag
    met = (crossings.near[:, None] <= level) & (level <= crossings.far[:, None])
    piece, which = np.nonzero(met)
    k = crossings.which[piece]
    edge, poses = crossings.edge, starts[:, which]
    to = meet_many(crossings.table[:, piece], level[which])
    columns = np.arange(len(which))
    poses[joint + 1 :] = edge.bends[k].T
    if joint + 1 < len(starts):
        at = joint + 1 + edge.mover[k]
        lead = edge.lead[k]
        lower, upper = np.array(proof.limits).T[:, at]
        turned, _ = allowed_many(to + lead, lower, upper, starts[at, which])
        poses[at, columns] = turned
        to = turned - lead
    place = edge.center[k] + edge.radius[k] * units(to)
    if proof.fixed is not None:
        place += edge.along[k] * to
    if bend is None:
        angle = np.angle(span[which]) - heading[which] - np.angle(place)
        poses[joint], good = allowed_many(angle, *proof.limits[joint], poses[joint])
    else:
        lower, upper = proof.limits[joint]
        slid = span.real[which] - place.real
        poses[joint], good = (
            np.clip(slid, lower, upper),
            (lower - SLACK <= slid) & (slid <= upper + SLACK),
        )
    return _Candidates(which[good], poses[:, good])


def _closest(proof: Proof, targets: ComplexArray, starts: FloatArray) -> _Candidates:
    """Return the poses at the points of the edge that are closest to targets."""
    edge, segments = proof.edge, proof.segments
    error, at_ends, away, ahead = _edge_distances(proof, targets)
    best = np.minimum(error.min(axis=0, initial=np.inf), at_ends.min(axis=0, initial=np.inf))
    straight: list[tuple[Indices, Indices, FloatArray]] = []
    if len(segments.begin):
        best = np.minimum(best, away.min(axis=0))
        k, which = np.nonzero(away <= best + SLACK)
        straight = [(k, which, ahead[k, which])]
    best += SLACK
    k, which = np.nonzero(error <= best)
    end, which_end = np.nonzero(at_ends <= best)
    last, k_end = np.divmod(end, max(1, len(edge.radius)))
    to = np.concatenate(
        [np.angle(targets[which] - edge.center[k]), edge.begin[k_end] + last * edge.length[k_end]]
    )
    parts = [_on_pieces(segments, *each) for each in straight]
    which = np.concatenate([which, which_end])
    parts.append(_on_pieces(edge, np.concatenate([k, k_end]), which, to))
    which = np.concatenate([each.which for each in parts])
    poses = np.concatenate([each.bends for each in parts], axis=1)
    lower, upper = np.array(proof.limits).T[:, :, None]
    poses, _ = allowed_many(poses, lower, upper, starts[:, which])
    return _Candidates(which, poses)


def _edge_distances(
    proof: Proof, targets: ComplexArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return distances from arcs where that is not at an end, from all ends, and from segments.

    A row for each, a column per target. Also where on each segment the closest point is.
    """
    edge, segments = proof.edge, proof.segments
    x = targets.real - edge.center.real[:, None]
    y = targets.imag - edge.center.imag[:, None]
    distance = np.sqrt(x * x + y * y)
    along = x * proof.middle.real[:, None] + y * proof.middle.imag[:, None]
    error = np.abs(distance - edge.radius[:, None])
    error[along < distance * proof.spread[:, None]] = np.inf
    x = targets.real - proof.ends.real[:, None]
    y = targets.imag - proof.ends.imag[:, None]
    at_ends: FloatArray = np.sqrt(x * x + y * y)
    if not len(segments.begin):
        none = np.empty((0, len(targets)))
        return error, at_ends, none, none
    center, way = segments.center[:, None], segments.along[:, None]
    begin = segments.begin[:, None]
    ahead = np.clip(((targets - center) * way.conj()).real, begin, begin + segments.length[:, None])
    return error, at_ends, np.abs(targets - center - way * ahead), ahead


def _on_pieces(edge: EdgePieces, k: Indices, which: Indices, to: FloatArray) -> _Candidates:
    """Return the poses at places of some pieces, for some targets."""
    poses = edge.bends[k].T.copy()
    poses[edge.mover[k], np.arange(len(k))] = to + edge.lead[k]
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
    nearer = middle + wrapped(away)
    return np.where(inside, turned, np.clip(nearer, lower, upper)), inside
