"""Closures of :mod:`.tip_angle_triples` for many targets; arrays are as in :mod:`.links`."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from ik2d_ros.kinematics.angles import SAME_MOVE, TURN, into_range_many
from ik2d_ros.kinematics.arrays import ComplexArray, Flags, FloatArray, Indices
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.closed_form.two_bone_many import elbow_bend_many
from ik2d_ros.kinematics.columns import links_many
from ik2d_ros.kinematics.descent.closing import ALLOWS, CLOSES
from ik2d_ros.kinematics.links import Links, points_of, units
from ik2d_ros.kinematics.pose import LENGTH_ROUNDING
from ik2d_ros.kinematics.tip_angle.tip_angle_begun import Asked
from ik2d_ros.kinematics.tip_angle.tip_angle_triples import FOLDED, triples

_Numbers = TypeVar('_Numbers', FloatArray, ComplexArray)


def close_three_many(chain: Chain, asked: Asked) -> tuple[FloatArray, Flags]:
    """Do what :func:`.tip_angle_triples.close_three` does, for many targets.

    Returns:
        (n, m) bends in rad, and (m,) which targets are reached at their angles.
    """
    links = Links.of(chain)
    goals, headings, starts = asked
    # The same start for all is looked at once.
    begun = starts[:, :1] if len(goals) and not starts.strides[1] else starts
    points = points_of(links, begun)
    turns = links_many(links.fixed, links.lengths, begun)[1]
    turn = headings - turns.sum(axis=0)
    ways = units(np.cumsum(turns, axis=0)) if links.fixed is not None else points
    turned = units(turn)
    bends, met = starts.copy(), np.zeros(len(goals), dtype=np.bool_)
    left: Indices = np.arange(len(goals))
    for joints in triples(chain):
        if not len(left):
            break
        kinds = [links.turning[joint] for joint in joints]
        if all(kinds):
            some, found = _by_turns(links, joints, goals, turn, turned, begun, points)
        else:
            slide = kinds.index(False)
            way = ways[joints[slide]]
            some, found = _by_slide(links, joints, slide, goals, turn, turned, begun, points, way)
        which = left.take(some)
        for joint, numbers in zip(joints, found, strict=True):
            bends[joint, which] = numbers
        met[which] = True
        others = np.ones(len(left), dtype=np.bool_)
        others[some] = False
        rest = np.flatnonzero(others)
        left, goals = left.take(rest), goals.take(rest)
        turn, turned = turn.take(rest), turned.take(rest)
        if begun.shape[1] > 1:
            begun, points = begun.take(rest, axis=1), points.take(rest, axis=1)
            ways = ways.take(rest, axis=1)
    return bends, met


def _by_turns(
    links: Links,
    joints: tuple[int, int, int],
    goals: ComplexArray,
    turn: FloatArray,
    turned: ComplexArray,
    begun: FloatArray,
    points: ComplexArray,
) -> tuple[Indices, list[FloatArray]]:
    """Return which of some targets three joints reach alone, and their bends then.

    Args:
        links: links and limits.
        joints: the three.
        goals: (k,) the targets in reaches.
        turn: (k,) by how much the last link has to turn in rad, and
        turned: (k,) the unit numbers of that.
        begun: (n, k) or (n, 1) bends in rad to close from, and
        points: (n + 1, k) or (n + 1, 1) the joints and the tips then.
    """
    i, j, k = joints
    pivot, wrist = points[i], points[k]
    first, second = points[j] - pivot, wrist - points[j]
    span = goals - (points[-1] - wrist) * turned
    span -= pivot
    a, b, d = np.abs(first), np.abs(second), np.abs(span)
    can = (a + b + CLOSES >= d) & (np.abs(a - b) - CLOSES <= d)
    can &= np.minimum(a, b) >= LENGTH_ROUNDING
    bent = np.angle(second * first.conj())
    bent = np.where(bent < FOLDED, bent + TURN, bent)
    some = np.flatnonzero(can)

    share = b / a

    def tried(which: Indices, wanted: FloatArray) -> tuple[Indices, list[FloatArray]]:
        by_j = wanted - _at(bent, which)
        at_j, inside = _allowed(links, begun, j, by_j, which)
        if not inside.all():  # Trigonometry only for what is left then.
            kept = np.flatnonzero(inside)
            which, wanted = which.take(kept), wanted.take(kept)
            by_j, at_j = by_j.take(kept), at_j.take(kept)
        reached = _at(first, which) * (1.0 + _at(share, which) * units(wanted))
        by_i = np.angle(span.take(which) * reached.conj())
        at_i, inside = _allowed(links, begun, i, by_i, which)
        at_k, good = _allowed(links, begun, k, turn.take(which) - by_i - by_j, which)
        kept = np.flatnonzero(inside & good)
        return which.take(kept), [each.take(kept) for each in (at_i, at_j, at_k)]

    bend = elbow_bend_many(_at(a, some), _at(b, some), d.take(some))
    bend = np.where(_at(bent, some) < -SAME_MOVE, -bend, bend)
    which, bends = tried(some, bend)
    if len(which) == len(some):
        return which, bends
    other = np.ones(len(goals), dtype=np.bool_)
    other[which] = False
    rest = np.flatnonzero(other.take(some))
    those, more = tried(some.take(rest), -bend.take(rest))
    joined = [np.concatenate(each) for each in zip(bends, more, strict=True)]
    return np.concatenate([which, those]), joined


def _by_slide(
    links: Links,
    joints: tuple[int, int, int],
    slide: int,
    goals: ComplexArray,
    turn: FloatArray,
    turned: ComplexArray,
    begun: FloatArray,
    points: ComplexArray,
    way: ComplexArray,
) -> tuple[Indices, list[FloatArray]]:
    """Do the same where one of the three slides, in the directions (k,) or (1,) of ``way``."""
    one, other = (joint for joint in joints if joint != joints[slide])
    first, last = points[one], points[other]
    link = last - first
    span = goals - (points[-1] - last) * turned
    span -= first
    if slide == 1:
        seen, radius = -link * way.conj(), np.abs(span)
    else:
        along = way * turned if slide == 2 else way
        seen, radius = span * along.conj(), np.abs(link)
    square = (radius - seen.imag) * (radius + seen.imag)
    can = (square >= 0.0) & (np.abs(link) >= LENGTH_ROUNDING)
    root = np.sqrt(np.maximum(square, 0.0))
    near = np.where(seen.real > 0.0, -root, root)
    now, lower, upper = begun[joints[slide]], links.lower[joints[slide]], links.upper[joints[slide]]
    found: list[tuple[Indices, list[FloatArray]]] = []
    for by in (seen.real + near, seen.real - near):
        number = now + by
        some = np.flatnonzero(can & (lower - ALLOWS <= number) & (number <= upper + ALLOWS))
        moved = by.take(some)
        if slide == 1:
            left = span.take(some) * (_at(link, some) + moved * _at(way, some)).conj()
        else:
            left = (span.take(some) - moved * _at(along, some)) * _at(link, some).conj()
        by_first = np.angle(left)
        at_one, inside = _allowed(links, begun, one, by_first, some)
        at_other, good = _allowed(links, begun, other, turn.take(some) - by_first, some)
        kept = np.flatnonzero(inside & good)
        some = some.take(kept)
        numbers = [at_one.take(kept), at_other.take(kept)]
        numbers.insert(slide, np.clip(number.take(some), lower, upper))
        found.append((some, numbers))
        can[some] = False
    (which, near_ones), (those, others) = found
    joined = [np.concatenate(each) for each in zip(near_ones, others, strict=True)]
    return np.concatenate([which, those]), joined


def _at(values: _Numbers, which: Indices) -> _Numbers:
    """Return those for some targets, of the same for all the one."""
    return values if len(values) == 1 else values.take(which)


def _allowed(
    links: Links, begun: FloatArray, joint: int, by: FloatArray, which: Indices
) -> tuple[FloatArray, Flags]:
    """Return the bends after moves of a revolute joint, inside its limits, and which are."""
    now = _at(begun[joint], which)
    return into_range_many(now + by, links.lower[joint], links.upper[joint], now, ALLOWS)
