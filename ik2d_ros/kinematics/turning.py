"""A plane that a turntable turns within limits, and many targets about its axis, in NumPy.

Lengths may be in any unit, the same for plane and targets.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.angles import TURN
from ik2d_ros.kinematics.arrays import ComplexArray, FloatArray
from ik2d_ros.kinematics.sweep import Sweep


class Around(NamedTuple):
    """Targets about the axis of a turntable, an element each.

    Attributes:
        radius: distance from the axis.
        angle: about the axis, from ``out`` of the axis frame, in rad.
        height: along the axis.
    """

    radius: FloatArray
    angle: FloatArray
    height: FloatArray

    def at(self, chosen: NDArray[np.intp]) -> Around:
        """Return some of them."""
        return Around(*(values[chosen] for values in self))


class TurningPlane(NamedTuple):
    """A plane that turns within limits, in units of the reach of its chain.

    Attributes:
        sweep: the plane about the axis.
        lower: smallest turn in rad, or -inf.
        upper: largest turn in rad, or inf.
    """

    sweep: Sweep
    lower: float
    upper: float

    def turns(self, around: Around, out: FloatArray, across: FloatArray) -> FloatArray:
        """Return the turns that bring points of the plane closest to targets.

        Args:
            around: the targets.
            out: where the points are in the axis frame, at turn 0.
            across: the same.
        """
        wanted: FloatArray = around.angle - np.arctan2(across, out)
        if self.lower == -np.inf:
            return wanted
        beyond = (wanted - self.lower) % TURN  # above the lower limit
        over = beyond - (self.upper - self.lower)
        nearer = np.where(over < TURN - beyond, self.upper, self.lower)
        return np.where(over <= 0.0, self.lower + beyond, nearer)

    def distances(
        self,
        around: Around,
        turns: FloatArray,
        out: FloatArray,
        across: FloatArray,
        height: FloatArray,
    ) -> FloatArray:
        """Return how far points of the plane, turned, are from targets."""
        apart = around.angle - turns
        x, y = around.radius * np.cos(apart) - out, around.radius * np.sin(apart) - across
        z = around.height - height
        away: FloatArray = np.sqrt(x * x + y * y + z * z)
        return away

    def pull(
        self,
        around: Around,
        turns: FloatArray,
        out: FloatArray,
        across: FloatArray,
        height: FloatArray,
    ) -> tuple[FloatArray, FloatArray]:
        """Return where targets are seen from points of the turned plane: out, and along the axis.

        These are the derivatives of half the squared distance, but for their sign.
        """
        apart = around.angle - turns
        to_across = around.radius * np.sin(apart) - across
        along = self.sweep.c * (around.height - height) - self.sweep.e * to_across
        return around.radius * np.cos(apart) - out, along

    def beside(self, around: Around, turn: float) -> FloatArray:
        """Return how far targets are from the turned plane."""
        across = around.radius * np.sin(around.angle - turn)
        beside: FloatArray = np.abs(
            self.sweep.c * across + self.sweep.e * around.height - self.sweep.d
        )
        return beside

    def flattened(self, around: Around, turns: FloatArray | float) -> ComplexArray:
        """Return targets as seen from the turned plane, projected into it."""
        apart = around.angle - turns
        x, y = self.sweep.flatten(
            around.radius * np.cos(apart), around.radius * np.sin(apart), around.height
        )
        seen: ComplexArray = x + 1j * y
        return seen

    def gives(
        self, around: Around, turns: FloatArray, out: FloatArray, across: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return by how much less the distance bends, as the turntable follows where it is free.

        Half its square has the second derivatives that it has in the plane, less the products of
        these numbers, out and along the axis.
        """
        radius = np.maximum(np.hypot(out, across), 1e-12)
        apart = around.angle - turns - np.arctan2(across, out)
        gives = np.where(
            np.abs(np.sin(apart)) < 1e-9, np.sqrt(around.radius / radius) / radius, 0.0
        )
        return gives * across, gives * self.sweep.e * out
