"""What a jump along a path is; units and arrays are those of :mod:`.links`."""

from __future__ import annotations

import numpy as np

from ik2d_ros.kinematics.arrays import ComplexArray, Flags, FloatArray
from ik2d_ros.kinematics.links import Links, spans_of
from ik2d_ros.kinematics.paths.path_moves import slopes_of, turns_within
from ik2d_ros.kinematics.tuning import PATH_MORE, PATH_SINGULAR, PATH_TIMES


def jumping(links: Links, targets: ComplexArray, bends: FloatArray) -> Flags:
    """Return whether a joint moves more than a step to a target that is near needs.

    Not beside a singular pose, where the tip cannot take every direction.

    Args:
        links: links and limits.
        targets: (m,) the path, in reaches, or more of it.
        bends: (n, m) poses on the targets.

    Returns:
        (m - 1,) for each pose but the first, whether it is a jump from the one before.
    """
    moved = np.abs(np.diff(bends, axis=1)).max(axis=0, initial=0.0)
    found: Flags = moved > PATH_MORE
    far = np.flatnonzero(found)
    if len(far):
        before = bends[:, far]
        spans = spans_of(links, targets[far + 1], before)
        least = np.abs(turns_within(spans, before, links.lower, links.upper)).max(axis=0)
        found[far] = (moved[far] > PATH_TIMES * least + PATH_MORE) & (
            slopes_of(spans) >= PATH_SINGULAR
        )
    return found
