"""The edge of what a chain reaches, about the axis of the turntable that carries it.

Its arcs and straight segments are cut into pieces. No piece is on both sides of the axis, from
where tips are pulled away to either side, and none of an arc is on both sides of its centre.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import TURN
from ik2d_ros.kinematics.arrays import FloatArray, Indices
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.proof.pieces import EdgePieces, joined
from ik2d_ros.kinematics.proof.proof import proof_of
from ik2d_ros.kinematics.reach import folded
from ik2d_ros.kinematics.sweep import Sweep


class Piece(NamedTuple):
    """A piece of an arc or of a segment; lengths in reaches.

    The point at u, an angle in rad or a length, is ``s + a u + p cos u + q sin u`` out from the
    axis in the plane and ``k + b u + v cos u + w sin u`` along it: of an arc a and b are 0, of a
    segment p, q, v and w.

    Attributes:
        begin: u at one end.
        end: u at the other.
        s: of the arc's centre, or where a segment's u is 0.
        k: the same along the axis.
        p: share of the radius.
        q: the same.
        v: the same.
        w: the same.
        a: of a segment's direction.
        b: the same along the axis.
        arc: number of its arc or segment.
    """

    begin: float
    end: float
    s: float
    k: float
    p: float
    q: float
    v: float
    w: float
    a: float
    b: float
    arc: int


class Side(NamedTuple):
    """The pieces in front of the axis, or those over the back.

    Attributes:
        pieces: which they are.
        sign: 1 in front of the axis, -1 over the back.
        ahead: middle of the angles about the axis at which their points are at turn 0, in rad.
        apart: how far from it they are at the most, in rad.
    """

    pieces: slice
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
        front: how many of them are in front of the axis: the first.
        sides: in front of the axis and over the back, if there are pieces.
        rows: (4, 2 p) what turns a place in the plane, (s, 0, k, 1) if it is meant on the side of
            each piece, else (0, s, k, 1), into where it is as seen from the centres of the pieces:
            towards their middles, or along a segment, and across.
        radius: (p,) of the arcs; 0 of a segment, whose middle counts as its centre.
        cos: (p,) cosine of the angle from the middle of a piece to its ends, 1 of a segment.
        sin: (p,) its sine.
        half: (p,) half the length of a segment, 0 of an arc; None where there are only arcs.
        near: (2, p) how far out a piece is from the axis at the least, and how far from the axis.
        poses: (a,) the bends in rad at each arc or segment, the number of the one that moves along
            it, and what that is at 0.
    """

    sweep: Sweep
    arcs: EdgePieces
    pieces: list[Piece]
    table: FloatArray
    front: int
    sides: list[Side]
    rows: FloatArray
    radius: FloatArray
    cos: FloatArray
    sin: FloatArray
    half: FloatArray | None
    near: FloatArray
    poses: list[tuple[list[float], int, float]]


def has_edge(chain: Chain) -> bool:
    """Whether the edge of what a chain reaches is known."""
    return not chain.limited or proof_of(chain) is not None


@lru_cache(maxsize=8)
def edge_of(chain: Chain, sweep: Sweep) -> Edge:
    """Return the edge of what a chain reaches, one that :func:`has_edge`.

    Making it takes about a millisecond, so that it is kept.

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
    begin, end, s, k, p, q, v, w, a, b, _ = table
    middle, half = 0.5 * (begin + end), 0.5 * (end - begin)
    cos, sin, radius = np.cos(middle), np.sin(middle), np.hypot(p, v)
    straight = np.hypot(a, b)
    # From the centre to the middle of an arc, or along a segment.
    share = 1.0 / np.where(radius > 0.0, radius, 1.0)
    x, y = a + share * (p * cos + q * sin), b + share * (v * cos + w * sin)
    center_s, center_k = s + a * middle, k + b * middle
    outs = np.array([_outs(piece) for piece in pieces]).T
    back = outs.sum(axis=0) < 0.0
    sign = np.where(back, -1.0, 1.0)
    least, most = np.sort(np.abs(outs), axis=0)
    far = radius + half * straight
    across = unit.c * unit.d - unit.e * np.stack([center_k - far, center_k + far])
    return Edge(
        unit,
        arcs,
        pieces,
        table,
        int((~back).sum()),
        [
            _side(np.flatnonzero(back == over), over, least, most, across)
            for over in (False, True)
            if (back == over).any()
        ],
        np.block(
            [
                [sign * x, -sign * y],
                [x, -y],
                [y, x],
                [-center_s * x - center_k * y, center_s * y - center_k * x],
            ]
        ),
        radius,
        np.where(straight, 1.0, np.cos(half)),
        np.where(straight, 0.0, np.sin(half)),
        half * straight if straight.any() else None,
        np.stack([least, np.hypot(least, np.abs(across).max(axis=0))]),
        list(zip(arcs.bends.tolist(), arcs.mover.tolist(), arcs.lead.tolist(), strict=True)),
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
    which: Indices, over: bool, least: FloatArray, most: FloatArray, across: FloatArray
) -> Side:
    """Return some pieces, all in front of the axis or ``over`` the back.

    Args:
        which: the pieces.
        over: on which side they are.
        least: (p,) how far they are from the axis at the least, in the plane.
        most: (p,) the same at the most.
        across: (2, p) how far across they are, from one number to the other.
    """
    sign = -1.0 if over else 1.0
    out = np.array([least[which].min(), most[which].max()])
    beside = sign * np.array([across[:, which].min(), across[:, which].max()])
    angles = np.arctan2(beside[:, None], out)
    ahead = 0.5 * (angles.min() + angles.max())
    return Side(
        slice(int(which[0]), int(which[-1]) + 1),
        sign,
        float(ahead) + (math.pi if over else 0.0),
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
