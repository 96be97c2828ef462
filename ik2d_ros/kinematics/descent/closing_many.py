"""Exact closures with two joints, as :mod:`.closing` has them, for many targets at once, in NumPy.

Arrays are as in :mod:`.links`.
"""

from __future__ import annotations

import numpy as np

from ik2d_ros.kinematics.angles import SAME_MOVE, TURN, into_range_many, wrapped
from ik2d_ros.kinematics.arrays import ComplexArray, Flags, FloatArray, Indices
from ik2d_ros.kinematics.closed_form.two_bone_many import elbow_bend_many
from ik2d_ros.kinematics.descent.closing import ALLOWS, CLOSES, ENDS, turning_pairs
from ik2d_ros.kinematics.links import Links, points_of, tips, units
from ik2d_ros.kinematics.pose import LENGTH_ROUNDING
from ik2d_ros.kinematics.reach import folded
from ik2d_ros.kinematics.tuning import BLENDS

_CLOSED = 1e-11  # Reaches; a closure comes closer, whatever is rounded.


def close_many(
    links: Links,
    targets: ComplexArray,
    bends: FloatArray,
    most: int | None = None,
    every: bool = False,
    points: ComplexArray | None = None,
    least: bool = False,
) -> tuple[FloatArray, Flags]:
    """Put tips on targets with two joints each, exactly, as :func:`.closing.close_two` does.

    Args:
        links: links and limits.
        targets: (m,) where the tips are to go, in reaches.
        bends: (n, m) rad, inside the limits.
        most: how many pairs are tried, all of them by default.
        every: whether to try pairs without the first joint, too, where there are no limits.
        points: where the joints and the tips are, where that is known.
        least: whether to look at all pairs, for the one that turns least.

    Returns:
        (n, m) bends in rad, and (m,) which tips two joints can bring onto their targets.
    """
    if points is None:
        points = points_of(links, bends)
    closed, met = bends.copy(), np.zeros(len(targets), dtype=np.bool_)
    left: Indices = np.arange(len(targets))
    turned: FloatArray = np.full(len(targets), np.inf)
    free = links.free
    for i, j in turning_pairs(links.turning, free and not (every or least), most):
        if not len(left):
            break
        some, at_i, at_j = _closed(links, targets, bends, points, left, i, j, free)
        if least:
            turn = np.maximum(np.abs(at_i - bends[i, some]), np.abs(at_j - bends[j, some]))
            less = turn < turned[some] - SAME_MOVE
            some, at_i, at_j = some[less], at_i[less], at_j[less]
            closed[:, some], turned[some] = bends[:, some], turn[less]
        closed[i, some], closed[j, some] = at_i, at_j
        met[some] = True
        if not least:
            left = left[~met[left]]
    return closed, met


def _closed(
    links: Links,
    targets: ComplexArray,
    bends: FloatArray,
    points: ComplexArray,
    left: Indices,
    i: int,
    j: int,
    free: bool,
) -> tuple[Indices, FloatArray, FloatArray]:
    """Return which of the targets ``left`` joints i and j alone reach, and their bends then."""
    part: Indices | slice = left if len(left) < len(targets) else slice(None)
    pivot, elbow = points[i, part], points[j, part]
    first, second, span = elbow - pivot, points[-1, part] - elbow, targets[part] - pivot
    a, b, d = np.abs(first), np.abs(second), np.abs(span)
    can = (a + b + CLOSES >= d) & (np.abs(a - b) - CLOSES <= d)
    can &= (a >= LENGTH_ROUNDING) & (b >= LENGTH_ROUNDING)
    some = left[can]
    if len(some) < len(left):
        first, second, span = first[can], second[can], span[can]
        a, b, d = a[can], b[can], d[can]
    share = b / a
    now = np.angle(second * first.conj())
    now = np.where(now < SAME_MOVE - np.pi, now + TURN, now)
    bend = elbow_bend_many(a, b, d)
    bend = np.where(now < -SAME_MOVE, -bend, bend)
    now_i, now_j = bends[i, some], bends[j, some]

    def at_first(which: Indices | slice, wanted: FloatArray) -> FloatArray:
        reached = first[which] * (1.0 + share[which] * units(wanted))
        turned: FloatArray = now_i[which] + np.angle(span[which] * reached.conj())
        return turned

    if free:
        return some, at_first(slice(None), bend), now_j + (bend - now)

    def allowed(which: Indices, wanted: FloatArray) -> tuple[Indices, FloatArray, FloatArray]:
        lower, upper = links.lower[:, 0], links.upper[:, 0]
        at_j = now_j[which] + (wanted - now[which])
        at_j, can = into_range_many(at_j, lower[j], upper[j], now_j[which], ALLOWS)
        # Trigonometry only for what is left then.
        which, wanted, at_j = which[can], wanted[can], at_j[can]
        at_i = at_first(which, wanted)
        at_i, can = into_range_many(at_i, lower[i], upper[i], now_i[which], ALLOWS)
        return which[can], at_i[can], at_j[can]

    closed, at_i, at_j = allowed(np.arange(len(some)), bend)
    if len(closed) < len(some):
        other = np.ones(len(some), dtype=np.bool_)
        other[closed] = False
        rest = np.flatnonzero(other)
        more, more_i, more_j = allowed(rest, -bend[rest])
        closed = np.concatenate([closed, more])
        at_i, at_j = np.concatenate([at_i, more_i]), np.concatenate([at_j, more_j])
    return some[closed], at_i, at_j


def close_all_many(
    links: Links, targets: ComplexArray, bends: FloatArray, points: ComplexArray
) -> tuple[FloatArray, FloatArray, Flags]:
    """Bend whole chains until two joints can close them, as :func:`.closing.close_all` does.

    Args:
        links: of a chain without limits.
        targets: (m,) where the tips are to go, in reaches.
        bends: (n, m) rad.
        points: (n + 1, m) where the joints and the tips are then.

    Returns:
        (n, m) bends in rad, (m,) distances from the targets in reaches, and (m,) which tips have
        come closer.
    """
    distance, best, errors = np.abs(targets), bends.copy(), np.abs(targets - points[-1])
    begun = errors.copy()
    shape = wrapped(bends)
    at_left = np.abs(points[-1]) - distance
    goal = np.where(at_left < 0.0, 0.0, np.array(folded(links.lengths[:, 0].tolist()))[:, None])
    goal[0] = shape[0]
    end = tips(links, goal)
    left, right, at_right = np.zeros(len(targets)), np.ones(len(targets)), np.abs(end) - distance

    def take(some: Indices, tried: FloatArray) -> None:
        missed = np.abs(targets[some] - tips(links, tried))
        closer = missed < errors[some]
        best[:, some[closer]], errors[some[closer]] = tried[:, closer], missed[closer]

    at_end = np.flatnonzero(np.abs(at_right) < ENDS)
    if len(at_end):
        turn = targets[at_end] * end[at_end].conj()
        goal[0, at_end] += np.where(turn == 0.0, 0.0, np.angle(turn))
        take(at_end, goal[:, at_end])
    for _ in range(BLENDS):
        some = np.flatnonzero((errors >= ENDS) & (at_left != at_right))
        if not len(some):
            break
        low, high, at_low, at_high = left[some], right[some], at_left[some], at_right[some]
        share = high - at_high * (high - low) / (at_high - at_low)
        bent = shape[:, some] + share * (goal[:, some] - shape[:, some])
        joints = points_of(links, bent)
        closed, _ = close_many(links, targets[some], bent, points=joints)
        take(some, closed)
        excess = np.abs(joints[-1]) - distance[some]
        beyond = (excess > 0.0) != (at_high > 0.0)
        left[some] = np.where(beyond, high, low)
        at_left[some] = np.where(beyond, at_high, 0.5 * at_low)
        right[some], at_right[some] = share, excess
    return best, errors, errors < begun


def misses(links: Links, targets: ComplexArray, bends: FloatArray, tolerance: float) -> FloatArray:
    """Return (m,) how far closures are from their targets in reaches, 0 where nobody asks."""
    if tolerance > _CLOSED:
        return np.zeros(len(targets))
    return np.abs(targets - tips(links, bends))
