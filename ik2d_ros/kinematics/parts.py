"""Batches cut into parts: memory that suits the cache, and threads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.kinematics.tuning import THREADS

_LINE = 8  # Numbers in a line of the cache.


def rows(count: int, length: int) -> FloatArray:
    """Return memory for (count, length) numbers, each row from the start of a cache line on.

    Otherwise every wide load and store straddles two lines, which takes a third longer. The line
    between two rows keeps them from the same places in the cache.
    """
    width = -(-length // _LINE) * _LINE + _LINE
    memory = np.empty(count * width + _LINE)
    skip = -memory.ctypes.data // memory.itemsize % _LINE
    return memory[skip : skip + count * width].reshape(count, width)[:, :length]


def in_parts(fill: Callable[[slice], None], count: int, size: int) -> None:
    """Fill a batch part by part, in threads where there are several."""

    def without_warnings(part: slice) -> None:
        # What overflows is farther away than anything is long, and judged so.
        with np.errstate(all='ignore'):
            fill(part)

    parts = [slice(begin, begin + size) for begin in range(0, count, size)]
    if len(parts) == 1:
        without_warnings(parts[0])
    elif parts:
        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(without_warnings, parts))
