"""Two revolute joints, one target after the other: from positions to positions in one go.

The same poses as those of :func:`.two_bone`, between the conversions of :mod:`.positions`, for a
chain whose numbers are at hand.
"""

from __future__ import annotations

from cmath import rect
from collections.abc import Callable
from math import hypot, remainder

from ik2d_ros.kinematics.angles import HALF, LEAST, MOST, TURN, into_range
from ik2d_ros.kinematics.bounds import LARGEST_POSITION
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.closed_form.two_bone import moves_less, sides_of
from ik2d_ros.kinematics.pose import LENGTH_ROUNDING

# Positions in rad, where the tip is then in m, and its distance from the target in m.
Found = tuple[tuple[float, float], complex, float]


def pair_solver(
    chain: Chain, bend: str
) -> Callable[[float, float, tuple[float, ...]], Found | None]:
    """Return what finds the pose for a target of two revolute joints.

    Args:
        chain: the chain.
        bend: as for :func:`.two_bone`.

    Returns:
        A function of x, y in m and the positions in rad to move from. It returns None for what is
        not as nearly always: a target at or beyond the edge of the annulus, or one that the limits
        forbid, a start outside of them, a move of half a turn.
    """
    lengths, (first, second), reach = chain.unit_lengths, chain.lengths, chain.reach
    nearest, farthest = max(reach.inner, LENGTH_ROUNDING * reach.outer), reach.outer
    (low, high), (least, most) = chain.limits
    # Where the starts are that need no other look.
    from_low, from_least = max(low, -LARGEST_POSITION), max(least, -LARGEST_POSITION)
    to_high, to_most = min(high, LARGEST_POSITION), min(most, LARGEST_POSITION)
    (lower, upper), (smallest, largest) = chain.bend_limits
    (sign, other_sign), (shift, other_shift) = chain.signs, chain.shifts
    first_turns, second_turns = high - low > TURN, most - least > TURN  # any turn is as good
    is_any = bend == 'nearest'

    def solved(x: float, y: float, start: tuple[float, ...]) -> Found | None:
        q, p = start
        if not (
            nearest < hypot(x, y) < farthest
            and from_low <= q <= to_high
            and from_least <= p <= to_most
        ):
            return None
        now = shoulder_now, elbow_now = sign * q + shift, other_sign * p + other_shift
        best = None
        for shoulder, elbow in sides_of(lengths, complex(x / farthest, y / farthest), now, bend):
            # As `near`, called for nothing where the nearest turn is in the range.
            one = shoulder_now + (remainder(shoulder - shoulder_now - HALF, TURN) + HALF)
            two = elbow_now + (remainder(elbow - elbow_now - HALF, TURN) + HALF)
            pose = one, two
            if best is not None and not moves_less(pose, best, now):
                continue  # other turns move the joints more
            if not (lower <= one <= upper and smallest <= two <= largest):
                in_one = into_range(shoulder, lower, upper, shoulder_now)
                in_two = into_range(elbow, smallest, largest, elbow_now)
                if in_one is None or in_two is None:
                    continue
                pose = in_one, in_two
                if best is not None and not moves_less(pose, best, now):
                    continue
            best = pose
            if not is_any:
                break
        if best is None:
            return None
        one, two = (best[0] - shift) / sign, (best[1] - other_shift) / other_sign
        if (first_turns and not LEAST <= one - q <= MOST) or (
            second_turns and not LEAST <= two - p <= MOST
        ):
            return None  # half a turn, to the other side as a position than as a bend
        q = one if low <= one <= high else min(max(one, low), high)
        p = two if least <= two <= most else min(max(two, least), most)
        turned = sign * q + shift
        tip = rect(first, turned) + rect(second, turned + (other_sign * p + other_shift))
        return (q, p), tip, hypot(x - tip.real, y - tip.imag)

    return solved
