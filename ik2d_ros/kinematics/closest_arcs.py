"""The closest that an arm on a turntable comes, where the edge of its chain's area is known.

Without limits that area is an annulus, and with two joints within limits its edge is made of a few
arcs: one joint is at a limit, straight or folded, the other moves. So what is closest in space is a
point of an arc, turned towards the target, or where the turntable is at a limit, of the plane.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.angles import TURN
from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.turning import Around, TurningPlane, norm

_POINTS = 33  # Of an arc, to begin from the closest.
_SHARES = np.linspace(0.0, 1.0, _POINTS)
_STEPS = 30  # Of Newton's from there at the most, until one is shorter than this, in rad: it
_SETTLED = 1e-5  # doubles the digits, and what is left takes off no more than its square.
_SHORTER = 0.25  # A step that comes no closer is tried again so much shorter.
_LONGEST = TURN / _POINTS  # rad; how far a step goes at the most.
_TINY = 1e-300


class Arcs(NamedTuple):
    """Arcs of circles in the plane, an element each.

    Attributes:
        x: (a,) of the middles, in reaches.
        y: (a,) the same.
        radius: (a,) in reaches.
        begin: (a,) angle of one end, in rad.
        length: (a,) how far it is to the other, in rad; a turn at the most.
    """

    x: FloatArray
    y: FloatArray
    radius: FloatArray
    begin: FloatArray
    length: FloatArray

    def at(self, chosen: NDArray[np.intp]) -> Arcs:
        """Return some of them."""
        return Arcs(*(values[chosen] for values in self))


class Edge(NamedTuple):
    """The edge of what a chain reaches, and maybe arcs inside of it.

    Attributes:
        arcs: (a,) arcs.
        x: (a, p) points spread evenly over each arc, in reaches.
        y: (a, p) the same.
        gap: (a,) half the way from one of them to the next, in reaches.
    """

    arcs: Arcs
    x: FloatArray
    y: FloatArray
    gap: FloatArray


def has_arcs(chain: Chain) -> bool:
    """Whether the edge of what a chain reaches is known."""
    return not chain.limited or len(chain) == 2


@lru_cache(maxsize=64)
def edge_of(chain: Chain) -> Edge:
    """Return the edge of what a chain reaches.

    Args:
        chain: without limits, or of two joints.
    """
    if not chain.limited:
        circles = [(0j, radius, 0.0, TURN) for radius in chain.unit_reach]
    else:
        circles = _of_two(chain)
    rows = [
        (middle.real, middle.imag, radius, begin, min(length, TURN))
        for middle, radius, begin, length in circles
    ]
    arcs = Arcs(*np.array(rows).T)
    x, y, radius, begin, length = (values[:, None] for values in arcs)
    phi = begin + length * _SHARES
    gap = 0.5 * arcs.radius * arcs.length / (_POINTS - 1)
    return Edge(arcs, x + radius * np.cos(phi), y + radius * np.sin(phi), gap)


def _of_two(chain: Chain) -> list[tuple[complex, float, float, float]]:
    (first, second), limits = chain.unit_lengths, chain.bend_limits
    (low, high), (least, most) = (
        pair if math.isfinite(pair[0]) else (-math.pi, math.pi) for pair in limits
    )
    bends = {least, most}
    for bend in (0.0, math.pi):  # straight and folded
        bends.add(least + (bend - least) % TURN)
    circles = []
    for bend in bends:
        if bend <= most:
            span = first + second * complex(math.cos(bend), math.sin(bend))
            begin = low + math.atan2(span.imag, span.real)
            circles.append((0j, abs(span), begin, high - low))
    for end in (low, high):
        elbow = first * complex(math.cos(end), math.sin(end))
        circles.append((elbow, second, end + least, most - least))
    return circles


def closest_on_edge(
    edge: Edge, plane: TurningPlane, around: Around
) -> tuple[FloatArray, FloatArray]:
    """Find the turns at which points of an edge come closest to targets.

    Args:
        edge: of what the chain reaches.
        plane: what carries the plane, in reaches.
        around: (m,) the targets, in reaches.

    Returns:
        (m, 2) turns in rad, inside the limits: of the closest point in front of the axis and of the
        one over the back; and (m, 2) their distances from the target in reaches.
    """
    each = Around(*(values[:, None, None] for values in around))
    point = plane.sweep.raised(edge.x, edge.y)
    out, across, _ = point
    away = norm(plane.seen(each, plane.turns(each, out, across), point))
    sides = [np.where(side, away, np.inf) for side in (out >= 0.0, out < 0.0)]
    least = np.stack([side.min(axis=2) for side in sides], axis=1)  # (m, 2, a)
    begin = np.stack([side.argmin(axis=2) for side in sides], axis=1)
    # Between two points of an arc, nothing is closer by more than the way to the nearer of them.
    near = least - edge.gap <= least.min(axis=(1, 2), keepdims=True)
    target, _, arc = np.nonzero(near)
    arcs = edge.arcs.at(arc)
    turns, distances = np.zeros(near.shape), np.full(near.shape, np.inf)
    turns[near], distances[near] = _refined(
        arcs, plane, around.at(target), arcs.begin + arcs.length * _SHARES[begin[near]]
    )
    best = distances.argmin(axis=2)[:, :, None]
    return (
        np.take_along_axis(turns, best, axis=2)[:, :, 0],
        np.take_along_axis(distances, best, axis=2)[:, :, 0],
    )


def _refined(
    arcs: Arcs, plane: TurningPlane, around: Around, phi: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Bring points (k,) of as many arcs, given by their angles, closest to their targets.

    By Newton's method, the turntable turning each point as close as it can.

    Returns:
        The turns in rad, and the distances.
    """
    sweep, size = plane.sweep, arcs.radius
    # A whole circle has no ends.
    whole = arcs.length >= TURN
    begin = np.where(whole, -np.inf, arcs.begin)
    end = np.where(whole, np.inf, arcs.begin + arcs.length)
    (xs, ys), (xk, yk) = sweep.s_of, sweep.k_of
    best, turned, least = phi, np.zeros(phi.shape), np.full(phi.shape, np.inf)
    step = np.zeros(phi.shape)
    for _ in range(_STEPS):
        dx, dy = size * np.cos(phi), size * np.sin(phi)
        point = sweep.raised(arcs.x + dx, arcs.y + dy)
        turns = plane.turns(around, *point[:2])
        seen = plane.seen(around, turns, point)
        away = norm(seen)
        closer = away < least
        best, turned = np.where(closer, phi, best), np.where(closer, turns, turned)
        least = np.where(closer, away, least)
        # Derivatives by the angle, of where the point is in the plane, and of half the square.
        s1, k1 = ys * dx - xs * dy, yk * dx - xk * dy
        s2, k2 = -xs * dx - ys * dy, -xk * dx - yk * dy
        along_out, along = plane.pull(seen)
        gives_out, gives = plane.gives(around, seen, point)
        slope = along_out * s1 + along * k1
        bend = s1 * s1 + k1 * k1 - (along_out * s2 + along * k2)
        bend -= (gives_out * s1 + gives * k1) ** 2
        newton = np.minimum(
            np.maximum(slope / np.maximum(np.abs(bend), _TINY), -_LONGEST), _LONGEST
        )
        # Where the turntable comes to a limit, the curvature jumps; a step across may be too long.
        step = np.where(closer, newton, _SHORTER * step)
        phi = np.minimum(np.maximum(best + step, begin), end)
        if (np.abs(phi - best) < _SETTLED).all():
            break
    return turned, least
