"""Arcs and straight segments that the tip runs along while one joint moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.arrays import ComplexArray, FloatArray


class EdgePieces(NamedTuple):
    """Arcs and segments, an element each; the origin is the first joint, its bend from the x-axis.

    A piece is where ``center + radius * exp(1j * to) + along * to`` is, with ``to`` running from
    ``begin`` on. Of an arc ``along`` is 0, of a segment ``radius``; of a single point both.

    Attributes:
        center: (a,) in reaches.
        radius: (a,) in reaches.
        along: (a,) unit vector along a segment.
        begin: (a,) ``to`` at one end: of an arc the direction from the centre, in rad, of a segment
            in reaches.
        length: (a,) how far it is to the other end; of an arc a turn at the most.
        mover: (a,) index of the joint that moves; a revolute one's pivot is the centre.
        lead: (a,) what its bend exceeds ``to`` by, in rad; 0 of a segment.
        bends: (a, n) rad; without meaning for the joint that moves.
    """

    center: ComplexArray
    radius: FloatArray
    along: ComplexArray
    begin: FloatArray
    length: FloatArray
    mover: NDArray[np.intp]
    lead: FloatArray
    bends: FloatArray

    def at(self, chosen: NDArray[np.intp] | NDArray[np.bool_]) -> EdgePieces:
        """Return some of the pieces."""
        return EdgePieces(
            self.center[chosen],
            self.radius[chosen],
            self.along[chosen],
            self.begin[chosen],
            self.length[chosen],
            self.mover[chosen],
            self.lead[chosen],
            self.bends[chosen],
        )

    def points(self, to: FloatArray) -> ComplexArray:
        """Return where the tip is on each piece."""
        arc: ComplexArray = self.center + self.radius * np.exp(1j * to)
        return arc + self.along * to


def joined(parts: Sequence[EdgePieces]) -> EdgePieces:
    """Return all pieces of all parts, of which there is one at least."""
    return EdgePieces(*(np.concatenate(values) for values in zip(*parts, strict=True)))
