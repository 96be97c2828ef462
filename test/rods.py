"""The shipped linkages built from their rods: an independent forward kinematics for tests."""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence

from ik2d_ros.arm.description import ArmDescription

MACHINES = {
    'eezybotarm_mk1': 0.035,
    'eezybotarm_mk2': 0.06,
    'uarm_swift_pro': 0.045,
    'mearm': 0.035,
    'magician': 0.05,
    'robomaster_ep': 0.04,
}
"""Length in m of the crank on the forearm's motor; any length gives the same tip."""


def tip_of_rods(arm: ArmDescription, q: Sequence[float], crank: float) -> tuple[float, ...]:
    """Return where the rods of a four-bar put the tip in the base frame.

    One motor turns the upper arm, the other one a crank at the same place. A rod as long as the
    upper arm leads from the crank's end to the forearm's tail, which is as long as the crank. A
    turntable turns about the z-axis of the base frame; the plane is the x-z plane before.
    """
    first, second = arm.chain.joints
    upper = complex(*first.link) * cmath.rect(1, first.axis * q[-2] + first.offset)
    way = second.axis * q[-1] + second.offset + cmath.phase(complex(*second.link))
    end = -cmath.rect(crank, way)
    # Where the circles of rod and tail meet: the one beyond the line from crank to elbow.
    across = upper - end
    along = (abs(across) ** 2 + abs(upper) ** 2 - crank**2) / (2 * abs(across))
    height = math.sqrt(abs(upper) ** 2 - along**2)
    unit = across / abs(across)
    meets = [end + unit * complex(along, side * height) for side in (1, -1)]
    tail = next(m for m in meets if (m / unit - end / unit).imag * (-end / unit).imag < 0)
    forearm = (upper - tail) / crank
    tip = upper + forearm * math.hypot(*second.link) + complex(*arm.chain.tool)
    turn, (x, y, z) = q[0] if arm.turntable else 0.0, arm.base_xyz
    level = complex(x + tip.real, y) * cmath.rect(1, turn)
    return level.real, level.imag, z + tip.imag
