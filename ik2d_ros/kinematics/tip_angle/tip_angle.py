"""Reaching a target point at a tip angle, in the plane: a layer over the planar solvers.

The angle says where the last joint has to be: decoupled so, the joints before it have a target
without an angle. That is all where there are no limits. Within limits the last bend may not be
allowed; then small moves of all joints, or the proof, decide. Derived in ``docs/solvers.md``,
section 11. Units are those of :mod:`.pose`.
"""

from __future__ import annotations

import math
from cmath import rect
from collections.abc import Sequence
from math import atan2, inf
from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import SAME_MOVE, TURN, Limits, into_range, near
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.columns import links
from ik2d_ros.kinematics.descent.stepping import gauss_newton
from ik2d_ros.kinematics.planar.strategy import descend
from ik2d_ros.kinematics.pose import Pose, Problem, at
from ik2d_ros.kinematics.tip_angle.three_bone import three_bone
from ik2d_ros.kinematics.tip_angle.tip_angle_edge import (
    EDGE,
    annulus_before,
    can_be_had,
    closest_on_edge,
    headings_on_edge,
    shape_on_edge,
)
from ik2d_ros.kinematics.tip_angle.tip_angle_poses import AngleProof
from ik2d_ros.kinematics.tip_angle.tip_angle_proof import (
    EXACT,
    Candidates,
    angle_proof_of,
    posed,
    turned,
)
from ik2d_ros.kinematics.tip_angle.tip_angle_spread import nearest_of_spread
from ik2d_ros.kinematics.tip_angle.tip_angle_steps import Aim, approach, refine, return_towards
from ik2d_ros.kinematics.tip_angle.tip_angle_triples import close_three
from ik2d_ros.kinematics.tuning import (
    AIMED_STEPS,
    ANGLE_NEAR,
    ANGLE_PROOF_JOINTS,
    LONG,
    NEAR_ANGLE,
    TRIED,
)


class Wanted(NamedTuple):
    """What angle is asked for.

    Attributes:
        angle: direction of the x-axis of the last link's frame in the plane, in rad.
        tolerance: distance from it that counts as reached, in rad.
    """

    angle: float
    tolerance: float


class Aimed(NamedTuple):
    """What was found for a target and an angle.

    Attributes:
        bends: (n,) rad; None where no pose reaches even the point.
        reached: whether point and angle are reached; else it is the closest angle.
        proven: whether that is exact.
        passes: made so far.
        tip: where it is then, in reaches, if that is known.
    """

    bends: Sequence[float] | None
    reached: bool
    proven: bool
    passes: int
    tip: complex | None = None


def reach_at_angle(
    chain: Chain, aim: Aim, solver: str, start: Sequence[float], budget: int
) -> Aimed:
    """Bring the tip onto a target at an angle, or onto the target at the closest angle.

    For three joints, this is what is left where the closed form has no answer.

    Args:
        chain: the chain.
        aim: its links, the target and the angle.
        solver: for the joints before the last.
        start: (n,) bends in rad to move from, inside the limits.
        budget: how many passes over the chain there may be.
    """
    limits, fixed = aim.problem.limits, aim.problem.fixed
    passes, near = 0, None
    if len(start) > 3 and _is_at_angle(aim, start):
        begun = at(aim.problem, start)
        near = begun if begun.error < ANGLE_NEAR else None
    if near is not None:
        pose, passes = approach(aim, near, passes, budget, ease=True)
        if aim.met(pose):
            return Aimed(pose.bends, True, True, passes)
    if limits is None:
        return _freely(aim, solver, start, passes, budget)
    can = fixed is not None or can_be_had(
        aim.problem.lengths,
        abs(aim.problem.target - rect(aim.problem.lengths[-1], aim.heading)),
        (aim.tolerance, aim.angle_tolerance),
    )
    if can and len(start) > 3 and (fixed is None or None in fixed[2:]):
        pose, passes = _closed(
            chain, aim, limits, solver, near or at(aim.problem, start), passes, budget
        )
        if aim.met(pose):
            return Aimed(pose.bends, True, True, passes)
    if not can:
        closest = closest_on_edge(
            aim.problem.lengths, limits, aim.problem.target, aim.heading, start
        )
        if closest is not None:
            return Aimed(closest, False, True, passes)
    proof = angle_proof_of(chain)
    if proof is None:
        return Aimed(None, False, False, passes)
    bends, reached = decide(proof, aim, start, can)
    if bends is not None and reached and near is not None:
        # From afar it is as good as it is.
        pose, passes = return_towards(aim, at(aim.problem, bends), start, passes, budget)
        bends = pose.bends
    return Aimed(bends, reached, True, passes + 1)


def _is_at_angle(aim: Aim, start: Sequence[float]) -> bool:
    """Whether the angle is near to that at the start: what turns far is not near."""
    fixed = aim.problem.fixed
    turns = start if fixed is None else links(fixed, aim.problem.lengths, start)[1]
    return abs(math.remainder(aim.heading - sum(turns), TURN)) < NEAR_ANGLE


def _freely(aim: Aim, solver: str, start: Sequence[float], passes: int, budget: int) -> Aimed:
    """Reach a target at an angle, or at the closest one, without limits: exactly.

    The last joint is on a circle about the target; where the angle asked for brings it outside the
    annulus of the joints before, the closest angle is where it is on the annulus' edge.
    """
    lengths, target = aim.problem.lengths, aim.problem.target
    inner, outer = annulus_before(tuple(lengths))
    heading, last = aim.heading, lengths[-1]
    wrist = target - rect(last, heading)
    distance = abs(wrist)
    reached = True
    if distance > outer or distance < inner:
        edge = outer if distance > outer else inner
        if abs(distance - edge) > EDGE:
            sides = headings_on_edge(target, last, edge)
            if not sides:
                return Aimed(None, False, True, passes)
            asked = heading
            heading, direction = min(
                sides, key=lambda each: abs(math.remainder(each[0] - asked, TURN))
            )
            wrist, reached = rect(edge, direction), False
        distance = edge
    bends: Sequence[float]
    tip = None
    if distance >= outer - EDGE or (inner > 0.0 and distance <= inner + EDGE):
        stretched = distance >= outer - EDGE
        shape = shape_on_edge(lengths, stretched)
        shape[0] = shape[0] + atan2(wrist.imag, wrist.real) if wrist else start[0]
        bends = shape
    elif len(lengths) == 3:
        found = three_bone(lengths, None, target, heading, start)
        return Aimed(found, found is not None, True, passes)
    else:
        problem = tuple.__new__(Problem, (lengths[:-1], None, wrist, None))
        pose, more = descend(solver, problem, start[:-1], aim.tolerance, budget - passes)
        passes += more
        if pose.error > aim.tolerance:
            return Aimed(None, False, False, passes)
        bends, tip = pose.bends, pose.points[-1] + rect(last, heading)
    # The same as `Aimed(...)`, which takes twice the time.
    return tuple.__new__(Aimed, ([*bends, heading - sum(bends)], reached, True, passes, tip))


def _closed(
    chain: Chain,
    aim: Aim,
    limits: Limits,
    solver: str,
    begun: Pose,
    passes: int,
    budget: int,
) -> tuple[Pose, int]:
    """Close the chain by three joints, or to where the last one has to be, and step from there."""
    if solver == 'hybrid' and passes < budget:
        passes += 1
        closed = close_three(aim, begun, chain)
        if closed is not None:
            return closed, passes
    return _decoupled(chain, aim, limits, solver, begun.bends, passes, budget)


def _decoupled(
    chain: Chain,
    aim: Aim,
    limits: Limits,
    solver: str,
    start: Sequence[float],
    passes: int,
    budget: int,
) -> tuple[Pose, int]:
    """Bring the last joint where the angle wants it, and let it make up for the angle.

    The last one that turns: slides behind it stay where they are. Where its limits forbid that, all
    step on from there, and those of a long chain from elsewhere, too: its proof takes longer.
    """
    lengths, fixed = aim.problem.lengths, aim.problem.fixed
    last, heading, wrist = len(lengths) - 1, aim.heading, aim.problem.target
    while fixed is not None and (turned := fixed[last]) is not None:
        wrist -= rect(start[last], heading)
        heading -= turned
        last -= 1
    wrist -= rect(lengths[last], heading)
    before = limits[:last] if any(lower > -inf for lower, _ in limits[:last]) else None
    problem = Problem(lengths[:last], before, wrist, None if fixed is None else fixed[:last])
    # Steps go on from there, and then the proof; where there is none, it takes all that may help.
    finish = len(start) > ANGLE_PROOF_JOINTS
    pose, more = descend(solver, problem, start[:last], aim.tolerance, budget - passes, finish)
    passes += more
    _, turns = links(problem.fixed, problem.lengths, pose.bends)
    wanted = heading - math.fsum(turns)
    bend = into_range(wanted, *limits[last], start[last])
    if bend is None:
        lower, upper = limits[last]
        bend = min(max(near(wanted, 0.5 * (lower + upper)), lower), upper)
    whole = at(aim.problem, [*pose.bends, bend, *start[last + 1 :]])
    whole, passes = _stepped(aim, whole, passes, budget)
    if len(start) >= LONG and not aim.met(whole):
        goals, headings = np.array([aim.problem.target]), np.array([aim.heading])
        elsewhere = nearest_of_spread(chain, goals, headings)[:, 0].tolist()
        whole, passes = _stepped(aim, at(aim.problem, elsewhere), passes, budget)
    return whole, passes


def _stepped(aim: Aim, pose: Pose, passes: int, budget: int) -> tuple[Pose, int]:
    """Make a few steps; a proof takes longer than those that creep."""
    most = min(budget, passes + AIMED_STEPS)
    return approach(aim, pose, passes, most)


def decide(
    proof: AngleProof, aim: Aim, start: Sequence[float], can: bool
) -> tuple[list[float] | None, bool]:
    """Return a pose that reaches a target at an angle; else one with the closest angle; or none.

    Also whether it is the first, which ``can`` be as far as lengths tell.
    """
    target, heading = np.array([aim.problem.target]), np.array([aim.heading])
    starts = np.array(start)[:, None]
    with np.errstate(all='ignore'):  # Whatever the caller has set: it is judged by what comes out.
        if can:
            bends = chosen(aim, posed(proof, target, heading, starts), start)
            if bends is not None:
                return bends, True
        return closest_angle(aim, turned(proof, target, heading, starts), start), False


def chosen(aim: Aim, found: Candidates, start: Sequence[float]) -> list[float] | None:
    """Return the pose that moves least of those that reach target and angle; None for none."""
    good = (found.error <= EXACT) & (np.abs(found.off) <= EXACT)
    if good.any():
        bends = found.bends[:, good]
        moves = np.abs(bends - np.array(start)[:, None]).max(axis=0)
        first: list[float] = bends[:, int((moves <= moves.min() + SAME_MOVE).argmax())].tolist()
        return first
    # What rounding has taken off its limits, next to straight or folded, was brought back.
    order = np.argsort(np.hypot(found.error, found.off))[:TRIED]
    for bends in found.bends[:, order].T.tolist():
        pose = refine(aim, at(aim.problem, bends))
        if pose.error <= EXACT and abs(aim.off(pose)) <= EXACT:
            return pose.bends
    return None


def closest_angle(aim: Aim, found: Candidates, start: Sequence[float]) -> list[float] | None:
    """Return the pose with the closest angle of those that reach the target; None for none."""
    best: list[float] | None = None
    off, good = np.abs(found.off), found.error <= EXACT
    least = off[good].min() if good.any() else inf
    if good.any():
        bends = found.bends[:, good & (off <= least + SAME_MOVE)]
        moves = np.abs(bends - np.array(start)[:, None]).max(axis=0)
        best = bends[:, int((moves <= moves.min() + SAME_MOVE).argmax())].tolist()
    loose = np.flatnonzero(~good & (off < least))
    for k in loose[np.argsort(off[loose])][:TRIED].tolist():
        begun = at(aim.problem, found.bends[:, k].tolist())
        pose, _ = gauss_newton(aim.problem, begun, 1e-14, 0, 8)
        turn = abs(aim.off(pose))
        if pose.error <= EXACT and turn < least - SAME_MOVE:
            best, least = pose.bends, turn
    return best
