"""Many targets for one arm in one call, in NumPy."""

from __future__ import annotations

import math
import os
from collections import deque
from threading import Thread

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ik2d_ros.kinematics.arguments import FloatArray, packed
from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.kernel.chain_solver import CarriedSolver, ChainSolver, Task
from ik2d_ros.kinematics.kernel.codes import METHODS
from ik2d_ros.kinematics.options import (
    NO_ANGLE,
    Options,
    check_angles,
    check_options,
    check_rolls,
    clamped_starts,
    flat_chain,
    points_of,
)
from ik2d_ros.kinematics.solution import Batch, Status, is_proven
from ik2d_ros.kinematics.solve import ANGLE_TOLERANCE, solve_in_space

_THREADS = min(4, os.cpu_count() or 1)
_FEWEST = 256  # Targets that are worth a thread.
_PIECE = 32  # Joints of targets that are solved without a look at signals.
_CHUNK = 4096  # Targets of the closed form at a time: its arrays stay in the cache.
_ROUNDING = 1e-9  # Of a sine: a smaller one counts as 0.
_UNEQUAL = 1e-3  # Share of the reach that a link must have, or digits are lost.

_Rows = NDArray[np.intp]


def solve_batch(
    chain: Chain | Arm,
    targets: ArrayLike,
    solver: str = 'auto',
    start: ArrayLike | None = None,
    bend: str = 'nearest',
    tolerance: float = 1e-6,
    max_iterations: int = 100,
    angle: ArrayLike | None = None,
    angle_tolerance: float = ANGLE_TOLERANCE,
    roll: ArrayLike | None = None,
) -> Batch:
    """Find the joint positions for many targets: the same poses as :func:`.solve.solve` finds.

    Example:
        >>> from ik2d_ros.kinematics import Chain, Status, solve_batch
        >>> batch = solve_batch(Chain.from_lengths([0.30, 0.25]), [(0.3, 0.2), (0.5, 0.4)])
        >>> [Status(code).name for code in batch.status]
        ['REACHED', 'TOO_FAR']

    Args:
        chain: the chain, or the arm in space.
        targets: (m, 2) where the tip is to go, in m; for an arm (m, 3), in the base frame.
        solver: ``two_bone``, ``ccd``, ``hybrid`` or ``auto``.
        start: (n,) positions in rad or m to move from, or (m, n), one pose per target.
        bend: ``nearest``, ``positive`` or ``negative``, for ``two_bone``.
        tolerance: distance from a target in m that counts as reached.
        max_iterations: passes over the chain that ``ccd`` and ``hybrid`` may make for a target.
        angle: of the tips in rad, one for all targets or (m,), one for each, or None for any.
        angle_tolerance: distance from the angle, and from the roll, in rad that counts as reached.
        roll: of an arm that has one in rad, one for all targets or (m,), one for each.

    Raises:
        ArgumentError: an argument is not of its kind or out of its range.
    """
    flat, arm = flat_chain(chain), chain if isinstance(chain, Arm) else None
    points = points_of(targets, 3 if arm else 2)
    options = check_options(len(flat), solver, bend, tolerance, max_iterations)
    starts = clamped_starts(chain, start, len(points))
    starts = np.broadcast_to(starts, (len(points), len(chain)))
    wishes, slack = check_angles(flat, angle, angle_tolerance, len(points))
    asked = check_rolls(chain, roll, starts)
    error, off, roll_off = (np.zeros(len(points)) for _ in range(3))
    status, proven = np.zeros(len(points), np.int8), np.zeros(len(points), bool)
    found = Batch(np.array(starts), error, status, proven, off, roll_off)
    if arm and arm.roll:
        found.q[:, -1] = [*map(arm.roll.nearest, asked.tolist(), starts[:, -1].tolist())]
    left: _Rows = np.arange(len(points))
    if start is None and _is_plain(chain, options):
        left = _solve_plain(flat, points, options.tolerance, found)
    # The arm with its roll at a position is one without.
    rolls = np.unique(found.q[left, -1]).tolist() if arm and arm.tip_radius else [0.0]
    for roll_position in rolls:
        planar = arm.at_roll(roll_position) if arm else flat
        rows = left if len(rolls) == 1 else left[found.q[left, -1] == roll_position]
        own = len(planar)
        begins = starts[rows, :own]
        seen = planar.frame.located(points[rows]) if isinstance(planar, Arm) else points[rows]
        wished = wishes[rows] if len(wishes) else wishes
        given = packed(seen), packed(begins), packed(wished)
        task = Task(*given, own, points.shape[1], (options.tolerance, slack))
        _run(planar, task, len(rows), options.codes)
        q, error[rows], off[rows] = (np.frombuffer(answer) for answer in task.answers[:3])
        found.q[rows, :own] = q.reshape(begins.shape)
        status[rows] = np.frombuffer(task.answers[3], np.int32)
        limits = flat_chain(planar), options.tolerance, slack if len(wishes) else NO_ANGLE
        proven[rows] = np.array([is_proven(each, *limits) for each in Status])[status[rows]]
    if arm and arm.walls:
        # One by one those whose targets or poses are across a wall.
        heights = [wall.height(*points.T) for wall in arm.walls]
        least = np.min([*arm.clearances(list(found.q.T)), *heights], axis=0)
        for k in np.flatnonzero(least < -arm.clearance_tolerance).tolist():
            x, y, z = points[k].tolist()
            wish = float(wishes[k]) if len(wishes) else NO_ANGLE
            begin, wished_roll = starts[k].tolist(), float(asked[k])
            each = solve_in_space(arm, (x, y, z), begin, wish, slack, options, wished_roll)
            found.q[k], error[k], status[k] = each.q, each.error, each.status
            proven[k], off[k] = each.proven, each.angle_error
    if arm and arm.roll:
        gaps = asked - found.q[:, -1]
        roll_off[:] = np.abs(gaps - math.tau * np.rint(gaps / math.tau))
        status[(status == Status.REACHED) & (roll_off > slack)] = Status.TIP_ANGLE
    return found


def _is_plain(chain: Chain | Arm, options: Options) -> bool:
    """Whether these are two free joints that start stretched along x, for either bend."""
    return (
        isinstance(chain, Chain)
        and options.codes[:2] == (METHODS['two_bone'], 0)
        and len(chain) == 2
        and all(joint.continuous and joint.turns for joint in chain.joints)
        and not (chain.linked or any(chain.tool) or any(chain.shifts))
        and min(chain.lengths) > _UNEQUAL * chain.size
    )


@np.errstate(divide='ignore', invalid='ignore')  # of a target at the base
def _solve_plain(chain: Chain, points: FloatArray, tolerance: float, found: Batch) -> _Rows:
    """Solve for two free joints that start stretched; return the targets that are left.

    With the distance d, ``s = sqrt(((a + b)^2 - d^2) (d^2 - (a - b)^2))`` is ``2 a b`` times the
    sine of the second joint's bend, and ``d^2 - a^2 - b^2`` that times its cosine. The first link
    leads the target by the angle of ``d^2 + a^2 - b^2 + i s``. The nearest solution is the one that
    bends to the target's side. Left are targets at the edge, outside, and next to the x-axis.
    """
    first, second = (length / chain.size for length in chain.lengths)
    signs, left = chain.signs, []
    for begin in range(0, len(points), _CHUNK):
        part = slice(begin, begin + _CHUNK)
        x, y = np.ascontiguousarray(points[part].T) / chain.size
        square = x * x + y * y
        inside = ((first + second) ** 2 - square) * (square - (first - second) ** 2)
        sine = np.copysign(np.sqrt(inside.clip(0.0)), y)
        cosine = square - (first * first + second * second)
        ahead, across = square + (first + second) * (first - second), y * sine
        out, up = x * ahead + across, y * ahead - x * sine
        heading, bend = np.arctan2(up, out), np.arctan2(sine, cosine)
        found.q[part, 0], found.q[part, 1] = heading * signs[0], bend * signs[1]
        # The tip as seen along the first link, and that in the plane.
        share = second / np.sqrt(sine * sine + cosine * cosine)
        tip, left_of = first + share * cosine, share * sine
        length = np.sqrt(out * out + up * up)
        x -= (out * tip - up * left_of) / length
        y -= (up * tip + out * left_of) / length
        found.error[part] = error = chain.size * np.sqrt(x * x + y * y)
        is_sure = (across > _ROUNDING * first * second) & (error <= tolerance)
        left.append(begin + np.flatnonzero(~is_sure))
    found.proven[:] = is_proven(Status.REACHED, chain, tolerance, NO_ANGLE)
    return np.concatenate([*left, np.empty(0, np.intp)])


def _run(chain: Chain | Arm, task: Task, count: int, codes: tuple[int, int, int]) -> None:
    """Solve piece by piece in compiled code, in threads where there are many targets.

    Between pieces the interpreter takes signals; after one, no thread begins another piece.
    """
    many = max(1, _PIECE // len(chain))
    firsts = iter(range(0, count, many))

    def work(solver: ChainSolver | CarriedSolver) -> None:
        for first in firsts:
            solver.solve_batch(task, range(first, min(first + many, count)), codes)

    others = min(_THREADS, count // _FEWEST) - 1
    threads = [Thread(target=work, args=[chain.new_solver()]) for _ in range(others)]
    for thread in threads:
        thread.start()
    try:
        work(chain.solver)
    finally:
        deque(firsts, maxlen=0)
        for thread in threads:
            thread.join()
