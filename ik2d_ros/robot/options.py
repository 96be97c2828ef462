"""The options of an import, the phrases that request them, and the remarks that it returns.

Each is an option of ``ik2d import-urdf``, and a parameter of a node that reads its arm from a robot
description; messages name both.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field

from ik2d_ros.parameters.sanitize import printable

TO_OFFSET = '--tip-offset X,Y,Z (parameter tip_offset)'


@dataclass(frozen=True)
class ImportOptions:
    """The user's additions to the robot description.

    Attributes:
        limits: (lower, upper) position of joints in rad or m by name; infinite for no limits.
        velocities: velocity limits of joints in rad/s or m/s by name; that of the name '' is for
            all joints without a usable one.
        tip: (3,) m, where the tip is in the tip link.
        hold: positions of joints that are held, in rad or m.
        parameters: parameters of the arm that override what the description says, by flat dotted
            name.
    """

    limits: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    velocities: Mapping[str, float] = field(default_factory=dict)
    tip: tuple[float, float, float] = (0.0, 0.0, 0.0)
    hold: Mapping[str, float] = field(default_factory=dict)
    parameters: Mapping[str, object] = field(default_factory=dict)


NO_OPTIONS = ImportOptions()


@dataclass(frozen=True)
class Remark:
    """A sentence about an import for its user.

    Attributes:
        text: one sentence.
        doubt: whether it needs a decision or a check.
        differs: whether it says how the arm differs from its robot.
    """

    text: str
    doubt: bool = True
    differs: bool = False

    def __str__(self) -> str:
        """Return the sentence, marked if it needs a check."""
        return f'check: {self.text}' if self.doubt else self.text


def to_hold(joint: str, position: float | None = None) -> str:
    """Return how to hold a joint at a position in rad or m."""
    at = 'POSITION' if position is None else f'{position:g}'
    return f'--hold {pasted(f"{joint}={at}")} (parameter hold.{printable(joint)}: {at})'


def pasted(text: str) -> str:
    """Return a text as a message shows it where it may be pasted into a shell."""
    return shlex.quote(printable(text))


def to_end_at(link: str) -> str:
    """Return how to choose a tip link."""
    return f'--tip {pasted(link)} (parameter tip_frame)'


def to_begin_at(link: str) -> str:
    """Return how to choose a base link."""
    return f'--base {pasted(link)} (parameter base_frame)'
