"""Where an arm on a turntable comes closest to targets, by the method that suits its chain."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.closest_arcs import closest_on_edge, edge_of, has_arcs
from ik2d_ros.kinematics.closest_turns import closest_turns
from ik2d_ros.kinematics.sweep import Sweep
from ik2d_ros.kinematics.turning import Around, TurningPlane

_POINT = 1e-15  # Of where it is; a smaller chain has its tip where its base is, but for rounding.
_SAME = 1e-8  # Reaches; poses that differ by less are as close.


class Closest(NamedTuple):
    """Turns, and poses if they are known, an element each; one of a target's is the closest.

    Attributes:
        which: (k,) the targets that they are for.
        turns: (k,) positions of the turntable in rad, inside its limits.
        q: (k, n) positions of the chain in rad, inside its limits but for whole turns; None where
            the chain is to come as close as it can in its plane.
    """

    which: NDArray[np.intp]
    turns: FloatArray
    q: FloatArray | None


def closest_poses(
    chain: Chain,
    sweep: Sweep,
    goals: FloatArray,
    limits: tuple[float, float],
    begun: FloatArray,
) -> Closest:
    """Find where the tip comes closest to targets.

    Args:
        chain: the chain in the plane.
        sweep: the plane about the turntable's axis.
        goals: (m, 3) the targets about the same: radius in m, angle in rad, height in m.
        limits: (lower, upper) of the turntable in rad.
        begun: (m, b, n) positions in rad, inside the limits, where to begin besides.
    """
    every = np.arange(len(goals))
    if not len(goals):
        return Closest(every, np.empty(0), None)
    size, (x, y) = chain.reach.outer, sweep.base
    if size <= _POINT * max(sweep.scale, np.abs(goals[:, ::2]).max()):
        # All that matters is where the chain's base is.
        out, across, _ = sweep.raised(0.0, 0.0)
        around = Around(*goals.T)
        turns = TurningPlane(sweep, *limits).turns(around, np.array(out), np.array(across))
        return Closest(every, turns, None)
    plane = TurningPlane(sweep._replace(d=sweep.d / size, base=(x / size, y / size)), *limits)
    around = Around(goals[:, 0] / size, goals[:, 1], goals[:, 2] / size)
    if has_arcs(chain):
        turns, away = closest_on_edge(edge_of(chain), plane, around)
        near = away <= away.min(axis=1, keepdims=True) + _SAME
        if limits[0] > -np.inf:
            ends = [plane.beside(around, end) < away.min(axis=1) for end in limits]
            near = np.column_stack([near, *ends])
            turns = np.column_stack([turns, np.broadcast_to(limits, (len(goals), 2))])
        which, column = np.nonzero(near)
        return Closest(which, turns[which, column], None)
    bends = np.moveaxis(begun * chain.signs + chain.shifts, 2, 0)
    turns, bends, away = closest_turns(chain, plane, around, bends)
    which, column = np.nonzero(away <= away.min(axis=1, keepdims=True) + _SAME)
    q = (bends[:, which, column].T - chain.shifts) * chain.signs
    return Closest(which, turns[which, column], q)
