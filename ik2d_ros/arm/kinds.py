"""The kinds of joints, for all uses except solving; no ROS imports.

Each kind has types in a URDF, the motion of its link, a shape and the area that it may sweep, by
its name in :attr:`.Joint.type`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
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


@dataclass(frozen=True)
class Kind:
    """A kind of joint.

    Attributes:
        types: its types in a URDF: with limits, and without.
        axis: returns the (x, y, z) direction of its URDF axis in the link frame, by the joint.
        motion: returns where the link frame is in the frame before, from the joint's place, by the
            joint and its position.
        has_drum: whether its link turns about a drum at the joint's place; otherwise it moves.
        farthest: returns how long its link can get, in m.
        beams: returns the parts of its link, by the joint and the width of links in m.
        outline: returns the corners (k, 2) of the area that it sweeps, in the frame before and in m
            from the joint's place, by the joint and a size in m; the first corner sees all others.
    """

    types: tuple[str, str]
    axis: Callable[[Joint], tuple[float, float, float]]
    motion: Callable[[Joint, float], Pose]
    has_drum: bool
    farthest: Callable[[Joint], float]
    beams: Callable[[Joint, float], list[Beam]]
    outline: Callable[[Joint, float], NDArray[np.float64]]


def arc(radius: float, start: float, end: float) -> NDArray[np.float64]:
    """Return points (k, 2) of an arc about the origin, from one angle to another in rad."""
    count = 2 + int(abs(end - start) / ARC_STEP)
    return radius * _unit(np.linspace(start, end, count, dtype=np.float64))


def _turned_outline(joint: Joint, size: float) -> NDArray[np.float64]:
    """Return a sector."""
    ends = [joint.axis * (end or 0.0) for end in (joint.lower, joint.upper)]
    begin, span = min(ends), min(max(ends) - min(ends), 2.0 * math.pi)
    first = joint.offset + joint.direction + begin
    return np.concatenate([np.zeros((1, 2)), arc(size, first, first + span)])


def _unit(angles: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.stack([np.cos(angles), np.sin(angles)], axis=-1)


def _turned_beams(joint: Joint, width: float) -> list[Beam]:
    return [Beam(0.0, joint.length, 1.0)] if joint.length > SHORTEST * width else []


def link_range(joint: Joint) -> tuple[float, float]:
    """Return the smallest and largest length of the link of a joint that slides, in m.

    A negative length is one against the link vector's direction.
    """
    ends = [joint.length + joint.axis * (end or 0.0) for end in (joint.lower, joint.upper)]
    return min(ends), max(ends)


def _slid_axis(joint: Joint) -> tuple[float, float, float]:
    x, y = joint.link if joint.length else (1.0, 0.0)
    length = joint.length or 1.0
    return joint.axis * x / length, joint.axis * y / length, 0.0


def _slid_motion(joint: Joint, position: float) -> Pose:
    way, angle = joint.axis * position, joint.offset + joint.direction
    return Pose(way * math.cos(angle), way * math.sin(angle), joint.offset)


def _slid_beams(joint: Joint, width: float) -> list[Beam]:
    """Return a tube and the rod in it; or, where it would stick out, a rail and its carriage."""
    shortest, longest = link_range(joint)
    stroke, end = longest - shortest, joint.length
    if stroke <= shortest:
        fixed = Beam(0.0, shortest, 1.0, is_fixed=True)
        carried = Beam(end - stroke - 0.5 * width, end, 0.65)
    else:
        fixed = Beam(min(0.0, shortest), max(0.0, longest), 0.5, is_fixed=True)
        carried = Beam(end - 0.8 * width, end + 0.8 * width, 1.3)
    return [fixed, carried] if fixed.begin < fixed.end else [carried]


def _slid_outline(joint: Joint, size: float) -> NDArray[np.float64]:
    """Return a strip, of half the size to either side of the way."""
    shortest, longest = link_range(joint)
    half, angle = 0.5 * size, joint.offset + joint.direction
    along, across = _unit(np.array([angle, angle + 0.5 * math.pi]))
    corners = ((shortest, -half), (longest, -half), (longest, half), (shortest, half))
    return np.array([x * along + y * across for x, y in corners])


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        'revolute': Kind(
            types=('revolute', 'continuous'),
            axis=lambda joint: (0.0, 0.0, float(joint.axis)),
            motion=lambda joint, position: Pose(0.0, 0.0, joint.axis * position + joint.offset),
            has_drum=True,
            farthest=lambda joint: joint.length,
            beams=_turned_beams,
            outline=_turned_outline,
        ),
        'prismatic': Kind(
            types=('prismatic', 'prismatic'),
            axis=_slid_axis,
            motion=_slid_motion,
            has_drum=False,
            farthest=lambda joint: max(map(abs, link_range(joint))),
            beams=_slid_beams,
            outline=_slid_outline,
        ),
    }
)
"""The kinds of the joints of a chain, by :attr:`.Joint.type`."""


def kind_of(joint: Joint) -> Kind:
    """Return the kind of a joint of a chain."""
    return KINDS[joint.type]
