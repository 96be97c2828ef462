"""From poses at some targets of a path to smooth ones at all; arrays are as in :mod:`.links`."""

from __future__ import annotations

import numpy as np

from ik2d_ros.kinematics.arrays import ComplexArray, Flags, FloatArray
from ik2d_ros.kinematics.links import Links
from ik2d_ros.kinematics.paths.path_jumps import jumping
from ik2d_ros.kinematics.paths.path_moves import brought_back
from ik2d_ros.kinematics.paths.path_search import Explored
from ik2d_ros.kinematics.tuning import PATH_ON, PATH_SMOOTHED, PATH_SPANS


def threaded(links: Links, targets: ComplexArray, found: Explored, slow: Flags) -> FloatArray:
    """Return poses (n, k) at all targets (k,) of a way that was explored, smooth if they can be.

    Where joints jump all the same, it is between the stops.

    Args:
        links: links and limits.
        targets: (m,) the path, in reaches, maybe longer than the way.
        found: the way.
        slow: (m,) at which targets to leave the poses as they are, if smoothing all fails.
    """
    every = np.arange(found.stops[-1] + 1)
    path = targets[: len(every)]
    between = np.array([np.interp(every, found.stops, bends) for bends in found.bends])
    raw = brought_back(links, path, between, (links.lower, links.upper), PATH_ON).bends
    best, fewest = raw, int(jumping(links, path, raw).sum())
    kept = slow[: len(every)]
    for fixed in (np.zeros_like(kept), kept) if kept.any() else (kept,):
        bends = raw
        for _ in range(PATH_SMOOTHED):
            for span in PATH_SPANS:
                bends = np.where(fixed, bends, _evened(links, path, bends, span))
            left = int(jumping(links, path, bends).sum())
            if left < fewest:
                best, fewest = bends, left
            if not left:
                break
        if not fewest:
            break
    best[:, 0] = found.bends[:, 0]  # To the last bit.
    return best


def _evened(links: Links, targets: ComplexArray, bends: FloatArray, span: int) -> FloatArray:
    """Return the poses, each half way to the middle of those before and after it."""
    count = len(targets)
    every = np.arange(count)
    reach = np.minimum(np.minimum(every, count - 1 - every), span)
    middle = 0.5 * (bends[:, every - reach] + bends[:, every + reach])
    limits = (links.lower, links.upper)
    back = brought_back(links, targets, 0.5 * (bends + middle), limits, PATH_ON)
    return np.where(back.there, back.bends, bends)
