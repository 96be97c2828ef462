"""The solids that an arm is drawn with, weighed by, and collides with; no ROS imports."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from ik2d_ros.arm.kinds import SHORTEST, Beam, kind_of
from ik2d_ros.kinematics import Joint

COLOUR = 'ik2d_link'


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

    @property
    def volume(self) -> float:
        """In m^3."""
        if self.kind == 'sphere':
            (radius,) = self.sizes
            return 4.0 / 3.0 * math.pi * radius**3
        if self.kind == 'cylinder':
            radius, length = self.sizes
            return math.pi * radius * radius * length
        return math.prod(self.sizes)


def foot(width: float, shift: float = 0.0) -> list[Solid]:
    """Return the foot below the first joint; a gap keeps it from rubbing on the first link.

    Args:
        width: of the links, in m.
        shift: along the normal, in m.
    """
    height = 0.5 * width
    center = (0.0, 0.0, shift - 0.5 * (1.4 * width + height))
    return [Solid('ik2d_joint', 'cylinder', (width, height), center)]


def post(place: Sequence[float], width: float) -> list[Solid]:
    """Return the post of a turntable: along its axis, and from there out to the chain's base.

    Args:
        place: (x, y, z) of the base in m, the turntable's axis being z.
        width: of the links, in m.
    """
    x, y, z = place
    drum = Solid(
        'ik2d_joint', 'cylinder', (0.75 * width, abs(z) + 0.8 * width), (0.0, 0.0, 0.5 * z)
    )
    out = math.hypot(x, y)
    if out <= SHORTEST * width:
        return [drum]
    sizes = (out, 0.8 * width, 0.8 * width)
    # The beam first, as for a bone.
    return [Solid('ik2d_link', 'box', sizes, (0.5 * x, 0.5 * y, z), math.atan2(y, x)), drum]


def bone(joint: Joint, width: float) -> list[Solid]:
    """Return a joint and its link: beams along the link vector, and a drum about the axis.

    A joint that slides has no drum. What of it stays with the link before is :func:`guide`.
    """
    beams = [
        _beam(beam, joint.direction, (0.0, 0.0), width, 'ik2d_joint' if joint.slides else COLOUR)
        for beam in kind_of(joint).beams(joint, width)
        if not beam.is_fixed
    ]
    drum = Solid('ik2d_joint', 'cylinder', (0.75 * width, 1.3 * width))
    # The beams first: RViz colours the whole link like its first visual.
    return beams if joint.slides else [*beams, drum]


def guide(joint: Joint, width: float, place: tuple[float, float] = (0.0, 0.0)) -> list[Solid]:
    """Return the part of a joint that is fixed to the link before: what it slides on, if it does.

    Args:
        joint: the joint.
        width: of the links, in m.
        place: (x, y) of the joint in the frame of that link, in m.
    """
    angle = joint.offset + joint.direction
    beams = kind_of(joint).beams(joint, width)
    return [_beam(beam, angle, place, width) for beam in beams if beam.is_fixed]


def _beam(
    beam: Beam, angle: float, place: tuple[float, float], width: float, colour: str = COLOUR
) -> Solid:
    middle, side = 0.5 * (beam.begin + beam.end), 0.8 * width * beam.width
    (x, y), (c, s) = place, (math.cos(angle), math.sin(angle))
    center = (x + middle * c, y + middle * s, 0.0)
    return Solid(colour, 'box', (beam.end - beam.begin, side, side), center, angle)


def hinge(width: float) -> list[Solid]:
    """Return what a joint of a linkage that no motor moves is made of, a pin."""
    return [Solid('ik2d_joint', 'cylinder', (0.4 * width, 1.4 * width))]


def finger_tip(width: float) -> list[Solid]:
    """Return the tip, a ball."""
    return [Solid('ik2d_tip', 'sphere', (0.55 * width,))]
