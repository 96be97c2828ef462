"""The part of a chain that moves: what its tip reaches, with fewer joints; no ROS imports."""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass

from ik2d_ros.arm.kinds import extent
from ik2d_ros.kinematics import Chain, Joint

PARALLEL = 1e-9  # rad


@dataclass(frozen=True)
class Core:
    """The moving part of a chain.

    Attributes:
        base: where its base is, in m as a complex number.
        chain: a chain without joints that stand still; None if nothing moves.
    """

    base: complex
    chain: Chain | None


@dataclass
class _Part:
    """A joint of the core.

    Attributes:
        lower: smallest angle from the link before, in rad; of a joint that slides, length in m.
        upper: largest.
        link: its link vector in m, as a complex number; 0 for a joint that slides.
        offset: the direction in which it slides, in rad, from the link before.
        slides: whether it does.
    """

    lower: float
    upper: float
    link: complex = 0.0j
    offset: float = 0.0
    slides: bool = False

    def sense_along(self, heading: float) -> int:
        """Return +1 or -1 if it slides along or against a direction (rad) from it, 0 if not."""
        if not self.slides or abs(math.sin(heading)) > PARALLEL:
            return 0
        return 1 if math.cos(heading) > 0.0 else -1

    def joint(self, name: str) -> Joint:
        """Return it as a joint of a chain."""
        if self.slides:
            return Joint(name, (0.0, 0.0), self.lower, self.upper, self.offset, type='prismatic')
        is_free = self.upper - self.lower >= 2.0 * math.pi
        bounds = (None, None) if is_free else (self.lower, self.upper)
        return Joint(name, (self.link.real, self.link.imag), *bounds)


def core_of(chain: Chain) -> Core:
    """Reduce a chain to what moves: merge links at fixed joints, and drop links of zero length.

    Joints that slide in the same direction, one after the other, become one.
    """
    base, heading = 0.0 + 0.0j, 0.0  # of what comes next, from the last part
    parts: list[_Part] = []
    waiting = (0.0, 0.0)  # the angles of joints whose links have no length
    fixed = chain.fixed_bends or (None,) * len(chain)
    for joint, (low, high), bend in zip(chain.joints, chain.bend_limits, fixed, strict=True):
        if bend is not None:
            shortest, longest = extent(joint)
            if waiting[1] > waiting[0]:
                parts.append(_Part(waiting[0] + heading, waiting[1] + heading))
                waiting, heading = (0.0, 0.0), 0.0
            heading, waiting = heading + waiting[0] + bend, (0.0, 0.0)
            along = parts[-1].sense_along(heading) if parts else 0
            if longest > shortest and along:
                ends = along * shortest, along * longest
                parts[-1].lower += min(ends)
                parts[-1].upper += max(ends)
            elif longest > shortest:
                parts.append(_Part(shortest, longest, offset=heading, slides=True))
                heading = 0.0
            else:
                base += _added(parts, shortest * cmath.rect(1.0, heading))
            continue
        lower, upper = low + waiting[0], high + waiting[1]
        waiting = (0.0, 0.0)
        if joint.length == 0.0:
            waiting = (lower, upper)
        elif upper > lower:
            parts.append(_Part(lower + heading, upper + heading, joint.length + 0.0j))
            heading = 0.0
        else:
            heading += lower
            base += _added(parts, cmath.rect(joint.length, heading))
    if not parts:
        return Core(base, None)
    return Core(base, Chain([part.joint(str(number)) for number, part in enumerate(parts)]))


def _added(parts: list[_Part], step: complex) -> complex:
    """Add a step behind the last part to the last link that turns; return it if there is none."""
    for part in reversed(parts):
        if not part.slides:
            part.link += step
            return 0.0j
        step *= cmath.rect(1.0, part.offset)
    return step
