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

from ik2d_ros.kinematics.angles import TURN
from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.turning import Around, TurningPlane

_POINTS = 33  # Of an arc, to begin from the closest.
_STEPS = 6  # Of Newton's from there; from so near, they double the digits.
_LONGEST = TURN / _POINTS  # rad; how far a step goes at the most.
_TINY = 1e-300


class Arcs(NamedTuple):
    """Arcs of circles in the plane, a row each.

    Attributes:
        x: (a, 1) of the middles, in reaches.
        y: (a, 1) the same.
        radius: (a, 1) in reaches.
        begin: (a, 1) angle of one end, in rad.
        length: (a, 1) how far it is to the other, in rad; a turn at the most.
    """

    x: FloatArray
    y: FloatArray
    radius: FloatArray
    begin: FloatArray
    length: FloatArray


def has_arcs(chain: Chain) -> bool:
    """Whether the edge of what a chain reaches is known."""
    return not chain.limited or len(chain) == 2


@lru_cache(maxsize=64)
def edge_arcs(chain: Chain) -> Arcs:
    """Return arcs within what a chain reaches, all of the edge among them.

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
    return Arcs(*np.array(rows).T[:, :, None])


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


def closest_on_arcs(
    arcs: Arcs, plane: TurningPlane, around: Around
) -> tuple[FloatArray, FloatArray]:
    """Find the turns at which points of arcs come closest to targets.

    Args:
        arcs: the arcs.
        plane: what carries the plane, in reaches.
        around: (m,) the targets, in reaches.

    Returns:
        (m, 2) turns in rad, inside the limits: of the closest point in front of the axis and of the
        one over the back; and (m, 2) their distances from the target in reaches.
    """
    each = Around(*(values[:, None, None] for values in around))
    share = np.linspace(0.0, 1.0, _POINTS)
    phi = arcs.begin + arcs.length * share
    x, y = arcs.x + arcs.radius * np.cos(phi), arcs.y + arcs.radius * np.sin(phi)
    out, across, height = plane.sweep.raised(x, y)
    turns = plane.turns(each, out, across)
    away = plane.distances(each, turns, out, across, height)
    sides = [np.where(side, away, np.inf).argmin(axis=2) for side in (out >= 0.0, out < 0.0)]
    chosen = np.stack(sides, axis=1)  # (m, 2, a)
    turns, distances = _refined(arcs, plane, each, phi[np.arange(len(phi)), chosen])
    best = distances.argmin(axis=2)[:, :, None]
    return (
        np.take_along_axis(turns, best, axis=2)[:, :, 0],
        np.take_along_axis(distances, best, axis=2)[:, :, 0],
    )


def _refined(
    arcs: Arcs, plane: TurningPlane, around: Around, phi: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Bring points (m, 2, a) of the arcs, given by their angles, closest to the targets.

    By Newton's method, the turntable turning each point as close as it can.

    Returns:
        The turns in rad, and the distances.
    """
    sweep = plane.sweep
    middle_x, middle_y, size = arcs.x[:, 0], arcs.y[:, 0], arcs.radius[:, 0]
    begin, end = arcs.begin[:, 0], arcs.begin[:, 0] + arcs.length[:, 0]
    (xs, ys), (xk, yk) = sweep.s_of, sweep.k_of
    best, least = np.zeros(phi.shape), np.full(phi.shape, np.inf)
    for _ in range(_STEPS):
        dx, dy = size * np.cos(phi), size * np.sin(phi)
        out, across, height = sweep.raised(middle_x + dx, middle_y + dy)
        turns = plane.turns(around, out, across)
        away = plane.distances(around, turns, out, across, height)
        closer = away < least
        best, least = np.where(closer, turns, best), np.where(closer, away, least)
        # Derivatives by the angle, of where the point is in the plane, and of half the square.
        s1, k1 = ys * dx - xs * dy, yk * dx - xk * dy
        s2, k2 = -xs * dx - ys * dy, -xk * dx - yk * dy
        along_out, along = plane.pull(around, turns, out, across, height)
        gives_out, gives = plane.gives(around, turns, out, across)
        slope = -(along_out * s1 + along * k1)
        bend = (
            s1 * s1 + k1 * k1 - (along_out * s2 + along * k2) - (gives_out * s1 + gives * k1) ** 2
        )
        step = -slope / np.maximum(np.abs(bend), _TINY)
        phi = np.clip(phi + np.clip(step, -_LONGEST, _LONGEST), begin, end)
    return best, least
