"""Types of arrays, and arrays that nobody can write to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
ComplexArray = NDArray[np.complex128]
Indices = NDArray[np.intp]
Flags = NDArray[np.bool_]

DOUBLE = np.dtype(np.float64)
"""The type of numbers, to be compared by identity: in a fraction of the time of ``==``."""


def read_only(values: Sequence[float]) -> FloatArray:
    """Return an array of some numbers that cannot be written to."""
    array = np.array(values, dtype=np.float64)
    array.setflags(write=False)
    return array


def norms(vectors: FloatArray) -> FloatArray:
    """Return (k,) lengths of vectors (k, 3)."""
    lengths: FloatArray = np.hypot(np.hypot(vectors[:, 0], vectors[:, 1]), vectors[:, 2])
    return lengths
