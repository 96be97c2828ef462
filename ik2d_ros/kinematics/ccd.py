"""Cyclic coordinate descent for any number of joints, and what carries it home when it stalls.

Sweeps alone need hundreds of passes near the edge of reach and never leave a pose in line with the
target. So a descent goes, in this order and only as far as it must:

1. from a pose already near the target, Gauss-Newton steps: the smallest joint moves that do it;
2. clamped sweeps, each followed by an exact closure of two joints;
3. damped Gauss-Newton steps;
4. without limits, a closure of the whole chain that always exists.

Lengths are in units of the chain's reach, angles are bends (see :mod:`.chain`), points of the
plane are complex numbers: a rotation is one product.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterator, Sequence

from ik2d_ros.kinematics.angles import into_range
from ik2d_ros.kinematics.reach import elbow_bend, folded

Limits = Sequence[tuple[float, float]]

_NEAR = 0.15  # A tip this close, in reaches, is worth a Gauss-Newton step before any sweep.
_SWEEPS = 3  # More sweeps than that creep.
_LARGEST_STEP = 0.7  # rad; a linear model of a rotation is of no use beyond.


class Descent:
    """One run from a start towards a target: the pose so far, and what it cost.

    Attributes:
        bends: (n,) the best pose so far in rad, always inside the limits.
        error: its distance from the target, in reaches.
        iterations: passes over the chain so far.
    """

    __slots__ = (
        'lengths', 'limits', 'target', 'tolerance', 'budget',
        'bends', 'points', 'error', 'iterations',
    )  # fmt: skip

    def __init__(
        self,
        lengths: Sequence[float],
        limits: Limits | None,
        target: complex,
        start: Sequence[float],
        tolerance: float,
        budget: int,
    ) -> None:
        self.lengths = lengths
        self.limits = limits
        self.target = target
        self.tolerance = tolerance
        self.budget = budget
        self.iterations = 0
        self.bends = list(start)
        self.points = place(lengths, self.bends)
        self.error = abs(target - self.points[-1])

    @property
    def done(self) -> bool:
        return self.error <= self.tolerance or self.iterations >= self.budget

    def offer(self, bends: list[float]) -> bool:
        """Count a pass, and take its pose if it is closer; says whether it was."""
        self.iterations += 1
        points = place(self.lengths, bends)
        error = abs(self.target - points[-1])
        if error >= self.error:
            return False
        self.bends, self.points, self.error = bends, points, error
        return True


def descend(
    lengths: Sequence[float],
    limits: Limits | None,
    target: complex,
    start: Sequence[float],
    tolerance: float,
    budget: int,
) -> Descent:
    run = Descent(lengths, limits, target, start, tolerance, budget)
    if run.error < _NEAR:
        gauss_newton(run, 0.3)
    for _ in range(_SWEEPS):
        if run.done:
            return run
        moved = sweep(run)
        if not run.done:
            close_two(run)
        if not moved:
            break
    if not run.done:
        gauss_newton(run, 0.9)
    if not run.done and limits is None:
        close_all(run)
        if not run.done:
            gauss_newton(run, 0.9)
    return run


def place(lengths: Sequence[float], bends: Sequence[float]) -> list[complex]:
    """Where the joints and, last, the tip are: (n + 1,) points in reaches."""
    angle = 0.0
    point = 0j
    points = [point]
    for length, bend in zip(lengths, bends):
        angle += bend
        point += cmath.rect(length, angle)
        points.append(point)
    return points


def sweep(run: Descent) -> bool:
    """Turn each joint, from the last to the first, so that the tip is as close as it can bring it."""
    points, target, limits = run.points, run.target, run.limits
    bends = run.bends[:]
    tip = points[-1]
    for i in range(len(bends) - 1, -1, -1):
        pivot = points[i]
        turn = (target - pivot) * (tip - pivot).conjugate()
        if not turn:
            continue  # The joint is at the tip or on the target: every angle is as good.
        angle = bends[i] + cmath.phase(turn)
        if limits is None:
            tip = pivot + (tip - pivot) * (turn / abs(turn))
        else:
            lower, upper = limits[i]
            allowed = into_range(angle, lower, upper, bends[i])
            if allowed is None:
                # The distance grows with the angle from the best one, on either side.
                allowed = max(lower, upper, key=lambda end: math.cos(end - angle))
            tip = pivot + (tip - pivot) * cmath.rect(1.0, allowed - bends[i])
            angle = allowed
        bends[i] = angle
    return run.offer(bends)


def close_two(run: Descent) -> bool:
    """Put the tip on the target with two joints alone, the chain between them held rigid."""
    n = len(run.bends)
    for i, j in _pairs(n, run.limits is None):
        bends = _closed(run, i, j)
        if bends is not None and run.offer(bends) and run.error <= run.tolerance:
            return True
        if run.done:
            return False
    return False


def _pairs(n: int, free: bool) -> Iterator[tuple[int, int]]:
    """Pairs of joints, those that split the chain evenly first: they turn the least."""
    for i in range(1 if free else n - 1):
        middle = (i + n) // 2
        for step in range(n - i):
            j = middle + (step + 1) // 2 * (-1 if step % 2 else 1)
            if i < j < n:
                yield i, j


def _closed(run: Descent, i: int, j: int) -> list[float] | None:
    pivot, elbow = run.points[i], run.points[j]
    first, second, span = elbow - pivot, run.points[-1] - elbow, run.target - pivot
    a, b, d = abs(first), abs(second), abs(span)
    if not abs(a - b) <= d <= a + b or a == 0.0 or b == 0.0 or d == 0.0:
        return None
    now = cmath.phase(second * first.conjugate())
    wanted = math.copysign(elbow_bend(a, b, d), now)
    for bend in (wanted, -wanted):
        at_elbow = run.bends[j] + bend - now
        at_pivot = run.bends[i] + cmath.phase(span * (first + second_at(b, bend, first, a)).conjugate())
        if run.limits is not None:
            allowed_i = into_range(at_pivot, *run.limits[i], run.bends[i])
            allowed_j = into_range(at_elbow, *run.limits[j], run.bends[j])
            if allowed_i is None or allowed_j is None:
                continue
            at_pivot, at_elbow = allowed_i, allowed_j
        bends = run.bends[:]
        bends[i], bends[j] = at_pivot, at_elbow
        return bends
    return None


def second_at(b: float, bend: float, first: complex, a: float) -> complex:
    return cmath.rect(b / a, bend) * first


def gauss_newton(run: Descent, enough: float) -> None:
    """Steps of the smallest joint moves that bring the tip onto the target, to first order.

    Goes on while a step leaves at most the share ``enough`` of the error.
    """
    damping = 0.0
    while not run.done:
        before = run.error
        if not run.offer(_step(run, damping)):
            if damping > 1.0:
                return
            damping = 1e-3 if damping == 0.0 else damping * 10.0
            continue
        if run.error > enough * before:
            return
        damping *= 0.1 if damping > 1e-6 else 0.0


def _step(run: Descent, damping: float) -> list[float]:
    tip = run.points[-1]
    spans = [tip - point for point in run.points[:-1]]
    bends = run.bends[:]
    wanted = run.target - tip
    free = list(range(len(spans)))
    while free:
        # Column i of the Jacobian is the span from joint i to the tip, turned by a right angle.
        # J J^T is 2 x 2: [[yy, -xy], [-xy, xx]].
        total = square = 0j
        for i in free:
            span = spans[i]
            square += span * span
            total += span * span.conjugate()
        norm = total.real
        if norm == 0.0:
            break
        extra = (damping + 1e-15) * norm
        xx = 0.5 * (norm + square.real) + extra
        yy = 0.5 * (norm - square.real) + extra
        xy = 0.5 * square.imag
        det = xx * yy - xy * xy
        ux = (xx * wanted.real + xy * wanted.imag) / det
        uy = (xy * wanted.real + yy * wanted.imag) / det
        turns = [spans[i].real * uy - spans[i].imag * ux for i in free]
        largest = max(max(turns), -min(turns))
        if largest > _LARGEST_STEP:
            shrink = _LARGEST_STEP / largest
            turns = [turn * shrink for turn in turns]
        if run.limits is None:
            return [bend + turn for bend, turn in zip(bends, turns)]
        inside = []
        for i, turn in zip(free, turns):
            lower, upper = run.limits[i]
            goal = run.bends[i] + turn
            if lower <= goal <= upper:
                inside.append(i)
            else:
                end = lower if goal < lower else upper
                # What this joint can still do is done; the others do the rest.
                wanted -= 1j * spans[i] * (end - run.bends[i])
                bends[i] = end
        if len(inside) == len(free):
            for i, turn in zip(free, turns):
                bends[i] = run.bends[i] + turn
            break
        free = inside
    return bends


def close_all(run: Descent) -> None:
    """Bend the whole chain, from its shape towards straight or folded, until it spans the target.

    The distance of the tip from the base is continuous along the way and ends beyond the target's,
    so a bracketing root finder always meets it; then the first joint turns the tip there.
    """
    distance = abs(run.target)
    shape = [math.remainder(bend, math.tau) for bend in run.bends]
    goal = [0.0] * len(shape) if abs(run.points[-1]) < distance else folded(run.lengths)

    def bent(share: float) -> list[float]:
        return [now + share * (then - now) for now, then in zip(shape, goal)]

    def excess(share: float) -> float:
        return abs(place(run.lengths, bent(share))[-1]) - distance

    bends = bent(_root(excess))
    tip = place(run.lengths, bends)[-1]
    if tip and run.target:
        bends[0] += cmath.phase(run.target / tip)
    run.offer(bends)


def _root(f) -> float:
    """A root of f in [0, 1], where its sign changes (the Illinois variant of regula falsi)."""
    left, right = 0.0, 1.0
    at_left, at_right = f(left), f(right)
    if at_left == 0.0:
        return left
    for _ in range(100):
        if at_right == 0.0 or right == left or at_left == at_right:
            break
        middle = right - at_right * (right - left) / (at_right - at_left)
        at_middle = f(middle)
        if (at_middle > 0.0) != (at_right > 0.0):
            left, at_left = right, at_right
        else:
            at_left *= 0.5
        right, at_right = middle, at_middle
        if abs(at_right) < 2e-16:
            break
    return right
