"""Poses that triangles and closures make for targets with a tip angle, within limits.

Derived in ``docs/solvers.md``, section 11. Arrays of poses have a column per pose. Lengths are in
reaches, angles are bends.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import ANGLE_ROUNDING, Limits, into_range_many, wrapped
from ik2d_ros.kinematics.arrays import Flags, FloatArray, Indices
from ik2d_ros.kinematics.closed_form.two_bone_many import elbow_bend_many
from ik2d_ros.kinematics.links import units
from ik2d_ros.kinematics.tip_angle.tip_angle_closing import Known, closed, flat
from ik2d_ros.kinematics.tip_angle.tip_angle_closures import Closures, Kinds
from ik2d_ros.kinematics.tip_angle.tip_angle_families import ends_of_families
from ik2d_ros.kinematics.tip_angle.tip_angle_lines import FLAT, LEANS
from ik2d_ros.kinematics.tip_angle.tip_angle_sieve import (
    UNSURE,
    Met,
    best_first,
    first_of_each,
    sifted,
)
from ik2d_ros.kinematics.tip_angle.tip_angle_sought import Poses, Sought, joined, no_poses
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


def of_triangles(proof: AngleProof, table: Triangles, origins: Origins, asked: Sought) -> Poses:
    """Return the poses of triangles of revolute joints.

    Of those that turn the tip most of the closest ones, and one for each target is enough where it
    is asked whether there is any.
    """
    targets, headings, begun = asked.targets, asked.headings, asked.begun
    if begun is not None:
        wrist = targets[:, None] - units(headings)[:, None] * origins.tail
        span = wrist - begun.pivots[origins.joint].T
    else:
        span = targets[:, None] - origins.start
    which, e = _met(table, origins, np.abs(span), asked.near)
    if not len(e):
        return no_poses(asked)
    met = Met(which, e, span.ravel().take(which * span.shape[1] + origins.of.take(e)))
    if len(e) <= WORTH_SIDING:
        return _solved(proof, table, origins.sided, met, asked)[0]
    lower, upper = np.array([*proof.limits, (-np.inf, np.inf)]).T
    met, off = sifted(table, (lower, upper), met, asked)
    solve = partial(_solved, proof, table, origins.sided, asked=asked)
    if asked.best is not None:
        margin = 2.0 * (UNSURE + asked.loose)
        some = np.flatnonzero(~(off > asked.best.take(met.which) + margin))
        found = best_first(solve, met.at(some), off.take(some), margin)
    elif asked.one:
        found = first_of_each(solve, met)
    else:
        found = [solve(met)[0]]
    return joined(found) if found else no_poses(asked)


def _solved(
    proof: AngleProof, table: Triangles, sided: bool, met: Met, asked: Sought
) -> tuple[Poses, Flags]:
    """Return the poses of triangles that span what they have to, and which are no families' ends.

    And are not brought back to a limit either, by however little.
    """
    headings, starts, begun, loose = asked.headings, asked.starts, asked.begun, asked.loose
    which, e, span = met
    distance = np.abs(span)
    a, b = table.sides.take(e, axis=1)
    elbow = table.way.take(e) * elbow_bend_many(a, b, distance)
    way = np.angle(span) - np.arctan2(b * np.sin(elbow), a + b * np.cos(elbow))
    flat = np.minimum(np.minimum(a, b), distance) <= FLAT
    if sided and len(e) > WORTH_SIDING:
        # What is held has to be on the right side of the line; to drop few takes longer.
        line = way if begun is None else way + elbow - headings.take(which)
        on = flat | (np.abs(wrapped(line - table.toward.take(e))) <= table.spread.take(e) + LEANS)
        if not on.all():
            e, which, elbow, way, flat = e[on], which[on], elbow[on], way[on], flat[on]
    if not len(e):
        return no_poses(asked), flat
    i, j, k = table.joints.take(e, axis=1)
    columns = np.arange(len(e))
    lead = table.lead.take(e, axis=1)
    first, second = way + lead[0], elbow + lead[1]
    turns = [(i, first), (j, second)]
    if begun is not None:
        heading = begun.before[i, which if begun.before.shape[1] > 1 else 0]
        first = first - heading
        third = headings.take(which) - heading - first - second - table.rest.take(e)
        turns = [(i, first), (j, second), (k, third)]
    good = np.ones(len(e), dtype=np.bool_)
    strayed: FloatArray = np.zeros(len(e))
    lower, upper = np.array(proof.limits).T
    moved = []
    for joint, bend in turns:
        at, inside = into_range_many(bend, lower[joint], upper[joint], starts[joint, which], loose)
        moved.append(at)
        good &= inside
        strayed = np.maximum(strayed, np.abs(wrapped(bend - at)))
    some = np.flatnonzero(good)
    bends = table.bends.take(e.take(some), axis=0).T.copy()
    if begun is not None:
        begin = starts.take(which.take(some), axis=1)
        held = np.arange(len(starts))[:, None] < i.take(some)
        bends[held] = begin[held]
    for (joint, _), at in zip(turns, moved, strict=True):
        bends[joint.take(some), columns[: len(some)]] = at.take(some)
    strayed = strayed.take(some)
    found, sure = which.take(some), ~flat.take(some) & (strayed <= ANGLE_ROUNDING)
    strayed = _more(strayed)
    if flat.any():
        extra = _families(proof, table, (e[flat], which[flat]), asked)
        more = joined([(found, bends, strayed), extra])
        return more, np.concatenate([sure, np.zeros(len(extra[0]), dtype=np.bool_)])
    return (found, bends, strayed), sure


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
    targets, headings, starts, begun, near, loose, best, _ = asked
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
