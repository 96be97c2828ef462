"""The closest that an arm on a turntable comes to a target that it cannot reach.

At the closest pose, turning on does not bring the tip closer: tip and target are at the same angle
about the axis, or the turntable is at a limit. And in the plane, at this turn, the chain is as
close as it can come. Turning the tip towards the target and coming closer in the plane, one after
the other, never takes it farther. That is done side by side from many places, in NumPy, with secant
steps for the turn.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import TURN, into_range_many
from ik2d_ros.kinematics.arrays import ComplexArray, FloatArray
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.many import Links, settle_many, tips
from ik2d_ros.kinematics.stock import stock
from ik2d_ros.kinematics.sweep import Goal, Sweep
from ik2d_ros.kinematics.two_bone_many import two_bone_many

_ROUNDS = 30  # Of turning and of solving in the plane.
_FIRST_STEPS, _STEPS = 12, 4  # For more than two joints within limits: Newton steps in the plane.
_SETTLED = 1e-10  # Reaches; what comes no closer by more has settled.
_EACH = 2  # Places of each kind to begin from.
_FEW = 8  # Of the stock of two joints, one pose in so many is enough.
_RING = 64  # Points on each of the circles that stand for an annulus.
_SAME, _APART, _MOST = 1e-8, 1e-4, 4  # Reaches that are as close; rad between turns; how many.
_NO_DISTANCE = 1e-15  # Reaches.
_FARTHEST = 1e5  # Reaches; from there on, the closest pose does not depend on the distance.
_LONGEST = 4.0  # How far a secant step may go, in steps without it.


class _Found(NamedTuple):
    """Poses, a column each.

    Attributes:
        turns: (k,) positions of the turntable in rad, inside its limits.
        bends: (n, k) of the chain in rad, inside its limits.
        distances: (k,) from the tips to the target, in m.
    """

    turns: FloatArray
    bends: FloatArray
    distances: FloatArray


# From targets (k,) in reaches, bends (n, k) to begin from and a number of steps: the tips (k,) in
# reaches of poses that are as close to them as they come, and their bends.
_Closer = Callable[[ComplexArray, FloatArray, int], tuple[ComplexArray, FloatArray]]


def closest_turns(
    chain: Chain,
    sweep: Sweep,
    goal: Goal,
    limits: tuple[float, float],
    turns: FloatArray,
    bends: FloatArray,
) -> FloatArray:
    """Return the turns at which the chain comes closest to a target.

    Args:
        chain: the chain in the plane.
        sweep: the plane about the turntable's axis.
        goal: the target about the same.
        limits: (lower, upper) of the turntable in rad.
        turns: (k,) rad, where to begin besides.
        bends: (n, k) rad of the chain there, inside its limits.

    Returns:
        A few positions of the turntable in rad, inside its limits, all equally good.
    """
    begin_turns, begin_bends = _places(chain, sweep, goal, limits)
    found = _settled(
        chain,
        sweep,
        goal,
        limits,
        np.concatenate([turns, begin_turns]),
        np.concatenate([bends, begin_bends], axis=1),
    )
    near = found.distances <= found.distances.min() + _SAME * chain.reach.outer
    chosen: list[float] = []
    for turn in found.turns[near]:
        if all(abs(math.remainder(turn - other, TURN)) > _APART for other in chosen):
            chosen.append(turn)
    return np.array(chosen[:_MOST])


def _closer(chain: Chain) -> _Closer:
    """Return what brings tips closest to targets in the plane."""
    links = Links.of(chain)

    def on_ring(
        targets: ComplexArray, bends: FloatArray, _: int
    ) -> tuple[ComplexArray, FloatArray]:
        # Without limits the tip gets everywhere in the annulus; which pose does not matter.
        distance = np.abs(targets)
        at_base = distance == 0.0
        direction = np.where(at_base, 1.0, targets) / np.where(at_base, 1.0, distance)
        return direction * np.clip(distance, *chain.unit_reach), bends

    def by_two(targets: ComplexArray, bends: FloatArray, _: int) -> tuple[ComplexArray, FloatArray]:
        start = bends[0], bends[1]
        pair = two_bone_many(
            chain.unit_lengths, chain.bend_limits, targets.real, targets.imag, start, 'nearest'
        )
        found = np.stack(pair)
        return tips(links, found), found

    def by_steps(
        targets: ComplexArray, bends: FloatArray, steps: int
    ) -> tuple[ComplexArray, FloatArray]:
        found = settle_many(links, targets, bends, _NO_DISTANCE, steps).bends
        return tips(links, found), found

    if not chain.limited:
        return on_ring
    return by_two if len(chain) == 2 else by_steps


def _places(
    chain: Chain, sweep: Sweep, goal: Goal, limits: tuple[float, float]
) -> tuple[FloatArray, FloatArray]:
    """Return turns (k,) and bends (n, k) that are close to the target, of several kinds."""
    size = chain.reach.outer
    if chain.limited:
        poses = stock(chain)
        step = _FEW if len(chain) == 2 else 1
        kinds, all_bends = poses.tips[:, ::step] * size, poses.bends[:, :, ::step]
    else:
        circle = np.exp(2j * np.pi * np.arange(_RING) / _RING)
        inner, outer = chain.reach
        kinds = np.multiply.outer(np.array([inner, 0.5 * (inner + outer), outer]), circle)
        all_bends = np.zeros((len(kinds), len(chain), _RING))
    out, across, height = sweep.raised(kinds.real, kinds.imag)
    middle = np.full(kinds.shape, 0.5 * limits[0] + 0.5 * limits[1] if limits[0] > -np.inf else 0.0)
    turns = _towards(goal, limits, out, across, middle)
    away = _distance(goal, turns, out, across, height)
    chosen = np.argpartition(away, _EACH - 1, axis=1)[:, :_EACH]
    rows = np.arange(len(kinds))[:, None]
    bends = all_bends[rows, :, chosen].reshape(-1, len(chain)).T
    found = turns[rows, chosen].ravel()
    if limits[0] == -np.inf:
        return found, bends
    # At a limit of the turntable the chain may do quite different things.
    ends = np.repeat(np.array(limits), len(rows))
    at_ends = [
        _distance(goal, np.full(kinds.shape, end), out, across, height).argmin(axis=1)
        for end in limits
    ]
    more = np.concatenate([all_bends[np.arange(len(kinds)), :, k] for k in at_ends]).T
    return np.concatenate([found, ends]), np.concatenate([bends, more], axis=1)


def _towards(
    goal: Goal,
    limits: tuple[float, float],
    out: FloatArray,
    across: FloatArray,
    now: FloatArray,
) -> FloatArray:
    """Return the turns that bring points of the plane closest to the target."""
    wanted = goal.angle - np.arctan2(across, out)
    wanted = np.where((out == 0.0) & (across == 0.0), now, wanted)
    lower, upper = limits
    turned, inside = into_range_many(wanted, lower, upper, now)
    if lower == -np.inf or inside.all():
        return turned
    end = np.where(np.cos(lower - wanted) > np.cos(upper - wanted), lower, upper)
    return np.where(inside, turned, end)


def _distance(
    goal: Goal, turns: FloatArray, out: FloatArray, across: FloatArray, height: FloatArray
) -> FloatArray:
    apart = goal.angle - turns
    x, y = goal.radius * np.cos(apart) - out, goal.radius * np.sin(apart) - across
    z = goal.height - height
    away: FloatArray = np.sqrt(x * x + y * y + z * z)
    return away


def _settled(
    chain: Chain,
    sweep: Sweep,
    goal: Goal,
    limits: tuple[float, float],
    turns: FloatArray,
    bends: FloatArray,
) -> _Found:
    """Bring poses to where small moves bring the tip no closer."""
    closer, size = _closer(chain), chain.reach.outer or 1.0
    best = _Found(turns, bends, np.full(len(turns), np.inf))
    before: FloatArray = turns
    gap_before: FloatArray = np.full(len(turns), np.nan)
    steps = _FIRST_STEPS
    for _ in range(_ROUNDS):
        apart = goal.angle - turns
        x, y = sweep.flatten(
            goal.radius * np.cos(apart),
            goal.radius * np.sin(apart),
            np.full(len(turns), goal.height),
        )
        distance = np.minimum(np.hypot(x, y) / size, _FARTHEST)
        targets = distance * np.exp(1j * np.arctan2(y, x))
        flat, found = closer(targets, best.bends, steps)
        steps = _STEPS
        out, across, height = sweep.raised(flat.real * size, flat.imag * size)
        better = _towards(goal, limits, out, across, turns)
        away = _distance(goal, better, out, across, height)
        nearer = away < best.distances
        gained = np.where(nearer, best.distances - away, 0.0)
        best = _Found(
            np.where(nearer, better, best.turns),
            np.where(nearer, found, best.bends),
            np.where(nearer, away, best.distances),
        )
        if not (gained > _SETTLED * size).any():
            break
        gap = better - turns
        with np.errstate(all='ignore'):
            secant = turns - gap * (turns - before) / (gap - gap_before)
        longest = _LONGEST * np.abs(gap)
        secant = np.clip(secant, better - longest, better + longest)
        after = np.where(np.isfinite(secant), np.clip(secant, *limits), better)
        after = np.where(nearer, after, best.turns)
        before, gap_before, turns = turns, np.where(nearer, gap, np.nan), after
    return best
