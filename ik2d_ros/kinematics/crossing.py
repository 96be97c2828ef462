"""Whether a motion keeps off walls, also between the poses at which it is looked at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import repeat
from operator import add, mul, neg, sub
from typing import Any, TypeAlias

import numpy as np

from ik2d_ros.kinematics.arguments import Flags, FloatArray
from ik2d_ros.kinematics.arm import Arm

MOST_HALVINGS = 10  # Of a motion that is next to a wall.

_Look: TypeAlias = 'tuple[float, list[float], Sequence[float], Sequence[float]]'
"""A time, how far points are above their least clearances then, velocities and swings."""

Motion = Callable[[float], tuple[Sequence[float], Sequence[float], Sequence[float]]]
"""Returns positions (m,), velocities (m,) and swings (m,) at a time.

From there on, no velocity leaves what is between velocity, swing and the velocity at a later time.
"""


def floors(arm: Arm, clearances: Sequence[float]) -> list[float]:
    """Return the least clearances in m of motions from where there are some: none is further."""
    return [min(arm.hair, clearance) for clearance in clearances]


def crossing(
    arm: Arm,
    motion: Motion,
    duration: float,
    least: Sequence[float],
    gaps: Sequence[float],
    travel: float,
) -> Sequence[float] | None:
    r"""Return positions (m,) of a motion that are, or may be, across a wall; None if none are.

    A clearance changes by no more than a motion travels: between two looks, it is at least half of
    their sum less the travel between them. If they are a span :math:`T` apart, it is also less than
    on the chord by at most :math:`S\,u(1 - u)` at the share :math:`u` of the span,

    .. math:: S = \sum_j L_j \Delta_j T + c\,\Omega V T^2 / 2.

    Joint j has the lever :math:`L_j` and its velocity varies by at most :math:`\Delta_j`; no link
    turns faster than :math:`\Omega`, no point moves faster than :math:`V`, and :math:`c` is 2 where
    joints slide, else 1. Spans for which that is too much are halved.

    Args:
        arm: the arm, with walls.
        motion: the motion.
        duration: of the motion.
        least: as of :func:`floors`.
        gaps: by how much clearances are more than that at the beginning.
        travel: of all joints, to and fro, each times its lever, in m.
    """

    def look(time: float) -> _Look:
        positions, velocities, swings = motion(time)
        return time, [*map(sub, arm.clearances(positions), least)], velocities, swings

    if min(gaps) >= travel:
        return None
    end = look(duration)
    if min(map(add, gaps, end[1])) >= travel:
        return None
    spans = [(look(0.0), end)]
    shortest = duration * 0.5**MOST_HALVINGS
    while spans:
        begin, end = spans.pop()
        (early, gaps, before, swings), (late, others, after, _) = begin, end
        highest = [*map(max, before, after, swings)]
        lowest = [*map(min, before, after, swings)]
        speeds = [*map(max, highest, map(neg, lowest))]
        sag = _sag(arm, [*map(sub, highest, lowest)], speeds, late - early)
        if all(map(_is_above, gaps, others, repeat(sag))):
            continue
        if min(gaps) < 0.0 or late - early <= shortest:
            return motion(early)[0]
        if min(others) < 0.0:
            return motion(late)[0]
        middle = look(0.5 * (early + late))
        spans += [(middle, end), (begin, middle)]
    return None


def gaps_of(arm: Arm, q: FloatArray, least: Sequence[float]) -> FloatArray:
    """Return (c, k) by how much clearances are more than the least, at (k, m) positions."""
    gaps: FloatArray = np.array(arm.clearances([*q.T])) - np.array(least)[:, None]
    return gaps


def keep_off(
    arm: Arm, gaps: FloatArray, others: FloatArray, before: FloatArray, after: FloatArray
) -> Flags:
    """Return (k,) whether short motions keep off walls, between looks at both ends of each.

    Args:
        arm: the arm, with walls.
        gaps: (c, k) as of :func:`gaps_of` at their beginnings.
        others: at their ends.
        before: (k, m) velocities at their beginnings, in units per motion.
        after: at their ends.
    """
    speeds: FloatArray = np.maximum(np.abs(before), np.abs(after))
    sag = _sag(arm, [*np.abs(after - before).T], [*speeds.T], 1.0)
    clear: Flags = (np.minimum(gaps, others) >= 0.25 * sag).all(axis=0)
    return clear


def _sag(arm: Arm, spreads: Sequence[Any], speeds: Sequence[Any], span: Any) -> Any:
    """Return S for a span, by (m,) spreads and largest sizes of the velocities in it.

    They are plain numbers, or an array in place of each.
    """
    turning = sum(v for v, unit in zip(speeds, arm.units) if unit == 'rad')
    share = 1.0 if 'm' in arm.units else 0.5
    fastest = sum(map(mul, arm.levers, speeds))
    return (sum(map(mul, arm.levers, spreads)) + share * turning * fastest * span) * span


def _is_above(a: float, b: float, sag: float) -> bool:
    """Return whether no value between two is below 0 that a chord less ``sag u (1 - u)`` has."""
    rise = b - a
    lowest = min(a, b) if abs(rise) >= sag else 0.5 * (a + b) - 0.25 * (sag + rise * rise / sag)
    return lowest >= 0.0


def crossing_between(
    arm: Arm, start: Sequence[float], goal: Sequence[float]
) -> Sequence[float] | None:
    """Return positions across a wall if all joints move evenly between (m,) poses; None if none.

    What is across at the start comes no further.
    """
    start = [*map(float, start)]
    moves = [float(b) - a for a, b in zip(start, goal)]

    def motion(share: float) -> tuple[Sequence[float], Sequence[float], Sequence[float]]:
        return [a + share * move for a, move in zip(start, moves)], moves, moves

    clearances = arm.clearances(start)
    least = floors(arm, clearances)
    gaps, travel = [*map(sub, clearances, least)], sum(map(mul, arm.levers, map(abs, moves)))
    return crossing(arm, motion, 1.0, least, gaps, travel)
