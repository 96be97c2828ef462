"""The shape in which an arm can follow a path farthest.

Where an arm has just as many joints as its tip's path takes, its shapes at the first point are
finitely many. With more, or where the tip is at the pivot of a folded arm, it can choose its pose:
where it gets stuck, the path is followed back from other shapes there, to the beginning if any pose
may be the first, else to where small moves with the tip at rest lead to them.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from ik2d_ros.kinematics.arguments import FloatArray
from ik2d_ros.kinematics.clearance import keeps_off
from ik2d_ros.kinematics.route import Route, Way
from ik2d_ros.kinematics.solution import Status

_SHAPES = 32  # Starts from which poses at a place are looked for.
_ROUNDS = 4  # Places where other shapes are looked for.
_STATIONS = 3  # Places between which two ways are tried to be joined.
_FEWEST, _MOST = 64, 8192  # Poses from one shape to another one, with the tip at rest.
_SAME = 1e-3  # rad or m; poses that differ by less are one;
_ALIKE = 0.3  # if the arm has more joints than its tip's path takes, these are.


def find_longest(route: Route, way: Way, free: bool) -> Way:
    """Return the way that gets farthest, from one that leads to where it jumps.

    If the search is free, any pose may be the first.
    """
    if free:
        for q in _shapes(route, 0.0, way.q[0]):
            way = max(way, route.follow(q, 0.0), key=lambda each: each.end)
            if way.end >= route.last:
                return way
            if route.is_given_up():
                break
    for _ in range(_ROUNDS):
        place, _ = route.solve_beyond(way)
        longer = _gone_on(route, way, place, free)
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


def _gone_on(route: Route, way: Way, place: float, free: bool) -> Way | None:
    """Return a way that leads beyond the end of one, or None."""
    for q in _shapes(route, place, way.q[-1]):
        if route.is_given_up():
            break
        back = route.follow(q, place, back=True)
        begin: Way | None = back
        if not free or back.places[0] > 0.0:
            begin = _joined(route, way, back)
        if begin is not None:
            longer = begin.then(route.follow(q, place).beyond(place))
            if longer.end > way.end + 200 * route.least:
                return longer
    return None


def _joined(route: Route, way: Way, other: Way) -> Way | None:
    """Return a way up to a place, small moves with the tip at rest, and another way, or None."""
    common = np.flatnonzero(way.places >= other.places[0])
    some = np.linspace(0, len(common) - 1, min(_STATIONS, len(common))).astype(int)
    for k in common[some]:
        place = way.places[k]
        rest = other.beyond(place)
        there = np.array([np.interp(place, other.places, qs) for qs in other.q.T])
        moves = _moves(route, float(place), way.q[k], there)
        if moves is None or route.strain(moves[-1], rest.q[0]) > 1:
            continue
        poses = np.concatenate([way.q[k : k + 1], moves, rest.q[:1]])
        if route.walled is None or keeps_off(route.walled, poses):
            at_rest = Way(np.full(len(moves), place), moves)
            return way.some(slice(k + 1)).then(at_rest).then(rest)
    return None


def _moves(route: Route, place: float, before: FloatArray, after: FloatArray) -> FloatArray | None:
    """Return poses from one at a place to another one there, all moves small, or None."""
    count = _FEWEST
    while count <= _MOST:
        shares = np.linspace(0.0, 1.0, count + 1)[1:, None]
        found = route.solve_from(place, before + shares * (after - before))
        if (found.status != Status.REACHED).any():
            return None
        poses = np.concatenate([before[None], found.q])
        strain = max(route.strain(*pair) for pair in pairwise(poses))
        if strain <= 1:
            return found.q
        count = math.ceil(1.1 * count * math.sqrt(strain))  # it is quadratic in moves
    return None
