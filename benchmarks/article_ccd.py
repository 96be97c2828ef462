"""The yardstick: cyclic coordinate descent as a well-known article describes it.

R. Juckett, "Cyclic Coordinate Descent in 2D" (2009), written as fast as plain Python allows:
floats, functions from ``math``, lists that are filled once per sweep, and the article's own stop
tests. It knows no joint limits.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import acos, cos, hypot, remainder, sin, tau

NO_LEVER = 1e-4  # m^2; a joint this close to tip or target is left alone.
NO_MOTION = 1e-5  # m; a sweep that moves the tip less at every joint has stalled.


def article_ccd(
    lengths: Sequence[float],
    target: tuple[float, float],
    start: Sequence[float],
    arrival: float = 1e-3,
    cap: int = 100,
) -> list[float]:
    """Joint angles (n,) in rad after at most ``cap`` sweeps, or once within ``arrival`` m."""
    angles = list(start)
    for _ in range(cap):
        if not _sweep(lengths, target, angles, arrival):
            break
    return angles


def _sweep(
    lengths: Sequence[float], target: tuple[float, float], angles: list[float], arrival: float
) -> bool:
    """Turn each joint once, from the last to the first; whether another sweep may help."""
    xs, ys = [], []
    x = y = world = 0.0
    for length, angle in zip(lengths, angles):  # noqa: B905
        xs.append(x)
        ys.append(y)
        world += angle
        x += length * cos(world)
        y += length * sin(world)
    target_x, target_y = target
    arrival_squared = arrival * arrival
    moved = False
    for i in range(len(angles) - 1, -1, -1):
        joint_x, joint_y = xs[i], ys[i]
        tip_x, tip_y = x - joint_x, y - joint_y
        goal_x, goal_y = target_x - joint_x, target_y - joint_y
        lever = hypot(tip_x, tip_y)
        both = lever * hypot(goal_x, goal_y)
        if both <= NO_LEVER:
            turn, cosine, sine = 0.0, 1.0, 0.0
        else:
            cosine = (tip_x * goal_x + tip_y * goal_y) / both
            sine = (tip_x * goal_y - tip_y * goal_x) / both
            turn = acos(min(1.0, max(-1.0, cosine)))
            if sine < 0.0:
                turn = -turn
        angles[i] = remainder(angles[i] + turn, tau)
        x = joint_x + cosine * tip_x - sine * tip_y
        y = joint_y + sine * tip_x + cosine * tip_y
        away_x, away_y = target_x - x, target_y - y
        if away_x * away_x + away_y * away_y <= arrival_squared:
            return False
        if not moved and abs(turn) * lever > NO_MOTION:
            moved = True
    return moved
