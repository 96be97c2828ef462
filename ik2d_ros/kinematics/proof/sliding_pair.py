"""Inverse kinematics of two joints, one of which slides or both, in closed form.

Lengths are in reaches; a pose is one number per joint (see :mod:`.columns`). For many targets the
closest pose, where limits forbid a target, is that of :mod:`.proof`.
"""

from __future__ import annotations

from cmath import rect
from collections.abc import Iterator, Sequence
from math import atan2, copysign, isfinite, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.angles import into_range, into_range_many, phase
from ik2d_ros.kinematics.arrays import ComplexArray, FloatArray
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.closed_form.two_bone import BendPair, moves_less
from ik2d_ros.kinematics.closed_form.two_bone_many import BendPairs, moves_less_many
from ik2d_ros.kinematics.proof.crossings import SLACK
from ik2d_ros.kinematics.proof.proof import clamped, nearest, poses, proof_of
from ik2d_ros.kinematics.proof.proof_many import decide_many

_PARALLEL = 1e-9  # Sine of the angle between two slides; the proof deals with those along a line.


def sliding_pair(chain: Chain, target: complex, start: BendPair, bend: str) -> Sequence[float]:
    """Return a pose with the tip on the target, or as close as limits allow.

    Args:
        chain: of two joints, one prismatic at least.
        target: in reaches.
        start: a number for each joint to move from, inside the limits.
        bend: where there are two solutions: ``positive`` for the one whose tip is ahead of the
            pivot of the revolute joint, in the direction of the slide; ``negative`` for the other;
            ``nearest`` for the one with the smallest largest joint move. What limits forbid gives
            way to the other.
    """
    best: BendPair | None = None
    solutions = list(_solutions(chain, target, start))
    for first, second in reversed(solutions) if bend == 'negative' else solutions:
        pose = _allowed(chain, 0, first, start), _allowed(chain, 1, second, start)
        if pose[0] is None or pose[1] is None:
            continue
        allowed = pose[0], pose[1]
        if best is None or moves_less(allowed, best, start):
            best = allowed
        if bend != 'nearest':
            break
    if best is not None:
        return best
    if not solutions and chain.fixed_bends is not None and None not in chain.fixed_bends:
        proof = proof_of(chain)  # Of two slides along one line it knows more than one solution.
        found = [] if proof is None else poses(proof, target, start)
        if found:
            return nearest(found, start)
    return _closest(chain, target, start)


def _closest(chain: Chain, target: complex, start: BendPair) -> Sequence[float]:
    """Return the closest pose to a target that limits forbid.

    One joint is at a limit there, and the other brings the tip as close as it can; or neither can
    bring it closer, the tip being straight across the slide from the target.
    """
    (turned, slid), (arm, hand) = chain.fixed_bends or (None, None), chain.unit_lengths
    firsts, seconds = ([end for end in ends if isfinite(end)] for ends in chain.bend_limits)
    if turned is None:
        seconds.insert(0, -arm * rect(1.0, slid or 0.0).real)
    elif slid is None:
        side = (target * rect(1.0, -turned)).imag
        seconds.insert(0, copysign(0.5 * pi, side))
    found: list[tuple[float, BendPair]] = []
    for number in seconds:
        second = _near_allowed(chain, 1, number, start)
        link, first = _link(hand, slid, second), start[0]
        if turned is not None:
            first = (target * rect(1.0, -turned) - link).real
        elif target and arm + link:
            first = phase(target) - phase(arm + link)
        first = _near_allowed(chain, 0, first, start)
        found.append((abs(_rest(arm, turned, first, target) - link), (first, second)))
    for number in firsts:
        first, second = _near_allowed(chain, 0, number, start), start[1]
        rest = _rest(arm, turned, first, target)
        if slid is not None:
            second = (rest * rect(1.0, -slid)).real
        elif rest:
            second = phase(rest)
        second = _near_allowed(chain, 1, second, start)
        found.append((abs(rest - _link(hand, slid, second)), (first, second)))
    enough = min(found)[0] + SLACK
    return nearest([pose for away, pose in found if away <= enough], start)


def _rest(length: float, fixed: float | None, number: float, target: complex) -> complex:
    """Return the target as seen from the end of the first link, in the direction of that."""
    if fixed is None:
        return target * rect(1.0, -number) - length
    return target * rect(1.0, -fixed) - number


def _link(length: float, fixed: float | None, number: float) -> complex:
    """Return the second link, in the direction of the first."""
    return rect(length, number) if fixed is None else rect(number, fixed)


def _near_allowed(chain: Chain, joint: int, number: float, start: BendPair) -> float:
    lower, upper = chain.bend_limits[joint]
    if chain.joints[joint].slides:
        return min(max(number, lower), upper)
    return clamped(number, (lower, upper), start[joint])


def _solutions(chain: Chain, target: complex, start: BendPair) -> Iterator[BendPair]:
    """Return numbers of the joints, limits ignored: the tip ahead first, then behind."""
    before, after = chain.fixed_bends or (None, None)
    if before is None:
        if after is None:
            return
        # Telescope: the slide's line passes the shoulder at the length of the perpendicular.
        length = chain.unit_lengths[0]
        way = rect(1.0, after)
        foot, level = -length * way.real, length * abs(way.imag)
        distance = abs(target)
        if distance < level - SLACK:
            return
        root = sqrt(max(0.0, (distance - level) * (distance + level)))
        for slid in (foot + root, foot - root):
            span = length + slid * way
            turn = phase(target) - phase(span) if target and span else start[0]
            yield turn, slid
        return
    seen = target * rect(1.0, -before)
    if after is None:
        # Rail: the arm's height above it is that of the target.
        length = chain.unit_lengths[1]
        if abs(seen.imag) > length + SLACK:
            return
        root = sqrt(max(0.0, (length - seen.imag) * (length + seen.imag)))
        for ahead in (root, -root):
            turn = atan2(seen.imag, ahead) if length > SLACK else start[1]
            yield seen.real - ahead, turn
        return
    way = rect(1.0, after)
    if abs(way.imag) > _PARALLEL:
        second = seen.imag / way.imag
        yield seen.real - second * way.real, second


def _allowed(chain: Chain, joint: int, number: float, start: BendPair) -> float | None:
    lower, upper = chain.bend_limits[joint]
    if not chain.joints[joint].slides:
        return into_range(number, lower, upper, start[joint], SLACK)
    if not lower - SLACK <= number <= upper + SLACK:
        return None
    return min(max(number, lower), upper)


def sliding_pair_many(
    chain: Chain, targets: ComplexArray, start: BendPairs, bend: str
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Do what :func:`sliding_pair` does, for (m,) targets; also which limits forbid, (m,)."""
    best = np.stack(start)
    found: NDArray[np.bool_] = np.zeros(len(targets), dtype=np.bool_)
    solutions = _solutions_many(chain, targets, start)
    for first, second, exists in solutions[::-1] if bend == 'negative' else solutions:
        one, one_allowed = _allowed_many(chain, 0, first, start)
        two, two_allowed = _allowed_many(chain, 1, second, start)
        allowed = exists & one_allowed & two_allowed
        wins = allowed & ~found
        if bend == 'nearest':
            wins |= allowed & moves_less_many((one, two), (best[0], best[1]), start)
        best, found = np.where(wins, np.stack([one, two]), best), found | allowed
    forbidden = ~found
    left = np.flatnonzero(forbidden)
    proof = proof_of(chain)
    if len(left) and proof is not None:
        decided = decide_many(proof, targets[left], np.stack(start)[:, left])
        best[:, left], forbidden[left] = decided.bends, ~decided.reached
    return best, forbidden


_Solutions = list[tuple[FloatArray, FloatArray, NDArray[np.bool_]]]


def _solutions_many(chain: Chain, targets: ComplexArray, start: BendPairs) -> _Solutions:
    """Do what :func:`_solutions` does; also where each exists."""
    before, after = chain.fixed_bends or (None, None)
    if before is None:
        length, way = chain.unit_lengths[0], rect(1.0, after or 0.0)
        foot, level = -length * way.real, length * abs(way.imag)
        distance = np.abs(targets)
        root = np.sqrt(np.maximum(0.0, (distance - level) * (distance + level)))
        found: _Solutions = []
        for slid in (foot + root, foot - root):
            span = length + slid * way
            turn = np.where(
                (targets == 0.0) | (span == 0.0), start[0], np.angle(targets) - np.angle(span)
            )
            found.append((turn, slid, distance >= level - SLACK))
        return found
    seen = targets * rect(1.0, -before)
    if after is None:
        length = chain.unit_lengths[1]
        root = np.sqrt(np.maximum(0.0, (length - seen.imag) * (length + seen.imag)))
        exists = np.abs(seen.imag) <= length + SLACK
        turns = [np.arctan2(seen.imag, ahead) for ahead in (root, -root)]
        if length <= SLACK:
            turns = [start[1], start[1]]
        return [(seen.real - root, turns[0], exists), (seen.real + root, turns[1], exists)]
    way = rect(1.0, after)
    if abs(way.imag) <= _PARALLEL:
        return []
    second = seen.imag / way.imag
    return [(seen.real - second * way.real, second, np.ones(len(seen), dtype=np.bool_))]


def _allowed_many(
    chain: Chain, joint: int, numbers: FloatArray, start: BendPairs
) -> tuple[FloatArray, NDArray[np.bool_]]:
    lower, upper = chain.bend_limits[joint]
    if not chain.joints[joint].slides:
        return into_range_many(numbers, lower, upper, start[joint], SLACK)
    inside = (lower - SLACK <= numbers) & (numbers <= upper + SLACK)
    return np.clip(numbers, lower, upper), inside
