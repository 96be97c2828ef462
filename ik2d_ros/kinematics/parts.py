"""Batches cut into parts: memory that suits the cache, and threads."""

from __future__ import annotations

from collections import deque
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


def equal_part(count: int, most: int) -> int:
    """Return how many of a batch make a part, if there are as many parts for each thread.

    Args:
        count: in the batch.
        most: in a part.
    """
    if count <= most:
        return max(1, count)
    parts = THREADS * -(-count // (THREADS * most))
    # Each from the start of a cache line on, as the first is.
    return -(-count // (parts * _LINE)) * _LINE


def in_parts(fill: Callable[[slice], None], count: int, size: int) -> None:
    """Fill a batch part by part, in threads where there are several.

    Who is done with one part takes the next: another process on one of the cores does not keep the
    other waiting. The caller's thread is none of them: there, what they need beside the outputs
    would go back to the system when the outputs do, and be fetched anew, page by page, each time.
    """
    parts = deque(slice(begin, begin + size) for begin in range(0, count, size))

    def work() -> None:
        # What overflows is farther away than anything is long, and judged so.
        with np.errstate(all='ignore'):
            while parts:
                try:
                    part = parts.popleft()
                except IndexError:  # Another thread has taken the last one.
                    return
                fill(part)

    if len(parts) < 2:
        work()
        return
    with ThreadPoolExecutor(THREADS) as pool:
        try:
            for done in [pool.submit(work) for _ in range(THREADS)]:
                done.result()
        finally:
            parts.clear()  # Nobody goes on where one has failed, or the caller is interrupted.
