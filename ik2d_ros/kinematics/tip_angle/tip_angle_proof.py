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
from ik2d_ros.kinematics.arrays import ComplexArray, FloatArray, Indices
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.closed_form.two_bone_many import elbow_bend_many
from ik2d_ros.kinematics.columns import fixed_array, links_many
from ik2d_ros.kinematics.descent.many import units
from ik2d_ros.kinematics.tip_angle.tip_angle_closures import Closures, Kinds, Known, closed, flat
from ik2d_ros.kinematics.tip_angle.tip_angle_families import ends_of_families
from ik2d_ros.kinematics.tip_angle.tip_angle_tables import Table, Tables, tables_of
from ik2d_ros.kinematics.tip_angle.tip_angle_triangles import FLAT, LOOSE, Triangles
from ik2d_ros.kinematics.tuning import ANGLE_PROOF_JOINTS, PROOF_CELLS

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
    """

    which: Indices
    bends: FloatArray
    error: FloatArray
    off: FloatArray


class _Begun(NamedTuple):
    """Poses before a joint has moved: (n, m) headings before each in rad, and where each is."""

    before: FloatArray
    pivots: ComplexArray

    def at(self, part: slice) -> _Begun:
        """Return some of them."""
        return _Begun(self.before[:, part], self.pivots[:, part])


class _Asked(NamedTuple):
    """Targets, an element or a column each, and the starts, as poses if the angles matter."""

    targets: ComplexArray
    headings: FloatArray
    starts: FloatArray
    begun: _Begun | None = None


@lru_cache(maxsize=4)
def angle_proof_of(chain: Chain) -> AngleProof | None:
    """Return what is known of a chain before any target is, or None where that is too much.

    Making it takes milliseconds, so that it is kept.
    """
    if len(chain) > ANGLE_PROOF_JOINTS:
        return None
    tables = tables_of(chain)
    if tables is None:
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


def turned(
    proof: AngleProof, targets: ComplexArray, headings: FloatArray, starts: FloatArray
) -> Candidates:
    """Return poses that reach targets, those with the largest and smallest angles among them."""
    return _found(proof, proof.tables.turned, _Asked(targets, headings, starts))


# For which targets, (c,), and (n, c) bends in rad.
_Poses = tuple[Indices, FloatArray]


def _found(proof: AngleProof, table: Table, asked: _Asked) -> Candidates:
    found: list[_Poses] = [_none(asked)]
    some = table.triangles
    if len(some.rest):
        found += _parted(asked, len(some.rest), partial(_solved, proof, some))
    for kinds, each in table.closures:
        found += _parted(asked, len(each.ahead), partial(_closed, proof, kinds, each))
    which, bends = _joined(found)
    return judged(proof, bends, which, asked.targets, asked.headings)


def _none(asked: _Asked) -> _Poses:
    return np.zeros(0, dtype=np.intp), np.zeros((len(asked.starts), 0))


def _joined(found: list[_Poses]) -> _Poses:
    which, bends = zip(*found, strict=True)
    return np.concatenate(which), np.concatenate(bends, axis=1)


def _parted(asked: _Asked, entries: int, solved: Callable[[_Asked], _Poses]) -> Iterator[_Poses]:
    step = max(1, PROOF_CELLS // max(1, entries))
    for begin in range(0, len(asked.targets), step):
        part = slice(begin, begin + step)
        begun = asked.begun and asked.begun.at(part)
        some = _Asked(asked.targets[part], asked.headings[part], asked.starts[:, part], begun)
        which, bends = solved(some)
        yield which + begin, bends


def _solved(proof: AngleProof, table: Triangles, asked: _Asked) -> _Poses:
    """Return the poses of triangles of revolute joints."""
    targets, headings, starts, begun = asked
    n = len(starts)
    if begun is not None:
        before, pivots = begun
        wrist = targets - table.tail[:, None] * np.exp(1j * headings)
        span = wrist - pivots[table.joints[0]]
    else:
        span = targets - table.start[:, None]
    distance = np.abs(span)
    met = (table.near[:, None] <= distance) & (distance <= table.far[:, None])
    e, which = np.nonzero(met)
    i, j, k = table.joints[:, e]
    begin, distance = starts[:, which], distance[met]
    a, b = table.sides[:, e]
    elbow = table.way[e] * elbow_bend_many(a, b, distance)
    lead = np.arctan2(b * np.sin(elbow), a + b * np.cos(elbow))
    columns = np.arange(len(e))
    bends = table.bends[e].T.copy()
    first = np.angle(span[met]) - lead + table.lead[0, e]
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
    for joint, bend in turns:
        at, inside = into_range_many(bend, lower[joint], upper[joint], begin[joint, columns], LOOSE)
        bends[joint, columns] = at
        good &= inside
    flat = np.minimum(np.minimum(a, b), distance) <= FLAT
    bends, found = bends[:, good], which[good]
    if flat.any():
        for_which, extra = _families(proof, table, (e[flat], which[flat]), asked)
        bends, found = np.hstack([bends, extra]), np.concatenate([found, for_which])
    return found, bends


def _closed(proof: AngleProof, kinds: Kinds, table: Closures, asked: _Asked) -> _Poses:
    """Return the poses of closures with joints that slide."""
    targets, headings, starts, begun = asked
    n = len(starts)
    lower, upper = np.array([*proof.limits, (-np.inf, np.inf)]).T
    if begun is not None:
        before, pivots = begun
        i = table.joints[0]
        known = Known(targets - pivots[i], before[i], units(before)[i], headings, units(headings))
    else:
        none, one = np.zeros((1, 1)), np.ones((1, 1), dtype=complex)
        full = np.ones((len(table.ahead), 1))
        known = Known(targets * full, none, one, none, np.zeros((1, 1), dtype=complex))
    found, moving = [_none(asked)], 3 if begun is not None else 2
    for entry, which, numbers in closed(kinds, table, known, lower, upper, proof.tables.alone):
        begin, columns = starts[:, which], np.arange(len(entry))
        joints = table.joints[:, entry]
        bends = table.bends[entry].T.copy()
        if begun is not None:
            held = np.arange(n)[:, None] < joints[0]
            bends[held] = begin[held]
        good = np.ones(len(entry), dtype=np.bool_)
        for turns, joint, number in zip(kinds[:moving], joints, numbers, strict=False):
            bends[joint, columns] = number
            if turns:
                bends[joint, columns], inside = into_range_many(
                    number, lower[joint], upper[joint], begin[joint, columns], LOOSE
                )
                good &= inside
        found.append((which[good], bends[:, good]))
    several = flat(kinds, table, known)
    if len(several[0]):
        found.append(_families(proof, table, several, asked))
    return _joined(found)


def _families(
    proof: AngleProof, table: Triangles | Closures, flat: tuple[Indices, Indices], asked: _Asked
) -> _Poses:
    targets, headings, starts, begun = asked
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
    return which, bends


def judged(
    proof: AngleProof,
    bends: FloatArray,
    which: Indices,
    targets: ComplexArray,
    headings: FloatArray,
) -> Candidates:
    """Return bends (n, c) for some targets with what they are off."""
    lengths, turns = links_many(proof.fixed, proof.lengths, bends)
    angles = np.cumsum(turns, axis=0)
    error = np.abs((lengths * np.exp(1j * angles)).sum(axis=0) - targets[which])
    off = headings[which] - angles[-1]
    return Candidates(which, bends, error, wrapped(off))


def _begun(proof: AngleProof, starts: FloatArray) -> _Begun:
    """Return the poses (n, m) from which joints move."""
    lengths, turns = links_many(proof.fixed, proof.lengths, starts)
    angles = np.cumsum(turns, axis=0)
    ends = np.cumsum(lengths * np.exp(1j * angles), axis=0)
    zero = np.zeros((1, starts.shape[1]))
    return _Begun(np.vstack([zero, angles[:-1]]), np.vstack([zero, ends[:-1]]))
