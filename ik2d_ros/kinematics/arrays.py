"""Types of arrays, and what NumPy lacks for them."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Flags = NDArray[np.bool_]
Numbers = Sequence[float] | FloatArray


def read_only(values: Sequence[float]) -> FloatArray:
    """Return an array of some numbers that cannot be written to."""
    array = np.array(values, dtype=np.float64)
    array.setflags(write=False)
    return array


def packed(numbers: FloatArray) -> array[float]:
    """Return numbers as the kernel takes them."""
    return array('d', np.ascontiguousarray(numbers).tobytes())
