"""Where the target runs across the edge of what the rest of a chain reaches, as one joint moves.

Seen from the link of a revolute joint that turns, the target runs along a circle about the joint;
from that of a prismatic one that slides, along a line parallel to the link. The edge consists of
arcs and segments. Each is cut where it is nearest to the joint or farthest from it, or where it
runs along with the line, so that circle or line meet a piece once, or not at all.
"""

from __future__ import annotations

from cmath import rect
from collections.abc import Sequence
from itertools import pairwise
from math import asin, atan2, floor, pi, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.kinematics.closed_form.two_bone_many import elbow_bend_many
from ik2d_ros.kinematics.proof.pieces import EdgePieces
from ik2d_ros.kinematics.reach import elbow_bend

SLACK = 1e-12  # Reaches, or rad; what misses a limit or an edge by less is on it.

# How a piece is met; what three numbers of a piece are, and the number of its EdgePieces.
_Piece = tuple[float, float, float, float, int]
_Row = tuple[int, float, complex, float, complex]
_AT_ONCE = 0.0  # At one place, which is the first number.
_BY_ELBOW = 1.0  # Circle and arc, or to the other side -1: distance, direction of centre, radius.
_FROM_FOOT = 2.0  # Circle and segment, or to the other side -2: distance of its line, foot.
_BY_HEIGHT = 3.0  # Line and arc, or on its left side -3: height of the centre, radius.
_STRAIGHT = 4.0  # Line and segment: height where ``to`` is 0, and how it grows.


class Crossings(NamedTuple):
    """Where circles about a joint, or lines along it, meet the edge of what comes after its link.

    The joint is the origin, its link points along x.

    Attributes:
        near: (p,) smallest circle that meets the piece, or lowest line, in reaches.
        far: (p,) largest circle, or highest line.
        pieces: (p,) how each is met.
        table: (5, p) the same as an array.
        which: (p,) their numbers among the pieces of the edge.
        edge: the pieces of the edge.
        rows: of each of those, as plain numbers: mover, lead, center, radius, along.
    """

    near: FloatArray
    far: FloatArray
    pieces: list[_Piece]
    table: FloatArray
    which: NDArray[np.intp]
    edge: EdgePieces
    rows: list[_Row]


class _Cut(NamedTuple):
    """Pieces that are being collected."""

    near: list[float]
    far: list[float]
    pieces: list[_Piece]

    def add(self, sizes: Sequence[float], how: float, a: float, b: float, c: float, k: int) -> None:
        self.near.append(min(sizes) - SLACK)
        self.far.append(max(sizes) + SLACK)
        self.pieces.append((how, a, b, c, k))


def crossings(length: float | None, edge: EdgePieces) -> Crossings:
    """Return where a joint's circles or lines cross what the joints after it reach.

    Args:
        length: of the joint's link in reaches; None where it is prismatic.
        edge: pieces among which is the edge of what is reached from the end of its link.
    """
    if length is not None:
        edge = edge._replace(center=length + edge.center)
    cut = _Cut([], [], [])
    for k, (center, radius, along, begin, extent) in enumerate(
        zip(
            edge.center.tolist(),
            edge.radius.tolist(),
            edge.along.tolist(),
            edge.begin.tolist(),
            edge.length.tolist(),
            strict=True,
        )
    ):
        if length is None:
            add = _line_and_segment if along else _line_and_arc
        else:
            add = _circle_and_segment if along else _circle_and_arc
        add(cut, k, center, along or radius, begin, begin + extent)
    table = np.array(cut.pieces).T
    columns = edge.mover, edge.lead, edge.center, edge.radius, edge.along
    return Crossings(
        np.array(cut.near),
        np.array(cut.far),
        cut.pieces,
        table,
        table[-1].astype(np.intp),
        edge,
        list(zip(*(column.tolist() for column in columns), strict=True)),
    )


def _circle_and_arc(
    cut: _Cut, k: int, center: complex, radius: complex, begin: float, end: float
) -> None:
    radius = radius.real
    away, direction = abs(center), atan2(center.imag, center.real)
    if min(away, radius) <= SLACK:
        for share in (0.0, 0.5, 1.0) if radius > SLACK else (0.0,):
            to = begin + share * (end - begin)
            cut.add([abs(center + rect(radius, to))], _AT_ONCE, to, 0.0, 0.0, k)
        return
    start = begin - direction
    # The piece between half turns ``side`` and ``side + 1`` from the line to the centre.
    side = int(start // pi)
    while True:
        low, high = max(start, side * pi), min(end - direction, (side + 1) * pi)
        sizes = [abs(away + rect(radius, low)), abs(away + rect(radius, high))]
        cut.add(sizes, -_BY_ELBOW if side % 2 else _BY_ELBOW, away, direction, radius, k)
        side += 1
        if side * pi >= end - direction:
            return


def _circle_and_segment(
    cut: _Cut, k: int, center: complex, along: complex, begin: float, end: float
) -> None:
    foot = -(center * along.conjugate()).real
    height = abs((center * along.conjugate()).imag)
    places = (begin, min(max(foot, begin), end), end)
    for low, high in pairwise(places):
        if low < high or begin == end:
            sizes = [abs(center + along * to) for to in (low, high)]
            side = -1.0 if low < foot else 1.0
            cut.add(sizes, side * _FROM_FOOT, height, foot, 0.0, k)


def _line_and_arc(
    cut: _Cut, k: int, center: complex, radius: complex, begin: float, end: float
) -> None:
    radius = radius.real
    if radius <= SLACK:
        cut.add([center.imag], _AT_ONCE, begin, 0.0, 0.0, k)
        return
    # The piece between quarter turns, right or left of the centre.
    side = floor(begin / pi + 0.5)
    while True:
        low, high = max(begin, (side - 0.5) * pi), min(end, (side + 0.5) * pi)
        sizes = [(center + rect(radius, to)).imag for to in (low, high)]
        cut.add(sizes, -_BY_HEIGHT if side % 2 else _BY_HEIGHT, center.imag, radius, 0.0, k)
        side += 1
        if (side - 0.5) * pi >= end:
            return


def _line_and_segment(
    cut: _Cut, k: int, center: complex, along: complex, begin: float, end: float
) -> None:
    if abs(along.imag) <= SLACK:
        for to in (begin, 0.5 * (begin + end), end):
            cut.add([(center + along * to).imag], _AT_ONCE, to, 0.0, 0.0, k)
        return
    sizes = [(center + along * to).imag for to in (begin, end)]
    cut.add(sizes, _STRAIGHT, center.imag, along.imag, 0.0, k)


def meet(piece: _Piece, level: float) -> float:
    """Return ``to`` where a circle or a line meets a piece.

    Args:
        piece: what is met.
        level: radius of the circle, or height of the line, in reaches.
    """
    how, a, b, c, _ = piece
    if how in (_BY_ELBOW, -_BY_ELBOW):
        return b + how * elbow_bend(a, c, level)
    if how == _AT_ONCE:
        return a
    if how in (_FROM_FOOT, -_FROM_FOOT):
        return b + 0.5 * how * sqrt(max(0.0, (level - a) * (level + a)))
    if how == _STRAIGHT:
        return (level - a) / b
    angle = asin(min(max((level - a) / b, -1.0), 1.0))
    return angle if how > 0.0 else pi - angle


def meet_many(pieces: FloatArray, level: FloatArray) -> FloatArray:
    """Do what :func:`meet` does, for (5, k) pieces and (k,) levels."""
    how, a, b, c, _ = pieces
    # What is met at one place has no triangle, but something that passes for one.
    elbow = how * elbow_bend_many(np.abs(a), c, np.abs(level))
    to: FloatArray = np.where(how == _AT_ONCE, a, b + elbow)
    if not (np.abs(how) > 1.0).any():
        return to
    some = np.abs(how) == _FROM_FOOT
    root = np.sqrt(np.maximum(0.0, (level - a) * (level + a))[some])
    to[some] = b[some] + 0.5 * how[some] * root
    some = np.abs(how) == _BY_HEIGHT
    angle = np.arcsin(np.clip(((level - a)[some] / b[some]), -1.0, 1.0))
    to[some] = np.where(how[some] > 0.0, angle, np.pi - angle)
    some = how == _STRAIGHT
    to[some] = (level - a)[some] / b[some]
    return to
