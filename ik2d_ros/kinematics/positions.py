"""From the bends that the solvers have found to positions that a user can command.

:meth:`.Chain.bends_at` and :meth:`.Chain.positions_at` only convert; here bends become positions in
the turns nearest to the start, inside the limits to the last bit.
"""

from __future__ import annotations

import math
from cmath import rect
from collections.abc import Sequence
from itertools import accumulate, repeat

import numpy as np

from ik2d_ros.kinematics.angles import LEAST, MOST, TURN, into_range, into_range_many, near
from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.kinematics.chain import Chain


def commanded(
    chain: Chain,
    bends: Sequence[float],
    start: Sequence[float],
    unit_tip: complex | None = None,
) -> tuple[Sequence[float], complex]:
    """Return the positions of a pose, and where the tip is then.

    Args:
        chain: the chain.
        bends: (n,) of the pose, outside the limits by no more than rounding.
        start: (n,) positions, inside the limits.
        unit_tip: where the tip is at the bends, in reaches, if that is known.

    Returns:
        (n,) positions inside the limits, each in the turn nearest to the start; and the tip in m,
        as it is there, not as the bends had it.
    """
    if chain.free:
        for bend, now in zip(bends, start):
            if not LEAST <= bend - now <= MOST:
                bends, unit_tip = list(map(near, bends, start)), None
                break
        if unit_tip is not None:
            return bends, unit_tip * chain.size
        return bends, sum(map(rect, chain.lengths, accumulate(bends)), 0j)
    positions = []
    angle, tip, size = 0.0, 0j, chain.size
    # Each conversion and the sum in one loop: two thirds of the time of one after the other.
    for bend, fixed, sign, shift, length, (lower, upper), now in zip(
        bends,
        chain.fixed_bends or repeat(None),
        chain.signs,
        chain.shifts,
        chain.lengths,
        chain.limits,
        start,
    ):
        q = (bend - shift) / sign
        if lower == -math.inf:
            q = near(q, now)
        elif fixed is None and upper - lower > TURN:
            turned = into_range(q, lower, upper, now)
            q = min(max(q, lower), upper) if turned is None else turned
        elif q < lower:
            q = lower
        elif q > upper:
            q = upper
        positions.append(q)
        if fixed is None:
            angle += sign * q + shift
            tip += rect(length, angle)
        else:
            angle += fixed
            tip += rect((sign * q + shift) * size, angle)
    return positions, tip


def commanded_many(chain: Chain, bends: FloatArray, starts: FloatArray) -> FloatArray:
    """Return the positions (k, n) that :func:`commanded` has for bends (n, k), starts (k, n).

    Those of a joint lie together in memory.
    """
    lower, upper = chain.lower[:, None], chain.upper[:, None]
    positions = bends if chain.plain else chain.positions_many(bends.T).T
    # Within a turn or less there is no other turn, and slides do not come round again.
    again = [
        not joint.slides and end - begin > TURN
        for joint, (begin, end) in zip(chain.joints, chain.limits)
    ]
    if all(again):
        q, _ = into_range_many(positions, lower, upper, starts.T)
        return q.T
    q = np.clip(positions, lower, upper)
    if any(again):
        q[again], _ = into_range_many(positions[again], lower[again], upper[again], starts.T[again])
    return q.T


def clipped(chain: Chain, bends: Sequence[float]) -> list[float]:
    """Return the positions (n,) at bends within their limits, inside the limits to the last bit."""
    return [
        min(max(q, lower), upper)
        for q, (lower, upper) in zip(chain.positions_at(bends), chain.limits, strict=True)
    ]


def clipped_many(chain: Chain, bends: FloatArray) -> FloatArray:
    """Return the positions (k, n) that :func:`clipped` has for bends (n, k)."""
    return np.clip(chain.positions_many(bends.T), chain.lower, chain.upper)
