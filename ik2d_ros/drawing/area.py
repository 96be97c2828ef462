"""The area that an arm reaches within its joint limits, as triangles; no ROS, no drawing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

import numpy as np

from ik2d_ros.drawing.region import Points, Region, region
from ik2d_ros.kinematics import Arm, solve_batch
from ik2d_ros.kinematics.plane import dot

TOLERANCE = 1e-6  # of the solver, in reaches
FAR = 1e4  # reaches; the closest pose to a target so far away is the extreme one in its direction.
MARGIN = 0.02  # around the area, in reaches
NEAR = 0.75  # cells; a line across the grid passes at least this close to a corner of a cell.
THIN = 2.0  # Mean width of an area that is drawn as a line, in cells.

# With more limited joints nothing is proven, and each target out of reach takes a search.
MOST_PROVEN, FEW_CELLS = 10, 40

STILL = 1e-6  # of the cosine between directions that are the same, or at right angles

Key = TypeVar('Key')
Area = TypeVar('Area')

Half = tuple[Points, float]
"""The half of the plane where a linear function, (2,) and a constant, is not negative."""


def reach_area(arm: Arm, cells: int = 120) -> Region:
    """Return the area of its plane that the tip reaches within the joint limits and beside walls.

    Every corner of a triangle is reachable, and corners of the edge are on the area's edge, beside
    a wall to a cell; holes smaller than a cell may be missing. If only a line or a point can be
    reached, or hardly more, the region is a strip along it, a cell and a half wide.

    Args:
        arm: the arm. Only walls that cut the plane at the same place wherever its turntable or
            lift is cut the area: a table below a waist does, a wall beside it does not.
        cells: of the grid that finds it, along the longer side of the area.
    """
    chain, halves = arm.chain, [*_beside_walls(arm)]
    reach = chain.reach.outer or 1.0
    if sum(not joint.continuous for joint in chain.joints) > MOST_PROVEN:
        cells = min(cells, FEW_CELLS)

    def field(points: Points) -> tuple[Points, Points]:
        answers = solve_batch(chain, points, tolerance=TOLERANCE * reach)
        missed = answers.error > TOLERANCE * reach
        closest = points.copy()
        closest[missed] = chain.forward(answers.q[missed])[:, -1]
        distances = np.where(missed, answers.error, 0.0)
        for slope, offset in halves:
            distances[closest @ slope + offset < 0.0] = np.inf
        return distances, closest

    far = FAR * reach * np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
    _, ends = field(far)
    side = float(np.ptp(ends, axis=0).max()) / 2.0 + MARGIN * reach
    middle, cell = (ends.min(axis=0) + ends.max(axis=0)) / 2.0, 2.0 * side / cells
    found, strip = region(field, middle - side, middle + side, cells, NEAR * cell)
    return found if 2.0 * found.size > THIN * cell * found.girth else strip


def _beside_walls(arm: Arm) -> Iterator[Half]:
    """Yield the part of the plane on this side of each wall that always cuts it there."""
    *axes, normal = arm.plane.axes
    for wall in arm.walls:
        if arm.turntable is not None:
            stays = abs(dot(wall.normal, arm.turntable.axis)) > 1.0 - STILL
        else:
            stays = arm.lift is None or abs(dot(wall.normal, normal)) < STILL
        if stays:
            yield (
                np.array([dot(wall.normal, axis) for axis in axes]),
                wall.height(*arm.plane.origin),
            )


class BackgroundArea(Generic[Key, Area]):
    """The area of the last requested chain or arm, computed in a thread: it may take seconds."""

    def __init__(
        self, compute: Callable[[Key], Area], empty: Area, complain: Callable[[str], object]
    ) -> None:
        """Start idle.

        Args:
            compute: returns the area for a key, such as a chain.
            empty: result for an area that cannot be computed.
            complain: called from the thread with the reason for a failure.
        """
        self._compute, self._empty, self._complain = compute, empty, complain
        self._thread: threading.Thread | None = None
        self._known: tuple[Key, Area] | None = None

    def of(self, key: Key) -> Area | None:
        """Return the area, or None while it is being computed: ask again."""
        newest = self.newest(key)
        return newest[1] if newest is not None and newest[0] == key else None

    def newest(self, key: Key) -> tuple[Key, Area] | None:
        """Return the area that was computed last, and of what; compute this one if it is not."""
        known = self._known
        is_known = known is not None and known[0] == key
        if not is_known and (self._thread is None or not self._thread.is_alive()):
            # A daemon, so that the process can exit without waiting for it.
            self._thread = threading.Thread(target=self._work, args=(key,), daemon=True)
            self._thread.start()
        return known

    def _work(self, key: Key) -> None:
        try:
            self._known = key, self._compute(key)
        except Exception as error:
            # For example an arm near the largest float: better no area than no picture.
            self._complain(f'the reachable area cannot be drawn: {error!r}')
            self._known = key, self._empty
