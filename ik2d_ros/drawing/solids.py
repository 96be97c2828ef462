"""The solids of an arm and its joints, for drawing, masses and collisions; no ROS imports."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics import Chain, Joint

Array = NDArray[np.float64]

SHORTEST = 1e-6  # beam, in widths of links: physics engines reject sizes of nearly zero

ARC_STEP = math.radians(2.0)  # between the corners that stand for an arc
SHARE_OF_REACH = 0.05
SHARE_OF_LONGEST_LINK = 0.4  # so that many short links stay distinct
SMALLEST = 1e-3  # m, for an arm without reach: RViz rejects sizes of zero
DENSITY = 1000.0  # kg/m^3: of water, between a printed arm and one of hollow aluminium

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


def arc(radius: float, start: float, end: float) -> Array:
    """Return points (k, 2) of an arc about the origin, from one angle to another in rad."""
    count = 2 + int(abs(end - start) / ARC_STEP)
    angles = np.linspace(start, end, count, dtype=np.float64)
    return radius * np.stack([np.cos(angles), np.sin(angles)], axis=-1)


def urdf_type(joint: Joint) -> str:
    """Return the type of a joint in a URDF."""
    if joint.slides:
        return 'prismatic'
    return 'continuous' if joint.continuous else 'revolute'


def urdf_axis(joint: Joint) -> tuple[float, float, float]:
    """Return the (x, y, z) direction of a joint's axis in its link frame."""
    if not joint.slides:
        return 0.0, 0.0, float(joint.axis)
    x, y = joint.link if joint.length else (1.0, 0.0)
    length = joint.length or 1.0
    return joint.axis * x / length, joint.axis * y / length, 0.0


def link_range(joint: Joint) -> tuple[float, float]:
    """Return the smallest and largest length of a link in m; negative against the link vector."""
    if not joint.slides:
        return joint.length, joint.length
    ends = [joint.length + joint.axis * end for end in joint.limits]
    return min(ends), max(ends)


def link_width(chain: Chain) -> float:
    """Return the drawn width of a link in m, in proportion to the arm and never 0."""
    longest = max(abs(end) for joint in chain.joints for end in link_range(joint))
    width = min(SHARE_OF_REACH * chain.reach.outer, SHARE_OF_LONGEST_LINK * longest)
    return width or SMALLEST


def bone(joint: Joint, width: float) -> list[Solid]:
    """Return a joint and its link: a beam along the link vector, and a drum about the axis.

    Of a joint that slides it is a rod, or where that would stick out of its tube a carriage; the
    rest is its :func:`guide`. The width is that of the links in m.
    """
    angle, end = joint.direction, joint.length
    if not joint.slides:
        drum = Solid('ik2d_joint', 'cylinder', (0.75 * width, 1.3 * width))
        # The beam first: RViz colours the whole link like its first visual.
        return [*beam((0.0, 0.0, 0.0), angle, (0.0, end), width), drum]
    shortest, longest = link_range(joint)
    if longest - shortest <= shortest:
        ends, side = (end - (longest - shortest) - 0.5 * width, end), 0.65 * width
    else:
        ends, side = (end - 0.8 * width, end + 0.8 * width), 1.3 * width
    return beam((0.0, 0.0, 0.0), angle, ends, side, 'ik2d_joint')


def guide(joint: Joint, width: float, place: tuple[float, float] = (0.0, 0.0)) -> list[Solid]:
    """Return the part of a joint that is fixed to the link before: the tube or rail of a slide.

    The joint is at a place (x, y) in the frame of that link, in m.
    """
    if not joint.slides:
        return []
    shortest, longest = link_range(joint)
    ends, side = (0.0, shortest), width
    if longest - shortest > shortest:
        ends, side = (min(0.0, shortest), max(0.0, longest)), 0.5 * width
    return beam((*place, 0.0), joint.offset + joint.direction, ends, side)


def outline(joint: Joint, size: float) -> Array:
    """Return the corners (k, 2) of the area that a joint sweeps, in m from its place.

    A sector, or a strip of half the size to either side of the way, in the frame before. The first
    corner sees all others.
    """
    angle = joint.offset + joint.direction
    if joint.slides:
        shortest, longest = link_range(joint)
        along, half = np.array([math.cos(angle), math.sin(angle)]), 0.5 * size
        across = half * np.array([-along[1], along[0]])
        low, high = shortest * along, longest * along
        return np.array([low - across, high - across, high + across, low + across])
    ends = [joint.axis * (end or 0.0) for end in (joint.lower, joint.upper)]
    begin, span = min(ends), min(max(ends) - min(ends), 2.0 * math.pi)
    return np.concatenate([np.zeros((1, 2)), arc(size, angle + begin, angle + begin + span)])


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
    """Return the inertia of a body made of at least one solid; where they overlap, both count.

    It is positive definite and fulfils the triangle inequality, as engines demand.
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
