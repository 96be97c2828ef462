"""Exact closures to a target at a tip angle: by three joints, the others held as they are.

Which three have most room, derived in ``docs/solvers.md``, section 11. Units are those of
:mod:`.pose`.
"""

from __future__ import annotations

from cmath import rect
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from math import atan2, fsum, pi, prod, sqrt

from ik2d_ros.kinematics.angles import SAME_MOVE, TURN, into_range
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.columns import links
from ik2d_ros.kinematics.descent.closing import ALLOWS, CLOSES
from ik2d_ros.kinematics.kept import kept
from ik2d_ros.kinematics.pose import LENGTH_ROUNDING, Pose, at, problem_of
from ik2d_ros.kinematics.reach import elbow_bend
from ik2d_ros.kinematics.tip_angle.tip_angle_steps import Aim
from ik2d_ros.kinematics.tuning import KEPT_PAIRS, TRIPLES

FOLDED = SAME_MOVE - pi  # rad


@kept
def triples(chain: Chain) -> tuple[tuple[int, int, int], ...]:
    """Return the joints that may close a limited chain, by threes: those with most room first.

    That is the volume of the points and angles which they reach from the middle of the ranges, but
    for the sine of the bend between their links, or between the link and the slide. One of three
    may slide.
    """
    if len(chain) > KEPT_PAIRS:
        return ()
    points = at(problem_of(chain, 0j), chain.bends_at(chain.middle)).points
    slides = [joint.slides for joint in chain.joints]
    ranges = [
        upper - lower if slide else min(upper - lower, TURN)
        for (lower, upper), slide in zip(chain.bend_limits, slides, strict=True)
    ]
    room: dict[tuple[int, int, int], float] = {}
    for three in combinations(range(len(chain)), 3):
        turning = [joint for joint in three if not slides[joint]]
        if len(turning) > 1:
            room[three] = prod(ranges[joint] for joint in three)
            for one, other in pairwise(turning):
                room[three] *= abs(points[other] - points[one])
    best = sorted((each for each in room if room[each] > 0.0), key=lambda each: -room[each])
    return tuple(best[:TRIPLES])


# By how much each of three joints moves, in rad or reaches.
_Moves = tuple[float, float, float]


def close_three(aim: Aim, pose: Pose, chain: Chain) -> Pose | None:
    """Return the pose after three joints alone have reached target and angle, if any can.

    Args:
        aim: the links, their limits, the target and the angle.
        pose: the pose to close from.
        chain: the chain, which has limits.
    """
    bends, points, _ = pose
    _, limits, target, fixed = aim.problem
    if limits is None:
        return None
    turns = bends if fixed is None else links(fixed, aim.problem.lengths, bends)[1]
    turn = aim.heading - fsum(turns)
    turned = rect(1.0, turn)
    for three in triples(chain):
        slide = 3
        if fixed is not None:
            slide = next((k for k, joint in enumerate(three) if fixed[joint] is not None), 3)
        pivots = [points[joint] for joint in three]
        if slide == 3:
            tried = _by_turns(pivots, target - (points[-1] - pivots[2]) * turned, turn)
        else:
            way = rect(1.0, fsum(turns[: three[slide] + 1]))
            tried = _by_slide(pivots, slide, way, points[-1], target, turn)
        for moves in tried:
            closed = bends[:]
            for joint, more, kind in zip(three, moves, range(3), strict=True):
                lower, upper = limits[joint]
                number = bends[joint] + more
                if kind != slide:
                    allowed = into_range(number, lower, upper, bends[joint], ALLOWS)
                else:
                    inside = lower - ALLOWS <= number <= upper + ALLOWS
                    allowed = min(max(number, lower), upper) if inside else None
                if allowed is None:
                    break
                closed[joint] = allowed
            else:
                reached = at(aim.problem, closed)
                return reached if aim.met(reached) else None
    return None


def _by_turns(pivots: Sequence[complex], wrist: complex, turn: float) -> Iterator[_Moves]:
    """Yield moves of three revolute joints that bring the last one to where it has to be."""
    first, second, span = pivots[1] - pivots[0], pivots[2] - pivots[1], wrist - pivots[0]
    a, b, d = abs(first), abs(second), abs(span)
    if min(a, b) < LENGTH_ROUNDING or not abs(a - b) - CLOSES <= d <= a + b + CLOSES:
        return
    bent = second * first.conjugate()
    now = atan2(bent.imag, bent.real)
    if now < FOLDED:
        now += TURN
    bend = elbow_bend(a, b, d)
    for wanted in (-bend, bend) if now < -SAME_MOVE else (bend, -bend):
        by = span * (first * (1.0 + rect(b / a, wanted))).conjugate()
        by_i, by_j = atan2(by.imag, by.real), wanted - now
        yield by_i, by_j, turn - by_i - by_j


def _by_slide(
    pivots: Sequence[complex],
    slide: int,
    way: complex,
    tip: complex,
    target: complex,
    turn: float,
) -> Iterator[_Moves]:
    """Yield moves of two revolute joints and one that slides that way: a line meets a circle."""
    first, last = (pivots[joint] for joint in range(3) if joint != slide)
    turned = rect(1.0, turn)
    # What is between the revolute joints, and what it has to span.
    link, span = last - first, target - (tip - last) * turned - first
    if slide == 1:
        center, along, radius = link, -way, abs(span)
    else:
        center, along, radius = span, way * turned if slide == 2 else way, abs(link)
    seen = center * along.conjugate()
    square = (radius - seen.imag) * (radius + seen.imag)
    if square < 0.0 or abs(link) < LENGTH_ROUNDING:
        return
    root = sqrt(square)
    near = -root if seen.real > 0.0 else root
    for by in (seen.real + near, seen.real - near):
        if slide == 1:
            left = span * (link + by * way).conjugate()
        else:
            left = (span - by * along) * link.conjugate()
        by_first = atan2(left.imag, left.real)
        moves = [by_first, turn - by_first]
        moves.insert(slide, by)
        yield moves[0], moves[1], moves[2]
