"""Joints that turn and that slide: URDF, solids and swept area; no ROS imports."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.drawing.solids import Solid, beam
from ik2d_ros.kinematics import Chain, Joint

ARC_STEP = math.radians(2.0)  # between the corners that stand for an arc
SHARE_OF_REACH = 0.05
SHARE_OF_LONGEST_LINK = 0.4  # so that many short links stay distinct
SMALLEST = 1e-3  # m, for an arm without reach: RViz rejects sizes of zero


def arc(radius: float, start: float, end: float) -> NDArray[np.float64]:
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


def outline(joint: Joint, size: float) -> NDArray[np.float64]:
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
