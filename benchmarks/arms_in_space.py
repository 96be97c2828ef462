"""Arms in space, made at random or shipped, and where their tips are by a formula of its own."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from findings import FloatArray
from random_arms import LIMITS, forward, random_arm, random_poses

from ik2d_ros.kinematics import Arm, Plane, Turntable

BESIDE = 0.3  # Reaches; how far the plane may stand beside the axis.
AXES = ('up', 'down', 'tilted')
_MACHINES = Path(__file__).resolve().parents[1] / 'config' / 'machines'
_ALL_LIMITED = [kind for kind in LIMITS if kind.__name__ != 'mixed']


def random_arm_in_space(number: int, links: int, free: bool = False) -> Arm:
    """Return an arm with a turntable; the same for the same number.

    Its joints and its turntable are all limited, unless it is to be free, and its axis is up, down
    or tilted, one after the other.
    """
    rng = np.random.default_rng([number, links, free, 11])
    limits = [None] * links if free else _ALL_LIMITED[number % len(_ALL_LIMITED)](links, rng)
    chain = random_arm(limits, rng)
    size = chain.reach.outer
    tilt = rng.uniform(-math.pi, math.pi) if AXES[number % 3] == 'tilted' else 0.0
    # Upright before the tilt: x level, y up.
    plane = Plane.from_pose(
        size * rng.uniform(-1.0, 1.0, 3), (0.5 * math.pi + tilt, 0.0, rng.uniform(-3.0, 3.0))
    )
    x, y, normal = map(np.array, plane.axes)
    axis = -y if AXES[number % 3] == 'down' else y
    beside = size * rng.uniform(-BESIDE, BESIDE)
    point = plane.origin + size * rng.uniform(-0.3, 0.3) * x - beside * normal
    lower = rng.uniform(-3.0, 0.0)
    ends = (None, None) if free else (lower, lower + rng.uniform(0.5, 6.0))
    return Arm(chain, plane, Turntable(tuple(point), tuple(axis), *ends))


def shipped_arms() -> Iterator[tuple[str, Arm]]:
    """Return the arms of public machines that have a turntable or a lift, and their names."""
    # Here, for the benchmarks of the solvers need nothing but NumPy.
    from ik2d_ros.arm.description import load_arm
    from ik2d_ros.parameters.file import read_sections

    for path in sorted(_MACHINES.glob('*.yaml')):
        # Of a robot with several legs, the first: the others are mirrored.
        section = read_sections(path)[0][0]
        arm = load_arm(path, section.replace('/**', 'ik2d')).kinematics
        if arm.turntable is not None or arm.lift is not None:
            yield path.stem, arm


def tips(arm: Arm, q: FloatArray) -> FloatArray:
    """Return (m, 3) tips for (m, n) positions, deliberately not with the package's own code."""
    if arm.turntable is None and arm.lift is None:
        return _in_space(arm, forward(arm.chain, q))
    points, before = _in_space(arm, forward(arm.chain, q[:, 1:])), q[:, :1]
    if arm.lift is not None:
        return points + before * arm.lift.axis * np.array(arm.plane.axes[2])
    # By Rodrigues' formula.
    axis = np.array(arm.turntable.axis) / np.linalg.norm(arm.turntable.axis)
    away = points - arm.turntable.xyz
    return (
        arm.turntable.xyz
        + np.cos(before) * away
        + np.sin(before) * np.cross(axis, away)
        + (1.0 - np.cos(before)) * (away @ axis)[:, None] * axis
    )


def _in_space(arm: Arm, flat: FloatArray) -> FloatArray:
    x, y, _ = map(np.array, arm.plane.axes)
    return arm.plane.origin + flat[:, :1] * x + flat[:, 1:] * y


def poses(arm: Arm, count: int, rng: np.random.Generator) -> FloatArray:
    """Return (count, m) positions within the limits, or within a turn where there are none."""
    q = random_poses(arm.chain, count, rng)
    if arm.turntable is None and arm.lift is None:
        return q
    low, high = arm.limits[0]
    if not math.isfinite(low):
        low, high = -math.pi, math.pi
    return np.column_stack([rng.uniform(low, high, count), q])
