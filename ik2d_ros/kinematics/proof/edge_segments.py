"""The straight segments of the edge of what a chain reaches: one slide moves.

At such a pose the joints before the slide are at limits, those after it, too, or they all point
across the direction in which it slides. Derived in ``docs/solvers.md``, section 8.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.arrays import ComplexArray, Flags, FloatArray
from ik2d_ros.kinematics.proof.corners import SLACK, Corners, LimitedLinks, corners
from ik2d_ros.kinematics.proof.pieces import EdgePieces
from ik2d_ros.kinematics.proof.tails import Tails, within

_WIDER = 1e-9  # Reaches; segments may well go on a little beyond the edge, within the limits.


class _Rests(NamedTuple):
    """Shapes after a slide, as seen from its link, an element each.

    Attributes:
        span: (m,) from the slide at 0 to the tip, in reaches; the slide's direction is the x-axis.
        bends: (m, w) of the joints after it.
    """

    span: ComplexArray
    bends: FloatArray


def segments(
    joint: int,
    slide: int,
    prefix: Corners,
    links: LimitedLinks,
    fixed: FloatArray,
    straight: list[Tails],
) -> list[EdgePieces]:
    """Return the segments along which a slide moves the tip.

    Args:
        joint: the first joint of the part.
        slide: the joint that moves.
        prefix: shapes of the joints before it.
        links: all links.
        fixed: (n,) bends of prismatic joints.
        straight: (n,) tails from each joint, as long as they can be.
    """
    found: list[EdgePieces] = []
    turns = np.isnan(fixed[joint:slide])
    for side in (1.0, -1.0):
        rests = _rests(slide, side, links, fixed, straight)
        if len(rests.span):
            found += _slid(prefix, turns, rests, fixed[slide], links.limits[slide], side)
    return found


def _rests(
    slide: int, side: float, links: LimitedLinks, fixed: FloatArray, straight: list[Tails]
) -> _Rests:
    """Return the shapes after a slide that no joint moves further to one side of it."""
    lengths, limits, _, ends = links
    n = len(lengths)
    spans: list[ComplexArray] = []
    bends: list[FloatArray] = []
    for last in range(slide + 1, n + 1):
        inside = ends[slide + 1 : last]
        if inside and not inside[-1]:
            break  # That joint is never at a limit.
        if last < n and not links.turns_freely(last):
            continue
        shapes = corners(
            lengths[slide:last],
            [[(0.0, 0.0)], *inside],
            np.concatenate([[0.0], fixed[slide + 1 : last]]),
        )
        outward = side * (shapes.columns * shapes.inward).imag
        blocked: Flags = np.all(outward <= SLACK, axis=1)
        shapes = shapes.at(blocked)
        if not len(shapes.bends):
            continue
        if last == n:
            spans.append(shapes.spans[:, 0])
            bends.append(shapes.bends[:, 1:])
            continue
        tails = straight[last]
        bend = side * 0.5 * np.pi + tails.heading - shapes.heading[:, None]
        at_last, allowed = within(bend, limits[last])
        which, tail = np.nonzero(allowed)
        spans.append(shapes.spans[which, 0] + 1j * side * tails.along[tail])
        bends.append(
            np.column_stack(
                [shapes.bends[which, 1:], at_last[which, tail], tails.bends[tail, last + 1 :]]
            )
        )
    if not spans:
        return _Rests(np.zeros(0, complex), np.zeros((0, n - slide - 1)))
    return _Rests(np.concatenate(spans), np.concatenate(bends))


def _slid(
    prefix: Corners,
    turns: FloatArray,
    rests: _Rests,
    bend: float,
    limits: tuple[float, float],
    side: float,
) -> list[EdgePieces]:
    """Return the segments for every shape before a slide and every one after it.

    Args:
        prefix: (k,) shapes before it.
        turns: which of their joints are revolute.
        rests: (m,) shapes after it.
        bend: of the slide, in rad.
        limits: of the slide.
        side: to which side of its direction no joint may move the tip: 1 or -1.
    """
    k, m, before = len(prefix.bends), len(rests.span), len(turns)
    along = np.exp(1j * (prefix.heading + bend))[:, None]
    begin: FloatArray = np.full((k, m), limits[0])
    end: FloatArray = np.full((k, m), limits[1])
    good: Flags = np.ones((k, m), dtype=np.bool_)
    for j in range(before):
        inward = prefix.inward[:, j : j + 1] * side
        if turns[j]:
            # It moves the tip to that side by as much as the tip is ahead of it.
            level = -(prefix.spans[:, j : j + 1] * along.conj()).real - rests.span.real
            end = np.where(inward > 0.0, np.minimum(end, level + _WIDER), end)
            begin = np.where(inward < 0.0, np.maximum(begin, level - _WIDER), begin)
        else:
            good &= inward * (prefix.columns[:, j : j + 1] * along.conj()).imag <= SLACK
    which, rest = np.nonzero(good & (begin <= end))
    if not len(which):
        return []
    origin = prefix.spans[which, 0] if before else np.zeros(len(which), complex)
    way, zero = along[which, 0], np.zeros(len(which))
    return [
        EdgePieces(
            origin + way * rests.span[rest],
            zero,
            way,
            begin[which, rest],
            (end - begin)[which, rest],
            np.full(len(which), before),
            zero,
            np.column_stack([prefix.bends[which], zero, rests.bends[rest]]),
        )
    ]
