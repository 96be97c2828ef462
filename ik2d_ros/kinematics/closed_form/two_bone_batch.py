"""The quickest closed form: two free joints that start stretched."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.closed_form.two_bone_many import two_bone_free
from ik2d_ros.kinematics.parts import in_parts, rows
from ik2d_ros.kinematics.solution import Poses, Status
from ik2d_ros.kinematics.tuning import FREE_CHUNK, THREADS

_TINIEST = 1e-100  # m; the squares of longer lengths are numbers.
_UNEQUAL = 1e-3  # Share of the other link that a link must have for the quick closed form.


def at_rest(chain: Chain, start: FloatArray | None) -> bool:
    """Return whether two joints start stretched along x, free and of sensible lengths."""
    return (
        len(chain) == 2
        and not chain.limited
        and min(chain.lengths) > _TINIEST
        and min(chain.lengths) > _UNEQUAL * max(chain.lengths)
        and not any(chain.shifts)
        and (start is None or not np.any(start))
    )


def fill_plain(chain: Chain, points: FloatArray, into: Poses) -> NDArray[np.intp]:
    """Write the poses nearest to the stretched one, and return the targets that are left.

    From there the nearest solution is the one whose elbow bends to the target's side: the shoulder
    then turns by the difference of two angles, else by their sum. What is left are the targets on
    the edge of the annulus or outside, or on the x-axis, or not finite.
    """
    left: list[NDArray[np.intp]] = []

    def fill(part: slice) -> None:
        # One piece of memory for all that is in between: taking it anew costs more than the work.
        end = min(part.stop, len(points))
        work = rows(5, min(FREE_CHUNK, end - part.start))
        for begin in range(part.start, end, FREE_CHUNK):
            some = slice(begin, min(begin + FREE_CHUNK, end))
            x, y, *spare = work[:, : some.stop - some.start]
            x[:], y[:] = points[some].T
            away = two_bone_free(chain.lengths, x, y, into.q[some].T, spare)
            into.error[some], into.status[some] = 0.0, Status.REACHED
            if away is not None:
                left.append(begin + np.flatnonzero(away))

    in_parts(fill, len(points), -(-len(points) // THREADS) or 1)
    if not chain.plain:
        into.q[:] = chain.positions_many(into.q)
    return np.sort(np.concatenate(left)) if left else np.arange(0)
