"""One call for every chain and target: checks arguments, picks the solver, judges the answer."""

from __future__ import annotations

import math
from cmath import rect
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from math import inf, isfinite, nan
from typing import TypeGuard, cast

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics import ccd, hybrid
from ik2d_ros.kinematics.angles import TURN, into_range, near, phase
from ik2d_ros.kinematics.arguments import finite, listed, named, shown, text, whole
from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.bounds import LARGEST_POSITION
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.errors import ArgumentError
from ik2d_ros.kinematics.in_space import (
    PlanarAnswer,
    PlanarSolver,
    solve_on_lift,
    solve_on_turntable,
)
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.kinematics.pose import LENGTH_ROUNDING, Problem, at
from ik2d_ros.kinematics.proof import Proof, closest, is_proven, nearest, poses, proof_of
from ik2d_ros.kinematics.reach import folded
from ik2d_ros.kinematics.search import search
from ik2d_ros.kinematics.solution import Solution, Status
from ik2d_ros.kinematics.stepping import ease_towards
from ik2d_ros.kinematics.two_bone import two_bone

SOLVERS = ('auto', 'two_bone', 'ccd', 'hybrid')
BENDS = ('nearest', 'positive', 'negative')

# A target this near to an edge of the annulus, in reaches, is met by the straight or folded pose.
EDGE = 1e-13

# Rounding of a distance from the base, as a share of it.
DISTANCE_ROUNDING = 1e-14

# Reaches; from here on the closest pose does not depend on the distance, which would only take
# the digits that tell poses apart.
FARTHEST = 1e5

_DOUBLE = np.dtype(np.float64)

Numbers = Sequence[float] | NDArray[np.float64]


def solve(
    chain: Chain | Arm,
    target: Numbers,
    solver: str = 'auto',
    start: Numbers | None = None,
    bend: str = 'nearest',
    tolerance: float = 1e-6,
    max_iterations: int = 100,
) -> Solution:
    """Find the joint positions that bring the tip onto a target, or as close as the arm can come.

    Args:
        chain: the chain, which moves in its plane, or the arm, which moves in space. Everything
            below about joints holds for an arm's turntable or lift, too.
        target: (2,) where the tip of a chain is to go, in m, in the plane, from the base; (3,)
            where that of an arm is to go, in m, in the base frame.
        solver: ``two_bone`` (closed form, exactly two joints); ``ccd`` (cyclic coordinate descent,
            any number of joints: sweeps over the joints, and an exact step where sweeps stall or
            creep); ``hybrid`` (any number: the smallest joint moves to a target that is near, exact
            closures from afar); or ``auto``: ``two_bone`` for two joints, else ``hybrid``.
        start: (n,) positions to move from, in rad, that of a lift in m; what is outside the limits
            is clamped into them, and that of a continuous joint must be from -1e9 to 1e9. Default:
            the middle of each joint's range, 0 for a continuous one.
        bend: for ``two_bone``: ``positive`` or ``negative`` is the sign of the angle from the first
            link to the second, ``nearest`` the solution with the smallest largest joint move from
            the start. A bend that the limits forbid gives way to the other one.
        tolerance: distance from the target in m that counts as reached.
        max_iterations: passes over the chain that ``ccd`` and ``hybrid`` may make: a sweep, a
            closure and a step are one each.

    Returns:
        The pose and what it achieves. An unreachable target is no error: the status says why, and
        the pose is the closest one found. Continuous joints are in the turn nearest to the start.
        Of the two turns of a turntable that bring the target into the plane, the one is taken at
        which the tip reaches it, else comes closer, else whose largest joint move is smaller.
        With three and more joints within limits, a turn at which the way from the start does not
        lead to the target counts only where the other one does not either, or takes a jump from a
        start that is near.
        Where limits forbid the target, the work grows with the cube of the number of links; with
        256, the most that there may be, it takes seconds and some 100 MB.

    Raises:
        ArgumentError: an argument is not of its kind or out of its range.
    """
    if type(chain) is not Chain:
        if is_arm(chain):
            return _solve_arm(chain, target, solver, start, bend, tolerance, max_iterations)
        chain = check_chain(chain)
    x, y = _point(target)
    solver, bend, tolerance, max_iterations = check_options(
        len(chain.lengths), solver, bend, tolerance, max_iterations
    )
    start_q = list(chain.middle) if start is None else _clamped_start(chain, start)
    q, tip, error, settled, passes = _in_plane(
        chain, x, y, start_q, solver, bend, tolerance, max_iterations
    )
    status = Status.REACHED
    if error > tolerance:
        status = _why_not(chain, math.hypot(x, y), error, settled)
    proven = is_proven(status, chain)
    flat = np.array((tip.real, tip.imag))
    return Solution(np.array(q), flat, error, status, solver, passes, proven)


def _in_plane(
    chain: Chain,
    x: float,
    y: float,
    start_q: Sequence[float],
    solver: str,
    bend: str,
    tolerance: float,
    max_iterations: int,
    thorough: bool = True,
) -> PlanarAnswer:
    """Return what :func:`solve` finds for arguments that are checked already.

    Without being thorough, only what the way from the start leads to.
    """
    start_bends = start_q
    if not chain.plain:
        start_bends = [a * q + b for a, q, b in zip(chain.signs, start_q, chain.shifts)]
    size = chain.reach.outer or 1.0
    goal = _goal(x, y, size)
    if solver == 'two_bone':
        shoulder, elbow = start_bends
        limits = chain.bend_limits if chain.limited else None
        pair = two_bone(chain.unit_lengths, limits, goal, (shoulder, elbow), bend)
        found: _Found = pair, None, True, 0
    else:
        found = _descended(
            chain, goal, start_bends, solver, tolerance / size, max_iterations, thorough
        )
    bends, unit_tip, settled, passes = found
    q, tip = _positions(chain, bends, unit_tip, start_q)
    return q, tip, math.hypot(x - tip.real, y - tip.imag), settled, passes


def _solve_arm(
    arm: Arm,
    target: Numbers,
    solver: str,
    start: Numbers | None,
    bend: str,
    tolerance: float,
    max_iterations: int,
) -> Solution:
    point = _space_point(target)
    method, side, distance, most = check_options(
        len(arm.chain), solver, bend, tolerance, max_iterations
    )
    start_q = list(arm.middle) if start is None else _clamped_start(arm, start)

    chain = arm.chain
    if arm.sweep is None:
        return solve_on_lift(
            arm,
            point,
            start_q,
            distance,
            lambda place, q: solve(chain, place, method, q, side, distance, most),
        )
    planar = PlanarSolver(
        lambda x, y, q: _in_plane(chain, x, y, q, method, side, distance, most, False),
        lambda places, q, stalled: _search_in_plane(chain, places, q, stalled, distance, most),
    )
    return solve_on_turntable(arm, arm.sweep, point, start_q, distance, planar, method)


def _search_in_plane(
    chain: Chain,
    places: Sequence[tuple[float, float]],
    start_q: Sequence[float],
    stalled: Sequence[PlanarAnswer],
    tolerance: float,
    max_iterations: int,
) -> list[PlanarAnswer]:
    """Return the answers of the search for those that have stalled, and the others as they are."""
    answers = list(stalled)
    if not chain.limited:
        return answers
    left = [
        k
        for k, (_, _, error, settled, passes) in enumerate(stalled)
        if not settled and error > tolerance and passes < max_iterations
    ]
    if not left:
        return answers
    size = chain.reach.outer or 1.0
    start, *bends = [
        [a * q + b for a, q, b in zip(chain.signs, positions, chain.shifts)]
        for positions in (start_q, *(stalled[k][0] for k in left))
    ]
    found = _searched(
        chain,
        [_goal(*places[k], size) for k in left],
        start,
        bends,
        tolerance / size,
        max(stalled[k][4] for k in left),
        max_iterations,
    )
    for k, (best, unit_tip, settled, passes) in zip(left, found, strict=True):
        x, y = places[k]
        q, tip = _positions(chain, best, unit_tip, start_q)
        answers[k] = q, tip, math.hypot(x - tip.real, y - tip.imag), settled, passes
    return answers


def is_arm(chain: object) -> TypeGuard[Arm]:
    """Whether it is an arm in space."""
    # What an object says that it is (`__class__`), it need not be.
    return issubclass(type(chain), Arm)


def check_chain(chain: object) -> Chain:
    """Check that it is a chain, and return it.

    Raises:
        ArgumentError: it is something else.
    """
    if issubclass(type(chain), Chain):
        return cast(Chain, chain)
    raise ArgumentError(f'chain is {shown(chain)}; it must be a Chain or an Arm')


# Plain tuples, here and below: they are made and unpacked in a fraction of the time of named ones.
# The arguments that do not depend on the target: solver, bend, tolerance and max_iterations.
_Options = tuple[str, str, float, int]


def check_options(
    joints: int, solver: str, bend: str, tolerance: float, max_iterations: int
) -> _Options:
    """Check what does not depend on the target.

    Returns:
        ``solver``, which is never ``auto``, ``bend``, ``tolerance`` and ``max_iterations`` in the
        plain types.

    Raises:
        ArgumentError: an option is not of its kind or out of its range.
    """
    try:
        return _checked_options(joints, solver, bend, tolerance, max_iterations)
    except ArgumentError:
        raise
    except Exception:  # what cannot be hashed or compared, such as a list
        return _checked_options.__wrapped__(joints, solver, bend, tolerance, max_iterations)


@lru_cache(maxsize=256, typed=True)
def _checked_options(
    joints: int, solver: str, bend: str, tolerance: float, max_iterations: int
) -> _Options:
    method, side = text(solver), text(bend)
    if method not in SOLVERS:
        raise ArgumentError(f'solver is {shown(solver)}; it must be one of {", ".join(SOLVERS)}')
    if method == 'two_bone' and joints != 2:
        raise ArgumentError(f"solver 'two_bone' needs exactly 2 joints; this chain has {joints}")
    if side not in BENDS:
        raise ArgumentError(f'bend is {shown(bend)}; it must be one of {", ".join(BENDS)}')
    distance = finite(tolerance)
    if distance is None or distance <= 0.0:
        raise ArgumentError(f'tolerance is {shown(tolerance)}; it must be a number above 0, in m')
    count = whole(max_iterations)
    if count is None:
        raise ArgumentError(f'max_iterations is {shown(max_iterations)}; it must be a whole number')
    if count < 1:
        raise ArgumentError(f'max_iterations is {shown(max_iterations)}; it must be 1 or more')
    if method == 'auto':
        method = 'two_bone' if joints == 2 else 'hybrid'
    return method, side, distance, count


# What a solver has found: bends (n,) in rad; where the tip is, in reaches, if that is known;
# whether no pose within the limits is known to be closer; and the passes that it took.
_Found = tuple[Sequence[float], complex | None, bool, int]


def _point(target: Numbers) -> tuple[float, float]:
    items = listed(target, 2)
    if items is None or len(items) != 2:
        raise ArgumentError(f'target is {shown(target)}; it must be two numbers, (x, y) in m')
    x, y = items
    if type(x) is float and type(y) is float and isfinite(x) and isfinite(y):
        return x, y
    at_x, at_y = finite(x), finite(y)
    if at_x is None or at_y is None:
        raise ArgumentError(
            f'target is ({shown(x)}, {shown(y)}); it must be two finite numbers, in m'
        )
    return at_x, at_y


def _space_point(target: Numbers) -> Vector:
    items = listed(target, 3)
    if items is None or len(items) != 3:
        raise ArgumentError(
            f'target is {shown(target)}; for an arm it must be three numbers, (x, y, z) in m'
        )
    x, y, z = items
    if type(x) is float and type(y) is float and type(z) is float and isfinite(x + y + z):
        return x, y, z
    x, y, z = map(finite, items)
    if x is None or y is None or z is None:
        words = ', '.join(map(shown, items))
        raise ArgumentError(f'target is ({words}); it must be three finite numbers, in m')
    return x, y, z


def _clamped_start(chain: Chain | Arm, start: Numbers) -> list[float]:
    """Return the start (n,) in rad, inside the limits."""
    count = len(chain.names)
    values: Sequence[object] | None
    if type(start) is np.ndarray and start.dtype is _DOUBLE and start.shape == (count,):
        # The commonest start, stepping along a path, is checked in no time.
        numbers: list[float] = start.tolist()
        values = numbers
        if not chain.limited:
            if sum(map(abs, numbers)) <= LARGEST_POSITION:
                return numbers
        elif not isfinite(sum(numbers)):
            numbers = [q if isfinite(q) else nan for q in numbers]
    else:
        values = listed(start, count)
        if values is None or len(values) != count:
            raise ArgumentError(
                f'start is {shown(start)}; it must be {count} positions in rad, '
                f'one for each of {named(chain.names)}'
            )
        numbers = [v if type(v) is float and isfinite(v) else _or_nan(finite(v)) for v in values]
    if chain.limited:
        numbers = [min(max(q, lower), upper) for q, (lower, upper) in zip(numbers, chain.limits)]
    if not sum(map(abs, numbers)) <= LARGEST_POSITION:
        for name, number, value in zip(chain.names, numbers, values):
            if not isfinite(number):
                raise ArgumentError(
                    f'start of joint {shown(name)} is {shown(value)}; it must be finite'
                )
            if abs(number) > LARGEST_POSITION:
                raise ArgumentError(
                    f'start of joint {shown(name)} is {shown(value)}; it must be from '
                    f'{-LARGEST_POSITION:.12g} to {LARGEST_POSITION:.12g} rad'
                )
    return numbers


def _goal(x: float, y: float, size: float) -> complex:
    """Return the target in reaches.

    One beyond all measure is brought in, for its direction is enough. One that only rounding keeps
    off the base is at the base, where every direction is as good.
    """
    distance = math.hypot(x, y) / size
    if distance <= LENGTH_ROUNDING:
        return 0j
    if distance <= FARTHEST:
        return complex(x / size, y / size)
    return rect(FARTHEST, math.atan2(y, x))


def _or_nan(number: float | None) -> float:
    return nan if number is None else number


_DESCENTS = {'ccd': ccd.descend, 'hybrid': hybrid.descend}


def _descended(
    chain: Chain,
    goal: complex,
    start: Sequence[float],
    solver: str,
    tolerance: float,
    budget: int,
    thorough: bool,
) -> _Found:
    outright = _edge_pose(chain, goal, start)
    if outright is not None:
        return outright, None, True, 0
    limits = chain.bend_limits if chain.limited else None
    problem = Problem(chain.unit_lengths, limits, goal)
    pose, passes = _DESCENTS[solver](problem, start, tolerance, budget)
    if limits is None or pose.error <= tolerance or passes >= budget:
        return pose.bends, pose.points[-1], False, passes
    if len(chain) == 2:
        shoulder, elbow = start
        bends = two_bone(chain.unit_lengths, limits, goal, (shoulder, elbow), 'nearest')
        return bends, None, True, passes
    if not thorough:
        return pose.bends, None, False, passes
    return _searched(chain, [goal], start, [pose.bends], tolerance, passes, budget)[0]


def _searched(
    chain: Chain,
    goals: Sequence[complex],
    start: Sequence[float],
    stalled: Sequence[Sequence[float]],
    tolerance: float,
    passes: int,
    budget: int,
) -> list[_Found]:
    """Return what is found for targets at each of which a descent has stalled."""
    proof = proof_of(chain)
    if proof is not None:
        return [_decided(proof, goal, start, tolerance, passes, budget) for goal in goals]
    with np.errstate(all='ignore'):  # Whatever the caller has set: it is judged by what comes out.
        found = search(
            chain,
            np.array(goals),
            np.tile(np.array(start)[:, None], len(goals)),
            np.array(stalled).T,
            tolerance,
            budget - passes,
        )
    return [
        (bends, None, settled, passes + found.passes)
        for bends, settled in zip(found.bends.T.tolist(), found.settled.tolist(), strict=True)
    ]


def _decided(
    proof: Proof,
    goal: complex,
    start: Sequence[float],
    tolerance: float,
    passes: int,
    budget: int,
) -> _Found:
    """Return a pose that reaches a target, if limits allow one, or the closest pose."""
    found = poses(proof, goal, start)
    if not found:
        return closest(proof, goal, start), None, True, passes + 1
    # What is proven to reach it has joints at a limit, and others that need not have moved.
    problem = Problem(proof.lengths, proof.limits, goal)
    begun = at(problem, nearest(found, start))
    pose, passes = ease_towards(problem, proof.limits, begun, start, tolerance, passes + 1, budget)
    return pose.bends, pose.points[-1], False, passes


def _edge_pose(chain: Chain, goal: complex, start: Sequence[float]) -> list[float] | None:
    """Return the exact closest pose for a target on the edge of the annulus or outside it.

    None where the target is inside, or where limits forbid that pose.
    """
    distance = abs(goal)
    inner, outer = chain.unit_reach
    if distance >= outer - EDGE:
        bends = [0.0] * len(chain)
    elif inner > 0.0 and distance <= inner + EDGE:
        bends = folded(chain.unit_lengths)
    else:
        return None
    bends[0] = bends[0] + phase(goal) if goal else start[0]
    allowed = []
    for bend, (lower, upper), now in zip(bends, chain.bend_limits, start, strict=True):
        angle = into_range(bend, lower, upper, now)
        if angle is None:
            return None
        allowed.append(angle)
    return allowed


def _positions(
    chain: Chain, bends: Sequence[float], unit_tip: complex | None, start: Sequence[float]
) -> tuple[Sequence[float], complex]:
    """Return positions (n,) in rad, inside the limits to the last bit, and the tip there in m."""
    if chain.plain and not chain.limited:
        if unit_tip is not None and _are_near(bends, start):
            return bends, unit_tip * chain.reach.outer
        positions = list(map(near, bends, start))
        return positions, sum(map(rect, chain.lengths, accumulate(positions)))
    positions = []
    angle, tip = 0.0, 0j
    for bend, sign, shift, length, (lower, upper), now in zip(
        bends, chain.signs, chain.shifts, chain.lengths, chain.limits, start
    ):
        q = sign * (bend - shift)
        if lower == -inf:
            q = near(q, now)
        elif upper - lower > TURN:
            turned = into_range(q, lower, upper, now)
            q = min(max(q, lower), upper) if turned is None else turned
        elif q < lower:
            q = lower
        elif q > upper:
            q = upper
        positions.append(q)
        angle += sign * q + shift
        tip += rect(length, angle)
    return positions, tip


def _are_near(bends: Sequence[float], start: Sequence[float]) -> bool:
    """Return whether no bend is more than half a turn from where it started."""
    for bend, now in zip(bends, start):  # noqa: SIM110  # in half the time of `all`
        if not -math.pi <= bend - now <= math.pi:
            return False
    return True


def _why_not(chain: Chain, distance: float, error: float, settled: bool) -> Status:
    """Return why a target at a distance from the base is missed, by a tip this far from it."""
    inner, outer = chain.reach
    if distance > outer * (1.0 + DISTANCE_ROUNDING):
        return Status.TOO_FAR
    if distance < inner * (1.0 - DISTANCE_ROUNDING):
        return Status.TOO_NEAR
    # What rounding alone keeps off the target, no limit forbids.
    forbidden = settled and chain.limited and error > EDGE * outer
    return Status.JOINT_LIMIT if forbidden else Status.NOT_CONVERGED
