"""The area that an arm reaches within its joint limits, as triangles; no ROS, no drawing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

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
HALVINGS = 7  # of a cell's side, to find the border on it

Points = NDArray[np.float64]
Indices = NDArray[np.int64]
Flags = NDArray[np.bool_]

Field = Callable[[Points], tuple[Points, Points]]
"""Returns for points (k, 2) in m the distance of each from the region, (k,), and the closest point
in it, (k, 2). Where the distance is unknown, it is inf, and the point is arbitrary."""

Key = TypeVar('Key')
Area = TypeVar('Area')


class Region(NamedTuple):
    """A region, cut into triangles.

    Attributes:
        points: (k, 2) corners in m.
        triangles: (t, 3) indices into them, counter-clockwise, not overlapping.
        edge: (e, 2) indices of the segments around the region and its holes, which is on their
            left.
    """

    points: Points
    triangles: Indices
    edge: Indices

    @property
    def size(self) -> float:
        """Area in m^2."""
        a, b, c = np.moveaxis(self.points[self.triangles], 1, 0)
        return float(0.5 * np.abs(_cross(b - a, c - a)).sum())


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
    found, strip = _region(field, middle - side, middle + side, cells, NEAR * cell)
    begin, end = np.moveaxis(found.points[found.edge], 1, 0)
    girth = float(np.hypot(*(end - begin).T).sum())
    return found if 2.0 * found.size > THIN * cell * girth else strip


def _beside_walls(arm: Arm) -> Iterator[tuple[Points, float]]:
    """Yield a linear function, (2,) and a constant, for each wall that always cuts the plane there.

    It is negative across the wall.
    """
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


def _region(
    field: Field, lower: Points, upper: Points, cells: int, level: float
) -> tuple[Region, Region]:
    """Return a region inside a rectangle, and the region of all points near it.

    Each cell of a grid is two triangles. The edge of the second region crosses a triangle in a
    straight line, whose ends are found to a hundredth of the cell's side; parts between the corners
    are missed. The first region has the same points, each moved to the closest one inside.

    Args:
        field: the distance from the region; it exceeds ``level`` on the border of the rectangle.
        lower: (2,) smallest x and y in m.
        upper: (2,) largest x and y in m.
        cells: along each side.
        level: largest distance in m of the points near the region.
    """
    xs, ys = np.linspace(lower, upper, cells + 1).T
    points = np.stack(np.meshgrid(xs, ys, indexing='ij'), axis=-1).reshape(-1, 2)
    distances, closest = field(points)
    names = np.arange(len(points)).reshape(cells + 1, cells + 1)
    inside = np.asarray(distances <= level)
    inside[[*names[0], *names[-1], *names[:, 0], *names[:, -1]]] = False

    corners = np.stack([names[:-1, :-1], names[1:, :-1], names[1:, 1:], names[:-1, 1:]], axis=-1)
    stays = np.asarray((inside & (distances <= 0.0))[corners].all(axis=-1))
    triangles = corners[~stays][:, [[0, 1, 2], [0, 2, 3]]].reshape(-1, 3)
    count = inside[triangles].sum(axis=1)
    cut = triangles[(count == 1) | (count == 2)]
    held = inside[cut]
    is_alone = held == (held.sum(axis=1) == 1)[:, None]  # the corner without one of its kind
    cut = np.take_along_axis(cut, (is_alone.argmax(axis=1)[:, None] + np.arange(3)) % 3, axis=1)

    sides = np.sort(np.concatenate([cut[:, [0, 1]], cut[:, [0, 2]]]), axis=1)
    sides, numbers = np.unique(sides, axis=0, return_inverse=True)
    crossings = _crossings(field, level, points, inside, sides)
    alone, second, third = cut.T
    before, after = len(points) + numbers.reshape(2, -1)
    tip = inside[alone]
    found = [
        _rows(names, stays),
        triangles[count == 3],
        np.stack([alone, before, after], axis=1)[tip],
        np.stack([before, second, third], axis=1)[~tip],
        np.stack([before, third, after], axis=1)[~tip],
    ]
    border = np.stack([np.where(tip, before, after), np.where(tip, after, before)], axis=1)
    moved = np.concatenate([closest, field(crossings)[1] if len(crossings) else crossings])
    near, filled = np.concatenate([points, crossings]), np.concatenate(found)
    return _compact(moved, filled, border), _compact(near, filled, border)


def _crossings(field: Field, level: float, points: Points, inside: Flags, sides: Indices) -> Points:
    """Return (k, 2) places, just inside, where the border crosses sides, (k, 2) of points."""
    is_first = inside[sides[:, :1]]
    begin, end = np.moveaxis(points[sides], 1, 0)
    within, beyond = np.where(is_first, begin, end), np.where(is_first, end, begin)
    for _ in range(HALVINGS if len(sides) else 0):
        middle = 0.5 * (within + beyond)
        is_within = (field(middle)[0] <= level)[:, None]
        within, beyond = np.where(is_within, middle, within), np.where(is_within, beyond, middle)
    return within


def _rows(names: Indices, full: Flags) -> Indices:
    """Return two triangles for each run of cells that are inside as a whole."""
    ends = np.diff(np.pad(full, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    column, first = np.nonzero(ends == 1)
    _, last = np.nonzero(ends == -1)
    a, b = names[column, first], names[column + 1, first]
    c, d = names[column + 1, last], names[column, last]
    return np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])


def _compact(points: Points, triangles: Indices, edge: Indices) -> Region:
    """Return a region without empty triangles and unused points."""
    a, b, c = np.moveaxis(points[triangles], 1, 0)
    triangles = triangles[_cross(b - a, c - a) > 0.0]
    used = np.zeros(len(points), dtype=np.bool_)
    used[triangles] = used[edge] = True
    numbers = np.cumsum(used) - 1
    return Region(points[used], numbers[triangles], numbers[edge])


def _cross(a: Points, b: Points) -> Points:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])


class BackgroundArea(Generic[Key, Area]):
    """The area of the last requested chain or arm, computed in a thread: it may take seconds."""

    def __init__(
        self, compute: Callable[[Key], Area], empty: Area, complain: Callable[[str], object]
    ) -> None:
        """Start idle.

        Where no area can be computed, the result is the empty one, and the thread complains.
        """
        self._compute, self._empty, self._complain = compute, empty, complain
        self._thread: threading.Thread | None = None
        self._known: tuple[Key, Area] | None = None

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
