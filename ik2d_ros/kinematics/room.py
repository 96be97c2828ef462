"""Poses drawn at random, and whether walls leave an arm any."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ik2d_ros.kinematics.arguments import ChainError, FloatArray, named

if TYPE_CHECKING:
    from ik2d_ros.kinematics.arm import Arm

_SAMPLES = 512
_ROUNDS = 24  # Each draws about the best pose so far, within 0.7 of the distance before.


def check_room(arm: Arm) -> None:
    """Check that walls leave an arm a pose, as far as a search can tell.

    Raises:
        ChainError: no pose was found that keeps off them; the message names them.
    """
    every = range(len(arm.walls))
    if _most_clearance(arm, every) >= arm.hair:
        return
    found = ((walls, -_most_clearance(arm, walls)) for walls in (*([k] for k in every), every))
    walls, depth = next(pair for pair in found if pair[1] > -arm.hair)
    names = tuple(arm.walls[k].name for k in walls)
    raise ChainError(
        f'wall{"s" * (len(names) > 1)} {named(names)}: no pose keeps off, a pivot or the tip is '
        f'across by {depth:.4g} m or more; it must leave the arm room',
        *(f'walls.{name}' for name in names),
    )


def draw_poses(
    arm: Arm, random: np.random.Generator, about: Sequence[float] | FloatArray, spread: float
) -> FloatArray:
    """Draw poses (k, m) inside the limits of positions.

    Args:
        arm: the arm.
        random: a generator.
        about: (m,) a pose. Joints without limits move by half a turn, or pi reaches, at most.
        spread: how far from it they are, in rad or reaches; infinite for anywhere.
    """
    span, size = math.pi * arm.units_of_move, (_SAMPLES, len(arm))
    lower = np.where(np.isfinite(arm.lower), arm.lower, about - span)
    upper = np.where(np.isfinite(arm.upper), arm.upper, about + span)
    if math.isinf(spread):
        return random.uniform(lower, upper, size)
    moves = spread * arm.units_of_move * random.normal(size=size)
    return np.clip(about + moves, lower, upper)


def _most_clearance(arm: Arm, walls: Sequence[int]) -> float:
    """Return the largest smallest clearance from some walls, by number, that is found, in m."""
    random = np.random.default_rng(0)
    best, spread, most = np.array(arm.middle), math.inf, -math.inf
    for k in range(_ROUNDS):
        drawn = draw_poses(arm, random, best, spread).tolist()
        poses = np.array([best, *(map(arm.settled, drawn) if arm.bent else drawn)])
        found = np.array(arm.clearances(list(poses.T))).reshape(len(arm.walls), -1, len(poses))
        least = found[list(walls)].min(axis=(0, 1))
        best, spread, most = poses[least.argmax()], 0.7**k, float(least.max())
        if most >= arm.hair:
            break
    return most
