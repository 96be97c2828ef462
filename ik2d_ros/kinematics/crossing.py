"""Whether a motion keeps off walls, also between the poses at which it is looked at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ik2d_ros.kinematics.arguments import Flags, FloatArray
from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.plane import Number

MOST_HALVINGS = 10  # Of a motion that is next to a wall.

Motion = Callable[[float], tuple[Sequence[float], Sequence[float]]]
"""Returns positions (m,) and velocities (m,) at a time."""


def floors(arm: Arm, positions: Sequence[float]) -> list[float]:
    """Return the least clearances in m of motions from (m,) positions: further across is none."""
    return [min(arm.hair, clearance) for clearance in arm.clearances(positions)]


def crossing(
    arm: Arm,
    motion: Motion,
    duration: float,
    least: Sequence[float],
    jerks: Sequence[float] = (),
) -> Sequence[float] | None:
    r"""Return positions (m,) of a motion that are, or may be, across a wall; None if none are.

    Between two looks at it, a span :math:`T` apart, a clearance is less than on the chord by at
    most :math:`S\,u(1 - u)` at the share :math:`u` of the span,

    .. math:: S = \sum_j L_j \Delta_j T + c\,\Omega V T^2 / 2.

    Joint j has the lever :math:`L_j` and its velocity varies by at most :math:`\Delta_j`; no link
    turns faster than :math:`\Omega`, no point moves faster than :math:`V`, and :math:`c` is 2 where
    joints slide, else 1. Spans for which that is too much are halved.

    Args:
        arm: the arm, with walls.
        motion: the motion; without jerk limits, each joint gets only faster or only slower.
        duration: of the motion.
        least: as of :func:`floors`.
        jerks: (m,) largest jerks; empty for a motion without jerk limits.
    """

    def look(time: float) -> tuple[float, list[float], Sequence[float]]:
        positions, velocities = motion(time)
        gaps = [gap - floor for gap, floor in zip(arm.clearances(positions), least)]
        return time, gaps, velocities

    spans = [(look(0.0), look(duration))]
    shortest = duration * 0.5**MOST_HALVINGS
    while spans:
        begin, end = spans.pop()
        (early, gaps, before), (late, others, after) = begin, end
        sag = _sag(arm, before, after, late - early, jerks)
        if all(_lowest(a, b, sag) >= 0.0 for a, b in zip(gaps, others)):
            continue
        if min(gaps) < 0.0 or late - early <= shortest:
            return motion(early)[0]
        if min(others) < 0.0:
            return motion(late)[0]
        middle = look(0.5 * (early + late))
        spans += [(middle, end), (begin, middle)]
    return None


def keep_off(
    arm: Arm, q: FloatArray, before: FloatArray, after: FloatArray, spans: Number
) -> Flags:
    """Return (k - 1,) whether a motion keeps off walls between looks at it, close together.

    Args:
        arm: the arm, with walls.
        q: (k, m) positions.
        before: (k - 1, m) velocities after each look,
        after: and before the next one.
        spans: (k - 1,) times between them, or one for all.
    """
    least = np.array(floors(arm, q[0].tolist()))[:, None]
    gaps = np.array([np.broadcast_to(gap, len(q)) for gap in arm.clearances([*q.T])]) - least
    sag = _sag(arm, [*before.T], [*after.T], spans)
    clear: Flags = (np.minimum(gaps[:, :-1], gaps[:, 1:]) >= 0.25 * sag).all(axis=0)
    return clear


def _sag(
    arm: Arm, before: Sequence[Any], after: Sequence[Any], span: Any, jerks: Sequence[float] = ()
) -> Any:
    """Return S for a span between (m,) velocities: plain numbers, or an array in place of each."""
    spread = fastest = turning = 0.0
    rows = zip(arm.levers, arm.units, before, after, jerks or (0.0,) * len(before))
    for lever, unit, v, w, jerk in rows:
        bend = 0.25 * jerk * span * span
        speed = 0.5 * (abs(v + w) + abs(v - w) + bend)
        spread = spread + lever * (abs(v - w) + bend)
        fastest = fastest + lever * speed
        turning = turning + speed * (unit == 'rad')
    share = 0.5 if all(unit == 'rad' for unit in arm.units) else 1.0
    return (spread + share * turning * fastest * span) * span


def _lowest(a: float, b: float, sag: float) -> float:
    """Return the least value between two that a chord less ``sag u (1 - u)`` has."""
    rise = b - a
    if abs(rise) >= sag:
        return min(a, b)
    return 0.5 * (a + b) - 0.25 * (sag + rise * rise / sag)


def crossing_between(
    arm: Arm, start: Sequence[float], goal: Sequence[float]
) -> Sequence[float] | None:
    """Return positions across a wall if all joints move evenly between (m,) poses; None if none.

    What is across at the start comes no further.
    """
    start = [*map(float, start)]
    moves = [float(b) - a for a, b in zip(start, goal)]

    def motion(share: float) -> tuple[Sequence[float], Sequence[float]]:
        return [a + share * move for a, move in zip(start, moves)], moves

    return crossing(arm, motion, 1.0, floors(arm, start))
