"""Angles that differ by whole turns."""

from __future__ import annotations

import math

TURN = 2.0 * math.pi

# Rounding of a few angles' sum: an angle this little outside its limits is at the limit.
_SLACK = 1e-14


def near(angle: float, reference: float) -> float:
    """The angle plus whole turns, within half a turn of the reference; all in rad."""
    return reference + math.remainder(angle - reference, TURN)


def into_range(angle: float, lower: float, upper: float, reference: float) -> float | None:
    """The angle plus whole turns that is in [lower, upper] and nearest to the reference.

    Args:
        angle: an angle in rad.
        lower: smallest angle in rad, or -inf.
        upper: largest angle in rad, or inf.
        reference: an angle in [lower, upper], in rad.

    Returns:
        The angle in rad, or None where no turn of it is in the range.
    """
    turned = near(angle, reference)
    # Only the nearest turns on either side can be in the range and near to the reference.
    for candidate in (turned, turned - math.copysign(TURN, turned - reference)):
        if lower - _SLACK <= candidate <= upper + _SLACK:
            return min(max(candidate, lower), upper)
    return None
