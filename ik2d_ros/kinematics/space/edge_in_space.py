"""The edge of what a chain reaches, about the axis of the turntable that carries it.

Its arcs and straight segments are cut into short pieces, so that what is far from a target is ruled
out without a look at each point: the distance from a target to the ring that a point of the plane
runs on changes by no more than the point moves. No piece is on both sides of the axis, from where
tips are pulled away to either side.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import TURN
from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.proof.pieces import EdgePieces, joined
from ik2d_ros.kinematics.proof.proof import proof_of
from ik2d_ros.kinematics.reach import folded
from ik2d_ros.kinematics.sweep import Sweep
from ik2d_ros.kinematics.tuning import BESIDE_AXIS, LONGEST_PIECE, WIDEST_PIECE

STOPS, GOES_ON, CUT = 0, 1, 2
"""How a piece ends: with its arc or segment, at the next piece, or over the axis where the distance
has a kink, which is no place to follow a slope from."""


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
        before: how it begins: with its arc or segment, at the piece before, or over the axis.
        after: how it ends.
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
    before: int
    after: int
    arc: int


class Edge(NamedTuple):
    """Arcs and segments among which is the edge of what a chain reaches, in a plane that turns.

    Attributes:
        sweep: of the plane, in reaches.
        arcs: the arcs and segments.
        pieces: (p,) pieces of them, those of each one after the other.
        table: (13, p) the pieces as an array.
        whole: (a,) the first ten numbers of a piece, for each arc and segment as a whole.
        bounds: (10, a) the same as an array.
        middle: (2, p) how far their middles are from the axis, and along it, in reaches.
        flat: (2, p) how far the middles are out and across while the turn is 0, in reaches.
        square: (p,) squared distance of the middles from the origin of the axis.
        gap: (p,) how far it is from a middle to the ends at the most.
        rows: (3, p) ``square`` and ``middle``, to be multiplied at once.
        poses: (a,) the bends in rad at each arc or segment, the number of the one that moves along
            it, and what that is at 0.
    """

    sweep: Sweep
    arcs: EdgePieces
    pieces: list[Piece]
    table: FloatArray
    whole: list[tuple[float, ...]]
    bounds: FloatArray
    middle: FloatArray
    flat: FloatArray
    square: FloatArray
    gap: FloatArray
    rows: FloatArray
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
    base_s, base_k = sweep.base[0] / size, sweep.base[1] / size
    unit = sweep._replace(d=sweep.d / size, base=(base_s, base_k))
    (xs, ys), (xk, yk) = sweep.s_of, sweep.k_of
    over = CUT if abs(unit.d) < BESIDE_AXIS else STOPS
    pieces: list[Piece] = []
    whole: list[tuple[float, ...]] = []
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
        s = base_s + xs * center.real + ys * center.imag
        k = base_k + xk * center.real + yk * center.imag
        shares = radius * xs, radius * ys, radius * xk, radius * yk
        if line:
            a, b = xs * line.real + ys * line.imag, xk * line.real + yk * line.imag
            crossed, finest = [-s / a] if a else [], 1.0 / LONGEST_PIECE
        else:
            a, b = 0.0, 0.0
            crossed = _crossed(s, math.atan2(ys, xs), radius, begin)
            finest = max(radius / LONGEST_PIECE, 1.0 / WIDEST_PIECE)
        whole.append((begin, begin + length, s, k, *shares, a, b))
        for low, high, before, after in _cut(crossed, over, begin, length, finest):
            pieces.append(Piece(low, high, s, k, *shares, a, b, before, after, number))
    table = np.array(pieces, dtype=np.float64).T
    low, high, s, k, p, q, v, w, a, b = table[:10]
    at = 0.5 * (low + high)
    cos, sin = np.cos(at), np.sin(at)
    out, along = s + p * cos + q * sin + a * at, k + v * cos + w * sin + b * at
    c, e, d = unit.c, unit.e, unit.d
    across, height = c * d - e * along, c * along + e * d
    away = np.hypot(out, across)
    square = away * away + height * height
    return Edge(
        unit,
        arcs,
        pieces,
        table,
        whole,
        np.array(whole).T,
        np.stack([away, height]),
        np.stack([out, across]),
        square,
        0.5 * (high - low) * (np.hypot(p, q) + np.hypot(a, b)),
        np.stack([square, away, height]),
        list(zip(arcs.bends.tolist(), arcs.mover.tolist(), arcs.lead.tolist(), strict=True)),
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


def _crossed(out: float, direction: float, radius: float, begin: float) -> list[float]:
    """Return the angles in rad, from one on, at which an arc may cross the axis.

    Args:
        out: of the centre from the axis.
        direction: in which a point is farthest out, in rad.
        radius: of the arc.
        begin: the angle.
    """
    if abs(out) >= radius:
        return []
    turn = math.acos(-out / radius)
    return [begin + (direction + way - begin) % TURN for way in (turn, -turn)]


def _cut(
    crossed: list[float], over: int, begin: float, length: float, finest: float
) -> list[tuple[float, float, int, int]]:
    """Cut an arc or a segment where it crosses the axis, and what is left into short pieces.

    Args:
        crossed: where that may be.
        over: how pieces end there.
        begin: one end.
        length: how far it is to the other.
        finest: how many pieces there are at least for a length of 1.

    Returns:
        Both ends of each piece, and how it begins and ends.
    """
    ends = [(begin, STOPS), (begin + length, STOPS)]
    ends += [(at, over) for at in crossed if begin < at < begin + length]
    ends.sort()
    cut: list[tuple[float, float, int, int]] = []
    for (low, before), (high, after) in pairwise(ends):
        count = max(1, math.ceil((high - low) * finest))
        inside = [low + (high - low) * k / count for k in range(count)] + [high]
        kinds = [before] + [GOES_ON] * (count - 1) + [after]
        cut += zip(inside, inside[1:], kinds, kinds[1:], strict=False)
    return cut
