"""The outline of what a chain reaches within its limits, exactly: loops of arcs and segments.

The pieces of :mod:`.edge_arcs` hold the edge, and more. Cut where they meet, each part is either on
the edge all along or nowhere, which the proof tells from a point on either side of it. Derived in
``docs/solvers.md``, section 8.
"""

from __future__ import annotations

import numpy as np

from ik2d_ros.kinematics.angles import TURN
from ik2d_ros.kinematics.arrays import ComplexArray, FloatArray
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.proof.cutting import WELD, Strokes, cut, strokes_of
from ik2d_ros.kinematics.proof.pieces import joined
from ik2d_ros.kinematics.proof.proof import proof_of
from ik2d_ros.kinematics.proof.proof_many import reached_many

_BESIDE = 1e-9  # Reaches; how far from a piece it is asked whether the chain reaches.
_LINK = 5.0 * WELD  # Reaches; between the end of a part and the next one, from rounding.
_GAP = 1e-3  # Reaches; the same where pieces that nearly touch leave a wedge too thin to tell.
_AHEAD = 1e-3  # Reaches; how far along parts it is looked which turns off first.
_LEAST_AREA = 1e-12  # Squares of the reach; loops around less are rounding.


def edge_loops(chain: Chain) -> list[Strokes] | None:
    """Return the loops around what a chain reaches, the area on their left.

    The parts of a loop follow each other, and of each its point at ``begin + length`` is the one of
    the next at ``begin``, up to rounding of about 1e-6 reaches; a whole circle is a loop of its
    own. Loops around the area turn counter-clockwise, those around its holes clockwise.

    Args:
        chain: the arm.

    Returns:
        Loops in reaches; none for what has no area: a point, a line, or what is thinner than some
        1e-8 reaches. None where the chain is beyond the proof, or rounding leaves a loop open.
    """
    proof = proof_of(chain)
    if proof is None:
        return None
    parts = cut(strokes_of(joined([proof.edge, proof.segments])))
    if not len(parts.center):
        return []
    middle = parts.begin + 0.5 * parts.length
    arc = parts.radius > 0.0
    left = np.where(arc, -np.exp(1j * middle), 1j * parts.along)
    points = parts.points(middle)
    on_left = reached_many(proof, points + _BESIDE * left)
    on_right = reached_many(proof, points - _BESIDE * left)
    turned = on_right & ~on_left
    parts = parts._replace(
        begin=np.where(turned, parts.begin + parts.length, parts.begin),
        length=np.where(turned, -parts.length, parts.length),
    ).at(on_left ^ on_right)
    loops = _loops(parts)
    if loops is None:
        return None
    return [loop for loop in loops if abs(area(loop)) > _LEAST_AREA]


def area(loop: Strokes) -> float:
    """Return the area in a loop in squares of the reach, negative if it turns clockwise."""
    begin, end = loop.begin, loop.begin + loop.length
    ends = loop.points(begin), loop.points(end)
    # Half the integral of conj(z) dz, less that along the chord.
    arcs = (loop.radius**2 * (loop.length - np.sin(loop.length))).sum()
    return 0.5 * float(arcs + (ends[0].conj() * ends[1]).imag.sum())


def _loops(parts: Strokes) -> list[Strokes] | None:
    """Return parts that follow each other as loops; None where one is left open."""
    whole = np.abs(parts.length) >= TURN
    whole &= parts.radius > 0.0
    begins, ends = parts.points(parts.begin), parts.points(parts.begin + parts.length)
    left = {int(k) for k in np.flatnonzero(~whole)}
    loops = [parts.at([int(k)]) for k in np.flatnonzero(whole)]
    while left:
        order = [min(left)]
        while True:
            following = _following(parts, order[-1], sorted(left), begins, ends)
            if following is None:
                return None
            left.remove(following)
            if following == order[0]:
                break
            order.append(following)
        loops.append(parts.at(order))
    return loops


def _following(
    parts: Strokes, last: int, left: list[int], begins: ComplexArray, ends: ComplexArray
) -> int | None:
    """Return which of those left goes on where a part ends: the first to its left."""
    away = np.abs(begins[left] - ends[last])
    near = [k for k, distance in zip(left, away.tolist(), strict=True) if distance <= _LINK]
    if not near:
        return left[int(away.argmin())] if left and away.min() <= _GAP else None
    if len(near) == 1:
        return near[0]
    sizes = parts.at([last, *near]).sizes
    ahead = min(_AHEAD, 0.25 * float(sizes.min()))
    back = _along(parts, [last], ahead, from_end=True)[0] - ends[last]
    turns = np.angle(back / (_along(parts, near, ahead) - begins[near])) % TURN
    return near[int(turns.argmin())]


def _along(parts: Strokes, chosen: list[int], ahead: float, from_end: bool = False) -> ComplexArray:
    """Return a point of each of some parts, by so many reaches from one end."""
    some = parts.at(chosen)
    share: FloatArray = ahead / some.sizes
    return some.points(some.begin + some.length * (1.0 - share if from_end else share))
