"""One call for every chain, arm and target: checks arguments, solves, and reports.

For an arm with walls, it searches for poses that keep off them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations, islice

import numpy as np

from ik2d_ros.kinematics.arguments import FloatArray, Numbers
from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.options import (
    NO_ANGLE,
    Options,
    check_angle,
    check_options,
    check_roll,
    clamped_start,
    flat_chain,
    target_of,
)
from ik2d_ros.kinematics.plane import Contact, Vector, direction
from ik2d_ros.kinematics.solution import Solution, Status, is_proven

ANGLE_TOLERANCE = 1e-3  # rad
_STATUSES = tuple(Status)

_STARTS = 24  # Of a search for other shapes, near the start and anywhere.
_NEAR = 0.5  # rad or reaches from the start.
_MARGIN = 1e-6  # In reaches: a target on a wall is sought half of it, or of its tolerance, off.
_ALIKE = 1e-3  # m, as a share of the reach, or rad: by how much more another shape may miss.


def solve(
    chain: Chain | Arm,
    target: Numbers,
    solver: str = 'auto',
    start: Numbers | None = None,
    bend: str = 'nearest',
    tolerance: float = 1e-6,
    max_iterations: int = 100,
    angle: float | Vector | None = None,
    angle_tolerance: float = ANGLE_TOLERANCE,
    roll: float | None = None,
) -> Solution:
    """Find the joint positions that bring the tip onto a target, or as close as the arm can come.

    Example:
        >>> from ik2d_ros.kinematics import Chain, solve
        >>> solution = solve(Chain.from_lengths([0.30, 0.25]), (0.5, 0.4))
        >>> solution.status.name, round(solution.error, 3)
        ('TOO_FAR', 0.09)

    Args:
        chain: the chain, which moves in its plane, or the arm, which moves in space. What is said
            of joints also holds for an arm's turntable or lift.
        target: (2,) where the tip of a chain is to go, in m, in the plane, from the base; (3,)
            where the tip of an arm is to go, in m, in the base frame.
        solver: ``two_bone`` (closed form, exactly two joints); ``ccd`` (cyclic coordinate descent,
            any number of joints, and an exact step where sweeps stall or creep); ``hybrid`` (any
            number: small joint moves from the start, and an exact step where these stick); or
            ``auto``: ``two_bone`` for two joints, else ``hybrid``.
        start: (n,) positions to move from, in rad, for a lift and prismatic joints in m. Positions
            outside the limits are clamped into them; for continuous joints they must be from -1e9
            to 1e9. Default: the middle of each joint's range, 0 for a continuous one.
        bend: for ``two_bone``: ``positive`` or ``negative`` is the sign of the angle from the first
            link to the second, ``nearest`` the solution with the smallest largest joint move from
            the start, in rad or, of slides, in reaches. A bend that the limits forbid gives way to
            the other one. Where a joint slides, the tip of ``positive`` is ahead of the revolute
            joint, in the direction of the slide.
        tolerance: distance from the target in m that counts as reached.
        max_iterations: passes over the chain that ``ccd`` and ``hybrid`` may make: a sweep and a
            step are one each. The closed form makes none.
        angle: the direction in rad that the x-axis of the last link's frame is to have in the
            plane, as a turntable carries it, or None for any; for three joints or more of the
            chain. For an arm with a turntable it may be a unit vector in the base frame, which is
            projected.
        angle_tolerance: distance from the angle, and from the roll, in rad that counts as reached.
        roll: where the roll of an arm is to be in rad, or whole turns aside: as it is where that is
            within its limits, in the turn nearest to the start where it has none. Default: that of
            the start.

    Returns:
        The pose and what it achieves. An unreachable target is no error: the status says why, and
        the pose is the closest one found. Continuous joints are in the turn nearest to the start.
        Of a turntable's two turns, the answer has the one that reaches, or comes closer, or moves
        less. With more than ten joints within limits, a target that is not reached is not proven to
        be out of reach. What some 0.2 s of work do not decide is ``NOT_CONVERGED``.

    Raises:
        ArgumentError: an argument is not of its kind or out of its range.
    """
    flat = chain if type(chain) is Chain else flat_chain(chain)
    options = check_options(len(flat.lengths), solver, bend, tolerance, max_iterations)
    wish: float | Vector = NO_ANGLE
    slack = angle_tolerance
    if angle is not None or angle_tolerance is not ANGLE_TOLERANCE:
        is_direction = isinstance(angle, tuple) and isinstance(chain, Arm) and chain.turntable
        wish, slack = check_angle(flat, 0.0 if is_direction else angle, angle_tolerance)
        wish = direction('angle', angle) if is_direction else wish
    asked = None if roll is None else check_roll(chain, roll)
    if isinstance(chain, Arm):
        x, y, z = target_of(target, 3)
        begin = clamped_start(chain, start)
        return solve_in_space(chain, (x, y, z), begin, wish, slack, options, asked)
    x, y = target_of(target, 2)
    return solve_in_plane(flat, (x, y), clamped_start(flat, start), wish, slack, options)


def solve_in_plane(
    chain: Chain,
    target: tuple[float, float],
    start: list[float],
    wish: float | Vector,
    slack: float,
    options: Options,
) -> Solution:
    """Solve for a chain in its plane from checked arguments, as of :func:`solve_in_space`."""
    solver, tolerance, codes = options
    q, tip, error, code, passes, angle, off = chain.solver.solve(
        (*target, 0.0), start, wish, (tolerance, slack), codes
    )
    status = _STATUSES[code]
    proven = is_proven(status, chain, tolerance, NO_ANGLE if wish == NO_ANGLE else slack)
    return Solution(np.array(q), np.array(tip), error, status, solver, passes, proven, angle, off)


def solve_in_space(
    arm: Arm,
    target: Vector,
    start: list[float],
    wish: float | Vector,
    slack: float,
    options: Options,
    roll: float | None = None,
    turn: float | None = None,
) -> Solution:
    """Solve for an arm in space, with a pose that keeps off its walls, from checked arguments.

    The wish is the tip angle in rad, ``NO_ANGLE`` for any, or, with a turntable, a direction: a
    unit vector in the base frame; the slack is the distance from it in rad that counts as reached.
    The turn is the only position that a turntable may take in rad; None for any.
    """
    planar, asked = arm, start[-1] if roll is None else roll
    position = asked if arm.roll is None else arm.roll.nearest(asked, start[-1])
    if arm.roll is not None:
        planar = arm.at_roll(position)
    if turn is not None:
        planar = planar.at_turn(turn)
    solver, tolerance, (method, bend, most) = options
    seen = planar.frame.direction(wish) if isinstance(wish, tuple) else wish
    least = NO_ANGLE if wish == NO_ANGLE else slack

    def once(point: Vector, begin: Sequence[float], near: float, side: int) -> Solution:
        q, (x, y), error, code, passes, angle, off = planar.solver.solve(
            planar.frame.locate(point),
            begin,
            seen,
            (near, slack),
            (method, side or bend, most),
        )
        tip, status = planar.placed(x, y, q[0]), _STATUSES[code]
        proven = is_proven(status, planar.chain, near, least)
        if arm.roll is not None:
            q.append(position)
        return Solution(
            np.array(q), np.array(tip), error, status, solver, passes, proven, angle, off
        )

    if arm.walls:
        found = _solve_clear(arm, target, start, wish, (tolerance, slack), once)
        position = float(found.q[-1])  # that of the start where nothing keeps off
    else:
        found = once(target, start, tolerance, 0)
    if arm.roll is None or position == asked:
        return found
    off = abs(math.remainder(asked - position, math.tau))
    status = Status.TIP_ANGLE if found.status is Status.REACHED and off > slack else found.status
    return found._replace(status=status, roll_error=off)


def _solve_clear(
    arm: Arm,
    target: Vector,
    start: Sequence[float],
    wish: float | Vector,
    within: tuple[float, float],
    once: Callable[[Vector, Sequence[float], float, int], Solution],
) -> Solution:
    """Solve a target by a pose that keeps off the arm's walls, from arguments of `solve_in_space`.

    A target across a wall gives way to the nearest point on this side. Where the solver's pose
    crosses one, other shapes are tried: both bends of two joints, else a search over starts. It
    returns a pose that keeps off, of those that come as close the one that moves least; or
    ``BLOCKED``, with what is across: a pose for the nearest point or, if none keeps off, the start.
    ``once`` solves a point from a start as if there were no walls, with a tolerance in m and a side
    to bend to, 0 for the caller's.
    """
    tolerance, slack = within
    first = once(target, start, tolerance, 0)
    begin = start if arm.roll is None else [*start[:-1], float(first.q[-1])]
    depth, name = max((-wall.height(*target), wall.name) for wall in arm.walls)
    across = Contact(name, 'the target', depth) if depth > arm.clearance_tolerance else None
    if across is None and arm.is_clear(first.q.tolist()):
        return first
    margin = 0.5 * min(tolerance, _MARGIN * arm.size)
    aim = _nearest_inside(arm, target, margin)
    found: Solution | None = None
    if aim is not None:
        first = found = once(aim, begin, 0.5 * margin, 0)
        if not arm.is_clear(first.q.tolist()):
            has_bends_only = len(arm.chain) == 2 and arm.turntable is None and arm.lift is None
            starts = [begin] if has_bends_only else search_starts(arm, aim, begin)
            sides = (1, -1) if len(arm.chain) == 2 else (0,)
            each = (once(aim, pose, 0.5 * margin, side) for pose in starts for side in sides)
            found = next(iter(other_shapes(arm, begin, first, 0.5 * margin, each)), None)
    if found is None:
        tip = arm.forward(start)
        angle = arm.chain.tip_angle(arm.in_plane(start))
        off = arm.carried_plane(start[0]).angle_off(angle, wish)
        found = first._replace(q=np.array(start), tip=tip, angle=angle, angle_error=off)
        across = across or arm.contact(first.q.tolist())
    found = found._replace(error=math.dist(found.tip, target))
    if across is None:
        # A point next to the wall may miss by less than the target's own tolerance.
        if found.error <= tolerance:
            return found._replace(status=Status.REACHED) if found.angle_error <= slack else found
        is_off = found.status in (Status.REACHED, Status.TIP_ANGLE)  # In a sharp corner.
        return found._replace(status=Status.NOT_CONVERGED, proven=False) if is_off else found
    return found._replace(status=Status.BLOCKED, proven=False, contact=across)


def other_shapes(
    arm: Arm,
    start: Sequence[float],
    first: Solution,
    tolerance: float,
    solutions: Iterable[Solution],
) -> list[Solution]:
    """Return solutions that keep off walls and come as close as another one, the nearest first.

    Args:
        arm: the arm, with walls.
        start: (m,) positions from which the arm moves.
        first: the solution that they come as close as.
        tolerance: distance from the target in m that counts as reached.
        solutions: for the same target; no two that are returned are alike.
    """
    most = tolerance if first.error <= tolerance else first.error + _ALIKE * arm.size
    turned = first.angle_error + _ALIKE
    near = [each for each in solutions if each.error <= most and each.angle_error <= turned]
    clear = [each for each in near if arm.is_clear(each.q.tolist())]
    shapes = list[Solution]()
    for each in sorted(clear, key=lambda each: arm.largest_move(start, each.q)):
        if all(arm.largest_move(each.q, other.q) > _ALIKE for other in shapes):
            shapes.append(each)
    return shapes


def search_starts(arm: Arm, aim: Vector, start: Sequence[float]) -> Iterator[Sequence[float]]:
    """Yield (m,) positions, then others that keep off walls, those first whose tips are near."""
    yield start
    random = np.random.default_rng(0)
    for spread in (_NEAR, math.inf):
        poses = arm.draw_poses(random, np.array(start), spread)
        if arm.roll is not None:
            poses[:, -1] = start[-1]
        if not arm.has_bend_limits:
            poses = poses[arm.are_clear(poses)]
        order = np.linalg.norm(arm.tips(poses) - aim, axis=-1).argsort()
        found = map(arm.project_to_bend_limits, poses[order].tolist())
        yield from islice(filter(arm.is_clear, found) if arm.has_bend_limits else found, _STARTS)


def off_walls(arm: Arm, points: FloatArray, tolerance: float) -> tuple[FloatArray, float] | None:
    """Return points (k, 3), those on walls a margin off, and that in m; None if none is on one."""
    margin = 0.5 * min(tolerance, _MARGIN * arm.size)
    heights = np.array([wall.height(*points.T) for wall in arm.walls] or [[math.inf]])
    lowest = heights.min(axis=0)
    on_wall = np.flatnonzero((lowest < margin) & (lowest >= -arm.clearance_tolerance))
    if not len(on_wall):
        return None
    lifted = points.copy()
    for k, (x, y, z) in zip(on_wall, points[on_wall].tolist(), strict=True):
        lifted[k] = _nearest_inside(arm, (x, y, z), margin) or points[k]
    return lifted, margin


def _nearest_inside(arm: Arm, point: Vector, margin: float) -> Vector | None:
    """Return the point in m next to another one on this side of all walls, by a margin in m.

    It moves as the tip can. There, some walls hold it and the others do not matter: all sets of few
    are tried. None if there is none.
    """
    is_carried = arm.turntable is not None or arm.lift is not None
    ways = np.array(arm.plane.axes if is_carried else arm.plane.axes[:2])
    normals = np.array([wall.normal for wall in arm.walls]) @ ways.T
    margins = margin * np.linalg.norm(normals, axis=1)
    # A point along a wall is inside, but for rounding.
    gaps = margins - np.array([wall.height(*point) for wall in arm.walls]) - 1e-3 * margin
    best: FloatArray | None = None
    numbers = range(len(arm.walls))
    for held in (each for size in range(len(ways) + 1) for each in combinations(numbers, size)):
        rows = [*held]
        step = np.linalg.pinv(normals[rows]) @ gaps[rows] if rows else np.zeros(len(ways))
        is_inside = (normals @ step >= gaps - 0.5 * margins).all()
        if is_inside and (best is None or np.linalg.norm(step) < np.linalg.norm(best)):
            best = step
    if best is None:
        return None
    x, y, z = (np.array(point) + best @ ways).tolist()
    return x, y, z
