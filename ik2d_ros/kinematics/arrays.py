"""Types of arrays, and what NumPy lacks for them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Flags = NDArray[np.bool_]


def read_only(values: Sequence[float]) -> FloatArray:
    """Return an array of some numbers that cannot be written to."""
    array = np.array(values, dtype=np.float64)
    array.setflags(write=False)
    return array


def norms(vectors: FloatArray) -> FloatArray:
    """Return (k,) lengths of vectors (k, 3), whose squares may overflow."""
    lengths: FloatArray = np.hypot(np.hypot(vectors[:, 0], vectors[:, 1]), vectors[:, 2])
    return lengths
