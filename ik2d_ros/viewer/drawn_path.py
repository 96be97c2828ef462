"""A path that is drawn on the page, and how far the arm can follow it; no ROS or viser imports."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.pilot.outcome import Colour, Level
from ik2d_ros.pilot.report import Report

UNJUDGED: Colour = (112, 118, 126)
GOOD, BAD = Level.OK.colour, (224, 49, 49)
ON_PATH = 1e-9  # lengths of the path: rounding error of a point on it


class DrawnPath(NamedTuple):
    """A path as it is drawn.

    Attributes:
        points: (k, 3) m, in the base frame.
        verdict: what the node says of it; None until the node has answered.
        end: how far it can be followed, in m along the path.
        before: the path without the last point or stroke; None of an empty one.
    """

    points: tuple[Vector, ...] = ()
    verdict: Report | None = None
    end: float = 0.0
    before: DrawnPath | None = None

    def plus(self, point: Vector, goes_on: bool) -> DrawnPath:
        """Return the path with one more point, which may go on with a stroke; it is not judged."""
        before = self.before if goes_on and self.points else self
        return DrawnPath((*self.points, point), before=before)

    def judged(self, status: Report) -> DrawnPath:
        """Return the path with its verdict."""
        points, passed = np.array(self.points), self._passed
        if status.reachable or math.isnan(status.target[0]):
            return self._replace(verdict=status, end=passed[-1] if status.reachable else 0.0)
        # The target is the first point that is not reached, somewhere on the path.
        begins, ways = points[:-1], np.diff(points, axis=0)
        squares = np.maximum((ways**2).sum(axis=1), np.finfo(float).tiny)
        shares = ((status.target - begins) * ways).sum(axis=1) / squares
        shares = np.clip(shares, 0.0, 1.0)
        nearest = begins + shares[:, None] * ways
        distances = np.linalg.norm(status.target - nearest, axis=1)
        first = int((distances <= distances.min() + ON_PATH * passed[-1]).argmax())
        end = passed[first] + shares[first] * (passed[first + 1] - passed[first])
        return self._replace(verdict=status, end=float(end))

    def segments(self) -> tuple[NDArray[np.float64], NDArray[Any]]:
        """Return the lines, (s, 2, 3) m, and the colours of their ends, (s, 2, 3)."""
        passed = self._passed
        lengths = np.sort(np.append(passed, self.end)) if self.verdict is not None else passed
        columns = [np.interp(lengths, passed, column) for column in np.array(self.points).T]
        places = np.stack(columns, axis=1)
        middles = 0.5 * (lengths[1:] + lengths[:-1])
        colours = np.where((middles <= self.end)[:, None], GOOD, BAD)
        if self.verdict is None:
            colours = np.broadcast_to(UNJUDGED, colours.shape)
        return (
            np.stack([places[:-1], places[1:]], axis=1),
            np.repeat(colours[:, None], 2, axis=1),
        )

    @property
    def _passed(self) -> NDArray[np.float64]:
        """(k,) m along the path, of each point."""
        strides = np.linalg.norm(np.diff(np.array(self.points), axis=0), axis=1)
        return np.concatenate([[0.0], np.cumsum(strides)])


NO_PATH = DrawnPath()
