"""The rows of the trial for arms in space: targets reached, forbidden ones, and circles."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from arms_in_space import poses, random_arm_in_space, shipped_arms, tips
from findings import CLOSEST, EXACT, RUNS, SHOWN, FloatArray, Found

from ik2d_ros.kinematics import Arm, Status, solve, solve_batch

Rows = Iterator[tuple[str, list[Callable[[], Found]]]]

_RANDOM = 30  # Arms.
_PARTS = 10  # Of a row.
_SINGLY = 10  # One target in so many is solved by itself, too.
_FORBIDDEN_EACH = 5_000  # Targets of a row for each forbidden one, for which SciPy takes seconds.
_STEPS = 800  # Of one lap.
_LAPS = 3
_JUMP = 1e-3  # rad; by how much more than the chain alone a joint may move.


def rows_in_space(count: int) -> Rows:
    """Name and parts of each row."""
    each = max(1, count // _PARTS)
    for name, arm in _arms():
        yield (
            f'in space, {name}',
            [partial(reached, arm, each, seed) for seed in range(_PARTS)],
        )
    few = max(1, each // _FORBIDDEN_EACH)
    for name, arm in _arms():
        yield (
            f'in space, {name}, forbidden',
            [partial(forbidden, arm, few, seed) for seed in range(_PARTS)],
        )
    for free in (False, True):
        for number in range(_RANDOM):
            arm = random_arm_in_space(number, 2 + number % 4, free)
            name = f'random {number}' + ' without limits' * free
            yield (
                f'in space, {name}, circles',
                [partial(circle, arm, kind, number) for kind in _CIRCLES],
            )


def _arms() -> Iterator[tuple[str, Arm]]:
    for number in range(_RANDOM):
        yield f'random {number}', random_arm_in_space(number, 2 + number % 4)
    yield from shipped_arms()


def reached(arm: Arm, count: int, seed: int) -> Found:
    """Try tips of poses within the limits, half of them from the default start."""
    rng = np.random.default_rng([seed, 12])
    size = arm.chain.reach.outer
    targets = tips(arm, poses(arm, count, rng))
    starts = poses(arm, count, rng) if seed % 2 else np.tile(arm.middle, (count, 1))
    batch = solve_batch(arm, targets, start=starts, tolerance=EXACT * size)
    some = np.arange(0, count, _SINGLY)
    answers = [solve(arm, targets[k], start=starts[k], tolerance=EXACT * size) for k in some]
    missed_at_once, worst = _missed(arm, targets, batch.q, batch.status)
    missed, worst_singly = _missed(
        arm,
        targets[some],
        np.array([answer.q for answer in answers]),
        np.array([answer.status for answer in answers]),
    )
    wrong = np.union1d(np.flatnonzero(missed_at_once), some[missed])[:SHOWN]
    failures = [f'{arm!r}, target {targets[k].tolist()}, start {starts[k].tolist()}' for k in wrong]
    return Found(
        count, int(missed.sum()), int(missed_at_once.sum()), max(worst, worst_singly), failures
    )


def _missed(
    arm: Arm, targets: FloatArray, q: FloatArray, statuses: FloatArray
) -> tuple[FloatArray, float]:
    """Return which targets are missed, and the largest distance in reaches."""
    away = np.linalg.norm(tips(arm, q) - targets, axis=1) / arm.chain.reach.outer
    inside = ((q >= arm.lower) & (q <= arm.upper)).all(axis=1)
    # What a place far from the origin loses to rounding, no solver can win back.
    rounding = 1e-15 * np.abs(targets).max() / arm.chain.reach.outer
    met = inside & (away <= EXACT * (1.0 + 1e-6) + rounding) & (statuses == Status.REACHED)
    return ~met, float(away.max())


def forbidden(arm: Arm, count: int, seed: int) -> Found:
    """Try targets anywhere that the arm cannot reach: no optimiser comes closer."""
    from scipy.optimize import least_squares  # here, for the rest does without SciPy

    rng = np.random.default_rng([seed, 13])
    size = arm.chain.reach.outer
    found = Found(0, 0, 0, 0.0, [])
    middle = tips(arm, poses(arm, 200, rng)).mean(axis=0)
    for _ in range(50 * count):
        if found.targets == count:
            break
        target = middle + size * rng.choice([0.1, 0.3, 0.6, 1.2]) * rng.normal(size=3)
        answer = solve(arm, target)
        if answer.status is Status.REACHED:
            continue
        best = min(
            least_squares(
                lambda q: (tips(arm, q[None])[0] - target) / size,  # noqa: B023  # used at once
                start,
                bounds=(arm.lower, np.nextafter(arm.upper, np.inf)),
                x_scale='jac',
                xtol=1e-15,
                ftol=1e-15,
                gtol=1e-15,
            ).cost
            for start in poses(arm, RUNS, rng)
        )
        best = math.sqrt(2.0 * best)
        over = answer.error / size - best
        over_at_once = float(solve_batch(arm, [target]).error[0]) / size - best
        wrong, wrong_at_once = over > CLOSEST, over_at_once > CLOSEST
        failure = f'{arm!r}, target {target.tolist()}: {over:.1e}, at once {over_at_once:.1e} more'
        found = Found(
            found.targets + 1,
            found.missed + wrong,
            found.missed_at_once + wrong_at_once,
            max(found.worst, over, over_at_once),
            found.failures + [failure] * (wrong or wrong_at_once),
        )
    return found


# How far from the axis the middle of a circle is, its radius, in shares of how far out a pose is;
# and whether it stands upright.
_CIRCLES = {
    'around': (0.0, 1.0, False),
    'beside': (1.0, 0.2, False),
    'upright': (1.0, 0.2, True),
    'above': (0.1, 0.4, False),
}


def circle(arm: Arm, kind: str, seed: int) -> Found:
    """Follow circles: while the chain can stay on its side of the axis, it does, without a jump.

    The chain alone, from the same pose to the same targets in its plane, shows how.
    """
    rng = np.random.default_rng([seed, 14])
    away, width, upright = _CIRCLES[kind]
    tested = missed = 0
    worst = 0.0
    failures = []
    axis = np.array(arm.turntable.axis)
    for q in poses(arm, 5, rng):
        tip = tips(arm, q[None])[0] - arm.turntable.xyz
        height = (tip @ axis) * axis
        out = tip - height
        far = np.linalg.norm(out)
        first = out / far
        second = axis if upright else np.cross(axis, first)
        angles = np.linspace(0.0, 2.0 * math.pi * _LAPS, _STEPS * _LAPS)
        # It begins where the tip is.
        middle = arm.turntable.xyz + height + first * far * (1.0 - width)
        if kind == 'above':
            middle = arm.turntable.xyz + height + first * far * away
        reach = np.linalg.norm(arm.turntable.xyz + tip - middle)
        points = middle + reach * (
            np.multiply.outer(np.cos(angles), first) + np.multiply.outer(np.sin(angles), second)
        )
        steps, jumps, largest = _followed(arm, points, q)
        tested, missed, worst = tested + steps, missed + jumps, max(worst, largest)
        if jumps:
            failures.append(f'{arm!r}, {kind} from {q.tolist()}: {jumps} jumps')
    return Found(tested, missed, 0, worst, failures)


def _followed(arm: Arm, points: FloatArray, q: FloatArray) -> tuple[int, int, float]:
    """Return how many steps were made, how many of them are jumps, and the largest difference."""
    tolerance = EXACT * arm.chain.reach.outer
    made = jumps = 0
    worst = 0.0
    for point in points:
        place = _same_side(arm, point, q)
        if place is None:
            break
        turn, flat = place
        alone = solve(arm.chain, flat, start=q[1:], tolerance=tolerance)
        if alone.status is not Status.REACHED or abs(turn - q[0]) > 0.5 * math.pi:
            break  # The answer ends here, or so near to the axis that the other turns less.
        answer = solve(arm, point, start=q, tolerance=tolerance)
        made += 1
        expected = np.array([turn, *alone.q])
        moves, wanted = np.abs(answer.q - q).max(), np.abs(expected - q).max()
        jumps += answer.status is not Status.REACHED or moves > wanted + _JUMP
        worst = max(worst, moves - wanted)
        q = answer.q
    return made, jumps, worst


def _same_side(arm: Arm, point: FloatArray, q: FloatArray) -> tuple[float, FloatArray] | None:
    """Return the turn near to the present one at which a point is in the plane, and where there.

    None where the turntable's limits forbid it. By the formula for a plane beside the axis.
    """
    axis = np.array(arm.turntable.axis)
    x, y, normal = map(np.array, arm.plane.axes)
    away = point - arm.turntable.xyz
    across = np.cross(axis, np.cross(normal, axis))
    across /= np.linalg.norm(across)
    out = np.cross(across, axis)
    beside = float((arm.plane.origin - np.array(arm.turntable.xyz)) @ normal)
    radius = math.hypot(away @ out, away @ across)
    if radius <= abs(beside):
        return None
    angle, lead = math.atan2(away @ across, away @ out), math.asin(beside / radius)
    # The tip's side now: in front, or over the back.
    tip = tips(arm, np.array([[0.0, *q[1:]]]))[0] - arm.turntable.xyz
    turn = angle - lead if tip @ out >= 0.0 else angle + lead - math.pi
    turn += 2.0 * math.pi * round((q[0] - turn) / (2.0 * math.pi))
    low, high = arm.limits[0]
    if not low <= turn <= high:
        return None
    cos, sin = math.cos(turn), math.sin(turn)
    local = (
        (away @ out * cos + away @ across * sin) * out
        + (away @ across * cos - away @ out * sin) * across
        + (away @ axis) * axis
    )
    flat = arm.turntable.xyz + local - np.array(arm.plane.origin)
    return turn, np.array([flat @ x, flat @ y])
