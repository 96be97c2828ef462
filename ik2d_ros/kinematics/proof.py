"""Whether the limits of a chain allow a target, and else the closest pose: exactly.

The idea, derived in ``docs/solvers.md``, section 8: hold all joints before one where they are and
turn that one. The target, seen from its link, runs on a circle about the joint, and where that
meets what the rest of the chain reaches, there is a pose. If the circle does not cross the edge of
that, it is inside or outside as a whole, which the next joint finds out. All edges are arcs of
circles, so all that is needed is to intersect circles.
"""

from __future__ import annotations

from cmath import rect
from collections.abc import Sequence
from functools import lru_cache
from math import atan2
from operator import sub
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.angles import SAME_MOVE, TURN, into_range, near
from ik2d_ros.kinematics.arrays import ComplexArray, FloatArray
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.edge_arcs import EdgeArcs, edge_arcs
from ik2d_ros.kinematics.reach import elbow_bend
from ik2d_ros.kinematics.solution import Status

# The arcs of more are too many: with each joint there are up to three times more, mostly twice.
_MOST_JOINTS, _MOST_ARCS = 10, 20_000
SLACK = 1e-12  # Reaches, or rad; what misses a limit or an edge by less is on it.


_Piece = tuple[float, float, float, float, float, int]


class Crossings(NamedTuple):
    """Where circles about a joint meet the edge of what the chain reaches after its link.

    Each arc is cut where it is nearest to the joint and farthest from it, so that a circle meets a
    piece once, or not at all. The joint is the origin, its link points along x.

    Attributes:
        near: (p,) radius of the smallest circle that meets the piece, in reaches.
        far: (p,) that of the largest.
        pieces: (p,) distance and direction of the arc's centre, its radius, which side of the line
            to the centre the piece is on (0: ``direction`` is where to meet it), that direction,
            and its number.
        table: (6, p) the pieces as an array.
        arc: (p,) their arcs' numbers.
        arcs: the arcs.
    """

    near: FloatArray
    far: FloatArray
    pieces: list[_Piece]
    table: FloatArray
    arc: NDArray[np.intp]
    arcs: EdgeArcs


class Proof(NamedTuple):
    """What is known of a chain before any target is.

    Attributes:
        lengths: (n,) of the links, in reaches.
        limits: (n,) pairs (lower, upper) of each bend in rad.
        crossings: (n,) for each joint.
        edge: arcs among which is the edge of the area of reach.
        middle: (a,) unit vector to the middle of each of them.
        spread: (a,) cosine of the angle from there to their ends.
        ends: (2 * a,) where they end.
    """

    lengths: Sequence[float]
    limits: Sequence[tuple[float, float]]
    crossings: list[Crossings]
    edge: EdgeArcs
    middle: ComplexArray
    spread: FloatArray
    ends: ComplexArray


@lru_cache(maxsize=8)
def proof_of(chain: Chain) -> Proof | None:
    """Return what is known of a chain before any target is, or None where it has too many joints.

    Making it takes milliseconds, so that it is kept.
    """
    if len(chain) > _MOST_JOINTS:
        return None
    lengths = np.array(chain.unit_lengths)
    parts = edge_arcs(lengths, chain.bend_limits)
    if sum(len(part.radius) for part in parts) > _MOST_ARCS:
        return None
    edge = parts[0]
    half = 0.5 * np.minimum(edge.length, TURN)
    ends = [edge.center + edge.radius * np.exp(1j * (edge.begin + at)) for at in (0.0, edge.length)]
    return Proof(
        chain.unit_lengths,
        chain.bend_limits,
        [
            _crossings(length, part)
            for length, part in zip(chain.unit_lengths, parts[1:], strict=True)
        ],
        edge,
        np.exp(1j * (edge.begin + 0.5 * edge.length)),
        np.where(edge.length >= TURN, -2.0, np.cos(half)) - SLACK,
        np.concatenate(ends),
    )


def is_proven(status: Status, chain: Chain) -> bool:
    """Whether a status is a proof: what limits forbid only is where the chain has one."""
    if status is Status.JOINT_LIMIT:
        return len(chain) == 2 or not chain.limited or proof_of(chain) is not None
    return status is not Status.NOT_CONVERGED


def _crossings(length: float, arcs: EdgeArcs) -> Crossings:
    """Return where circles about a joint cross arcs, seen from the end of a link of some length."""
    centers = length + arcs.center
    near: list[float] = []
    far: list[float] = []
    pieces: list[_Piece] = []

    def add(at: tuple[float, float], piece: _Piece) -> None:
        near.append(min(at) - SLACK)
        far.append(max(at) + SLACK)
        pieces.append(piece)

    for k, (center, radius, begin, extent) in enumerate(
        zip(
            centers.tolist(),
            arcs.radius.tolist(),
            arcs.begin.tolist(),
            arcs.length.tolist(),
            strict=True,
        )
    ):
        away, direction = abs(center), atan2(center.imag, center.real)
        if min(away, radius) <= SLACK:
            for share in (0.0, 0.5, 1.0) if radius > SLACK else (0.0,):
                to = begin + share * extent
                size = abs(center + rect(radius, to))
                add((size, size), (away, direction, radius, 0.0, to, k))
            continue
        start = begin - direction
        # The piece between half turns ``side`` and ``side + 1`` from the line to the centre.
        side = int(start // np.pi)
        while side * np.pi < start + extent or not extent:
            low, high = max(start, side * np.pi), min(start + extent, (side + 1) * np.pi)
            sizes = (abs(away + rect(radius, low)), abs(away + rect(radius, high)))
            add(sizes, (away, direction, radius, -1.0 if side % 2 else 1.0, 0.0, k))
            side += 1
            if not extent:
                break
    table = np.array(pieces).T
    number = table[-1].astype(np.intp)
    return Crossings(np.array(near), np.array(far), pieces, table, number, arcs)


def poses(proof: Proof, target: complex, start: Sequence[float]) -> list[list[float]]:
    """Return poses that reach a target; none where limits forbid it.

    Args:
        proof: of the chain.
        target: in reaches.
        start: (n,) bends in rad, inside the limits: each pose leaves some first joints there.
    """
    found = []
    n = len(start)
    pivot, heading = 0j, 0.0
    for joint, (length, limits, crossings) in enumerate(
        zip(proof.lengths, proof.limits, proof.crossings, strict=True)
    ):
        span = target - pivot
        distance = abs(span)
        met = (crossings.near <= distance) & (distance <= crossings.far)
        if met.any():
            toward = atan2(span.imag, span.real) - heading
            for piece in met.nonzero()[0].tolist():
                away, direction, radius, side, to, k = crossings.pieces[piece]
                if side:
                    to = direction + side * elbow_bend(away, radius, distance)
                at = joint + 1 + int(crossings.arcs.mover[k])
                turned = 0.0
                if at < n:
                    # Next to where the circle only touches the arc, rounding may lead far along it.
                    lead = float(crossings.arcs.lead[k])
                    turned = clamped(to + lead, proof.limits[at], start[at])
                    to = turned - lead
                place = rect(away, direction) + rect(radius, to)
                angle = toward - atan2(place.imag, place.real)
                bend = into_range(angle, *limits, start[joint], SLACK)
                if bend is None:
                    continue
                pose = [*start[:joint], bend, *crossings.arcs.bends[k].tolist()]
                if at < n:
                    pose[at] = turned
                found.append(pose)
        heading += start[joint]
        pivot += rect(length, heading)
    return found


def clamped(angle: float, limits: tuple[float, float], reference: float) -> float:
    """Return what :func:`into_range` does, or the limit nearer to the angle on the circle."""
    bend = into_range(angle, *limits, reference, SLACK)
    if bend is None:
        lower, upper = limits
        bend = min(max(near(angle, 0.5 * (lower + upper)), lower), upper)
    return bend


def closest(proof: Proof, target: complex, start: Sequence[float]) -> list[float]:
    """Return the closest pose to a target that limits forbid.

    Args:
        proof: of the chain.
        target: in reaches.
        start: (n,) bends in rad, inside the limits: of poses that are as close the nearest to this
            one is taken.
    """
    edge = proof.edge
    span = target - edge.center
    distance = np.abs(span)
    beside = (span * proof.middle.conj()).real < distance * proof.spread
    error = np.where(beside, np.inf, np.abs(distance - edge.radius))
    at_ends = np.abs(target - proof.ends)
    best = min(error.min(), at_ends.min()) + SLACK
    found = [
        _on_arc(proof, k, atan2(span[k].imag, span[k].real), start)
        for k in (error <= best).nonzero()[0].tolist()
    ]
    for end in (at_ends <= best).nonzero()[0].tolist():
        which, k = divmod(end, len(error))
        found.append(_on_arc(proof, k, edge.begin[k] + which * edge.length[k], start))
    return nearest(found, start)


def nearest(found: Sequence[list[float]], start: Sequence[float]) -> list[float]:
    """Return the first of the poses whose largest joint move from a start is the smallest."""
    moves = [max(map(abs, map(sub, pose, start))) for pose in found]
    enough = min(moves) + SAME_MOVE
    return next(pose for pose, move in zip(found, moves, strict=True) if move <= enough)


def _on_arc(proof: Proof, k: int, to: float, start: Sequence[float]) -> list[float]:
    edge = proof.edge
    pose: list[float] = edge.bends[k].tolist()
    at = int(edge.mover[k])
    pose[at] = to + float(edge.lead[k])
    return list(map(clamped, pose, proof.limits, start))
