"""What arms in space ask of the solvers of their chain in its plane, and what those answer."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.arrays import FloatArray, Indices
from ik2d_ros.kinematics.closed_form.pair import PairSolver

# What a chain does in its plane: positions (n,) in rad; the tip there, x + iy, and its distance
# from the target, in m; whether no pose is known to be closer; and the passes that it took.
PlanarAnswer = tuple[Sequence[float], complex, float, bool, int]


class PlanarSolver(NamedTuple):
    """What solves for the chain in its plane.

    Attributes:
        quick: takes x and y of the target in m, the chain's start (n,) in rad, and a distance in m
            that counts as reached; goes from there as far as that leads.
        search: takes places (x, y) in m, the start, the quick answers at these places, and the
            distance; says what is found from anywhere, where they have stopped short of it.
        pair: of two revolute joints, takes x and y and the start, and finds at once what it nearly
            always does, see :func:`.pair_solver`; None for other chains.
    """

    quick: Callable[[float, float, Sequence[float], float], PlanarAnswer]
    search: Callable[
        [Sequence[tuple[float, float]], Sequence[float], Sequence[PlanarAnswer], float],
        list[PlanarAnswer],
    ]
    pair: PairSolver | None = None


class Effort(enum.Enum):
    """How much is done to reach targets with a chain of three and more joints within limits."""

    CLOSE = enum.auto()
    """All but the proof or the search."""
    ALL = enum.auto()
    """All that the solver has."""


# Positions (m, n) in rad, distances (m,) from the targets in m, and values (m,) of Status.
PlanarBatch = tuple[FloatArray, FloatArray, NDArray[np.int8]]

# Solves in the plane for some targets (k,) of the batch: which ones, where (k, 2) in m, and with
# how much effort; and within which distance in m that counts as reached.
PlanarBatchSolver = Callable[[Indices, FloatArray, Effort, float], PlanarBatch]
