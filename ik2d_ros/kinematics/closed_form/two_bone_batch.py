"""The quickest closed form: two free joints that start stretched."""

from __future__ import annotations

from threading import get_ident

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.closed_form.two_bone_many import two_bone_free
from ik2d_ros.kinematics.parts import equal_part, in_parts, rows
from ik2d_ros.kinematics.tuning import FREE_CHUNK

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


def fill_plain(
    chain: Chain, points: FloatArray, q: FloatArray, error: FloatArray
) -> NDArray[np.intp]:
    """Write the poses (m, 2) nearest to the stretched one, and return the targets that are left.

    From there the nearest solution is the one whose elbow bends to the target's side: the shoulder
    then turns by the difference of two angles, else by their sum. What is left are the targets on
    the edge of the annulus or outside, or on the x-axis, or not finite. None of the others has an
    ``error`` (m,).
    """
    left: list[NDArray[np.intp]] = []
    size = equal_part(len(points), FREE_CHUNK)
    # For all that is in between, one for each thread: taking it anew costs more than the work.
    spare: dict[int, FloatArray] = {}

    def fill(part: slice) -> None:
        work = spare.get(get_ident())
        if work is None:
            work = spare[get_ident()] = rows(5, size)
        places = points[part].T
        away = two_bone_free(chain.lengths, places, q[part].T, work[:, : places.shape[1]])
        if away is not None:
            left.append(part.start + np.flatnonzero(away))
        error[part] = 0.0

    in_parts(fill, len(points), size)
    if not chain.plain:
        q[:] = chain.positions_many(q)
    return np.sort(np.concatenate(left)) if left else np.arange(0)
