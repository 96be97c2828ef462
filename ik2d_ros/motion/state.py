"""Positions, velocities and accelerations of joints at one instant."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

ROUNDING = 1e-9  # rad or m: positions that differ by no more are the same

Positions = tuple[float, ...]
"""The positions of joints in rad, or in m for joints that slide, in the arm's order."""


class MotionState(NamedTuple):
    """Position, velocity and acceleration of every joint, in the arm's order.

    Joints that slide have m, m/s and m/s^2, here and in the whole subpackage.
    """

    positions: Positions  # (n,) rad
    velocities: tuple[float, ...]  # (n,) rad/s
    accelerations: tuple[float, ...]  # (n,) rad/s^2

    @classmethod
    def at_rest(cls, positions: Sequence[float]) -> MotionState:
        """Return the state at rest at (n,) positions in rad."""
        zeros = (0.0,) * len(positions)
        return tuple.__new__(cls, (tuple(positions), zeros, zeros))

    def slowed(self, rate: float) -> MotionState:
        """Return the state with time scaled by a rate."""
        return MotionState(
            self.positions,
            tuple(rate * v for v in self.velocities),
            tuple(rate * rate * a for a in self.accelerations),
        )

    @property
    def is_at_rest(self) -> bool:
        """Whether no joint moves or begins to."""
        return not any(self.velocities) and not any(self.accelerations)

    @property
    def is_finite(self) -> bool:
        """Whether all values are finite."""
        return all(map(math.isfinite, (*self.positions, *self.velocities, *self.accelerations)))
