"""Poses along a path: the tip on straight lines between points, all joints moving little by little.

From each pose to the next all joints move evenly, and the tip provably stays by the line meanwhile:
a pose in another shape is never taken for the next one, however near its tip is. Steps shorten
until moves are small; where no step is short enough, the path ends.

Where an arm has just as many joints as its tip's path takes, its shapes at the first point are
finitely many. With more, or where the tip is at the pivot of a folded arm, it can choose its pose:
where it gets stuck, the path is followed back from other shapes there, to the beginning.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ik2d_ros.kinematics.arguments import (
    LARGEST_LENGTH,
    MOST_POINTS,
    ArgumentError,
    FloatArray,
    Numbers,
    finite,
    refusal,
    span,
)
from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.options import (
    NO_ANGLE,
    check_angles,
    check_rolls,
    check_tolerance,
    clamped_start,
    flat_chain,
    points_of,
)
from ik2d_ros.kinematics.route import Route, Way
from ik2d_ros.kinematics.solution import Solution, Status, is_proven
from ik2d_ros.kinematics.solve import off_walls

_SEARCHED = Status.NOT_CONVERGED, Status.BLOCKED, Status.PATH_JUMP  # Never proven.

_SHAPES = 32  # Starts from which poses at a place are looked for.
_ROUNDS = 4  # Places where other shapes are looked for.
_SAME = 1e-3  # rad or m; poses that differ by less are one;
_ALIKE = 0.3  # if the arm has more joints than its tip's path takes, these are.


@dataclass(frozen=True, eq=False)
class Path:
    """Poses along a path, from its beginning to where it can no longer be followed.

    While all joints move evenly from each pose to the next, the tip is no farther than
    ``path_tolerance`` from the line.

    Attributes:
        points: (k, 2) in m in the plane; of an arm (k, 3), in the base frame: the given points, of
            equal ones in a row the first, and some between them.
        q: (k, n) positions in rad or m, of the tip at these; none if the first is not reached.
        length: (k,) how far along the path they are, in m.
        status: ``REACHED`` for the whole path, else the status of the first point that is not
            reached, or ``PATH_JUMP`` if that point is reached in another shape only, ``BLOCKED`` if
            that is so because the arm meets a wall.
        end: how far along the path the arm gets; total: how long it is, in m.
        path_tolerance: how far from the line the tip may be in m.
        proven: whether the status is a proof; ``PATH_JUMP`` and ``BLOCKED`` never are.
        missed: the answer for the first point that is not reached, or None; target: that point.
    """

    points: FloatArray
    q: FloatArray
    length: FloatArray
    status: Status
    end: float
    total: float
    path_tolerance: float
    proven: bool = False
    missed: Solution | None = None
    target: FloatArray | None = None


def solve_path(
    chain: Chain | Arm,
    points: ArrayLike,
    start: Numbers | None = None,
    angle: ArrayLike | None = None,
    tolerance: float = 1e-6,
    path_tolerance: float = 1e-4,
    angle_tolerance: float = 1e-3,
    ended: Callable[[], bool] | None = None,
    roll: ArrayLike | None = None,
) -> Path:
    """Find poses along the straight lines between points, and how far they lead.

    Example:
        >>> from ik2d_ros.kinematics import Chain, solve_path
        >>> chain = Chain.from_lengths([0.30, 0.25])
        >>> path = solve_path(chain, [(0.4, 0.0), (0.4, 0.2), (0.7, 0.2)])
        >>> path.status.name, round(path.end, 3)
        ('TOO_FAR', 0.312)

    Args:
        chain: the chain, in its plane, or the arm in space.
        points: (m, 2) in m in the plane, for an arm (m, 3) in its base frame; from two to 100,000.
        start: (n,) positions in rad or m to move from. If the tip is within ``path_tolerance`` of
            the first point there, the path begins with this shape; else with the nearest one, or,
            where that does not last for the whole path, the one that lasts longest. Default: any.
        angle: of the tip in rad, one for all points or (m,), one for each, between which it turns
            evenly, the shorter way, or None for any.
        tolerance: distance from a point in m that counts as reached.
        path_tolerance: how far from the lines the tip may be in m.
        angle_tolerance: distance from the angle in rad that counts as reached.
        ended: is called every few milliseconds, in this thread; True ends the search early.
        roll: of an arm that has one in rad, one for all points or (m,), one for each, between which
            it turns evenly, within its limits or the shorter way. Default: that of the start.

    Returns:
        The poses, and how far along the path they are. A search that was ended early, or has found
        a million poses in all, is ``NOT_CONVERGED``, at the distance reached.

    Raises:
        ArgumentError: an argument is not of its kind or out of its range.
    """
    flat = flat_chain(chain)
    asked = points_of(points, 3 if isinstance(chain, Arm) else 2, 'points')
    if not 2 <= len(asked) <= MOST_POINTS:
        raise ArgumentError(f'points are {len(asked)}; a path has from 2 to {MOST_POINTS:,} points')
    if np.abs(asked).max() > LARGEST_LENGTH:
        row = int(np.abs(asked).max(axis=1).argmax())
        raise ArgumentError(
            f'points[{row}] is {asked[row].tolist()}; its numbers must be '
            f'{span(LARGEST_LENGTH, "m")}'
        )
    near = check_tolerance('tolerance', tolerance, 'm')
    aside = finite(path_tolerance)
    if aside is None or aside < near:
        allowed = f'a number of at least tolerance, {near:g}, in m'
        raise ArgumentError(refusal('path_tolerance', path_tolerance, allowed))
    angles, slack = check_angles(flat, angle, angle_tolerance, len(asked))
    begin = None if start is None else np.array(clamped_start(chain, start))
    middle = np.array(chain.middle) if begin is None else begin
    rolls = check_rolls(chain, roll, np.broadcast_to(middle, (len(asked), len(middle))))
    corner = aside
    if isinstance(chain, Arm) and (lifted := off_walls(chain, asked, near)) is not None:
        # The tip keeps off by a margin, of which lines and rounded corners take a part.
        asked, margin = lifted
        near = aside = 0.25 * margin
        corner = min(corner, 0.25 * math.sqrt(near * chain.size))
    route = Route(
        chain,
        asked,
        angles if len(angles) else None,
        (near, slack),
        (aside, corner),
        ended,
        _turned(chain, rolls, middle[-1]) if isinstance(chain, Arm) and chain.roll else None,
    )
    return _followed(route, begin)


def _turned(arm: Arm, rolls: FloatArray, near: float) -> FloatArray:
    """Return where the roll is asked to be, each as near to the one before as limits allow."""
    found = []
    for asked in rolls:
        position = near = arm.roll.nearest(float(asked), near) if arm.roll else 0.0
        found.append(position + math.remainder(asked - position, math.tau))
    return np.array(found)


def _followed(route: Route, start: FloatArray | None) -> Path:
    """Follow a route from a start, or from the shape that lasts longest."""
    first = route.solve(0.0, start)
    if first.status is not Status.REACHED:
        nowhere = Way(np.empty(0), np.empty((0, len(route.arm))))
        return _path(route, nowhere, first.status, first, 0.0)
    way = route.follow(first.q, 0.0)
    missed, place, status = _end(route, way)
    is_free = start is None or not route.begins_at(start)
    if is_free and missed is not None and missed.status is Status.REACHED:
        way = _longest(route, way)
        missed, place, status = _end(route, way)
    return _path(route, way, status, missed, place)


def _end(route: Route, way: Way) -> tuple[Solution | None, float, Status]:
    """Return the answer for the first point that is not reached, its place, and why it is not."""
    if way.end >= route.last:
        return None, route.last, Status.REACHED
    place, missed = route.solve_beyond(way)
    if route.is_given_up():
        return missed, place, Status.NOT_CONVERGED
    if missed.status is not Status.REACHED:
        return missed, place, missed.status
    contact = route.contact_at(way.q[-1])
    status = Status.PATH_JUMP if contact is None else Status.BLOCKED
    return missed._replace(contact=contact), place, status


def _path(route: Route, way: Way, status: Status, missed: Solution | None, place: float) -> Path:
    length: FloatArray = np.interp(way.places, route.places, route.lengths)
    near, slack = route.tolerances
    slack = NO_ANGLE if route.angles is None else slack
    proven = (missed is None or missed.proven) and is_proven(
        Status.REACHED, route.chain, near, slack
    )
    return Path(
        points=route.point_at(way.places),
        q=way.q,
        length=length,
        status=status,
        end=float(length[-1]) if len(length) else 0.0,
        total=float(route.lengths[-1]),
        proven=proven and status not in _SEARCHED,
        missed=missed,
        target=None if missed is None else route.point_at(place),
        path_tolerance=route.corner_tolerance,
    )


def _longest(route: Route, way: Way) -> Way:
    """Return the way that gets farthest from any first pose, from one that leads to a jump."""
    for q in _shapes(route, 0.0, way.q[0]):
        way = max(way, route.follow(q, 0.0), key=lambda each: each.end)
        if way.end >= route.last:
            return way
        if route.is_given_up():
            break
    for _ in range(_ROUNDS):
        place, _ = route.solve_beyond(way)
        longer = _gone_on(route, way, place)
        if longer is None:
            break
        way = longer
        if way.end >= route.last or route.solve_beyond(way)[1].status is not Status.REACHED:
            break
    return way


def _shapes(route: Route, place: float, near: FloatArray) -> list[FloatArray]:
    """Return poses at a place, no two the same; continuous joints in the turn of a pose."""
    random = np.random.default_rng(0)
    free = ~np.isfinite(route.arm.lower)
    low = np.where(free, near - np.pi, route.arm.lower)
    high = np.where(free, near + np.pi, route.arm.upper)
    starts = random.uniform(low, high, (_SHAPES, len(low)))
    bends = ('positive', 'negative') if len(route.chain) == 2 else ('nearest',)
    is_redundant = len(route.chain) > (2 if route.angles is None else 3)
    same = _ALIKE if is_redundant else _SAME
    poses: list[FloatArray] = []
    for bend in bends:
        found = route.solve_from(place, starts, bend)
        for q in found.q[found.status == Status.REACHED]:
            if all(np.abs(q - other).max() > same for other in poses):
                poses.append(q)
    return poses


def _gone_on(route: Route, way: Way, place: float) -> Way | None:
    """Return a way that leads beyond the end of one, from another shape there, or None."""
    for q in _shapes(route, place, way.q[-1]):
        if route.is_given_up():
            break
        back = route.follow(q, place, back=True)
        if back.places[0] == 0.0:
            longer = back.then(route.follow(q, place).beyond(place))
            if longer.end > way.end + 200 * route.least:
                return longer
    return None
