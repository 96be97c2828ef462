"""A plane that a turntable turns within limits, and many targets about its axis, in NumPy.

Lengths may be in any unit, the same for plane and targets.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.angles import TURN, cosines_and_sines
from ik2d_ros.kinematics.arrays import ComplexArray, FloatArray
from ik2d_ros.kinematics.sweep import Sweep

Point = tuple[FloatArray, FloatArray, FloatArray]  # Out, across and along the axis.

_CENTRE = 1e-12  # Nearer to the axis than that, a tip is on it.
_ASIDE = 1e-9  # rad; a tip this far beside the target's direction is in it.


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

    def seen(self, around: Around, turns: FloatArray, point: Point) -> Point:
        """Return where targets are from points of the turned plane: out, across and along the axis.

        Args:
            around: the targets.
            turns: of the plane, in rad.
            point: where the points are in the axis frame, at turn 0.
        """
        out, across, height = point
        cosines, sines = cosines_and_sines(around.angle - turns)
        return (
            around.radius * cosines - out,
            around.radius * sines - across,
            around.height - height,
        )

    def pull(self, seen: Point) -> tuple[FloatArray, FloatArray]:
        """Return what is seen of that in the plane: out, and along the axis.

        These are the derivatives of half the squared distance, but for their sign.
        """
        to_out, to_across, up = seen
        return to_out, self.sweep.along(to_across, up)

    def gives(self, around: Around, seen: Point, point: Point) -> tuple[FloatArray, FloatArray]:
        """Return by how much less the distance bends, as the turntable follows where it is free.

        Half its square has the second derivatives that it has in the plane, less the products of
        these numbers, out and along the axis.
        """
        (to_out, to_across, _), (out, across, _) = seen, point
        radius = np.maximum(np.hypot(out, across), _CENTRE)
        aside = np.abs(to_out * across - to_across * out)
        free = aside <= _ASIDE * radius * around.radius
        gives = np.where(free, np.sqrt(around.radius / radius) / radius, 0.0)
        return gives * across, gives * self.sweep.e * out

    def beside(
        self, around: Around, end: float, side: float, enough: FloatArray
    ) -> tuple[NDArray[np.intp], FloatArray]:
        """Return to which targets the plane is near with the turntable at a limit, and how far.

        Not those where turning away from the limit takes it straight to what is seen there.

        Args:
            around: the targets.
            end: the limit in rad.
            side: 1 if it is the upper one, -1 if it is the lower one.
            enough: what the distances are to be less than.
        """
        apart = around.angle - end
        across = around.radius * np.sin(apart)
        beside = self.sweep.beside(across, around.height)
        near = np.flatnonzero(np.abs(beside) < enough)
        which = near[beside[near] * np.cos(apart[near]) * side >= 0.0]
        return which, np.abs(beside[which])

    def flattened(self, around: Around, turns: FloatArray | float) -> ComplexArray:
        """Return targets as seen from the turned plane, projected into it."""
        apart = around.angle - turns
        x, y = self.sweep.flatten(
            around.radius * np.cos(apart), around.radius * np.sin(apart), around.height
        )
        seen: ComplexArray = x + 1j * y
        return seen


def norm(seen: Point) -> FloatArray:
    """Return how far it is to what is seen."""
    x, y, z = seen
    away: FloatArray = np.sqrt(x * x + y * y + z * z)
    return away
