"""What the user decides about an import, and what it reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ik2d_ros.robot.wording import OPTIONS, Wording

Limits = tuple[float, float] | None


@dataclass(frozen=True)
class Choice:
    """What the user says beside the robot description.

    Attributes:
        limits: (lower, upper) position of joints in rad or m by name; None for no limits.
        velocities: velocity limits of joints in rad/s or m/s by name.
        velocity: that of the joints not in ``velocities`` whose own is not usable, or None.
        tip: (2,) m in the plane, from the tip link along the x and y of the link vectors at
            position 0; or (3,) m in the tip link.
        hold: positions of joints that are held, in rad or m.
        joints: names of the joints that move in the plane, base first; empty to have them found.
        wording: what messages call all this.
    """

    limits: Mapping[str, Limits] = field(default_factory=dict)
    velocities: Mapping[str, float] = field(default_factory=dict)
    velocity: float | None = None
    tip: tuple[float, ...] = ()
    hold: Mapping[str, float] = field(default_factory=dict)
    joints: tuple[str, ...] = ()
    wording: Wording = OPTIONS


@dataclass(frozen=True)
class Remark:
    """What an import found that its user should know.

    Attributes:
        text: one sentence.
        doubt: whether it needs a decision or a check.
    """

    text: str
    doubt: bool = True


NOTHING_CHOSEN = Choice()
