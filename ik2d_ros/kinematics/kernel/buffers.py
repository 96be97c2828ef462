"""Numbers in arrays, as C reads them: by their address."""

from __future__ import annotations

from array import array
from typing import Any

try:
    import cython
except ImportError:
    from ik2d_ros.kinematics.kernel import uncompiled as cython

if not cython.compiled:

    def doubles(numbers: array[float], arrays: list[Any]) -> array[float]:
        """Return the numbers of an array, and keep it: C holds their address alone."""
        arrays.append(numbers)
        return numbers

    def integers(numbers: array[int], arrays: list[Any]) -> array[int]:
        """Return the integers of an array, and keep it."""
        arrays.append(numbers)
        return numbers
