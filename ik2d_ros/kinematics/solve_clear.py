"""Solving for an arm with walls: poses that keep off them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

import numpy as np

from ik2d_ros.kinematics.arguments import FloatArray
from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.kinematics.solution import Solution, Status
from ik2d_ros.kinematics.walls import Contact, nearest_inside

_STARTS = 24  # Of a search for other shapes, near the start and anywhere.
_NEAR = 0.5  # rad or reaches from the start.
_MARGIN = 1e-6  # In reaches: the most by which a target next to a wall is moved off it.
_ALIKE = 1e-3  # m, as a share of the reach, or rad: by how much more another shape may miss.

Once = Callable[[Vector, Sequence[float], float, int], Solution]
"""Solves a target from a start as if there were no walls, with a tolerance in m and a side to bend
to, 0 for the caller's."""


def solve_clear(
    arm: Arm,
    target: Vector,
    start: Sequence[float],
    wish: float | Vector,
    within: tuple[float, float],
    once: Once,
) -> Solution:
    """Solve a target by a pose that keeps off the arm's walls, from arguments of `solve_in_space`.

    A target across a wall gives way to the nearest point on this side. Where the solver's pose
    crosses one, other shapes are tried: both bends of two joints, else a search over starts. It
    returns a pose that keeps off, of those that come as close the one that moves least; or
    ``BLOCKED``, with what is across: a pose for the nearest point or, if none keeps off, the start.
    """
    tolerance, slack = within
    first = once(target, start, tolerance, 0)
    begin = start if arm.roll is None else [*start[:-1], float(first.q[-1])]
    depth, name = max((-wall.height(*target), wall.name) for wall in arm.walls)
    across = Contact(name, 'the target', depth) if depth > arm.clearance_tolerance else None
    if across is None and arm.is_clear(first.q.tolist()):
        return first
    margin = _margin(arm, tolerance)
    aim = nearest_inside(arm.walls, target, margin, _ways(arm))
    found: Solution | None = None
    if aim is not None:
        first = once(aim, begin, 0.5 * margin, 0)
        is_clear = arm.is_clear(first.q.tolist())
        sides = (1, -1) if len(arm.chain) == 2 else (0,)

        def solved(pose: Sequence[float]) -> Iterator[Solution]:
            return (once(aim, pose, 0.5 * margin, side) for side in sides)

        shapes = other_shapes(arm, aim, begin, first, 0.5 * margin, solved, tries_bends=True)
        found = first if is_clear else next(shapes, None)
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


def off_walls(arm: Arm, points: FloatArray, tolerance: float) -> tuple[FloatArray, float] | None:
    """Return points (k, 3), those on walls a margin off, and that in m; None if none is on one."""
    margin = _margin(arm, tolerance)
    heights = np.array([wall.height(*points.T) for wall in arm.walls] or [[math.inf]])
    lowest = heights.min(axis=0)
    on_wall = np.flatnonzero((lowest < margin) & (lowest >= -arm.clearance_tolerance))
    if not len(on_wall):
        return None
    lifted = points.copy()
    for k, (x, y, z) in zip(on_wall, points[on_wall].tolist(), strict=True):
        lifted[k] = nearest_inside(arm.walls, (x, y, z), margin, _ways(arm)) or points[k]
    return lifted, margin


def _margin(arm: Arm, tolerance: float) -> float:
    """Return how far off a wall what is on it is sought in m: more than a solver may miss."""
    return 0.5 * min(tolerance, _MARGIN * arm.size)


def _ways(arm: Arm) -> FloatArray:
    """Return (d, 3) unit vectors along which the tip can move."""
    is_carried = arm.turntable is not None or arm.lift is not None
    return np.array(arm.plane.axes if is_carried else arm.plane.axes[:2])


def other_shapes(
    arm: Arm,
    aim: Vector,
    start: Sequence[float],
    first: Solution,
    tolerance: float,
    solved: Callable[[Sequence[float]], Iterable[Solution]],
    tries_bends: bool = False,
) -> Iterator[Solution]:
    """Yield poses that keep off walls and come as close as another one, the nearest first.

    Args:
        arm: the arm, with walls.
        aim: the target in m in the base frame.
        start: (m,) positions from which the arm moves.
        first: the solution that they come as close as.
        tolerance: distance from the target in m that counts as reached.
        solved: yields solutions for the target, from (m,) positions on.
        tries_bends: whether it yields one for each bend of two joints, which have no others.
    """
    most = tolerance if first.error <= tolerance else first.error + _ALIKE * arm.size
    turned = first.angle_error + _ALIKE
    has_bends_only = tries_bends and len(arm) - (arm.roll is not None) == 2
    begins = [start] if has_bends_only else _starts(arm, aim, start)
    found = [each for begin in begins for each in solved(begin)]
    found = [each for each in found if each.error <= most and each.angle_error <= turned]
    found = [each for each in found if arm.is_clear(each.q.tolist())]
    found.sort(key=lambda each: arm.largest_move(start, each.q))
    shapes = list[Solution]()
    for each in found:
        if all(arm.largest_move(each.q, other.q) > _ALIKE for other in shapes):
            shapes.append(each)
            yield each


def _starts(arm: Arm, aim: Vector, start: Sequence[float]) -> Iterator[Sequence[float]]:
    """Yield a start and poses that keep off, those first whose tips are next to a point."""
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
