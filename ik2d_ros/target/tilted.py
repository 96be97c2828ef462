"""A disc in space for the demo targets of an arm whose plane is carried; no ROS imports."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics import solve_batch
from ik2d_ros.kinematics.plane import Plane, Vector

POSES = 8  # random ones, besides home, whose tips are tried as centres
SIZES = (0.01, 0.04, 0.08, 0.13, 0.2, 0.3, 0.4)  # reaches
TILTS = (math.radians(60.0), math.radians(30.0), math.radians(10.0))
TRIED = 12  # points on a circle
CHECKED = 120  # points on the circle that is chosen
CENTRAL = 0.3  # of the range of the carrying joint, about its middle, in which they are
CLEAR = 0.15  # reaches from the axis, near which a turntable has to be quick


def _circle(count: int) -> NDArray[np.float64]:
    turns = np.linspace(0.0, 2.0 * math.pi, count, endpoint=False)
    return np.stack([np.cos(turns), np.sin(turns)], axis=1)


# Of a disc, points that are tried: on its edge, and half-way to the centre.
_DISC = np.concatenate([_circle(TRIED), 0.5 * _circle(TRIED)[::3]])
_CIRCLE = _circle(CHECKED)  # of the disc that is chosen


class Disc(NamedTuple):
    """A disc all of which can be reached.

    Attributes:
        plane: where it is; its centre is the origin.
        size: its radius in m.
    """

    plane: Plane
    size: float


def tilted_disc(arm: ArmDescription) -> Disc:
    """Return a disc that the tip of an arm can reach, tilted so that every joint has to move.

    Args:
        arm: an arm with a turntable or a lift.
    """
    reach = arm.chain.reach.outer or 1.0
    alive = [(_tilted(arm, pose, tilt), tilt) for pose in _poses(arm) for tilt in TILTS]
    found: list[tuple[float, Disc]] = []
    # From small to large, for what cannot be reached takes longest to solve.
    for size in SIZES:
        discs = [Disc(plane, size * reach) for plane, _ in alive]
        points = np.array([_points(disc) for disc in discs])
        of_each = _reached(arm, points.reshape(-1, 3)).reshape(len(discs), -1)
        reached = [bool(row.all()) for row in of_each]
        for disc, (_, tilt), places, is_reached in zip(discs, alive, points, reached, strict=True):
            is_clear = _is_clear(arm, places, CLEAR * reach)
            worth = size * (0.3 + math.sin(tilt)) * (1.0 if is_clear else 0.3)
            if is_reached:
                found.append((worth, disc))
        alive = [line for line, is_reached in zip(alive, reached, strict=True) if is_reached]
        if not alive:
            break
    found.sort(key=lambda pair: -pair[0])
    whole = (disc for _, disc in found if _reached(arm, _points(disc, _CIRCLE)).all())
    return next(whole, Disc(_tilted(arm, arm.home, TILTS[-1]), 0.0))


def _reached(arm: ArmDescription, points: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which of some points (k, 3) in m in the base frame can be reached."""
    tolerance = 1e-6 * (arm.chain.reach.outer or 1.0)
    return solve_batch(arm.kinematics, points, tolerance=tolerance).error <= tolerance


def _poses(arm: ArmDescription) -> Iterator[Sequence[float]]:
    """Yield (m,) poses: home, and some at random, the same ones every time."""
    yield arm.home
    size = arm.chain.reach.outer or 1.0
    free = [math.pi if unit == 'rad' else 0.5 * size for unit in arm.units]
    limits = [
        (low, high) if math.isfinite(low) else (-half, half)
        for (low, high), half in zip(arm.limits, free, strict=True)
    ]
    lower, upper = np.array(limits).T
    parts = np.random.default_rng(0).uniform(0.1, 0.9, (POSES, len(limits)))
    parts[:, 0] = 0.5 + CENTRAL * (parts[:, 0] - 0.5)
    yield from (lower + parts * (upper - lower)).tolist()


def _tilted(arm: ArmDescription, pose: Sequence[float], tilt: float) -> Plane:
    """Return a plane through the tip, tilted out of the arm's plane.

    Args:
        arm: the arm.
        pose: (m,) positions.
        tilt: how far its y-axis points along the way in which the carrying joint moves the tip, in
            rad; its x-axis is at right angles to that way.
    """
    plane = arm.plane_at(pose)
    tip = arm.kinematics.forward(pose)
    u, v, n = map(np.array, plane.axes)
    if arm.turntable is None:
        away, way = u, n
        beside = v
    else:
        axis = np.array(arm.turntable.axis)
        out = tip - np.array(arm.turntable.xyz)
        way = np.cross(axis, out)
        length = float(np.linalg.norm(way))
        way = way / length if length > 0.0 else n
        away, beside = np.cross(way, axis), axis
    first = (away + beside) / math.sqrt(2.0)
    second = math.sin(tilt) * way + math.cos(tilt) * (beside - away) / math.sqrt(2.0)
    axes = first, second, np.cross(first, second)
    x, y, z = tip.tolist()
    return Plane((x, y, z), (_vector(axes[0]), _vector(axes[1]), _vector(axes[2])))


def _points(disc: Disc, parts: NDArray[np.float64] = _DISC) -> NDArray[np.float64]:
    """Return points (k, 3) of a disc in m in the base frame.

    Args:
        disc: the disc.
        parts: (k, 2) their places, as shares of its radius.
    """
    x, y, _ = map(np.array, disc.plane.axes)
    flat = disc.size * parts
    points: NDArray[np.float64] = disc.plane.origin + flat[:, :1] * x + flat[:, 1:] * y
    return points


def _is_clear(arm: ArmDescription, points: NDArray[np.float64], distance: float) -> bool:
    """Return whether points keep away from the axis of the turntable, if there is one."""
    sweep = arm.kinematics.sweep
    return sweep is None or all(sweep.distance(_vector(point)) > distance for point in points)


def _vector(array: NDArray[np.float64]) -> Vector:
    x, y, z = array.tolist()
    return x, y, z
