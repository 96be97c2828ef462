"""Joints that turn and that slide: URDF, motion, shape and swept area; no ROS imports."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics import Joint

ARC_STEP = math.radians(2.0)  # between the corners that stand for an arc
SHORTEST = 1e-6  # beam that is drawn, in widths of links: physics rejects sizes of nearly zero


class Pose(NamedTuple):
    """A frame in the plane: its origin in m, and its angle in rad."""

    x: float
    y: float
    angle: float


class Beam(NamedTuple):
    """A straight part of a link.

    Attributes:
        begin: where it begins, in m along the link vector.
        end: where it ends.
        width: as a share of the width of the links.
        is_fixed: whether it stays with the link before; both ends are then from the joint's place,
            otherwise from the origin of the link frame.
    """

    begin: float
    end: float
    width: float
    is_fixed: bool = False


def arc(radius: float, start: float, end: float) -> NDArray[np.float64]:
    """Return points (k, 2) of an arc about the origin, from one angle to another in rad."""
    count = 2 + int(abs(end - start) / ARC_STEP)
    return radius * _unit(np.linspace(start, end, count, dtype=np.float64))


def _unit(angles: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.stack([np.cos(angles), np.sin(angles)], axis=-1)


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


def motion(joint: Joint, position: float) -> Pose:
    """Return where the link frame is in the frame before, from the joint's place."""
    if not joint.slides:
        return Pose(0.0, 0.0, joint.axis * position + joint.offset)
    way, angle = joint.axis * position, joint.offset + joint.direction
    return Pose(way * math.cos(angle), way * math.sin(angle), joint.offset)


def link_range(joint: Joint) -> tuple[float, float]:
    """Return the smallest and largest length of a link in m; negative against the link vector."""
    if not joint.slides:
        return joint.length, joint.length
    ends = [joint.length + joint.axis * end for end in joint.limits]
    return min(ends), max(ends)


def beams(joint: Joint, width: float) -> list[Beam]:
    """Return the parts of a link, by the width of links in m.

    Of one that slides a tube and the rod in it; or, where it would stick out, a rail and its
    carriage.
    """
    if not joint.slides:
        return [Beam(0.0, joint.length, 1.0)] if joint.length > SHORTEST * width else []
    shortest, longest = link_range(joint)
    stroke, end = longest - shortest, joint.length
    if stroke <= shortest:
        fixed = Beam(0.0, shortest, 1.0, is_fixed=True)
        carried = Beam(end - stroke - 0.5 * width, end, 0.65)
    else:
        fixed = Beam(min(0.0, shortest), max(0.0, longest), 0.5, is_fixed=True)
        carried = Beam(end - 0.8 * width, end + 0.8 * width, 1.3)
    return [fixed, carried] if fixed.begin < fixed.end else [carried]


def outline(joint: Joint, size: float) -> NDArray[np.float64]:
    """Return the corners (k, 2) of the area that a joint sweeps, in m from its place.

    A sector, or a strip of half the size to either side of the way, in the frame before. The first
    corner sees all others.
    """
    angle = joint.offset + joint.direction
    if joint.slides:
        shortest, longest = link_range(joint)
        along, across = _unit(np.array([angle, angle + 0.5 * math.pi]))
        corners = ((shortest, -0.5), (longest, -0.5), (longest, 0.5), (shortest, 0.5))
        return np.array([x * along + y * size * across for x, y in corners])
    ends = [joint.axis * (end or 0.0) for end in (joint.lower, joint.upper)]
    begin, span = min(ends), min(max(ends) - min(ends), 2.0 * math.pi)
    return np.concatenate([np.zeros((1, 2)), arc(size, angle + begin, angle + begin + span)])
