"""The edge of what a chain reaches, about the axis of the turntable that carries it.

Arcs are cut into short pieces, none of them on both sides of the axis, so that what is far from a
target is ruled out without a look at each point: the distance from a target to the ring that a
point of the plane runs on changes by no more than the point moves.
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
from ik2d_ros.kinematics.pieces import EdgePieces
from ik2d_ros.kinematics.proof import proof_of
from ik2d_ros.kinematics.reach import folded
from ik2d_ros.kinematics.sweep import Sweep

_LONGEST, _WIDEST = 0.2, 0.4  # A piece at the most: reaches, and rad.

STOPS, GOES_ON, CUT = 0, 1, 2
"""How a piece ends: with its arc, at the next piece, or over the axis, from which tips are pulled
away to either side."""


class Piece(NamedTuple):
    """A piece of an arc; lengths in reaches.

    At the angle u the point is ``s + p cos u + q sin u`` out from the axis in the plane and
    ``k + v cos u + w sin u`` along it.

    Attributes:
        begin: angle of one end in rad.
        end: of the other.
        s: of the arc's centre.
        k: the same along the axis.
        p: share of the radius.
        q: the same.
        v: the same.
        w: the same.
        before: how it begins: at an end of the arc, at the piece before, or over the axis.
        after: how it ends.
        arc: number of its arc.
    """

    begin: float
    end: float
    s: float
    k: float
    p: float
    q: float
    v: float
    w: float
    before: int
    after: int
    arc: int


class Edge(NamedTuple):
    """Arcs among which is the edge of what a chain reaches, in a plane that turns.

    Attributes:
        arcs: the arcs.
        pieces: (p,) pieces of them, those of an arc one after the other.
        table: (11, p) the pieces as an array.
        middle: (2, p) how far their middles are from the axis, and along it, in reaches.
        flat: (2, p) how far the middles are out and across while the turn is 0, in reaches.
        square: (p,) squared distance of the middles from the origin of the axis.
        gap: (p,) how far it is from a middle to the ends at the most.
    """

    arcs: EdgePieces
    pieces: list[Piece]
    table: FloatArray
    middle: FloatArray
    flat: FloatArray
    square: FloatArray
    gap: FloatArray


def has_edge(chain: Chain) -> bool:
    """Whether the edge of what a chain reaches is known."""
    return not chain.limited or (not chain.has_slides and proof_of(chain) is not None)


@lru_cache(maxsize=8)
def edge_of(chain: Chain, sweep: Sweep) -> Edge:
    """Return the edge of what a chain reaches, one that :func:`has_edge`.

    Making it takes about a millisecond, so that it is kept.

    Args:
        chain: the chain.
        sweep: its plane about the axis, in m.
    """
    proof = proof_of(chain) if chain.limited else None
    arcs = _annulus(chain) if proof is None else proof.edge
    size = chain.reach.outer
    base_s, base_k = sweep.base[0] / size, sweep.base[1] / size
    (xs, ys), (xk, yk) = sweep.s_of, sweep.k_of
    pieces: list[Piece] = []
    for number, (center, radius, begin, length) in enumerate(
        zip(
            arcs.center.tolist(),
            arcs.radius.tolist(),
            arcs.begin.tolist(),
            np.minimum(arcs.length, TURN).tolist(),
            strict=True,
        )
    ):
        s = base_s + xs * center.real + ys * center.imag
        k = base_k + xk * center.real + yk * center.imag
        shares = radius * xs, radius * ys, radius * xk, radius * yk
        for low, high, before, after in _cut(s, math.atan2(ys, xs), radius, begin, length):
            pieces.append(Piece(low, high, s, k, *shares, before, after, number))
    table = np.array(pieces, dtype=np.float64).T
    low, high, s, k, p, q, v, w = table[:8]
    cos, sin = np.cos(0.5 * (low + high)), np.sin(0.5 * (low + high))
    out, along = s + p * cos + q * sin, k + v * cos + w * sin
    c, e, d = sweep.c, sweep.e, sweep.d / size
    across, height = c * d - e * along, c * along + e * d
    away = np.hypot(out, across)
    return Edge(
        arcs,
        pieces,
        table,
        np.stack([away, height]),
        np.stack([out, across]),
        away * away + height * height,
        0.5 * (high - low) * np.hypot(p, q),
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


def _cut(
    out: float, direction: float, radius: float, begin: float, length: float
) -> list[tuple[float, float, int, int]]:
    """Cut an arc where it crosses the axis, and what is left into short pieces.

    Args:
        out: of the centre from the axis.
        direction: in which a point is farthest out, in rad.
        radius: of the arc.
        begin: angle of one end in rad.
        length: how far it is to the other, in rad.

    Returns:
        Both angles of each piece in rad, and how it begins and ends.
    """
    ends = [(begin, STOPS), (begin + length, STOPS)]
    if abs(out) < radius:
        turn = math.acos(-out / radius)
        for way in (turn, -turn):
            at = begin + (direction + way - begin) % TURN
            if begin < at < begin + length:
                ends.append((at, CUT))
    ends.sort()
    cut: list[tuple[float, float, int, int]] = []
    for (low, before), (high, after) in pairwise(ends):
        count = max(1, math.ceil((high - low) * max(radius / _LONGEST, 1.0 / _WIDEST)))
        angles = [low + (high - low) * k / count for k in range(count)] + [high]
        kinds = [before] + [GOES_ON] * (count - 1) + [after]
        cut += zip(angles, angles[1:], kinds, kinds[1:], strict=False)
    return cut
