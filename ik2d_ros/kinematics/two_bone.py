"""The closed form of two free joints for many targets at once.

The only formula outside of the kernel: on whole arrays it takes a twentieth of the time.
"""

from __future__ import annotations

import numpy as np

from ik2d_ros.kinematics.arguments import Flags, FloatArray
from ik2d_ros.kinematics.chain import Chain

_CHUNK = 16_384  # Targets at a time: intermediate arrays stay in the cache.
_ROUNDING = 1e-9  # A share of the value at a right angle; a smaller sine counts as 0.
_UNEQUAL = 1e-3  # Share of the other link that a link must have, or digits are lost.


def is_at_rest(chain: Chain, starts: FloatArray) -> bool:
    """Whether these are two free joints of sensible lengths that start stretched along x."""
    return (
        len(chain) == 2
        and not chain.limited
        and min(chain.lengths) > _UNEQUAL * max(chain.lengths)
        and not any(chain.shifts)
        and not chain.linked
        and not any(chain.tool)
        and not starts.any()
    )


def fill_plain(chain: Chain, points: FloatArray, q: FloatArray) -> Flags:
    """Write the poses (m, 2) nearest to the stretched one, and return which are not to be used.

    The nearest solution is the one whose elbow bends to the target's side: the shoulder then turns
    by the difference of two angles, else by their sum. The poses are not to be used for targets on
    the edge of the annulus or outside, next to the x-axis, or not finite.

    With the distance d, ``s = sqrt(((l1 + l2)^2 - d^2) (d^2 - (l1 - l2)^2))`` is ``2 l1 l2`` times
    the sine of the elbow's bend, and ``d^2 - l1^2 - l2^2`` is ``2 l1 l2`` times its cosine. The
    shoulder leads the target by the angle of ``l1 + l2 exp(i elbow)``, which is the angle of
    ``d^2 + l1^2 - l2^2 + i s``: turning the target back by it is one complex product.
    """
    left = np.empty(len(points), bool)
    first, second = (length / chain.size for length in chain.lengths)
    for begin in range(0, len(points), _CHUNK):
        part = slice(begin, begin + _CHUNK)
        (x, y), bends = points[part].T / chain.size, q[part].T
        square = x * x
        square += y * y
        sine = (first + second) ** 2 - square
        sine *= square - (first - second) ** 2
        with np.errstate(invalid='ignore'):  # Outside the annulus it is no number.
            np.sqrt(sine, out=sine)
        np.copysign(sine, y, out=sine)
        np.arctan2(sine, square - (first * first + second * second), out=bends[1])
        across = y * sine
        left[part] = ~(across > _ROUNDING * 2 * first * second)
        square += (first + second) * (first - second)
        np.arctan2(y * square - x * sine, x * square + across, out=bends[0])
    q *= chain.signs
    return left
