"""Whether the limits of a chain allow a target, and else the closest pose: exactly.

The idea, derived in ``docs/solvers.md``, section 8: hold all joints before one where they are and
move that one. The target, seen from its link, runs on a circle about the joint, or on a line along
a slide, and where that meets what the rest of the chain reaches, there is a pose. If it does not
cross the edge of that, it is inside or outside as a whole, which the next joint finds out. All
edges are arcs of circles and straight segments, so all that is needed is to intersect those.
"""

from __future__ import annotations

from cmath import rect
from collections.abc import Iterator, Sequence
from math import atan2
from operator import sub
from typing import NamedTuple, TypeVar

import numpy as np

from ik2d_ros.kinematics.angles import SAME_MOVE, TURN, into_range, near
from ik2d_ros.kinematics.arrays import ComplexArray, FloatArray
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.columns import FixedBends
from ik2d_ros.kinematics.kept import kept
from ik2d_ros.kinematics.proof.crossings import SLACK, Crossings, crossings, meet
from ik2d_ros.kinematics.proof.edge_arcs import edge_pieces
from ik2d_ros.kinematics.proof.pieces import EdgePieces
from ik2d_ros.kinematics.solution import Status
from ik2d_ros.kinematics.tuning import PROOF_JOINTS, PROOF_PIECES

_ROUNDING = 4e-16  # Of a cosine.

_Bends = TypeVar('_Bends', bound=Sequence[float])


class Proof(NamedTuple):
    """What is known of a chain before any target is.

    Attributes:
        lengths: (n,) of the links, in reaches.
        limits: (n,) pairs (lower, upper) of each bend in rad.
        fixed: (n,) bends of prismatic joints, None for revolute ones; or None.
        crossings: (n,) for each joint.
        edge: arcs among which, with the segments, is the edge of the area of reach.
        middle: (a,) unit vector to the middle of each of them.
        spread: (a,) cosine of the angle from there to their ends.
        ends: (2 * a,) where they end.
        segments: the straight pieces of the edge.
    """

    lengths: Sequence[float]
    limits: Sequence[tuple[float, float]]
    fixed: FixedBends
    crossings: list[Crossings]
    edge: EdgePieces
    middle: ComplexArray
    spread: FloatArray
    ends: ComplexArray
    segments: EdgePieces


@kept
def proof_of(chain: Chain) -> Proof | None:
    """Return what is known of a chain before any target is, or None where it has too many joints.

    Making it takes milliseconds, so that it is kept.
    """
    if len(chain) > PROOF_JOINTS:
        return None
    fixed = chain.fixed_bends
    parts = edge_pieces(np.array(chain.unit_lengths), chain.bend_limits, fixed)
    if sum(len(part.radius) for part in parts) > PROOF_PIECES:
        return None
    straight = parts[0].along != 0.0
    edge = parts[0].at(~straight)
    half = 0.5 * np.minimum(edge.length, TURN)
    revolute = fixed or [None] * len(chain)
    return Proof(
        chain.unit_lengths,
        chain.bend_limits,
        fixed,
        [
            crossings(length if bend is None else None, part)
            for length, bend, part in zip(chain.unit_lengths, revolute, parts[1:], strict=True)
        ],
        edge,
        np.exp(1j * (edge.begin + 0.5 * edge.length)),
        # By so little of an angle, however short the arc is.
        np.where(edge.length >= TURN, -2.0, np.cos(half) - SLACK * np.sin(half) - _ROUNDING),
        np.concatenate([edge.points(edge.begin), edge.points(edge.begin + edge.length)]),
        parts[0].at(straight),
    )


def is_proven(status: Status, chain: Chain) -> bool:
    """Whether a status is a proof: what limits forbid only is where the chain has one."""
    if status is Status.JOINT_LIMIT:
        return len(chain) == 2 or not chain.limited or proof_of(chain) is not None
    return status is not Status.NOT_CONVERGED


def poses(proof: Proof, target: complex, start: Sequence[float]) -> list[list[float]]:
    """Return poses that reach a target; none where limits forbid it.

    Args:
        proof: of the chain.
        target: in reaches.
        start: (n,) bends in rad, inside the limits: each pose leaves some first joints there.
    """
    return list(_each(proof, target, start))


def allows(proof: Proof, target: complex, start: Sequence[float]) -> bool:
    """Return whether the limits allow a target: in less time than :func:`poses`, if they do."""
    return next(_each(proof, target, start), None) is not None


def _each(proof: Proof, target: complex, start: Sequence[float]) -> Iterator[list[float]]:
    n = len(start)
    pivot, heading = 0j, 0.0
    fixed = proof.fixed or [None] * n
    for joint, (length, limits, bend, crossed) in enumerate(
        zip(proof.lengths, proof.limits, fixed, proof.crossings, strict=True)
    ):
        span = target - pivot
        level = abs(span)
        if bend is not None:
            span *= rect(1.0, -heading - bend)
            level = span.imag
        met = (crossed.near <= level) & (level <= crossed.far)
        if met.any():
            toward = atan2(span.imag, span.real) - heading
            for number in met.nonzero()[0].tolist():
                piece = crossed.pieces[number]
                to, k = meet(piece, level), piece[-1]
                mover, lead, center, radius, along = crossed.rows[k]
                at = joint + 1 + mover
                moved = 0.0
                if at < n:
                    # Next to where it only touches the piece, rounding may lead far along it.
                    moved = clamped(to + lead, proof.limits[at], start[at])
                    to = moved - lead
                place = center + rect(radius, to) + along * to
                if bend is None:
                    angle = toward - atan2(place.imag, place.real)
                    here = into_range(angle, *limits, start[joint], SLACK)
                else:
                    here = _slid(span.real - place.real, limits)
                if here is None:
                    continue
                pose = [*start[:joint], here, *crossed.edge.bends[k].tolist()]
                if at < n:
                    pose[at] = moved
                yield pose
        if bend is None:
            heading += start[joint]
            pivot += rect(length, heading)
        else:
            heading += bend
            pivot += rect(start[joint], heading)


def _slid(number: float, limits: tuple[float, float]) -> float | None:
    """Return how far a prismatic joint has to go, or None where its limits forbid it."""
    lower, upper = limits
    if lower - SLACK <= number <= upper + SLACK:
        return min(max(number, lower), upper)
    return None


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
    edge, segments = proof.edge, proof.segments
    span = target - edge.center
    distance = np.abs(span)
    beside = (span * proof.middle.conj()).real < distance * proof.spread
    error = np.where(beside, np.inf, np.abs(distance - edge.radius))
    at_ends = np.abs(target - proof.ends)
    best = np.concatenate([error, at_ends]).min(initial=np.inf)
    found = []
    if len(segments.begin):
        to = _along(segments, target)
        away = np.abs(target - segments.points(to))
        best = min(best, away.min())
        found = [
            _on_piece(proof, segments, k, to[k], start)
            for k in (away <= best + SLACK).nonzero()[0].tolist()
        ]
    best += SLACK
    found += [
        _on_piece(proof, edge, k, atan2(span[k].imag, span[k].real), start)
        for k in (error <= best).nonzero()[0].tolist()
    ]
    for end in (at_ends <= best).nonzero()[0].tolist():
        which, k = divmod(end, len(error))
        found.append(_on_piece(proof, edge, k, edge.begin[k] + which * edge.length[k], start))
    return nearest(found, start)


def _along(segments: EdgePieces, target: complex) -> FloatArray:
    """Return ``to`` of the closest point of each segment."""
    ahead = ((target - segments.center) * segments.along.conj()).real
    return np.clip(ahead, segments.begin, segments.begin + segments.length)


def nearest(found: Sequence[_Bends], start: Sequence[float]) -> _Bends:
    """Return the first of the poses whose largest joint move from a start is the smallest."""
    moves = [max(map(abs, map(sub, pose, start))) for pose in found]
    enough = min(moves) + SAME_MOVE
    return next(pose for pose, move in zip(found, moves, strict=True) if move <= enough)


def _on_piece(
    proof: Proof, edge: EdgePieces, k: int, to: float, start: Sequence[float]
) -> list[float]:
    pose: list[float] = edge.bends[k].tolist()
    at = int(edge.mover[k])
    pose[at] = to + float(edge.lead[k])
    return list(map(clamped, pose, proof.limits, start))
