"""What a chain does at the turns of its turntable at which a target is in its plane."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ik2d_ros.kinematics.angles import SAME_MOVE
from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.planar.planar_solver import PlanarAnswer, PlanarSolver
from ik2d_ros.kinematics.proof.proof import Proof, allows
from ik2d_ros.kinematics.space.distances import may_allow
from ik2d_ros.kinematics.space.moves import largest_move
from ik2d_ros.kinematics.space.places import Place
from ik2d_ros.kinematics.targets import goal_of

# A turn in rad, and what the chain does there.
PoseInSpace = tuple[float, PlanarAnswer]


def at_turns(
    arm: Arm,
    places: Sequence[Place],
    away: Sequence[float],
    start: Sequence[float],
    tolerance: float,
    near: float,
    planar: PlanarSolver,
    proof: Proof | None,
    every: bool,
    is_near: bool,
) -> list[PoseInSpace]:
    """Return what the chain does at the turns at which the target is in the plane.

    From afar, and of the other turn, the proof says first whether limits allow the target.
    A turn is left out where it is out of the limits, where the target is then out of the chain's
    reach, unless ``every`` is to be tried, and where the other one takes less.

    Args:
        arm: the arm.
        places: where the target is in the plane.
        away: how far that is from the chain's base, in m.
        start: (m,) positions in rad, inside the limits.
        tolerance: distance in m that counts as reached.
        near: the same for the planar solver.
        planar: solves for the chain.
        proof: of the chain, if there is one.
        every: whether the chain is to come as close as it can to what it does not reach.
        is_near: whether the arm is near to the target.
    """
    tried: list[PoseInSpace] = []
    refused: list[tuple[float, tuple[float, float]]] = []
    least = math.inf
    now, begun = start[0], start[1:]
    for (turn, spot), far in zip(places, away):
        # Where the turntable alone turns farther than any joint for the other answer, that is it.
        if turn is None or abs(turn - now) > least - SAME_MOVE:
            continue
        if not (every or may_allow(arm.chain, far, tolerance)):
            continue
        if proof is None:
            answer = planar.quick(*spot, begun, near)
            if answer[2] == math.inf and every:
                answer = planar.search([spot], begun, [answer], near)[0]
        else:
            answer = _by_proof(proof, arm, spot, begun, near, planar, every, is_near)
            is_near = False
        tried.append((turn, answer))
        if answer[2] <= tolerance:
            least = largest_move(arm.chain, turn, answer[0], start)
        elif answer[2] == math.inf:
            refused.append((turn, spot))
    for turn, spot in refused if least < math.inf else ():
        # The arm changes the side only where it has to: not for less than matters.
        if abs(turn - now) <= least - SAME_MOVE:
            tried.append((turn, _closest(spot, begun, near, planar)))
    return tried


def _closest(
    spot: tuple[float, float], start: Sequence[float], near: float, planar: PlanarSolver
) -> PlanarAnswer:
    """Return how close the chain comes to a place that its limits forbid."""
    answer = planar.search([spot], start, [(start, 0j, math.inf, False, 0)], near)[0]
    if answer[2] > near:
        return answer
    # Out of the limits, but by less than matters.
    followed = planar.quick(*spot, start, near)
    return followed if followed[2] <= near else answer


def _by_proof(
    proof: Proof,
    arm: Arm,
    spot: tuple[float, float],
    start: Sequence[float],
    near: float,
    planar: PlanarSolver,
    closest: bool,
    is_near: bool,
) -> PlanarAnswer:
    """Return what the chain does at one place, infinitely far from it where limits forbid that.

    Unless it is to come as close as it can there, which takes longer than the proof alone.
    """
    answer = planar.quick(*spot, start, near) if is_near else None
    if answer is not None and answer[2] <= near:
        return answer
    if allows_place(proof, arm, spot, start):
        answer = answer or planar.quick(*spot, start, near)
        if answer[2] <= near:
            return answer
        return planar.search([spot], start, [answer], near)[0]
    if closest:
        return _closest(spot, start, near, planar)
    return start, 0j, math.inf, True, 1 + (answer[4] if answer else 0)


def searched(
    places: Sequence[Place],
    start: Sequence[float],
    tried: Sequence[PoseInSpace],
    tolerance: float,
    planar: PlanarSolver,
) -> list[PoseInSpace]:
    """Return what is found from anywhere at the turns tried."""
    spots = dict(places)
    answers = planar.search(
        [spots[turn] for turn, _ in tried], start[1:], [answer for _, answer in tried], tolerance
    )
    return [(turn, answer) for (turn, _), answer in zip(tried, answers, strict=True)]


def allows_place(proof: Proof, arm: Arm, spot: tuple[float, float], start: Sequence[float]) -> bool:
    """Whether the limits of the chain allow a place in the plane."""
    return allows(proof, goal_of(*spot, arm.size or 1.0), arm.chain.bends_at(start))
