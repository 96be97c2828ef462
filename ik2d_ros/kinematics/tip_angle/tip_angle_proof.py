"""Whether the limits of a chain allow a target at a tip angle, and else the closest angle: exactly.

The idea, derived in ``docs/solvers.md``, section 11: if there is a pose, there is one in which all
but three joints are at limits or in line, and these three are a triangle, or meet on a line if one
of them slides. Of the poses that bring the tip onto the target, those with the largest and the
smallest angle are of that kind, too.

Arrays of poses have a column per pose. Lengths are in reaches, angles are bends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import wrapped
from ik2d_ros.kinematics.arrays import ComplexArray, Flags, FloatArray, Indices
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.columns import fixed_array, links_many
from ik2d_ros.kinematics.kept import kept
from ik2d_ros.kinematics.tip_angle.tip_angle_poses import (
    AngleProof,
    of_closures,
    of_triangles,
)
from ik2d_ros.kinematics.tip_angle.tip_angle_sought import (
    Begun,
    Poses,
    Sought,
    joined,
    no_poses,
)
from ik2d_ros.kinematics.tip_angle.tip_angle_tables import Table, Tables
from ik2d_ros.kinematics.tip_angle.tip_angle_triangles import LOOSE
from ik2d_ros.kinematics.tuning import ANGLE_PROOF_JOINTS, PROOF_CELLS, PROOF_TARGETS, WORTH_SIDING

EXACT = 1e-11  # Reaches, or rad; a pose that is off by no more is there.


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


@kept
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
    asked = Sought(targets, headings, starts, _begun(proof, starts))
    return _found(proof, proof.tables.posed, asked)


def had_many(proof: AngleProof, targets: ComplexArray, headings: FloatArray) -> Flags:
    """Return (m,) which targets can be reached at angles, or nearly: :func:`posed` for less."""
    lowest = [0.0 if lower == -np.inf else lower for lower, _ in proof.limits]
    start = np.array(lowest)[:, None]
    starts = np.repeat(start, len(targets), axis=1)
    asked = Sought(targets, headings, starts, _begun(proof, start), one=True)
    had = np.zeros(len(targets), dtype=np.bool_)
    left: Indices = np.arange(len(targets))
    for solved, entries in _solvers(proof, proof.tables.had):
        some = asked.at(left) if len(left) < len(targets) else asked
        for which, _, _ in _parted(some, entries, solved):
            had[left[which]] = True
        left = np.flatnonzero(~had)
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
    best: FloatArray = np.full(len(targets), np.inf)
    asked = Sought(targets, headings, starts, near=near, loose=loose, best=best)
    table = proof.tables.turned
    if len(targets) < WORTH_SIDING or not table.closures:
        return _found(proof, table, asked)
    return _closest(proof, table, asked)


def _found(proof: AngleProof, table: Table, asked: Sought) -> Candidates:
    found = list(_each(proof, table, asked)) or [no_poses(asked)]
    which, bends, strayed = found[0] if len(found) == 1 else joined(found)
    return judged(proof, bends, which, asked.targets, asked.headings, strayed)


def _closest(proof: AngleProof, table: Table, asked: Sought) -> Candidates:
    """Return poses, but few of those that are farther off than others; ``best`` is written to."""
    found = []
    for which, bends, strayed in _each(proof, table, asked):
        some = judged(proof, bends, which, asked.targets, asked.headings, strayed)
        good = (some.error <= EXACT) & (strayed <= 0.0)
        if asked.best is not None:
            np.minimum.at(asked.best, which[good], np.abs(some.off[good]))
        found.append(some)
    names = zip(Candidates._fields, zip(*found, strict=True), strict=True)
    return Candidates(
        *(np.concatenate(each, axis=1 if name == 'bends' else 0) for name, each in names)
    )


def _each(proof: AngleProof, table: Table, asked: Sought) -> Iterator[Poses]:
    for solved, entries in _solvers(proof, table):
        yield from _parted(asked, entries, solved)


def _solvers(proof: AngleProof, table: Table) -> Iterator[tuple[Callable[[Sought], Poses], int]]:
    """Return what gives poses of all triangles, and of all closures of each kind; how many both."""
    some = table.triangles
    if len(some.rest):
        yield partial(of_triangles, proof, some, table.origins), len(some.rest)
    for kinds, each in table.closures:
        yield partial(of_closures, proof, kinds, each), len(each.ahead)


def _parted(asked: Sought, entries: int, solved: Callable[[Sought], Poses]) -> Iterator[Poses]:
    step = max(PROOF_TARGETS, PROOF_CELLS // max(1, entries))
    if 0 < len(asked.targets) <= step:
        yield solved(asked)
        return
    for begin in range(0, len(asked.targets), step):
        which, bends, strayed = solved(asked.at(slice(begin, begin + step)))
        yield which + begin, bends, strayed


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


def _begun(proof: AngleProof, starts: FloatArray) -> Begun:
    """Return the poses (n, m) from which joints move."""
    lengths, turns = links_many(proof.fixed, proof.lengths, starts)
    angles = np.cumsum(turns, axis=0)
    ends = np.cumsum(lengths * np.exp(1j * angles), axis=0)
    zero = np.zeros((1, starts.shape[1]))
    return Begun(np.vstack([zero, angles[:-1]]), np.vstack([zero, ends[:-1]]))
