"""Whether the limits of a chain allow a target at a tip angle, and else the closest angle: exactly.

The idea, derived in ``docs/solvers.md``, section 11: if there is a pose, there is one in which all
but three joints are at limits or in line, and these three are a triangle, or meet on a line if one
of them slides. Of the poses that bring the tip onto the target, those with the largest and the
smallest angle are of that kind, too.

Arrays of poses have a column per pose. Lengths are in reaches, angles are bends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import Limits, into_range_many, wrapped
from ik2d_ros.kinematics.arrays import ComplexArray, Flags, FloatArray, Indices
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.closed_form.two_bone_many import elbow_bend_many
from ik2d_ros.kinematics.columns import fixed_array, links_many
from ik2d_ros.kinematics.descent.many import units
from ik2d_ros.kinematics.tip_angle.tip_angle_closures import Closures, Kinds, Known, closed, flat
from ik2d_ros.kinematics.tip_angle.tip_angle_families import ends_of_families
from ik2d_ros.kinematics.tip_angle.tip_angle_lines import FLAT, LEANS
from ik2d_ros.kinematics.tip_angle.tip_angle_tables import Table, Tables
from ik2d_ros.kinematics.tip_angle.tip_angle_triangles import LOOSE, Origins, Triangles
from ik2d_ros.kinematics.tuning import (
    ANGLE_PROOF_JOINTS,
    PROOF_CELLS,
    PROOF_TARGETS,
    SPANNED_CELLS,
    WORTH_SIDING,
)

EXACT = 1e-11  # Reaches, or rad; a pose that is off by no more is there.


class AngleProof(NamedTuple):
    """What is known of a chain before any target is.

    Attributes:
        lengths: (n, 1) of the links, in reaches.
        fixed: (n, 1) bends in rad of prismatic joints, NaN for revolute ones; or None.
        limits: (n,) pairs (lower, upper) of each bend in rad.
        tables: what closes the chain.
    """

    lengths: FloatArray
    fixed: FloatArray | None
    limits: Limits
    tables: Tables


class Candidates(NamedTuple):
    """Poses inside the limits, an element each.

    Attributes:
        which: (c,) the targets that they are for.
        bends: (n, c) rad.
        error: (c,) distance of the tip from the target, in reaches.
        off: (c,) by how much the last link would have to turn, in rad.
        strayed: (c,) how far joints were outside their limits before they were clamped, in rad or
            reaches; 0 where that is rounding.
    """

    which: Indices
    bends: FloatArray
    error: FloatArray
    off: FloatArray
    strayed: FloatArray

    def at(self, some: Indices) -> Candidates:
        """Return some of them."""
        which, bends, error, off, strayed = self
        return Candidates(which[some], bends[:, some], error[some], off[some], strayed[some])


class _Begun(NamedTuple):
    """Poses before a joint has moved: (n, m) headings before each in rad, and where each is."""

    before: FloatArray
    pivots: ComplexArray

    def at(self, part: slice) -> _Begun:
        """Return some of them."""
        return _Begun(self.before[:, part], self.pivots[:, part])


class _Asked(NamedTuple):
    """Targets, an element or a column each, and the starts, as poses if the angles matter.

    Also by how much distances may be missed, in reaches, and limits, in rad or reaches.
    """

    targets: ComplexArray
    headings: FloatArray
    starts: FloatArray
    begun: _Begun | None = None
    near: float = 0.0
    loose: float = LOOSE


@lru_cache(maxsize=4)
def angle_proof_of(chain: Chain) -> AngleProof | None:
    """Return what is known of a chain before any target is, or None where that is too much.

    Making it takes milliseconds, so that it is kept.
    """
    if len(chain) > ANGLE_PROOF_JOINTS:
        return None
    tables = Tables(chain)
    if tables.too_many:
        return None
    fixed = None if chain.fixed_bends is None else fixed_array(chain.fixed_bends)[:, None]
    return AngleProof(np.array(chain.unit_lengths)[:, None], fixed, chain.bend_limits, tables)


def posed(
    proof: AngleProof, targets: ComplexArray, headings: FloatArray, starts: FloatArray
) -> Candidates:
    """Return poses that reach targets at angles, or nearly; none where limits forbid it.

    Args:
        proof: of the chain.
        targets: (m,) in reaches.
        headings: (m,) of the last link in rad.
        starts: (n, m) bends in rad, inside the limits: each pose leaves some first joints there.
    """
    asked = _Asked(targets, headings, starts, _begun(proof, starts))
    return _found(proof, proof.tables.posed, asked)


def had_many(proof: AngleProof, targets: ComplexArray, headings: FloatArray) -> Flags:
    """Return (m,) which targets can be reached at angles, or nearly: :func:`posed` for less."""
    lowest = [0.0 if lower == -np.inf else lower for lower, _ in proof.limits]
    starts = np.repeat(np.array(lowest)[:, None], len(targets), axis=1)
    asked = _Asked(targets, headings, starts, _begun(proof, starts))
    had = np.zeros(len(targets), dtype=np.bool_)
    for which, _, _ in _each(proof, proof.tables.had, asked):
        had[which] = True
    return had


def turned(
    proof: AngleProof,
    targets: ComplexArray,
    headings: FloatArray,
    starts: FloatArray,
    loosely: tuple[float, float] = (0.0, LOOSE),
) -> Candidates:
    """Return poses that reach targets, those with the largest and smallest angles among them.

    Args:
        proof: of the chain.
        targets: (m,) in reaches.
        headings: (m,) of the last link in rad, which poses are compared with.
        starts: (n, m) bends in rad, inside the limits.
        loosely: by how much distances may be missed, in reaches, and limits, in rad or reaches.
    """
    near, loose = loosely
    asked = _Asked(targets, headings, starts, near=near, loose=loose)
    return _found(proof, proof.tables.turned, asked)


# For which targets, (c,), (n, c) bends in rad, and (c,) by how far they were outside of limits.
_Poses = tuple[Indices, FloatArray, FloatArray]


def _found(proof: AngleProof, table: Table, asked: _Asked) -> Candidates:
    found = list(_each(proof, table, asked)) or [_none(asked)]
    which, bends, strayed = found[0] if len(found) == 1 else _joined(found)
    return judged(proof, bends, which, asked.targets, asked.headings, strayed)


def _each(proof: AngleProof, table: Table, asked: _Asked) -> Iterator[_Poses]:
    some = table.triangles
    if len(some.rest):
        yield from _parted(asked, len(some.rest), partial(_solved, proof, some, table.origins))
    for kinds, each in table.closures:
        yield from _parted(asked, len(each.ahead), partial(_closed, proof, kinds, each))


def _none(asked: _Asked) -> _Poses:
    return np.zeros(0, dtype=np.intp), np.zeros((len(asked.starts), 0)), np.zeros(0)


def _joined(found: list[_Poses]) -> _Poses:
    which, bends, strayed = zip(*found, strict=True)
    return np.concatenate(which), np.concatenate(bends, axis=1), np.concatenate(strayed)


def _parted(asked: _Asked, entries: int, solved: Callable[[_Asked], _Poses]) -> Iterator[_Poses]:
    step = max(PROOF_TARGETS, PROOF_CELLS // max(1, entries))
    if 0 < len(asked.targets) <= step:
        yield solved(asked)
        return
    for begin in range(0, len(asked.targets), step):
        part = slice(begin, begin + step)
        begun = asked.begun and asked.begun.at(part)
        some = asked._replace(
            targets=asked.targets[part],
            headings=asked.headings[part],
            starts=asked.starts[:, part],
            begun=begun,
        )
        which, bends, strayed = solved(some)
        yield which + begin, bends, strayed


def _solved(proof: AngleProof, table: Triangles, origins: Origins, asked: _Asked) -> _Poses:
    """Return the poses of triangles of revolute joints."""
    targets, headings, starts, begun, near, loose = asked
    n = len(starts)
    if begun is not None:
        before, pivots = begun
        wrist = targets[:, None] - units(headings)[:, None] * origins.tail
        span = wrist - pivots[origins.joint].T
    else:
        span = targets[:, None] - origins.start
    which, e = _met(table, origins, np.abs(span), near)
    if not len(e):
        return _none(asked)
    span = span[which, origins.of[e]]
    distance = np.abs(span)
    a, b = table.sides[:, e]
    elbow = table.way[e] * elbow_bend_many(a, b, distance)
    way = np.angle(span) - np.arctan2(b * np.sin(elbow), a + b * np.cos(elbow))
    flat = np.minimum(np.minimum(a, b), distance) <= FLAT
    if origins.sided and len(e) > WORTH_SIDING:
        # What is held has to be on the right side of the line; to drop few takes longer.
        line = way if begun is None else way + elbow - headings[which]
        on = flat | (np.abs(wrapped(line - table.toward[e])) <= table.spread[e] + LEANS)
        if not on.all():
            e, which, elbow, way, flat = e[on], which[on], elbow[on], way[on], flat[on]
            if not len(e):
                return _none(asked)
    i, j, k = table.joints[:, e]
    begin, columns = starts[:, which], np.arange(len(e))
    bends = table.bends[e].T.copy()
    first = way + table.lead[0, e]
    second = elbow + table.lead[1, e]
    if begun is not None:
        held = np.arange(n)[:, None] < i
        bends[held] = begin[held]
        first = first - before[i, which]
    lower, upper = np.array(proof.limits).T
    turns = [(i, first), (j, second)]
    if begun is not None:
        turns.append((k, headings[which] - before[i, which] - first - second - table.rest[e]))
    good = np.ones(len(e), dtype=np.bool_)
    strayed: FloatArray = np.zeros(len(e))
    for joint, bend in turns:
        at, inside = into_range_many(bend, lower[joint], upper[joint], begin[joint, columns], loose)
        bends[joint, columns] = at
        good &= inside
        if loose > LOOSE:
            strayed = np.maximum(strayed, np.abs(wrapped(bend - at)))
    bends, found, strayed = bends[:, good], which[good], strayed[good]
    if loose > LOOSE:
        strayed = _more(strayed)
    if flat.any():
        extra = _families(proof, table, (e[flat], which[flat]), asked)
        return _joined([(found, bends, strayed), extra])
    return found, bends, strayed


def _more(strayed: FloatArray) -> FloatArray:
    """Return what is more than rounding."""
    return np.where(strayed > LOOSE, strayed, 0.0)


def _met(
    table: Triangles, origins: Origins, away: FloatArray, loose: float
) -> tuple[Indices, Indices]:
    """Return which targets (m, o) away from the origins which triangles may span: pairs of both.

    This is most of the work, so that as many are looked at together as the cache holds.
    """
    count = len(table.near)
    near, far = table.near, table.far
    if loose:
        near, far = near - loose, far + loose
    if len(away) == 1:
        reach = away[0, origins.of]
        e = np.flatnonzero((near <= reach) & (reach <= far))
        return np.zeros(len(e), dtype=np.intp), e
    step = max(1, SPANNED_CELLS // max(1, count))
    found = []
    for begin in range(0, len(away), step):
        reach = away[begin : begin + step].take(origins.of, axis=1)
        met = near <= reach
        met &= reach <= far
        found.append(np.flatnonzero(met) + begin * count)
    which, e = np.divmod(np.concatenate(found), max(1, count))
    return which, e


def _closed(proof: AngleProof, kinds: Kinds, table: Closures, asked: _Asked) -> _Poses:
    """Return the poses of closures with joints that slide."""
    targets, headings, starts, begun, near, loose = asked
    n = len(starts)
    lower, upper = np.array([*proof.limits, (-np.inf, np.inf)]).T
    if begun is not None:
        before, pivots = begun
        i = table.joints[0]
        known = Known(targets - pivots[i], before[i], units(before)[i], headings, units(headings))
    else:
        none, one = np.zeros((1, 1)), np.ones((1, 1), dtype=complex)
        known = Known(targets[None], none, one, none, np.zeros((1, 1), dtype=complex))
    found, moving = [_none(asked)], 3 if begun is not None else 2
    tried = closed(kinds, table, known, lower, upper, proof.tables.alone, (near, loose))
    for entry, which, numbers, slid in tried:
        begin, columns = starts[:, which], np.arange(len(entry))
        joints = table.joints[:, entry]
        bends = table.bends[entry].T.copy()
        if begun is not None:
            held = np.arange(n)[:, None] < joints[0]
            bends[held] = begin[held]
        good, strayed = np.ones(len(entry), dtype=np.bool_), slid
        for turns, joint, number in zip(kinds[:moving], joints, numbers, strict=False):
            bends[joint, columns] = number
            if turns:
                at, inside = into_range_many(
                    number, lower[joint], upper[joint], begin[joint, columns], loose
                )
                bends[joint, columns] = at
                good &= inside
                if loose > LOOSE:
                    strayed = np.maximum(strayed, np.abs(wrapped(number - at)))
        strayed = strayed[good]
        found.append((which[good], bends[:, good], _more(strayed)))
    several = flat(kinds, table, known)
    if len(several[0]):
        found.append(_families(proof, table, several, asked))
    return _joined(found)


def _families(
    proof: AngleProof, table: Triangles | Closures, flat: tuple[Indices, Indices], asked: _Asked
) -> _Poses:
    targets, headings, starts, begun = asked[:4]
    bends, which = ends_of_families(
        proof.lengths[:, 0],
        proof.limits,
        None if proof.fixed is None else proof.fixed[:, 0],
        table,
        flat,
        targets,
        headings if begun is not None else None,
        starts,
    )
    return which, bends, np.zeros(len(which))


def judged(
    proof: AngleProof,
    bends: FloatArray,
    which: Indices,
    targets: ComplexArray,
    headings: FloatArray,
    strayed: FloatArray,
) -> Candidates:
    """Return bends (n, c) for some targets with what they are off."""
    lengths, turns = links_many(proof.fixed, proof.lengths, bends)
    angles = np.cumsum(turns, axis=0)
    error = np.abs((lengths * np.exp(1j * angles)).sum(axis=0) - targets[which])
    off = headings[which] - angles[-1]
    return Candidates(which, bends, error, wrapped(off), strayed)


def _begun(proof: AngleProof, starts: FloatArray) -> _Begun:
    """Return the poses (n, m) from which joints move."""
    lengths, turns = links_many(proof.fixed, proof.lengths, starts)
    angles = np.cumsum(turns, axis=0)
    ends = np.cumsum(lengths * np.exp(1j * angles), axis=0)
    zero = np.zeros((1, starts.shape[1]))
    return _Begun(np.vstack([zero, angles[:-1]]), np.vstack([zero, ends[:-1]]))
