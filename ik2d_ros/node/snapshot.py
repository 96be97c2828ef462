"""What markers show, as plain data; no ROS imports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.node.outcome import Code


class AnsweredTarget(NamedTuple):
    """A target and its outcome.

    Attributes:
        code: the outcome.
        place: the target in m in the base frame; not finite if unknown.
    """

    code: Code
    place: Vector


@dataclass(frozen=True)
class Snapshot:
    """Everything to draw except the reachable area and body, which follow from the arm.

    Attributes:
        arm: the arm.
        positions: (m,) the commanded pose.
        target: the last target; None before the first.
    """

    arm: ArmDescription
    positions: tuple[float, ...]
    target: AnsweredTarget | None = None
