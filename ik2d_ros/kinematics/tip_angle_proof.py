"""Whether the limits of a chain allow a target at a tip angle, and else the closest angle: exactly.

The idea, derived in ``docs/solvers.md``, section 11: if there is a pose, there is one in which all
but three joints are at limits or in line, and these three are a triangle. Of the poses that bring
the tip onto the target, those with the largest and the smallest angle are triangles, too.

Arrays of poses have a column per pose. Lengths are in reaches, angles are bends.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import TURN, Limits, into_range_many
from ik2d_ros.kinematics.arrays import ComplexArray, FloatArray
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.tip_angle_families import FLAT, ends_of_families
from ik2d_ros.kinematics.tip_angle_shapes import Indices, Parts, Shapes
from ik2d_ros.kinematics.tip_angle_triangles import LOOSE, Triangles, block, triangles
from ik2d_ros.kinematics.tuning import ANGLE_PROOF_JOINTS, PROOF_CELLS, PROOF_TRIANGLES
from ik2d_ros.kinematics.two_bone_many import elbow_bend_many

EXACT = 1e-11  # Reaches, or rad; a pose that is off by no more is there.


class AngleProof(NamedTuple):
    """What is known of a chain before any target is.

    Attributes:
        lengths: (n, 1) of the links, in reaches.
        limits: (n,) pairs (lower, upper) of each bend in rad.
        posed: triangles that reach a target at an angle; some first joints are at the start.
        turned: triangles that reach a target, with the last link turned as far as it can be.
    """

    lengths: FloatArray
    limits: Limits
    posed: Triangles
    turned: Triangles


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


@lru_cache(maxsize=4)
def angle_proof_of(chain: Chain) -> AngleProof | None:
    """Return what is known of a chain before any target is, or None where that is too much.

    Making it takes milliseconds, so that it is kept.
    """
    n = len(chain)
    if n > ANGLE_PROOF_JOINTS:
        return None
    parts = Parts(np.array(chain.unit_lengths), chain.bend_limits)
    posed = _gathered(_posed(parts, n), n)
    turned = None if posed is None else _gathered(_turned(parts, n), n)
    if posed is None or turned is None:
        return None
    return AngleProof(parts.lengths[:, None], chain.bend_limits, posed, turned)


def _gathered(blocks: Iterator[Triangles], n: int) -> Triangles | None:
    kept, count = [], 0
    for each in blocks:
        kept.append(each)
        count += len(each.rest)
        if count > PROOF_TRIANGLES:
            return None
    return triangles(kept, n)


def _free(parts: Parts, n: int, least: int) -> list[int]:
    """Return the joints that can move; all, where that is fewer than the least."""
    moving = [joint for joint in range(n) if parts.moves[joint]]
    return moving if len(moving) >= least else list(range(n))


def _posed(parts: Parts, n: int) -> Iterator[Triangles]:
    free = _free(parts, n, 3)
    for i in free:
        before = Shapes(np.zeros(1, complex), np.zeros((1, i)), np.zeros(1))
        for j in free:
            for k in free:
                if i < j < k:
                    yield block(
                        (i, j, k),
                        before,
                        parts.held(i, j),
                        parts.in_line(j, k),
                        parts.held(k, n),
                        parts.limits[j],
                        known=False,
                    )


def _turned(parts: Parts, n: int) -> Iterator[Triangles]:
    nothing = Shapes(np.zeros(1, complex), np.zeros((1, 0)), np.zeros(1))
    free = _free(parts, n, 2)
    for i in free:
        for j in free:
            if i < j:
                yield block(
                    (i, j, n),
                    parts.before(i),
                    parts.in_line(i, j),
                    parts.held(j, n),
                    nothing,
                    parts.limits[j],
                    known=True,
                )


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
    return _found(proof, proof.posed, targets, headings, starts, with_angle=True)


def turned(
    proof: AngleProof, targets: ComplexArray, headings: FloatArray, starts: FloatArray
) -> Candidates:
    """Return poses that reach targets, those with the largest and smallest angles among them."""
    return _found(proof, proof.turned, targets, headings, starts, with_angle=False)


def _found(
    proof: AngleProof,
    table: Triangles,
    targets: ComplexArray,
    headings: FloatArray,
    starts: FloatArray,
    with_angle: bool,
) -> Candidates:
    step = max(1, PROOF_CELLS // max(1, len(table.rest)))
    found = []
    for begin in range(0, len(targets), step):
        part = slice(begin, begin + step)
        some = _solved(proof, table, targets[part], headings[part], starts[:, part], with_angle)
        found.append(some._replace(which=some.which + begin))
    return Candidates(*(np.concatenate(values, axis=-1) for values in zip(*found, strict=True)))


def _solved(
    proof: AngleProof,
    table: Triangles,
    targets: ComplexArray,
    headings: FloatArray,
    starts: FloatArray,
    with_angle: bool,
) -> Candidates:
    n = len(starts)
    if with_angle:
        before, pivots = _begun(proof, starts)
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
    if with_angle:
        held = np.arange(n)[:, None] < i
        bends[held] = begin[held]
        first = first - before[i, which]
    lower, upper = np.array(proof.limits).T
    turns = [(i, first), (j, second)]
    if with_angle:
        turns.append((k, headings[which] - before[i, which] - first - second - table.rest[e]))
    good = np.ones(len(e), dtype=np.bool_)
    for joint, bend in turns:
        at, inside = into_range_many(bend, lower[joint], upper[joint], begin[joint, columns], LOOSE)
        bends[joint, columns] = at
        good &= inside
    flat = np.minimum(np.minimum(a, b), distance) <= FLAT
    for_flat = which[flat]
    bends, which = bends[:, good], which[good]
    if flat.any():
        extra, for_which = ends_of_families(
            proof.lengths[:, 0],
            proof.limits,
            table,
            (e[flat], for_flat),
            targets,
            headings if with_angle else None,
            starts,
        )
        bends, which = np.hstack([bends, extra]), np.concatenate([which, for_which])
    return judged(proof, bends, which, targets, headings)


def judged(
    proof: AngleProof,
    bends: FloatArray,
    which: Indices,
    targets: ComplexArray,
    headings: FloatArray,
) -> Candidates:
    """Return bends (n, c) for some targets with what they are off."""
    angles = np.cumsum(bends, axis=0)
    error = np.abs((proof.lengths * np.exp(1j * angles)).sum(axis=0) - targets[which])
    off = headings[which] - angles[-1]
    return Candidates(which, bends, error, off - TURN * np.rint(off / TURN))


def _begun(proof: AngleProof, starts: FloatArray) -> tuple[FloatArray, ComplexArray]:
    """Return (n, m) headings before each joint at the start in rad, and where the joints are."""
    angles = np.cumsum(starts, axis=0)
    ends = np.cumsum(proof.lengths * np.exp(1j * angles), axis=0)
    zero = np.zeros((1, starts.shape[1]))
    return np.vstack([zero, angles[:-1]]), np.vstack([zero, ends[:-1]])
