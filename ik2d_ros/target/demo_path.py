"""The path that an arm follows in a demonstration; no ROS imports."""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics import Plane, Status, solve
from ik2d_ros.target.paths import point_at

RATE, PERIOD = 50.0, 6.0  # Hz, s
AHEAD, BEYOND = 0.545, 0.6  # Centre and size of the path of an arm in a plane, in reaches.
SIZES = (
    0.3,
    0.2,
    0.13,
    0.08,
    0.04,
    0.03,
    0.01,
)  # Radii of the circle of an arm in space, in reaches.
TILTED = Plane.from_pose((0.0, 0.0, 0.0), (math.radians(30.0), 0.0, 0.0))  # to the arm's plane
STEPS = 48  # of the circle, for the check that the tip can follow it
JUMP = 0.5  # rad or m, from step to step
BENT = 0.7  # share of the range of a joint


def demo_parameters(arm: ArmDescription) -> dict[str, object]:
    """Return parameters of ``ik2d_target`` by name for a path that an arm is to follow.

    For an arm with a turntable or a lift it is a circle that leaves the plane and is all within
    reach. Otherwise it is an eight that sometimes leaves the reach: from behind the base to
    beyond the reach, in the direction of the tip at home.
    """
    common: dict[str, object] = {'rate': RATE, 'period': PERIOD}
    if arm.carrier is not None:
        plane, size = _circle(arm)
        place = {'base.xyz': list(plane.origin), 'base.rpy': list(plane.rpy())}
        return {**common, **place, 'path': 'circle', 'center': [0.0, 0.0], 'size': size}
    reach = arm.chain.reach.outer
    x, y = arm.chain.forward(arm.in_plane(arm.home))[-1].tolist()
    away = math.hypot(x, y)
    ahead = (x / away, y / away) if away > 1e-3 * reach else (1.0, 0.0)
    return {
        **common,
        'base.xyz': list(arm.base_xyz),
        'base.rpy': list(arm.base_rpy),
        'path': 'eight',
        'center': [AHEAD * reach * ahead[0], AHEAD * reach * ahead[1]],
        'size': BEYOND * reach,
    }


def _circle(arm: ArmDescription) -> tuple[Plane, float]:
    """Return the plane and the radius in m of the largest circle that the tip can follow.

    It is about the tip of the arm with its turntable or lift, and perhaps the next joint, near home
    and all others bent, and tilted out of the arm's plane there. The radius is 0 if there is none.
    """
    lower, upper = np.clip(np.array(arm.limits).T, -math.pi, math.pi)
    home = np.array(arm.home)
    home[0] = np.clip(home[0], *np.quantile((lower[0], upper[0]), (0.25, 0.75)))
    bent = [lower + share * (upper - lower) for share in (BENT, 1.0 - BENT)]
    poses = [[*home[:count], *each[count:]] for count in (2, 1) for each in bent]
    for size, pose in product(arm.chain.reach.outer * np.array(SIZES), poses):
        x, y, z = arm.kinematics.forward(pose).tolist()
        level = Plane((0.0, 0.0, 0.0), arm.plane_at(pose).axes)
        first, second, normal = (level.point(*axis) for axis in TILTED.axes)
        plane = Plane((x, y, z), (first, second, normal))
        points = [point_at('circle', step / STEPS, (0.0, 0.0), size) for step in range(STEPS)]
        answers = [solve(arm.kinematics, plane.point(*point), start=pose) for point in points]
        moves = np.diff([answer.q for answer in answers], axis=0)
        is_reached = all(answer.status is Status.REACHED for answer in answers)
        if is_reached and np.abs(moves).max() < JUMP:
            return plane, float(size)
    return plane, 0.0
