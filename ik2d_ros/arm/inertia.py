"""Mass and inertia of the solids that an arm is made of; no ROS imports."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.arm.solids import Solid

Array = NDArray[np.float64]

# Physics engines refuse a moving body that has next to no inertia, and arms may be tiny.
SMALLEST_MASS = 1e-12  # kg
SMALLEST_INERTIA = 1e-13  # kg m^2


class Inertial(NamedTuple):
    """Mass, centre of mass and inertia of a rigid body.

    Attributes:
        mass: in kg.
        center: (x, y, z) centre of mass in the body's frame, in m.
        tensor: (3, 3) inertia about the centre, along the axes of the body's frame, in kg m^2.
    """

    mass: float
    center: tuple[float, float, float]
    tensor: Array


def inertial_of(solids: Sequence[Solid], density: float) -> Inertial:
    """Return the inertia of a body made of solids; where they overlap, both count.

    Args:
        solids: at least one.
        density: in kg/m^3.

    Returns:
        A positive definite inertia that also fulfils the triangle inequality, as engines demand.
    """
    masses = np.array([density * solid.volume for solid in solids])
    centers = np.array([solid.xyz for solid in solids])
    mass = float(masses.sum())
    # The volume of a very small body is 0 to rounding.
    weights = masses / mass if mass > 0.0 else np.full(len(masses), 1.0 / len(masses))
    center = weights @ centers
    tensor = np.zeros((3, 3))
    for solid, part, place in zip(solids, masses, centers, strict=True):
        arm = place - center
        turn = _about_z(solid.yaw)
        tensor += turn @ np.diag(part * np.array(_per_mass(solid))) @ turn.T
        tensor += part * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    x, y, z = center.tolist()
    floor = max(0.0, SMALLEST_INERTIA - float(np.linalg.eigvalsh(tensor)[0]))
    return Inertial(max(mass, SMALLEST_MASS), (x, y, z), tensor + floor * np.eye(3))


def with_point(body: Inertial, mass: float) -> Inertial:
    """Add a point mass in kg at the centre of a body."""
    return body._replace(mass=body.mass + mass)


def _per_mass(solid: Solid) -> tuple[float, float, float]:
    """Return the moments of inertia about a solid's own axes, per mass, in m^2."""
    if solid.kind == 'sphere':
        (radius,) = solid.sizes
        moment = 0.4 * radius * radius
        return moment, moment, moment
    if solid.kind == 'cylinder':
        radius, length = solid.sizes
        across = (3.0 * radius * radius + length * length) / 12.0
        return across, across, 0.5 * radius * radius
    a, b, c = (size * size for size in solid.sizes)
    return (b + c) / 12.0, (c + a) / 12.0, (a + b) / 12.0


def _about_z(angle: float) -> Array:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
