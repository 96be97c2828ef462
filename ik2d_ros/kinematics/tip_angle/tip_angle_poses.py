"""Poses that triangles and closures make for targets with a tip angle, within limits.

Derived in ``docs/solvers.md``, section 11. Arrays of poses have a column per pose. Lengths are in
reaches, angles are bends.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import Limits, into_range_many, wrapped
from ik2d_ros.kinematics.arrays import ComplexArray, Flags, FloatArray, Indices
from ik2d_ros.kinematics.closed_form.two_bone_many import elbow_bend_many
from ik2d_ros.kinematics.descent.many import units
from ik2d_ros.kinematics.tip_angle.tip_angle_closing import Known, closed, flat
from ik2d_ros.kinematics.tip_angle.tip_angle_closures import Closures, Kinds
from ik2d_ros.kinematics.tip_angle.tip_angle_families import ends_of_families
from ik2d_ros.kinematics.tip_angle.tip_angle_lines import FLAT, LEANS
from ik2d_ros.kinematics.tip_angle.tip_angle_tables import Tables
from ik2d_ros.kinematics.tip_angle.tip_angle_triangles import LOOSE, Origins, Triangles
from ik2d_ros.kinematics.tuning import SPANNED_CELLS, WORTH_SIDING


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


class Begun(NamedTuple):
    """Poses before a joint has moved: (n, m) headings before each in rad, and where each is.

    Or (n, 1), where all start from the same one.
    """

    before: FloatArray
    pivots: ComplexArray

    def at(self, part: slice) -> Begun:
        """Return some of them."""
        if self.before.shape[1] == 1:
            return self
        return Begun(self.before[:, part], self.pivots[:, part])


class Sought(NamedTuple):
    """Targets, an element or a column each, and the starts, as poses if the angles matter.

    Also by how much distances may be missed, in reaches, and limits, in rad or reaches; and (m,)
    how far off, in rad, angles are that have been found: what is farther off need not be.
    """

    targets: ComplexArray
    headings: FloatArray
    starts: FloatArray
    begun: Begun | None = None
    near: float = 0.0
    loose: float = LOOSE
    best: FloatArray | None = None


# For which targets, (c,), (n, c) bends in rad, and (c,) by how far they were outside of limits.
Poses = tuple[Indices, FloatArray, FloatArray]


def no_poses(asked: Sought) -> Poses:
    """Return no poses for some targets."""
    return np.zeros(0, dtype=np.intp), np.zeros((len(asked.starts), 0)), np.zeros(0)


def joined(found: list[Poses]) -> Poses:
    """Return several as one."""
    which, bends, strayed = zip(*found, strict=True)
    return np.concatenate(which), np.concatenate(bends, axis=1), np.concatenate(strayed)


def of_triangles(proof: AngleProof, table: Triangles, origins: Origins, asked: Sought) -> Poses:
    """Return the poses of triangles of revolute joints."""
    targets, headings, starts, begun, near, loose, _ = asked
    n = len(starts)
    if begun is not None:
        before, pivots = begun
        wrist = targets[:, None] - units(headings)[:, None] * origins.tail
        span = wrist - pivots[origins.joint].T
    else:
        span = targets[:, None] - origins.start
    which, e = _met(table, origins, np.abs(span), near)
    if not len(e):
        return no_poses(asked)
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
                return no_poses(asked)
    i, j, k = table.joints[:, e]
    begin, columns = starts[:, which], np.arange(len(e))
    bends = table.bends[e].T.copy()
    first = way + table.lead[0, e]
    second = elbow + table.lead[1, e]
    if begun is not None:
        held = np.arange(n)[:, None] < i
        bends[held] = begin[held]
        heading = before[i, which if before.shape[1] > 1 else 0]
        first = first - heading
    lower, upper = np.array(proof.limits).T
    turns = [(i, first), (j, second)]
    if begun is not None:
        turns.append((k, headings[which] - heading - first - second - table.rest[e]))
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
        return joined([(found, bends, strayed), extra])
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


def of_closures(proof: AngleProof, kinds: Kinds, table: Closures, asked: Sought) -> Poses:
    """Return the poses of closures with joints that slide."""
    targets, headings, starts, begun, near, loose, best = asked
    n = len(starts)
    lower, upper = np.array([*proof.limits, (-np.inf, np.inf)]).T
    if begun is not None:
        before, pivots = begun
        i = table.joints[0]
        known = Known(targets - pivots[i], before[i], units(before)[i], headings, units(headings))
    else:
        none, one = np.zeros((1, 1)), np.ones((1, 1), dtype=complex)
        known = Known(targets[None], none, one, none, np.zeros((1, 1), dtype=complex))
    found, moving = [no_poses(asked)], 3 if begun is not None else 2
    worth = None if best is None else _worth(kinds, table, lower, upper, asked, best)
    tried = closed(kinds, table, known, lower, upper, proof.tables.alone, (near, loose), worth)
    for each in tried:
        entry, which, numbers, strayed = each
        if best is not None:  # As no last link has a heading, the tip makes up for all.
            off = np.abs(wrapped(headings[which] + numbers[2]))
            some = np.flatnonzero(off <= best[which] + 2.0 * loose)
            entry, which, strayed = entry[some], which[some], strayed[some]
            numbers = numbers[:, some]
        for row in range(moving):
            if not kinds[row]:
                continue
            joint, number = table.joints[row, entry], numbers[row]
            at, inside = into_range_many(
                number, lower[joint], upper[joint], starts[joint, which], loose
            )
            if loose > LOOSE:
                strayed = np.maximum(strayed, np.abs(wrapped(number - at)))
            numbers[row] = at
            if not inside.all():  # What is left is written out: less than was tried.
                entry, which, strayed = entry[inside], which[inside], strayed[inside]
                numbers = numbers[:, inside]
        if not len(entry):
            continue
        joints, columns = table.joints[:, entry], np.arange(len(entry))
        bends = table.bends[entry].T.copy()
        if begun is not None:
            held = np.arange(n)[:, None] < joints[0]
            bends[held] = starts[:, which][held]
        bends[joints[:moving], columns] = numbers[:moving]
        found.append((which, bends, _more(strayed)))
    several = flat(kinds, table, known)
    if len(several[0]):
        found.append(_families(proof, table, several, asked))
    return joined(found)


def _worth(
    kinds: Kinds,
    table: Closures,
    lower: FloatArray,
    upper: FloatArray,
    asked: Sought,
    best: FloatArray,
) -> Callable[[Indices, Indices], Flags]:
    """Return what tells which closures may bring which targets' angles closer, before closing.

    Limits of the first joint that turns bound the heading of the last link.
    """
    joint = table.joints[kinds.index(True)]
    turns = joint < len(asked.starts)  # The tip may turn, but not the last link.
    begin, end = (np.where(turns, each[joint], 0.0) for each in (lower, upper))
    half = 0.5 * (end - begin)
    middle = table.leads.sum(axis=0) + begin + half
    enough = best + 2.0 * asked.loose

    def worth(entry: Indices, which: Indices) -> Flags:
        off = np.abs(wrapped(asked.headings[which] - middle[entry]))
        too_far: Flags = off > half[entry] + enough[which]
        return ~too_far  # No number, where there are no limits.

    return worth


def _families(
    proof: AngleProof, table: Triangles | Closures, flat: tuple[Indices, Indices], asked: Sought
) -> Poses:
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
