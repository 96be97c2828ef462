"""One call for every chain and target: checks the arguments, chooses the solver, words the answer."""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence

import numpy as np

from ik2d_ros.kinematics.angles import near
from ik2d_ros.kinematics.ccd import Problem, descend
from ik2d_ros.kinematics.chain import Chain, finite
from ik2d_ros.kinematics.errors import ArgumentError
from ik2d_ros.kinematics.reach import folded
from ik2d_ros.kinematics.solution import Solution, Status
from ik2d_ros.kinematics.two_bone import two_bone

SOLVERS = ('auto', 'two_bone', 'ccd')
BENDS = ('nearest', 'positive', 'negative')


def solve(
    chain: Chain,
    target: Sequence[float],
    solver: str = 'auto',
    start: Sequence[float] | None = None,
    bend: str = 'nearest',
    tolerance: float = 1e-6,
    max_iterations: int = 100,
) -> Solution:
    """The joint positions that bring the tip onto a target, or as close as the arm can come."""
    try:
        x, y = map(float, target)
    except (TypeError, ValueError):
        raise ArgumentError(f'target is {target!r}; it must be two numbers, (x, y) in m') from None
    if not (math.isfinite(x) and math.isfinite(y)):
        raise ArgumentError(f'target is ({x}, {y}); it must be finite')
    solver = choose(solver, len(chain))
    if bend not in BENDS:
        raise ArgumentError(f'bend is {bend!r}; it must be one of {", ".join(BENDS)}')
    lo, hi = chain.lower.tolist(), chain.upper.tolist()
    q0 = chain.middle if start is None else [min(max(float(s), l), h) for s, l, h in zip(start, lo, hi)]
    a0 = [s * q + t for q, s, t in zip(q0, chain.signs, chain.shifts)]
    r = chain.reach.outer or 1.0
    lengths = [length / r for length in chain.lengths]
    z = complex(x / r, y / r)
    d = abs(z)
    iterations = 0
    inner, outer = chain.reach.inner / r, chain.reach.outer / r
    settled = True
    limits = chain.bend_limits if chain.limited else None
    if solver == 'two_bone':
        bends = two_bone(lengths, chain.bend_limits, z, tuple(a0), bend)
    elif limits is None and (d >= outer - 1e-13 or (inner > 0 and d <= inner + 1e-13)):
        bends = [0.0] * len(chain) if d >= outer - 1e-13 else folded(lengths)
        bends[0] = bends[0] + (cmath.phase(z) if z else a0[0])
    else:
        run, iterations = descend(Problem(lengths, limits, z), a0, tolerance / r, max_iterations)
        bends = run.bends
        settled = False
    q = []
    angle, tip = 0.0, 0j
    for a, s, t, l, h, q_start, length in zip(bends, chain.signs, chain.shifts, lo, hi, q0, chain.lengths):
        value = s * (a - t)
        value = near(value, q_start) if l == -math.inf else min(max(value, l), h)
        q.append(value)
        angle += s * value + t
        tip += cmath.rect(length, angle)
    error = math.hypot(x - tip.real, y - tip.imag)
    if error <= tolerance:
        status = Status.REACHED
    elif d > outer:
        status = Status.TOO_FAR
    elif d < inner:
        status = Status.TOO_NEAR
    elif settled and limits:
        status = Status.JOINT_LIMIT
    else:
        status = Status.NOT_CONVERGED
    return Solution(np.array(q), np.array((tip.real, tip.imag)), error, status, solver, iterations)


def choose(solver: str, joints: int) -> str:
    """The solver that answers: ``two_bone`` or ``ccd``."""
    if solver not in SOLVERS:
        raise ArgumentError(f'solver is {solver!r}; it must be one of {", ".join(SOLVERS)}')
    if solver == 'two_bone' and joints != 2:
        raise ArgumentError(f"solver 'two_bone' needs exactly two joints; this chain has {joints}")
    if solver == 'auto':
        return 'two_bone' if joints == 2 else 'ccd'
    return solver
