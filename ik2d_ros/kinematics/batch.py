"""Many targets for one arm in one call, in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ik2d_ros.kinematics import ccd, hybrid
from ik2d_ros.kinematics.angles import into_range_many
from ik2d_ros.kinematics.arguments import numbers
from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.arrays import ComplexArray, FloatArray
from ik2d_ros.kinematics.batch_in_space import (
    Effort,
    PlanarBatch,
    solve_many_on_lift,
    solve_many_on_turntable,
)
from ik2d_ros.kinematics.ccd_many import sweep_on_many
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.errors import ArgumentError
from ik2d_ros.kinematics.many import Links, close_many, descend_many
from ik2d_ros.kinematics.pose import LENGTH_ROUNDING, Pose, Problem
from ik2d_ros.kinematics.proof import proof_of
from ik2d_ros.kinematics.proof_many import decide_many
from ik2d_ros.kinematics.reach import folded
from ik2d_ros.kinematics.search import search
from ik2d_ros.kinematics.solution import Status
from ik2d_ros.kinematics.solve import (
    DISTANCE_ROUNDING,
    EDGE,
    FARTHEST,
    check_chain,
    check_options,
    is_arm,
)
from ik2d_ros.kinematics.two_bone_many import two_bone_free, two_bone_many

# Targets at a time: few enough for the cache, and enough for two threads to share.
_PLAIN_CHUNK = 131072
_TWO_BONE_CHUNK = 16384
_DESCENT_CHUNK = 8192
_DESCENT_JOINTS = 10  # With more, there are fewer targets at a time, for they take more memory.
# How often a closure follows so many steps, for all targets together.
_CLOSURES, _STEPS_BETWEEN = 3, 6
_TINIEST = 1e-100  # m; the squares of longer lengths are numbers.
_UNEQUAL = 1e-3  # Share of the other link that a link must have for the quick closed form.
_LINE = 8  # Numbers in a line of the cache.
_THREADS = 2  # NumPy computes outside the interpreter's lock.


class Batch(NamedTuple):
    """Answers for many targets.

    Attributes:
        q: (m, n) joint positions in rad, always finite and inside the limits; of an arm in space,
            that of the turntable in rad or of the lift in m comes first.
        error: (m,) distances from the tips to their targets in m; 0 where the closed form is exact.
        status: (m,) values of :class:`.Status`, as small integers.
    """

    q: FloatArray
    error: FloatArray
    status: NDArray[np.int8]


def solve_batch(
    chain: Chain | Arm,
    targets: ArrayLike,
    solver: str = 'auto',
    start: ArrayLike | None = None,
    bend: str = 'nearest',
    tolerance: float = 1e-6,
    max_iterations: int = 100,
) -> Batch:
    """Do what :func:`.solve.solve` does, for many targets, each judged by itself.

    Of each target the status is the same as there, and so is the error, but for 2e-6 of the reach
    where limits forbid the target. The pose is the same with ``two_bone``, and with ``ccd`` without
    limits. With ``hybrid``, and with ``ccd`` within limits, it may be another one that reaches the
    target or is as close: ``hybrid`` begins with closures here, whatever the start. All that holds
    where ``max_iterations`` is enough; passes count for targets together here, so that the work may
    end sooner, with another pose and ``Status.NOT_CONVERGED``.

    Args:
        chain: the chain, or the arm in space.
        targets: (m, 2) where the tip is to go, in m; for an arm (m, 3), in the base frame.
        solver: ``two_bone``, ``ccd``, ``hybrid`` or ``auto``.
        start: (n,) positions in rad to move from, or (m, n), one pose per target; as there.
        bend: ``nearest``, ``positive`` or ``negative``, for ``two_bone``.
        tolerance: distance from a target in m that counts as reached.
        max_iterations: passes over the chain that ``ccd`` and ``hybrid`` may make for a target.

    Raises:
        ArgumentError: an argument is not of its kind or out of its range.
    """
    if is_arm(chain):
        return _solve_arm(chain, targets, solver, start, bend, tolerance, max_iterations)
    chain = check_chain(chain)
    points = _points(targets, 2)
    solver, bend, tolerance, max_iterations = check_options(
        len(chain), solver, bend, tolerance, max_iterations
    )
    given = None if start is None else numbers('start', start)
    starts = _starts(chain, given, len(points))
    return _solved(chain, points, solver, given, starts, bend, tolerance, max_iterations)


def _solved(
    chain: Chain,
    points: FloatArray,
    solver: str,
    given: FloatArray | None,
    starts: FloatArray,
    bend: str,
    tolerance: float,
    max_iterations: int,
    effort: Effort = Effort.ALL,
) -> Batch:
    """Return what :func:`solve_batch` finds; the starts are those ``given``, or the default."""
    plain = solver == 'two_bone' and bend == 'nearest' and _at_rest(chain, given)
    if not plain:
        _check_finite(points)
    batch = Batch(
        # A column per joint lies together in memory: so it is computed and mostly read.
        _rows(len(chain), len(points)).T,
        np.empty(len(points)),
        np.empty(len(points), dtype=np.int8),
    )

    if solver != 'two_bone':
        _in_parts(
            lambda part: _fill_descended(
                chain,
                solver,
                points[part],
                starts[part],
                tolerance,
                max_iterations,
                effort,
                Batch(batch.q[part], batch.error[part], batch.status[part]),
            ),
            len(points),
            _DESCENT_CHUNK * _DESCENT_JOINTS // max(_DESCENT_JOINTS, len(chain)),
        )
        return batch
    rest = _fill_plain(chain, points, batch) if plain else np.arange(len(points))
    if plain and not np.isfinite(points[rest]).all():
        _check_finite(points)
    _in_parts(
        lambda part: _fill_two_bone(
            chain, points, starts, bend, tolerance, effort, batch, rest[part]
        ),
        len(rest),
        _TWO_BONE_CHUNK,
    )
    return batch


def _points(targets: ArrayLike, dimensions: int) -> FloatArray:
    points = numbers('targets', targets)
    if not points.size:
        points = points.reshape(0, dimensions)
    if points.ndim != 2 or points.shape[1] != dimensions:
        raise ArgumentError(
            f'targets have shape {points.shape}; it must be (m, {dimensions}), in m'
        )
    return points


def _solve_arm(
    arm: Arm,
    targets: ArrayLike,
    solver: str,
    start: ArrayLike | None,
    bend: str,
    tolerance: float,
    max_iterations: int,
) -> Batch:
    points = _points(targets, 3)
    _check_finite(points)
    options = check_options(len(arm.chain), solver, bend, tolerance, max_iterations)
    method, side, distance, most = options
    given = None if start is None else numbers('start', start)
    starts = _starts(arm, given, len(points))
    before = len(arm) - len(arm.chain)

    def planar(some: NDArray[np.intp], places: FloatArray, effort: Effort) -> PlanarBatch:
        begin = starts[some, before:]
        begun = None if given is None else begin
        return _solved(arm.chain, places, method, begun, begin, side, distance, most, effort)

    with np.errstate(all='ignore'):  # What overflows is farther away than anything is long.
        if arm.sweep is None:
            return Batch(*solve_many_on_lift(arm, points, distance, planar))
        return Batch(*solve_many_on_turntable(arm, arm.sweep, points, starts, distance, planar))


def _rows(count: int, length: int) -> FloatArray:
    """Return memory for (count, length) numbers, each row from the start of a cache line on.

    Otherwise every wide load and store straddles two lines, which takes a third longer. The line
    between two rows keeps them from the same places in the cache.
    """
    width = -(-length // _LINE) * _LINE + _LINE
    memory = np.empty(count * width + _LINE)
    skip = -memory.ctypes.data // memory.itemsize % _LINE
    return memory[skip : skip + count * width].reshape(count, width)[:, :length]


def _in_parts(fill: Callable[[slice], None], count: int, size: int) -> None:
    """Fill a batch part by part, in threads where there are several."""

    def without_warnings(part: slice) -> None:
        # What overflows is farther away than anything is long, and judged so.
        with np.errstate(all='ignore'):
            fill(part)

    parts = [slice(begin, begin + size) for begin in range(0, count, size)]
    if len(parts) == 1:
        without_warnings(parts[0])
    elif parts:
        with ThreadPoolExecutor(_THREADS) as pool:
            list(pool.map(without_warnings, parts))


def _check_finite(points: FloatArray) -> None:
    if not np.isfinite(points).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(points))[0])
        raise ArgumentError(f'targets{list(where)} is {points[where]}; all must be finite')


def _starts(chain: Chain | Arm, given: FloatArray | None, count: int) -> FloatArray:
    """Return (count, n) positions in rad, inside the limits."""
    if given is None:
        return np.broadcast_to(chain.middle, (count, len(chain)))
    shapes = ((len(chain),), (count, len(chain)))
    if given.shape not in shapes:
        raise ArgumentError(f'start has shape {given.shape}; it must be {shapes[0]} or {shapes[1]}')
    clamped = np.clip(given, chain.lower, chain.upper)
    chain.check_positions('start', np.where(np.isfinite(given), clamped, given))
    return np.broadcast_to(clamped, shapes[1])


def _at_rest(chain: Chain, start: FloatArray | None) -> bool:
    """Return whether two joints start stretched along x, free and of sensible lengths."""
    return (
        len(chain) == 2
        and not chain.limited
        and min(chain.lengths) > _TINIEST
        and min(chain.lengths) > _UNEQUAL * max(chain.lengths)
        and not any(chain.shifts)
        and (start is None or not np.any(start))
    )


def _fill_plain(chain: Chain, points: FloatArray, into: Batch) -> NDArray[np.intp]:
    """Write the poses nearest to the stretched one, and return the targets that are left.

    From there the nearest solution is the one whose elbow bends to the target's side: the shoulder
    then turns by the difference of two angles, else by their sum. What is left are the targets on
    the edge of the annulus or outside, or on the x-axis, or not finite.
    """
    left: list[NDArray[np.intp]] = []

    def fill(part: slice) -> None:
        # One piece of memory for all that is in between: taking it anew costs more than the work.
        end = min(part.stop, len(points))
        work = _rows(5, min(_PLAIN_CHUNK, end - part.start))
        for begin in range(part.start, end, _PLAIN_CHUNK):
            some = slice(begin, min(begin + _PLAIN_CHUNK, end))
            x, y, *spare = work[:, : some.stop - some.start]
            x[:], y[:] = points[some].T
            away = two_bone_free(chain.lengths, x, y, into.q[some].T, spare)
            into.error[some], into.status[some] = 0.0, Status.REACHED
            if away is not None:
                left.append(begin + np.flatnonzero(away))

    _in_parts(fill, len(points), -(-len(points) // _THREADS) or 1)
    if chain.signs != (1.0, 1.0):
        into.q[:] *= chain.signs
    return np.sort(np.concatenate(left)) if left else np.arange(0)


def _fill_two_bone(
    chain: Chain,
    points: FloatArray,
    starts: FloatArray,
    bend: str,
    tolerance: float,
    effort: Effort,
    into: Batch,
    rest: NDArray[np.intp],
) -> None:
    goals = _goals(points[rest], chain.reach.outer or 1.0)
    shoulder, elbow = _bends(chain, starts[rest])
    bends = two_bone_many(
        chain.unit_lengths,
        chain.bend_limits,
        goals.real,
        goals.imag,
        (shoulder, elbow),
        bend,
        closest=effort is Effort.ALL,
    )
    settled = np.ones(len(rest), dtype=np.bool_)
    _write(chain, points, starts, np.stack(bends), settled, tolerance, into, rest)


def _fill_descended(
    chain: Chain,
    solver: str,
    points: FloatArray,
    starts: FloatArray,
    tolerance: float,
    budget: int,
    effort: Effort,
    into: Batch,
) -> None:
    size = chain.reach.outer or 1.0
    targets = _goals(points, size)
    begun = _bends(chain, starts)
    bends, settled = _edge_poses(chain, targets, begun)
    inside = np.flatnonzero(~settled)
    if len(inside):
        reach = _swept_poses if solver == 'ccd' else _hybrid_poses
        bends[:, inside], settled[inside] = reach(
            chain, targets[inside], begun[:, inside], tolerance / size, budget, effort
        )
    _write(chain, points, starts, bends, settled, tolerance, into, np.arange(len(points)))


def _goals(points: FloatArray, size: float) -> ComplexArray:
    """Return (k,) targets in reaches, those beyond all measure brought in as by :func:`.solve`."""
    goals: ComplexArray = np.ascontiguousarray(points / size).view(np.complex128)[:, 0]
    distance = np.hypot(points[:, 0], points[:, 1]) / size
    goals[distance <= LENGTH_ROUNDING] = 0.0
    beyond = distance > FARTHEST
    if beyond.any():
        goals[beyond] = FARTHEST * np.exp(1j * np.arctan2(points[beyond, 1], points[beyond, 0]))
    return goals


def _edge_poses(
    chain: Chain, targets: ComplexArray, starts: FloatArray
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return the exact closest poses for targets not inside the annulus, and which those are."""
    inner, outer = chain.unit_reach
    far = np.abs(targets) >= outer - EDGE
    near = (np.abs(targets) <= inner + EDGE) & (inner > 0.0) & ~far
    bends = np.where(near, np.array(folded(chain.unit_lengths))[:, None], 0.0)
    bends[0] = np.where(targets == 0.0, starts[0], bends[0] + np.angle(targets))
    links = Links.of(chain)
    turned, allowed = into_range_many(bends, links.lower, links.upper, starts)
    return turned, (far | near) & allowed.all(axis=0)


def _hybrid_poses(
    chain: Chain,
    targets: ComplexArray,
    starts: FloatArray,
    tolerance: float,
    budget: int,
    effort: Effort,
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return bends for targets inside the annulus, and which are the closest within the limits.

    A closure with two joints reaches most targets at once; the others get a few steps and another
    closure.
    """
    if chain.limited and len(chain) == 2:
        return _closed_form(chain, targets, starts)
    links = Links.of(chain)
    bends, met = close_many(links, targets, starts)
    budget -= 1
    left = np.flatnonzero(~met)
    if effort is Effort.CLOSE:
        return bends, np.zeros(len(targets), dtype=np.bool_)
    if chain.limited and proof_of(chain) is not None:
        return _finished(chain, targets, starts, bends, left, hybrid.descend, tolerance, budget)
    # Within limits, most of the passes are the search's.
    at_once = budget // 4 if chain.limited else budget
    for _ in range(_CLOSURES):
        if not len(left) or at_once < 2:
            break
        steps = min(at_once - 1, _STEPS_BETWEEN)
        ran = descend_many(links, targets[left], bends[:, left], tolerance, steps)
        bends[:, left], met = close_many(links, targets[left], ran.bends)
        left = left[~met & (ran.errors > tolerance)]
        at_once -= ran.steps + 1
        budget -= ran.steps + 1
    if effort is Effort.DESCEND:
        return bends, np.zeros(len(targets), dtype=np.bool_)
    return _finished(chain, targets, starts, bends, left, hybrid.descend, tolerance, budget)


def _swept_poses(
    chain: Chain,
    targets: ComplexArray,
    starts: FloatArray,
    tolerance: float,
    budget: int,
    effort: Effort,
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Do what :func:`_hybrid_poses` does, by sweeps, and closures where sweeps creep."""
    links = Links.of(chain)
    bends, errors, sweeps = sweep_on_many(links, targets, starts, tolerance, budget)
    left = np.flatnonzero(errors > tolerance)
    budget -= int(sweeps[left].max(initial=0))
    if len(left) and budget > 0:
        most = None if chain.limited else ccd.PAIRS
        bends[:, left], met = close_many(links, targets[left], bends[:, left], most, every=True)
        left, budget = left[~met], budget - 1
    if chain.limited and len(chain) == 2:
        settled = np.zeros(len(targets), dtype=np.bool_)
        bends[:, left], settled[left] = _closed_form(chain, targets[left], starts[:, left])
        return bends, settled
    if effort is not Effort.ALL:
        return bends, np.zeros(len(targets), dtype=np.bool_)
    return _finished(chain, targets, starts, bends, left, ccd.finish, tolerance, budget)


def _closed_form(
    chain: Chain, targets: ComplexArray, starts: FloatArray
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return the exact poses of two joints, which are always the closest ones."""
    start = (starts[0], starts[1])
    exact = two_bone_many(
        chain.unit_lengths, chain.bend_limits, targets.real, targets.imag, start, 'nearest'
    )
    return np.stack(exact), np.ones(len(targets), dtype=np.bool_)


def _finished(
    chain: Chain,
    targets: ComplexArray,
    starts: FloatArray,
    bends: FloatArray,
    left: NDArray[np.intp],
    descend: Callable[[Problem, list[float], float, int], tuple[Pose, int]],
    tolerance: float,
    budget: int,
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return the bends after the targets that are ``left`` have been brought in, each by itself.

    Without limits they are so few that a descent for one target at a time will do; within limits
    the proof, or the search, is for all of them together.

    Returns:
        (n, m) bends in rad, and (m,) which are the closest within the limits.
    """
    settled = np.zeros(len(targets), dtype=np.bool_)
    if not len(left) or budget < 1:
        return bends, settled
    if not chain.limited:
        for k in left:
            problem = Problem(chain.unit_lengths, None, complex(targets[k]))
            pose, _ = descend(problem, bends[:, k].tolist(), tolerance, budget)
            bends[:, k] = pose.bends
    elif (proof := proof_of(chain)) is not None:
        bends[:, left], reached = decide_many(proof, targets[left], starts[:, left])
        settled[left] = ~reached
    else:
        bends[:, left], settled[left], _ = search(
            chain, targets[left], starts[:, left], bends[:, left], tolerance, budget
        )
    return bends, settled


def _bends(chain: Chain, positions: FloatArray) -> FloatArray:
    """Return bends (n, m) in rad at positions (m, n) in rad."""
    bends: FloatArray = (positions * chain.signs + chain.shifts).T
    return bends


def _write(
    chain: Chain,
    points: FloatArray,
    starts: FloatArray,
    bends: FloatArray,
    settled: NDArray[np.bool_],
    tolerance: float,
    into: Batch,
    where: NDArray[np.intp],
) -> None:
    """Judge the bends (n, k) for the targets at ``where`` and write positions and judgement."""
    q = (bends.T - chain.shifts) * chain.signs
    q, _ = into_range_many(q, chain.lower, chain.upper, starts[where])
    x, y = points[where].T
    tip_x, tip_y = chain.points(q)[:, -1].T
    error = np.hypot(x - tip_x, y - tip_y)
    distance = np.hypot(x, y)
    inner, outer = chain.reach
    forbidden = settled & chain.limited & (error > EDGE * outer)
    into.q[where] = q
    into.error[where] = error
    into.status[where] = np.select(
        [
            error <= tolerance,
            distance > outer * (1.0 + DISTANCE_ROUNDING),
            distance < inner * (1.0 - DISTANCE_ROUNDING),
            forbidden,
        ],
        [Status.REACHED, Status.TOO_FAR, Status.TOO_NEAR, Status.JOINT_LIMIT],
        Status.NOT_CONVERGED,
    )
