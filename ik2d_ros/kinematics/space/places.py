"""Where a turntable brings a target into the plane that it turns."""

from __future__ import annotations

import math

from ik2d_ros.kinematics.angles import SAME_MOVE, into_range
from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.kinematics.sweep import Goal, Sweep

# A turn at which the target is in the plane, in rad, or None where limits forbid it; and where the
# target is in the plane then, in m.
Place = tuple[float | None, tuple[float, float]]

ROUNDING = 1e-15  # Of coordinates, as a share of their size.
OUTSIDE = 1e-13  # Reaches; how far outside the annulus rounding may bring a target.
CLOSEST = 1e-9  # Reaches; in the plane the closest pose is at the place that is asked for by less.
FARTHEST = 1e5  # Sizes of the arm; from there on the closest pose does not depend on the distance.


def places_about(
    arm: Arm, sweep: Sweep, goal: Goal, rounding: float, now: float
) -> tuple[list[Place], bool]:
    """Return where the target is in the plane, the smaller turn first.

    Also whether it is nearer to the axis than the plane stands beside it: then the place is the one
    in the plane that is closest.
    """
    limits = arm.limits[0]
    radius, angle, height = goal
    # How far across the target must be for the plane to meet it.
    across = sweep.across_at(height)
    outward = (radius - abs(across)) * (radius + abs(across))
    if radius <= rounding:
        # On the axis one turn is as good as another, so the turntable stays.
        return [(now, sweep.flatten(0.0, 0.0, height))], outward < -rounding * radius
    if outward <= 0.0:
        beside = into_range(angle - math.copysign(0.5 * math.pi, across), *limits, now)
        spot = sweep.flatten(0.0, math.copysign(radius, across), height)
        return [(beside, spot)], outward < -rounding * radius
    out = math.sqrt(outward)
    lead = math.atan2(across, out)
    front = into_range(angle - lead, *limits, now)
    back = into_range(angle + lead - math.pi, *limits, now)
    places: list[Place] = [
        (front, sweep.flatten(out, across, height)),
        (back, sweep.flatten(-out, across, height)),
    ]
    if back is not None and (front is None or abs(back - now) < abs(front - now) - SAME_MOVE):
        places.reverse()
    return places, False


def places_of(arm: Arm, sweep: Sweep, target: Vector, now: float) -> tuple[list[Place], bool]:
    """Return where a target is in the plane, and at which turns, that nearest to ``now`` first.

    Args:
        arm: an arm with a turntable.
        sweep: of its plane.
        target: in m, in the base frame.
        now: where the turntable is, in rad.

    Returns:
        Each turn, None where limits forbid it, with x and y in m; and whether the target is nearer
        to the axis than the plane stands beside it, so that the plane does not meet it.
    """
    goal, rounding = seen_from_axis(arm, sweep, target)
    return places_about(arm, sweep, goal, rounding, now)


def seen_from_axis(arm: Arm, sweep: Sweep, target: Vector) -> tuple[Goal, float]:
    """Return a target about the axis, and how much of its coordinates in m is rounding."""
    x, y, z = target
    far = max(abs(x), abs(y), abs(z))
    scale = arm.size + sweep.scale
    if far > FARTHEST * scale > 0.0:
        # Its direction is enough; the distance would only take the digits that tell poses apart.
        share = FARTHEST * scale / far
        x, y, z, far = x * share, y * share, z * share, far * share
    out, across, height = sweep.locate((x, y, z))
    # The same as `Goal(...)`, which takes twice the time.
    about = math.hypot(out, across), math.atan2(across, out), height
    return tuple.__new__(Goal, about), ROUNDING * (scale + far)


def beside_plane(sweep: Sweep, goal: Goal, turn: float) -> tuple[float, tuple[float, float]]:
    """Return how far a target is from the plane at a turn, in m, and where it is seen from there.

    Args:
        sweep: of the plane.
        goal: the target.
        turn: of the turntable in rad.

    Returns:
        The distance, and x and y in m of the point of the plane that is closest to the target.
    """
    radius, angle, height = goal
    out, across = radius * math.cos(angle - turn), radius * math.sin(angle - turn)
    away = abs(sweep.beside(across, height))
    return away, sweep.flatten(out, across, height)


def nearest_of(arm: Arm, tolerance: float) -> float:
    """Return the distance in m that counts as reached in the plane where the target is beside it.

    What is missing across the plane stays: the rest is to be as little as can be.
    """
    return min(tolerance, CLOSEST * arm.size or tolerance)


def is_inside(arm: Arm, spot: tuple[float, float], tolerance: float) -> bool:
    """Return whether a place in the plane is in the annulus, or no farther from it than matters."""
    inner, outer = arm.chain.reach
    slack = tolerance + 1e-9 * outer
    return inner - slack <= math.hypot(*spot) <= outer + slack
