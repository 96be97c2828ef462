"""What is asked of a planar solver of many targets, and what it answers."""

from __future__ import annotations

import enum
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.arrays import FloatArray, Indices


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
