"""The edge of what a chain reaches, about the axis of the turntable that carries it.

Its arcs and straight segments are cut into pieces. No piece is on both sides of the axis, from
where tips are pulled away to either side, and none of an arc is on both sides of its centre.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import TURN
from ik2d_ros.kinematics.arrays import FloatArray, Indices
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.proof.pieces import EdgePieces, joined
from ik2d_ros.kinematics.proof.proof import proof_of
from ik2d_ros.kinematics.reach import folded
from ik2d_ros.kinematics.space.edge_bearings import Piece
from ik2d_ros.kinematics.space.edge_marks import Marks, marks_of
from ik2d_ros.kinematics.sweep import Sweep


class Side(NamedTuple):
    """The pieces in front of the axis, or those over the back.

    Attributes:
        marks: theirs.
        sign: 1 in front of the axis, -1 over the back.
        ahead: middle of the angles about the axis at which their points are at turn 0, in rad.
        apart: how far from it they are at the most, in rad.
    """

    marks: slice
    sign: float
    ahead: float
    apart: float


class Edge(NamedTuple):
    """Arcs and segments among which is the edge of what a chain reaches, in a plane that turns.

    Attributes:
        sweep: of the plane, in reaches.
        arcs: the arcs and segments.
        pieces: (p,) pieces of them.
        table: (11, p) the pieces as an array.
        has_segments: whether any piece is straight.
        sides: in front of the axis and over the back, if there are pieces.
        marks: points along them.
        poses: (a,) the bends in rad at each arc or segment, the number of the one that moves along
            it, and what that is at 0.
        one_turn: whether no joint can be at the same angle a whole turn apart.
    """

    sweep: Sweep
    arcs: EdgePieces
    pieces: list[Piece]
    table: FloatArray
    has_segments: bool
    sides: list[Side]
    marks: Marks
    poses: list[tuple[list[float], int, float]]
    one_turn: bool


def has_edge(chain: Chain) -> bool:
    """Whether the edge of what a chain reaches is known."""
    return not chain.limited or proof_of(chain) is not None


def edge_of(chain: Chain, sweep: Sweep) -> Edge:
    """Return the edge of what a chain reaches, one that :func:`has_edge`.

    Args:
        chain: the chain.
        sweep: its plane about the axis, in m.
    """
    proof = proof_of(chain) if chain.limited else None
    arcs = _annulus(chain) if proof is None else joined((proof.edge, proof.segments))
    size = chain.reach.outer
    base = sweep.base[0] / size, sweep.base[1] / size
    unit = sweep._replace(d=sweep.d / size, base=base)
    pieces = _pieces(arcs, unit)
    table = np.array(pieces).T
    outs = np.array([_outs(piece) for piece in pieces]).T
    sign = np.where(outs.sum(axis=0) < 0.0, -1.0, 1.0)
    marks = marks_of(pieces, sign, unit)
    least, most = np.sort(np.abs(outs), axis=0)
    begin, end, _, k, p, _, v, _, _, b, _ = table
    # No point of a piece is higher or lower.
    far = np.hypot(p, v)
    ends = k + b * np.stack([begin, end])
    across = unit.c * unit.d - unit.e * np.stack([ends.min(axis=0) - far, ends.max(axis=0) + far])
    return Edge(
        unit,
        arcs,
        pieces,
        table,
        bool(table[8:10].any()),
        [
            _side(np.flatnonzero(sign == side), side, least, most, across, marks.of)
            for side in (1.0, -1.0)
            if (sign == side).any()
        ],
        marks,
        list(zip(arcs.bends.tolist(), arcs.mover.tolist(), arcs.lead.tolist(), strict=True)),
        all(upper - lower < TURN for lower, upper in chain.bend_limits),
    )


def _pieces(arcs: EdgePieces, sweep: Sweep) -> list[Piece]:
    """Return the pieces of arcs and segments, those in front of the axis first."""
    (xs, ys), (xk, yk) = sweep.s_of, sweep.k_of
    toward = math.atan2(ys, xs)  # In this direction from its centre an arc is farthest out.
    pieces: list[Piece] = []
    for number, (center, radius, line, begin, length) in enumerate(
        zip(
            arcs.center.tolist(),
            arcs.radius.tolist(),
            arcs.along.tolist(),
            arcs.begin.tolist(),
            np.minimum(arcs.length, TURN).tolist(),
            strict=True,
        )
    ):
        s = sweep.base[0] + xs * center.real + ys * center.imag
        k = sweep.base[1] + xk * center.real + yk * center.imag
        a, b = xs * line.real + ys * line.imag, xk * line.real + yk * line.imag
        cuts = [begin, begin + length]
        if line:
            cuts += [-s / a] if a else []
        else:
            ways = [0.5 * math.pi]
            if abs(s) < radius:
                ways.append(math.acos(-s / radius))
            cuts += [begin + (toward + to - begin) % TURN for way in ways for to in (way, -way)]
        cuts = sorted(at for at in cuts if begin <= at <= begin + length)
        pieces += [
            Piece(low, high, s, k, radius * xs, radius * ys, radius * xk, radius * yk, a, b, number)
            for low, high in pairwise(cuts)
        ]
    return sorted(pieces, key=lambda piece: sum(_outs(piece)) < 0.0)


def _outs(piece: Piece) -> tuple[float, float]:
    """Return how far out from the axis a piece is, from one end or its middle to the other."""
    begin, end, s, _, p, q, _, _, a, _, _ = piece
    outs = [s + a * at + p * math.cos(at) + q * math.sin(at) for at in (begin, end)]
    radius, toward = math.hypot(p, q), math.atan2(q, p)
    for way, side in ((toward, 1.0), (toward + math.pi, -1.0)):
        if radius and (way - begin) % TURN < end - begin:
            outs.append(s + side * radius)
    return min(outs), max(outs)


def _side(
    which: Indices,
    sign: float,
    least: FloatArray,
    most: FloatArray,
    across: FloatArray,
    of: Indices,
) -> Side:
    """Return some pieces, all in front of the axis or all over the back.

    Args:
        which: the pieces, one after the other.
        sign: on which side they are.
        least: (p,) how far they are from the axis at the least, in the plane.
        most: (p,) the same at the most.
        across: (2, p) how far across they are, from one number to the other.
        of: (n,) the pieces of all marks.
    """
    out = np.array([least[which].min(), most[which].max()])
    beside = sign * np.array([across[:, which].min(), across[:, which].max()])
    angles = np.arctan2(beside[:, None], out)
    ahead = 0.5 * (angles.min() + angles.max())
    marks = np.searchsorted(of, [which[0], which[-1] + 1]).tolist()
    return Side(
        slice(*marks),
        sign,
        float(ahead) + (math.pi if sign < 0.0 else 0.0),
        float(angles.max() - ahead),
    )


def _annulus(chain: Chain) -> EdgePieces:
    """Return the circles that bound what a chain without limits reaches."""
    inner, outer = chain.unit_reach
    shapes = [(outer, [0.0] * len(chain))]
    if inner > 0.0:
        shapes.append((inner, folded(chain.unit_lengths)))
    count = len(shapes)
    bends = np.array([shape for _, shape in shapes])
    return EdgePieces(
        np.zeros(count, dtype=np.complex128),
        np.array([radius for radius, _ in shapes]),
        np.zeros(count, dtype=np.complex128),
        np.zeros(count),
        np.full(count, TURN),
        np.zeros(count, dtype=np.intp),
        bends[:, 0].copy(),
        bends,
    )
