"""Inverse kinematics of three joints for a target and a tip angle, in closed form.

The angle says where the last joint has to be, and the two joints before it bring it there. Lengths
are in reaches, angles are bends (see :mod:`.chain`).
"""

from __future__ import annotations

from cmath import rect
from collections.abc import Sequence
from math import atan2, cos, inf, remainder, sin

from ik2d_ros.kinematics.angles import SAME_MOVE, TURN, Limits, into_range
from ik2d_ros.kinematics.proof.corners import SLACK
from ik2d_ros.kinematics.reach import elbow_bend

ROUNDING = 1e-15  # Reaches; how far outside the annulus a target may seem to be.


def three_bone(
    lengths: Sequence[float],
    limits: Limits | None,
    target: complex,
    heading: float,
    start: Sequence[float],
) -> tuple[float, float, float] | None:
    """Return the bends of three joints with the tip on the target and the last link so directed.

    Args:
        lengths: (3,) lengths of the links.
        limits: (3,) pairs (lower, upper) of each bend in rad, or None where all are continuous.
        target: where the tip is to go.
        heading: direction of the last link in rad.
        start: (3,) bends in rad to move from, inside the limits.

    Returns:
        (3,) bends in rad, of both solutions the one with the smallest largest joint move; None
        where there is none within the limits.
    """
    a, b, c = lengths
    wrist = target - rect(c, heading)
    distance = abs(wrist)
    if not abs(a - b) - ROUNDING <= distance <= a + b + ROUNDING:
        return None
    elbow = elbow_bend(a, b, distance)
    lead = atan2(b * sin(elbow), a + b * cos(elbow))
    toward = atan2(wrist.imag, wrist.real)
    now, then, last = start
    if distance <= ROUNDING:
        toward, lead = now, 0.0  # About the base every direction is as good: stay.
    best: tuple[float, float, float] | None = None
    least = inf
    for first, second in ((toward - lead, elbow), (toward + lead, -elbow)):
        third = heading - first - second
        if limits is None:
            one = now + remainder(first - now, TURN)
            two = then + remainder(second - then, TURN)
            three = last + remainder(third - last, TURN)
        else:
            (lower, upper), of_second, of_third = limits
            in_one = into_range(first, lower, upper, now, SLACK)
            if in_one is None:
                continue
            lower, upper = of_second
            in_two = into_range(second, lower, upper, then, SLACK)
            if in_two is None:
                continue
            lower, upper = of_third
            in_three = into_range(third, lower, upper, last, SLACK)
            if in_three is None:
                continue
            one, two, three = in_one, in_two, in_three
        move = max(abs(one - now), abs(two - then), abs(three - last))
        if move < least - SAME_MOVE:
            best, least = (one, two, three), move
    return best
