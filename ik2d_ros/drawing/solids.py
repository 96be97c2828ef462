"""The solids of an arm, for drawing, masses and collisions; no ROS imports."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SHORTEST = 1e-6  # beam, in widths of links: physics engines reject sizes of nearly zero

DENSITY = 1000.0
"""In kg/m^3: of water, between a printed arm and one of hollow aluminium."""

# Physics engines refuse moving bodies without inertia, and arms may be tiny.
SMALLEST_MASS = 1e-12  # kg
SMALLEST_INERTIA = 1e-13  # kg m^2


class Solid(NamedTuple):
    """A solid in the frame of its link.

    Attributes:
        colour: a key of ``urdf.COLOURS``.
        kind: box, cylinder (its axis along z) or sphere.
        sizes: in m: x, y and z of a box, radius and length of a cylinder, radius of a sphere.
        xyz: centre, in m.
        yaw: rotation about the normal, in rad.
    """

    colour: str
    kind: str
    sizes: tuple[float, ...]
    xyz: tuple[float, float, float] = (0.0, 0.0, 0.0)
    yaw: float = 0.0


def foot(width: float, shift: float = 0.0) -> list[Solid]:
    """Return the foot below the first joint, or shifted along the normal, in m.

    A gap keeps it from rubbing on the first link.
    """
    height = 0.5 * width
    center = (0.0, 0.0, shift - 0.5 * (1.4 * width + height))
    return [Solid('ik2d_joint', 'cylinder', (width, height), center)]


def post(place: Sequence[float], width: float) -> list[Solid]:
    """Return the post of a turntable: along its axis, z, and from there to (x, y, z), the base."""
    x, y, z = place
    drum = Solid(
        'ik2d_joint', 'cylinder', (0.75 * width, abs(z) + 0.8 * width), (0.0, 0.0, 0.5 * z)
    )
    # The beam first, as in a bone.
    return [*beam((0.0, 0.0, z), math.atan2(y, x), (0.0, math.hypot(x, y)), width), drum]


def beam(
    place: Sequence[float],
    angle: float,
    ends: tuple[float, float],
    width: float,
    colour: str = 'ik2d_link',
) -> list[Solid]:
    """Return a straight part of a link; nothing where it would be too short.

    Args:
        place: (x, y, z) from where its ends count, in m.
        angle: its direction in the plane, in rad.
        ends: from where to where it is, in m.
        width: of a link as wide, in m.
        colour: a key of ``urdf.COLOURS``.
    """
    (x, y, z), (begin, end) = place, ends
    if end - begin <= SHORTEST * width:
        return []
    middle, side = 0.5 * (begin + end), 0.8 * width
    center = (x + middle * math.cos(angle), y + middle * math.sin(angle), z)
    return [Solid(colour, 'box', (end - begin, side, side), center, angle)]


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


def inertial_of(solids: Sequence[Solid]) -> Inertial:
    """Return the inertia of a body made of solids; where they overlap, both count.

    Args:
        solids: at least one.

    Returns:
        A positive definite inertia that also fulfils the triangle inequality, as engines demand.
    """
    volumes, moments = zip(*map(_volume_and_moments, solids), strict=True)
    masses = DENSITY * np.array(volumes)
    centers = np.array([solid.xyz for solid in solids])
    mass = float(masses.sum())
    center = masses @ centers / mass
    tensor = np.zeros((3, 3))
    for solid, part, own, place in zip(solids, masses, moments, centers, strict=True):
        arm = place - center
        c, s = math.cos(solid.yaw), math.sin(solid.yaw)
        turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        tensor += turn @ np.diag(part * np.array(own)) @ turn.T
        tensor += part * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    x, y, z = center.tolist()
    floor = max(0.0, SMALLEST_INERTIA - float(np.linalg.eigvalsh(tensor)[0]))
    return Inertial(max(mass, SMALLEST_MASS), (x, y, z), tensor + floor * np.eye(3))


def _volume_and_moments(solid: Solid) -> tuple[float, tuple[float, float, float]]:
    """Return a solid's volume in m^3, and its moments of inertia per mass about its axes in m^2."""
    if solid.kind == 'sphere':
        (radius,) = solid.sizes
        return 4.0 / 3.0 * math.pi * radius**3, (0.4 * radius**2,) * 3
    if solid.kind == 'cylinder':
        radius, length = solid.sizes
        across = (3.0 * radius**2 + length**2) / 12.0
        return math.pi * radius**2 * length, (across, across, 0.5 * radius**2)
    a, b, c = (size**2 / 12.0 for size in solid.sizes)
    return math.prod(solid.sizes), (b + c, c + a, a + b)
