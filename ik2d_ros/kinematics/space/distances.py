"""How far from its base the limits of a chain allow its tip: what is asked before anything else."""

from __future__ import annotations

import numpy as np

from ik2d_ros.kinematics.angles import TURN
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.kept import kept
from ik2d_ros.kinematics.proof.proof import proof_of
from ik2d_ros.kinematics.proof.proof_many import reached_many


@kept
def distances_of(chain: Chain) -> tuple[float, float]:
    """Return the smallest and the largest distance of the tip from the base within limits, in m.

    Between them limits may still forbid a distance. They are those of the annulus where the edge of
    what the chain reaches is not known.
    """
    proof = proof_of(chain) if chain.limited else None
    if proof is None:
        return chain.reach
    edge, segments = proof.edge, proof.segments
    away = [np.abs(proof.ends)]
    # Nearest to the base and farthest from it an arc is in line with its centre.
    for side in (0.0, np.pi):
        toward = np.arctan2(edge.center.imag, edge.center.real) + side
        points = edge.points(toward)
        away.append(np.abs(points[(toward - edge.begin) % TURN <= edge.length]))
    foot = -(segments.center * segments.along.conj()).real
    nearest_along = np.clip(foot - segments.begin, 0.0, segments.length)
    away += [
        np.abs(segments.points(segments.begin + along))
        for along in (0.0, segments.length, nearest_along)
    ]
    every = np.concatenate(away)
    nearest, farthest = float(every.min()), float(every.max())
    # No edge is nearer to the base, so that all around it is reached or nothing.
    if nearest > 0.0 and reached_many(proof, np.array([0.5 * nearest + 0j]))[0]:
        nearest = 0.0
    size = chain.reach.outer
    return nearest * size, farthest * size


def may_allow(chain: Chain, away: float, tolerance: float) -> bool:
    """Return whether limits may allow a distance from the base in m, as far as it matters."""
    nearest, farthest = distances_of(chain)
    slack = tolerance + 1e-9 * chain.reach.outer
    return nearest - slack <= away <= farthest + slack
