"""A handle that is dragged along a circle, at half of what an arm's joints can do."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ik2d_ros.arm.description import ArmDescription, MotionLimits
from ik2d_ros.kinematics import Chain, solve

RAMP = 0.5  # s in which the handle gathers speed
SHARE = 0.5  # of the velocity limit
LIMITS = {
    'velocity': MotionLimits(2.0),
    'acceleration': MotionLimits(2.0, 8.0),
    'jerk': MotionLimits(2.0, 20.0, 200.0),
}
# Lengths (m), centre (m) and radius (m).
ARMS = {
    'two links': ([0.30, 0.25], (0.30, 0.10), 0.10),
    'three links': ([0.30, 0.25, 0.20], (0.40, 0.10), 0.12),
}


@dataclass(frozen=True)
class Drag:
    """An arm, and the circle along which its handle is dragged.

    Attributes:
        name: what the arm is.
        limits: what its motion limits limit.
        arm: the arm; its home is where the circle begins.
        centre: m.
        radius: m.
        turns: rad/s, of the handle about the centre.
    """

    name: str
    limits: str
    arm: ArmDescription
    centre: tuple[float, float]
    radius: float
    turns: float

    @property
    def speed(self) -> float:
        """Of the handle, in m/s."""
        return self.radius * self.turns

    def duration(self, laps: float) -> float:
        """Return the time for some laps in s."""
        return laps * 2.0 * math.pi / self.turns + RAMP / 2.0

    def target(self, time: float) -> tuple[float, float]:
        """Return where the handle is, in m."""
        ramp = min(max(time, 0.0), RAMP)
        angle = self.turns * (ramp * ramp / (2.0 * RAMP) + max(time - RAMP, 0.0))
        x, y = self.centre
        return x + self.radius * math.cos(angle), y + self.radius * math.sin(angle)


def drags() -> Iterator[Drag]:
    """Yield each arm with each kind of limits."""
    for name, (lengths, centre, radius) in ARMS.items():
        chain = Chain.from_lengths(lengths, limits=[(-2.6, 2.6)] * len(lengths))
        path = [
            (centre[0] + radius * math.cos(angle), centre[1] + radius * math.sin(angle))
            for angle in np.linspace(0.0, 2.0 * math.pi, 721)
        ]
        pose = home = solve(chain, path[0], start=[0.5] * len(lengths)).q
        steepest = 0.0  # rad of a joint per rad of the handle
        for point in path[1:]:
            later = solve(chain, point, start=pose).q
            steepest = max(steepest, float(np.abs(later - pose).max()) / (2.0 * math.pi / 720))
            pose = later
        for limits, motion in LIMITS.items():
            arm = ArmDescription(
                chain=chain, home=tuple(home.tolist()), motion=(motion,) * len(lengths)
            )
            assert motion.velocity is not None
            yield Drag(name, limits, arm, centre, radius, SHARE * motion.velocity / steepest)
