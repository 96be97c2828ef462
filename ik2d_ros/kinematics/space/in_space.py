"""Inverse kinematics of an arm in space, by that of its chain in the plane.

A layer over any planar solver: it finds where turntable or lift bring the plane, hands the target
in the plane to the solver, and chooses among the answers. With a turntable, there are two turns at
which a target is in the plane: in front, and over the back.
"""

from __future__ import annotations

import math
from cmath import rect
from collections.abc import Sequence
from itertools import accumulate

from numpy import array

from ik2d_ros.kinematics.angles import SAME_MOVE, into_range
from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.closed_form.pair import FORBIDDEN
from ik2d_ros.kinematics.planar.edge import edge_pose
from ik2d_ros.kinematics.planar.planar_solver import PlanarSolver
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.kinematics.pose import tip_at
from ik2d_ros.kinematics.positions import commanded
from ik2d_ros.kinematics.proof.proof import Proof, is_proven, proof_of
from ik2d_ros.kinematics.solution import Solution, Status
from ik2d_ros.kinematics.space.at_turns import PoseInSpace, allows_place, at_turns, searched
from ik2d_ros.kinematics.space.closest_poses import closest_poses
from ik2d_ros.kinematics.space.closest_straight import straight
from ik2d_ros.kinematics.space.distances import may_allow
from ik2d_ros.kinematics.space.moves import largest_move, least_move
from ik2d_ros.kinematics.space.pair_in_space import reached_by_pair
from ik2d_ros.kinematics.space.places import (
    CLOSEST,
    OUTSIDE,
    Place,
    beside_plane,
    nearest_of,
    places_about,
    seen_from_axis,
)
from ik2d_ros.kinematics.sweep import Goal, Sweep
from ik2d_ros.kinematics.tuning import JUMP, SPACE_NEAR

# Members of an enum are not found as quickly as names of a module.
_REACHED, _NOT_CONVERGED = Status.REACHED, Status.NOT_CONVERGED
_TOO_FAR, _TOO_NEAR, _JOINT_LIMIT = Status.TOO_FAR, Status.TOO_NEAR, Status.JOINT_LIMIT

BEYOND = 2.0  # Reaches; what is so far away is met by the straight pose alone.
SAME_DISTANCE = 1e-8  # Reaches; poses that differ by less are equally close.


def solve_on_turntable(
    arm: Arm,
    sweep: Sweep,
    target: Vector,
    start: Sequence[float],
    tolerance: float,
    planar: PlanarSolver,
    solver: str,
) -> Solution:
    """Return the pose that brings the tip of an arm onto a target, or as close as it can come.

    Args:
        arm: an arm with a turntable.
        sweep: of its plane.
        target: in m, in the base frame.
        start: (m,) positions in rad, inside the limits.
        tolerance: distance in m that counts as reached.
        planar: solves for the chain.
        solver: what it is called.
    """
    goal, rounding = seen_from_axis(arm, sweep, target)
    places, beyond = places_about(arm, sweep, goal, rounding, start[0])
    away = [math.hypot(*spot) for _, spot in places]
    found: list[PoseInSpace] = []
    passes, stopped = 0, False
    forbidden = False
    if min(away) > arm.size + tolerance and goal.radius > rounding:
        found = _straight(arm, sweep, goal, start)
    elif planar.pair is not None and not beyond:
        reached = reached_by_pair(planar.pair, arm.chain, places, away, start, tolerance)
        found, forbidden = reached or [], reached == []
    if not found:
        found, passes, stopped = _found(
            arm, sweep, goal, rounding, places, away, beyond, start, tolerance, planar, forbidden
        )
    turn, (q, flat, _, _, _) = (
        found[0] if len(found) == 1 else _choose(arm, sweep, goal, found, start, tolerance)
    )
    tip = sweep.point(sweep.raised(flat.real, flat.imag), turn)
    error = math.dist(tip, target)
    status, proven = _REACHED, True
    if error > tolerance:
        status = _why_not(arm, away, beyond, stopped, error)
        proven = is_proven(status, arm.chain)
    # The same as `Solution(...)`, which takes twice the time.
    return tuple.__new__(
        Solution,
        (
            array((turn, *q)),
            array(tip),
            error,
            status,
            solver,
            passes,
            proven,
            arm.chain.tip_angle(q),
            0.0,
        ),
    )


def _straight(arm: Arm, sweep: Sweep, goal: Goal, start: Sequence[float]) -> list[PoseInSpace]:
    """Return the closest poses to a target beyond reach; none where that takes a search."""
    chain, found = arm.chain, []
    begun = chain.bends_at(start[1:])
    for wanted, direction in straight(sweep, arm.size, goal):
        turn = into_range(wanted, *arm.limits[0], start[0])
        bends = edge_pose(chain, rect(BEYOND, direction), begun)
        if turn is None or bends is None:
            return []
        q, tip = commanded(chain, bends, start[1:])
        found.append((turn, (q, tip, 0.0, True, 0)))
    # The smaller turn comes first, as of places.
    if len(found) == 2:
        move, other = (abs(turn - start[0]) for turn, _ in found)
        if other < move - SAME_MOVE:
            found.reverse()
    return found


def _found(
    arm: Arm,
    sweep: Sweep,
    goal: Goal,
    rounding: float,
    places: Sequence[Place],
    away: Sequence[float],
    beyond: bool,
    start: Sequence[float],
    tolerance: float,
    planar: PlanarSolver,
    forbidden: bool,
) -> tuple[list[PoseInSpace], int, bool]:
    """Return poses of which the closest is that of the arm; if any reaches the target, one.

    Also the passes made, and whether a solver has stopped without proof. Limits may be known to
    have forbidden the target.
    """
    # Seen along the axis, tips are as far from the target in space as in the plane; elsewhere not.
    whole = goal.radius <= rounding or (
        sweep.d == 0.0 == sweep.e and all(to is not None for to, _ in places)
    )
    chain = arm.chain
    if forbidden and not whole:
        return (
            _others(arm, sweep, goal, start, [], nearest_of(arm, tolerance), planar, None),
            0,
            False,
        )
    has_stages = chain.limited and len(chain.lengths) != 2
    proof = proof_of(chain) if has_stages else None
    is_near = proof is not None and _stands_near(arm, sweep, goal, start)
    nearest = nearest_of(arm, tolerance)
    near = nearest if beyond else tolerance
    tried = at_turns(arm, places, away, start, tolerance, near, planar, proof, whole, is_near)
    met, passes, stopped = _met(tried, tolerance)
    if has_stages and proof is None:
        moves = [largest_move(chain, turn, answer[0], start) for turn, answer in met]
        move = min(moves, default=math.inf)
        if not met or (move > JUMP and _stands_near(arm, sweep, goal, start)):
            tried = searched(places, start, tried, tolerance, planar)
            passes = max(passes, *(answer[4] for _, answer in tried)) if tried else passes
            met, _, stopped = _met(tried, tolerance)
    if met:
        # Beside the axis, too: nothing is closer than the closest place in the plane.
        return [_least_move(chain, met, start)], passes, stopped
    tried = [pose for pose in tried if pose[1][2] < math.inf]
    if not whole:
        tried += _others(arm, sweep, goal, start, tried, nearest, planar, proof)
    return tried, passes, stopped


def _met(tried: Sequence[PoseInSpace], tolerance: float) -> tuple[list[PoseInSpace], int, bool]:
    """Return the poses that reach, all passes made, and whether a solver stopped without proof."""
    met: list[PoseInSpace] = []
    passes, stopped = 0, False
    for pose in tried:
        _, _, error, settled, made = pose[1]
        passes += made
        stopped = stopped or not settled
        if error <= tolerance:
            met.append(pose)
    return met, passes, stopped


def _distance(sweep: Sweep, goal: Goal, turn: float, tip: complex) -> float:
    """Return the distance in space from a tip in the turned plane to the target in m."""
    out, across, height = sweep.raised(tip.real, tip.imag)
    apart = goal.angle - turn
    return math.hypot(
        goal.radius * math.cos(apart) - out,
        goal.radius * math.sin(apart) - across,
        goal.height - height,
    )


def _least_move(chain: Chain, poses: Sequence[PoseInSpace], start: Sequence[float]) -> PoseInSpace:
    if len(poses) == 1:
        return poses[0]
    return poses[least_move(chain, [(turn, answer[0]) for turn, answer in poses], start)]


def _choose(
    arm: Arm,
    sweep: Sweep,
    goal: Goal,
    found: Sequence[PoseInSpace],
    start: Sequence[float],
    tolerance: float,
) -> PoseInSpace:
    """Return the closest pose, and of those that are equally close the one that moves least."""
    distances = [_distance(sweep, goal, turn, answer[1]) for turn, answer in found]
    least = min(distances)
    # What reaches the target is as good as any other that does, and better than what does not.
    enough = tolerance if least <= tolerance else least + SAME_DISTANCE * arm.size
    near = [pose for pose, away in zip(found, distances, strict=True) if away <= enough]
    return _least_move(arm.chain, near, start)


def _stands_near(arm: Arm, sweep: Sweep, goal: Goal, start: Sequence[float]) -> bool:
    """Return whether the tip is near to the target from the start, as on a path."""
    return _distance(sweep, goal, start[0], _tip(arm, start[1:])) < SPACE_NEAR * arm.size


def _others(
    arm: Arm,
    sweep: Sweep,
    goal: Goal,
    start: Sequence[float],
    tried: Sequence[PoseInSpace],
    nearest: float,
    planar: PlanarSolver,
    proof: Proof | None,
) -> list[PoseInSpace]:
    """Return the poses that come closest besides those tried.

    There are such where limits forbid the turns at which the target is in the plane, and where the
    plane stands beside the axis: the tip then comes closer in space by another turn.
    """
    found: list[PoseInSpace] = []
    enough = math.inf
    begun = [answer[0] for _, answer in tried]
    for away, turn, pose in closest_poses(arm, sweep, goal, start, begun):
        if away > enough:
            break
        if pose is not None:
            found.append((turn, (*pose, 0.0, True, 0)))
            continue
        _, spot = beside_plane(sweep, goal, turn)
        # What limits forbid there is no better than what is on the edge.
        if away:
            if not may_allow(arm.chain, math.hypot(*spot), nearest):
                continue
            if proof is not None and not allows_place(proof, arm, spot, start[1:]):
                continue
            if planar.pair is not None and planar.pair(*spot, start[1:]) is FORBIDDEN:
                continue
        answer = planar.quick(*spot, start[1:], nearest)
        if not away or answer[2] < math.inf:
            answer = planar.search([spot], start[1:], [answer], nearest)[0]
            found.append((turn, answer))
            if answer[2] <= CLOSEST * arm.size:
                enough = away + SAME_DISTANCE
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
    least, most = min(away), max(away)
    if least > outer or most < inner or (least < inner and most > outer):
        missing = [max(distance - outer, inner - distance) for distance in away]
        if min(missing) > rounding:
            nearest = away[missing.index(min(missing))]
            return _TOO_FAR if nearest > outer else _TOO_NEAR
    if beside:
        return _TOO_NEAR
    if stopped or not arm.limited or error <= OUTSIDE * outer:
        return _NOT_CONVERGED
    return _JOINT_LIMIT
