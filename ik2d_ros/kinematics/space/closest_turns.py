"""The closest that an arm on a turntable comes to targets that it cannot reach.

At the closest pose, turning on does not bring the tip closer: tip and target are at the same angle
about the axis, or the turntable is at the limit that is nearer to that. So the turn follows from
where the tip is in the plane, and what is left is to find the bends: by Newton steps on the
distance in space, for many targets and from many places side by side, in NumPy.

Arrays have a column per pose, as in :mod:`.links`; lengths are in units of the chain's reach.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.angles import ANGLE_ROUNDING
from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.descent.stock import Stock, nearest, stock
from ik2d_ros.kinematics.links import Links, spans_of
from ik2d_ros.kinematics.space.turning import Around, TurningPlane, norm
from ik2d_ros.kinematics.tuning import (
    BEST,
    ENDED,
    LARGEST_TURN,
    LESS_DAMPING,
    MANY,
    NEWTON_DAMPING,
    NEWTON_LEAST,
    NEWTON_MORE,
    SECOND_DERIVATIVES,
    SPACE_CREEP,
    SPACE_CREEPS,
    SPACE_EACH,
    SPACE_EVERY,
    SPACE_FIRST_STEPS,
    SPACE_STEPS,
    SPACE_TARGETS,
    STUCK,
)


class _Tips(NamedTuple):
    """Tips of poses, and how far each is from its target with the turntable at its best.

    Attributes:
        turns: (k,) of the turntable in rad.
        distances: (k,) from the target.
        sx: (n, k) from each joint to the tip, along x of the plane.
        sy: (n, k) the same along y.
        ex: (k,) from the tip to the target, along x of the plane.
        ey: (k,) the same along y.
        gx: (k,) how much the distance bends less than in the plane, as the turntable follows: half
            its square has the second derivatives of the plane less the products of these.
        gy: (k,) the same along y.
    """

    turns: FloatArray
    distances: FloatArray
    sx: FloatArray
    sy: FloatArray
    ex: FloatArray
    ey: FloatArray
    gx: FloatArray
    gy: FloatArray


def closest_turns(
    chain: Chain, plane: TurningPlane, around: Around, begun: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Find the poses at which a chain within limits comes closest to targets.

    Args:
        chain: the chain in the plane, within limits.
        plane: what carries the plane.
        around: (m,) the targets.
        begun: (n, m, b) bends in rad, inside the limits, where to begin besides.

    Returns:
        (m, k) turns in rad and (n, m, k) bends in rad, inside their limits, and (m, k) their
        distances from the targets; one of the poses for a target is the closest that was found.
    """
    links, poses = Links.of(chain), stock(chain)
    poses = Stock(poses.bends[:, :, ::SPACE_EVERY], poses.tips[:, ::SPACE_EVERY])
    count = max(1, int(BEST * min(1.0, MANY / len(chain)) ** 3))
    each = begun.shape[2] + (SPACE_EACH + 2) * len(poses.tips)
    together = max(1, min(SPACE_TARGETS, SECOND_DERIVATIVES // (each * len(chain) ** 2)))
    parts = []
    for begin in range(0, len(around.radius), together):
        part = slice(begin, begin + together)
        some = Around(*(values[part] for values in around))
        bends = np.concatenate([begun[:, part], _places(poses, plane, some)], axis=2)
        _, bends, distances = _settled_each(links, plane, some, bends, SPACE_FIRST_STEPS)
        few = np.argsort(distances, axis=1, kind='stable')[:, :count]
        bends = np.take_along_axis(bends, few[None], axis=2)
        parts.append(_settled_each(links, plane, some, bends, SPACE_STEPS))
    turns, all_bends, away = zip(*parts, strict=True)
    return np.concatenate(turns), np.concatenate(all_bends, axis=1), np.concatenate(away)


def _places(poses: Stock, plane: TurningPlane, around: Around) -> FloatArray:
    """Return (n, m, k) bends of the stock with which the tips come closest, of several kinds."""
    point = plane.sweep.raised(poses.tips.real, poses.tips.imag)
    out, across, height = point
    each = Around(*(values[:, None, None] for values in around))
    if plane.lower == -np.inf:
        away = np.hypot(np.hypot(out, across) - each.radius, height - each.height)
        ends = []
    else:
        away = norm(plane.seen(each, plane.turns(each, out, across), point))
        # At a limit of the turntable the chain may do quite different things.
        ends = [
            nearest(poses, plane.flattened(around, end), 1) for end in (plane.lower, plane.upper)
        ]
    chosen = np.argpartition(away, SPACE_EACH - 1, axis=2)[:, :, :SPACE_EACH]
    found = [
        bends[:, indices]
        for bends, indices in zip(poses.bends, chosen.transpose(1, 0, 2), strict=True)
    ]
    return np.concatenate([*found, *ends], axis=2)


def _settled_each(
    links: Links, plane: TurningPlane, around: Around, bends: FloatArray, steps: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Settle (n, m, k) poses, k for each target.

    Returns:
        (m, k) turns and (n, m, k) bends in rad, and (m, k) distances from the targets.
    """
    count = bends.shape[2]
    repeated = around.at(np.repeat(np.arange(bends.shape[1]), count))
    turns, settled, distances = _settled(
        links, plane, repeated, bends.reshape(len(bends), -1), steps
    )
    return turns.reshape(-1, count), settled.reshape(bends.shape), distances.reshape(-1, count)


def _settled(
    links: Links, plane: TurningPlane, around: Around, bends: FloatArray, budget: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Bring (n, k) poses to where small moves bring the tip no closer."""
    found, now = bends.copy(), bends
    columns: NDArray[np.intp] = np.arange(bends.shape[1])
    turns, distances = np.empty(len(columns)), np.empty(len(columns))
    here = _tips(links, plane, around, now)
    damping: FloatArray = np.full(len(columns), NEWTON_DAMPING)
    creeps: NDArray[np.int64] = np.zeros(len(columns), dtype=np.int64)
    for step in range(budget + 1):
        ended = (damping > STUCK) | (creeps == SPACE_CREEPS) | (step == budget)
        if ended.mean() > ENDED:  # Copying the others is cheaper than working on all.
            done = columns[ended]
            found[:, done] = now[:, ended]
            turns[done], distances[done] = here.turns[ended], here.distances[ended]
            going = np.flatnonzero(~ended)
            if not len(going):
                break
            columns, now, around = columns[going], now[:, going], around.at(going)
            here = _Tips(*(values[..., going] for values in here))
            damping, creeps = damping[going], creeps[going]
        stepped = np.clip(now + _newton(links, now, here, damping), links.lower, links.upper)
        after = _tips(links, plane, around, stepped)
        closer = after.distances < here.distances
        creeping = closer & (after.distances > (1.0 - SPACE_CREEP) * here.distances)
        creeps = np.where(creeping, creeps + 1, 0)
        now = np.where(closer, stepped, now)
        here = _Tips(*(np.where(closer, new, old) for new, old in zip(after, here, strict=True)))
        damping = np.where(
            closer, np.maximum(LESS_DAMPING * damping, NEWTON_LEAST), NEWTON_MORE * damping
        )
    return turns, found, distances


def _tips(links: Links, plane: TurningPlane, around: Around, bends: FloatArray) -> _Tips:
    sweep = plane.sweep
    spans = spans_of(links, np.zeros(bends.shape[1], dtype=np.complex128), bends)
    point = sweep.raised(-spans.ex, -spans.ey)
    turns = plane.turns(around, *point[:2])
    seen = plane.seen(around, turns, point)
    along_out, along = plane.pull(seen)
    g_out, g_along = plane.gives(around, seen, point)
    (xs, ys), (xk, yk) = sweep.s_of, sweep.k_of
    return _Tips(
        turns,
        norm(seen),
        spans.sx,
        spans.sy,
        xs * along_out + xk * along,
        ys * along_out + yk * along,
        xs * g_out + xk * g_along,
        ys * g_out + yk * g_along,
    )


def _newton(links: Links, bends: FloatArray, here: _Tips, damping: FloatArray) -> FloatArray:
    """Return Newton steps on half the squared distance, downhill whatever the curvature.

    As in the plane (:func:`.many.settle_many`), but for what the turntable gives way.
    """
    pull = here.sx * here.ey - here.sy * here.ex
    held = ((bends <= links.lower + ANGLE_ROUNDING) & (pull < 0.0)) | (
        (bends >= links.upper - ANGLE_ROUNDING) & (pull > 0.0)
    )
    n = len(bends)
    later = np.maximum.outer(np.arange(n), np.arange(n))
    along = (here.ex * here.sx + here.ey * here.sy).T[:, later]
    if links.fixed is not None:
        along *= np.array(links.turning)[np.minimum.outer(np.arange(n), np.arange(n))]
    gives = (here.gy * here.sx - here.gx * here.sy).T
    sx, sy = here.sx.T, here.sy.T
    hessian = sx[:, :, None] * sx[:, None, :] + sy[:, :, None] * sy[:, None, :] + along
    hessian -= gives[:, :, None] * gives[:, None, :]
    free = ~held.T
    hessian *= free[:, :, None] & free[:, None, :]
    values, vectors = np.linalg.eigh(hessian)
    gradient = np.where(free, pull.T, 0.0)
    inside = (vectors.transpose(0, 2, 1) @ gradient[:, :, None])[:, :, 0]
    inside /= np.abs(values) + damping[:, None] + NEWTON_LEAST
    turns: FloatArray = (vectors @ inside[:, :, None])[:, :, 0].T * ~held
    largest = np.abs(turns).max(axis=0)
    turns *= LARGEST_TURN / np.maximum(largest, LARGEST_TURN)
    return turns
