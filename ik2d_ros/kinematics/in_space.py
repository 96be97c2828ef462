"""Inverse kinematics of an arm in space, by that of its chain in the plane.

A layer over any planar solver: it finds where turntable or lift bring the plane, hands the target
in the plane to the solver, and chooses among the answers. With a turntable, there are two turns at
which a target is in the plane: in front, and over the back.
"""

from __future__ import annotations

import math
from cmath import rect
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import SAME_MOVE
from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.closest_poses import closest_poses
from ik2d_ros.kinematics.moves import largest_move, least_move
from ik2d_ros.kinematics.places import Place, is_inside, places_about, seen_from_axis
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.kinematics.pose import tip_at
from ik2d_ros.kinematics.proof import Proof, allows, is_proven, proof_of
from ik2d_ros.kinematics.solution import Solution, Status
from ik2d_ros.kinematics.sweep import Goal, Sweep
from ik2d_ros.kinematics.tuning import JUMP, SPACE_NEAR

# What a chain does in its plane: positions (n,) in rad; the tip there, x + iy, and its distance
# from the target, in m; whether no pose is known to be closer; and the passes that it took.
PlanarAnswer = tuple[Sequence[float], complex, float, bool, int]


class PlanarSolver(NamedTuple):
    """What solves for the chain in its plane.

    Attributes:
        quick: takes x and y of the target in m, and the chain's start (n,) in rad; goes from there
            as far as that leads.
        search: takes places (x, y) in m, the start, and the quick answers at these places; says
            what is found from anywhere, where they have stopped short of it.
    """

    quick: Callable[[float, float, Sequence[float]], PlanarAnswer]
    search: Callable[
        [Sequence[tuple[float, float]], Sequence[float], Sequence[PlanarAnswer]],
        list[PlanarAnswer],
    ]


OUTSIDE = 1e-13  # Reaches; how far outside the annulus rounding may bring a target.
SAME_DISTANCE = 1e-8  # Reaches; poses that differ by less are equally close.
CLOSEST = 1e-9  # Reaches; in the plane the closest pose is at the place that is asked for by less.


# A turn in rad, and what the chain does there.
_Pose = tuple[float, PlanarAnswer]


def solve_on_turntable(
    arm: Arm,
    sweep: Sweep,
    target: Vector,
    start: Sequence[float],
    tolerance: float,
    planar: Callable[[float], PlanarSolver],
    solver: str,
) -> Solution:
    """Return the pose that brings the tip of an arm onto a target, or as close as it can come.

    Args:
        arm: an arm with a turntable.
        sweep: of its plane.
        target: in m, in the base frame.
        start: (m,) positions in rad, inside the limits.
        tolerance: distance in m that counts as reached.
        planar: takes a distance in m that counts as reached, and returns what solves for the
            chain.
        solver: what it is called.
    """
    goal, rounding = seen_from_axis(arm, sweep, target)
    places, beyond = places_about(arm, sweep, goal, rounding, start[0])
    # Seen along the axis, tips are as far from the target in space as in the plane; elsewhere not.
    whole = goal.radius <= rounding or (
        sweep.d == 0.0 == sweep.e and all(to is not None for to, _ in places)
    )
    proof = proof_of(arm.chain) if arm.chain.limited and len(arm.chain) > 2 else None
    is_near = proof is not None and _stands_near(arm, sweep, goal, start)
    # What is missing across the plane stays: the rest is to be as little as can be.
    near = planar(tolerance)
    nearest = planar(min(tolerance, CLOSEST * arm.size or tolerance))
    tried = _at_turns(
        arm, places, start, tolerance, nearest if beyond else near, proof, whole, is_near
    )
    passes = sum(answer[4] for _, answer in tried)
    met = [pose for pose in tried if pose[1][2] <= tolerance]
    if arm.chain.limited and len(arm.chain) > 2 and proof is None:
        move = min(
            (largest_move(arm.chain, turn, answer[0], start) for turn, answer in met),
            default=math.inf,
        )
        if not met or (move > JUMP and _stands_near(arm, sweep, goal, start)):
            tried = _searched(places, start, tried, near)
            passes = max(passes, *(answer[4] for _, answer in tried)) if tried else passes
            met = [pose for pose in tried if pose[1][2] <= tolerance]
    if met:
        # Beside the axis, too: nothing is closer than the closest place in the plane.
        best = _least_move(arm.chain, met, start)
    elif whole:
        best = _choose(arm, sweep, goal, tried, start)
    else:
        found = [*tried, *_others(arm, sweep, goal, start, tried, nearest, proof)]
        best = _choose(arm, sweep, goal, found, start)
    turn, (q, flat, _, _, _) = best
    tip = sweep.point(sweep.raised(flat.real, flat.imag), turn)
    error = math.dist(tip, target)
    status = Status.REACHED
    if error > tolerance:
        away = [math.hypot(*spot) for _, spot in places]
        stopped = not all(answer[3] for _, answer in tried)
        status = _why_not(arm, away, beyond, stopped, error)
    proven = is_proven(status, arm.chain)
    return Solution(
        np.array((turn, *q)),
        np.array(tip),
        error,
        status,
        solver,
        passes,
        proven,
        arm.chain.tip_angle(q),
        0.0,
    )


def _distance(sweep: Sweep, goal: Goal, turn: float, tip: complex) -> float:
    """Return the distance in space from a tip in the turned plane to the target in m."""
    out, across, height = sweep.raised(tip.real, tip.imag)
    apart = goal.angle - turn
    return math.hypot(
        goal.radius * math.cos(apart) - out,
        goal.radius * math.sin(apart) - across,
        goal.height - height,
    )


def _least_move(chain: Chain, poses: Sequence[_Pose], start: Sequence[float]) -> _Pose:
    return poses[least_move(chain, [(turn, answer[0]) for turn, answer in poses], start)]


def _choose(
    arm: Arm, sweep: Sweep, goal: Goal, found: Sequence[_Pose], start: Sequence[float]
) -> _Pose:
    """Return the closest pose, and of those that are equally close the one that moves least."""
    distances = [_distance(sweep, goal, turn, answer[1]) for turn, answer in found]
    enough = min(distances) + SAME_DISTANCE * arm.size
    near = [pose for pose, away in zip(found, distances, strict=True) if away <= enough]
    return _least_move(arm.chain, near, start)


def _stands_near(arm: Arm, sweep: Sweep, goal: Goal, start: Sequence[float]) -> bool:
    """Return whether the tip is near to the target from the start, as on a path."""
    return _distance(sweep, goal, start[0], _tip(arm, start[1:])) < SPACE_NEAR * arm.size


def _at_turns(
    arm: Arm,
    places: Sequence[Place],
    start: Sequence[float],
    tolerance: float,
    planar: PlanarSolver,
    proof: Proof | None,
    every: bool,
    is_near: bool,
) -> list[_Pose]:
    """Return what the chain does at the turns at which the target is in the plane.

    From afar, and of the other turn, the proof says first whether limits allow the target.
    A turn is left out where it is out of the limits, where the target is then out of the chain's
    reach, unless ``every`` is to be tried, and where the other one takes less.
    """
    tried: list[_Pose] = []
    least = math.inf
    for turn, spot in places:
        # Where the turntable alone turns farther than any joint for the other answer, that is it.
        if turn is None or abs(turn - start[0]) > least - SAME_MOVE:
            continue
        if not (every or is_inside(arm, spot, tolerance)):
            continue
        if proof is None or (is_near and not tried) or _allows(proof, arm, spot, start[1:]):
            answer = planar.quick(*spot, start[1:])
        else:
            answer = start[1:], 0j, math.inf, False, 0
        if proof is not None:
            skipped, answer = answer, planar.search([spot], start[1:], [answer])[0]
            if skipped[2] == math.inf and answer[2] <= tolerance:
                # Out of the limits, but by less than matters.
                followed = planar.quick(*spot, start[1:])
                answer = min(followed, answer, key=lambda each: each[2] > tolerance)
        tried.append((turn, answer))
        if answer[2] <= tolerance:
            least = largest_move(arm.chain, turn, answer[0], start)
    return tried


def _searched(
    places: Sequence[Place],
    start: Sequence[float],
    tried: Sequence[_Pose],
    planar: PlanarSolver,
) -> list[_Pose]:
    """Return what is found from anywhere at the turns tried."""
    spots = dict(places)
    answers = planar.search(
        [spots[turn] for turn, _ in tried], start[1:], [answer for _, answer in tried]
    )
    return [(turn, answer) for (turn, _), answer in zip(tried, answers, strict=True)]


def _allows(proof: Proof, arm: Arm, spot: tuple[float, float], start: Sequence[float]) -> bool:
    """Whether the limits of the chain allow a place in the plane."""
    chain, size = arm.chain, arm.size
    bends = chain.bends_at(start)
    return allows(proof, complex(spot[0] / size, spot[1] / size), bends)


def _others(
    arm: Arm,
    sweep: Sweep,
    goal: Goal,
    start: Sequence[float],
    tried: Sequence[_Pose],
    planar: PlanarSolver,
    proof: Proof | None,
) -> list[_Pose]:
    """Return the poses that come closest besides those tried.

    There are such where limits forbid the turns at which the target is in the plane, and where the
    plane stands beside the axis: the tip then comes closer in space by another turn.
    """
    radius, angle, height = goal
    found: list[_Pose] = []
    for turn, q in closest_poses(arm, sweep, goal, start, [answer[0] for _, answer in tried]):
        if q is not None:
            found.append((turn, (q, _tip(arm, q), 0.0, True, 0)))
            continue
        out, across = radius * math.cos(angle - turn), radius * math.sin(angle - turn)
        spot = sweep.flatten(out, across, height)
        if not found or proof is None or _allows(proof, arm, spot, start[1:]):
            answer = planar.quick(*spot, start[1:])
            found.append((turn, planar.search([spot], start[1:], [answer])[0]))
    return found


def _tip(arm: Arm, q: Sequence[float]) -> complex:
    """Return where the chain's tip is in the plane, in m."""
    chain = arm.chain
    bends = chain.bends_at(q)
    if chain.has_slides:
        return tip_at(chain.unit_lengths, bends, chain.fixed_bends) * chain.reach.outer
    return sum(map(rect, chain.lengths, accumulate(bends)), 0j)


def _why_not(arm: Arm, away: Sequence[float], beside: bool, stopped: bool, error: float) -> Status:
    """Return why a target is not reached.

    Args:
        arm: the arm.
        away: distances of the target from the chain's base at the turns where it is in the plane.
        beside: whether the plane stands farther beside the axis than the target.
        stopped: whether the planar solver has stopped without proof.
        error: how much is missing, in m.
    """
    inner, outer = arm.chain.reach
    rounding = OUTSIDE * (outer + (arm.sweep.scale if arm.sweep else 0.0))
    missing = [max(distance - outer, inner - distance) for distance in away]
    if min(missing) > rounding:
        nearest = away[missing.index(min(missing))]
        return Status.TOO_FAR if nearest > outer else Status.TOO_NEAR
    if beside:
        return Status.TOO_NEAR
    if stopped or not arm.limited or error <= OUTSIDE * outer:
        return Status.NOT_CONVERGED
    return Status.JOINT_LIMIT
