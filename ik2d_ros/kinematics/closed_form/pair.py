"""Two revolute joints, one target after the other: from positions to positions in one go.

The same poses as those of :func:`.two_bone`, between the conversions of :mod:`.positions`, for a
chain whose numbers are at hand.
"""

from __future__ import annotations

from cmath import rect
from collections.abc import Callable, Sequence
from functools import lru_cache
from math import asin, hypot, inf, pi, remainder, sqrt

from ik2d_ros.kinematics.angles import HALF, LEAST, MOST, TURN, into_range
from ik2d_ros.kinematics.bounds import LARGEST_POSITION
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.closed_form.two_bone import may_fit, moves_less, sides_of
from ik2d_ros.kinematics.pose import LENGTH_ROUNDING

# Positions in rad, where the tip is then in m, and its distance from the target in m.
Found = tuple[tuple[float, ...], complex, float]

FORBIDDEN: Found = ((), 0j, inf)  # Limits let no pose come within the tolerance.

# Takes x and y in m, and (2,) positions in rad to move from.
PairSolver = Callable[[float, float, Sequence[float]], Found | None]


@lru_cache(maxsize=8)
def pair_solver(chain: Chain, bend: str, tolerance: float) -> PairSolver:
    """Return what finds the pose for a target of two revolute joints.

    Args:
        chain: the chain.
        bend: as for :func:`.two_bone`.
        tolerance: distance from the target in m that counts as reached.

    Returns:
        A function of x, y in m and the positions in rad to move from. It returns ``FORBIDDEN``
        where that is sure, and None for what else is not as nearly always: a target at or beyond
        the edge of the annulus, or one all but allowed, a start outside the limits, a move of half
        a turn.
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
    is_any, off = bend == 'nearest', max(tolerance / chain.size, LENGTH_ROUNDING)

    def solved(x: float, y: float, start: Sequence[float]) -> Found | None:
        q, p = start
        far = hypot(x, y)
        if not (
            nearest < far < farthest and from_low <= q <= to_high and from_least <= p <= to_most
        ):
            return None
        now = shoulder_now, elbow_now = sign * q + shift, other_sign * p + other_shift
        best = None
        sides = sides_of(lengths, complex(x / farthest, y / farthest), now, bend)
        for shoulder, elbow in sides:
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
            slack = _slack(lengths, far / farthest, off)
            return None if may_fit(sides, chain.bend_limits, slack) else FORBIDDEN
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


def _slack(lengths: Sequence[float], far: float, off: float) -> float:
    """Return how far in rad the joints may be from a pose on a target to be near enough to it.

    By the law of cosines, the cosines of elbows that span distances d and d' differ by
    ``(d'^2 - d^2) / (2 a b)``; with its elbow, the tip turns about the base by no more than
    ``b / d'`` times as much.

    Args:
        lengths: (2,) of the links in reaches.
        far: distance of the target from the base in reaches.
        off: how near is near enough, in reaches.
    """
    share, whole = off * (2.0 * far + off), 4.0 * lengths[0] * lengths[1]
    if far <= 2.0 * off or share >= whole:
        return pi
    # Two angles up to half a turn differ by no more than this, if their cosines do by that.
    elbow = 2.0 * asin(sqrt(share / whole))
    return elbow + elbow * lengths[1] / (far - off) + 2.0 * off / far
