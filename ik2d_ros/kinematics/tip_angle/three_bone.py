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
) -> list[float] | None:
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
    best, least = None, inf
    for first, second in ((toward - lead, elbow), (toward + lead, -elbow)):
        third = heading - first - second
        if limits is None:
            pose = [
                now + remainder(first - now, TURN),
                then + remainder(second - then, TURN),
                last + remainder(third - last, TURN),
            ]
        else:
            (lower, upper), of_second, of_third = limits
            one = into_range(first, lower, upper, now, SLACK)
            if one is None:
                continue
            lower, upper = of_second
            two = into_range(second, lower, upper, then, SLACK)
            if two is None:
                continue
            lower, upper = of_third
            three = into_range(third, lower, upper, last, SLACK)
            if three is None:
                continue
            pose = [one, two, three]
        move = max(abs(pose[0] - now), abs(pose[1] - then), abs(pose[2] - last))
        if move < least - SAME_MOVE:
            best, least = pose, move
    return best
