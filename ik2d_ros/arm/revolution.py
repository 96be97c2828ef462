"""The surface of the body that an area sweeps when a turntable carries its plane.

There are two bodies: that of the part of the area in front of the axis, and that of the part behind
it, which comes by half a turn later. Where they overlap, only the surface of both together is kept.
No ROS imports and no drawing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.arm.outline import (
    Points,
    Segments,
    Triangles,
    crossings,
    distances,
    inside,
    outline,
)
from ik2d_ros.kinematics.sweep import Sweep

Facing = NDArray[np.int64]

TURN = 2.0 * math.pi
STEP = math.radians(5.0)  # of a surface of revolution
SAME = 1e-5  # reaches; surfaces that are closer together are one
SPLIT = 2e-3  # reaches; no segment is divided closer than that, where outlines are ragged
CAP = 0.015  # reaches; how finely the area at the ends of a turn is divided at an edge
WHOLE = 0.06  # reaches; how finely elsewhere, so that nothing hidden is between corners


class _Part(NamedTuple):
    """The outline of one part of the area: in front of the axis, or behind it.

    Attributes:
        begin: (m, 3) of each segment in the axis frame at turn 0, in m.
        end: (m, 3) the same.
        closed: the outline as radius and height in m, closed along the axis.
        front: whether it is the part in front.
    """

    begin: Points
    end: Points
    closed: Segments
    front: bool


class Revolution(NamedTuple):
    """A plane that a turntable carries.

    Attributes:
        sweep: how it does.
        start: smallest position in rad.
        width: how far it turns from there, in rad; at most a whole turn.
        size: how far the chain reaches, in m.
    """

    sweep: Sweep
    start: float
    width: float
    size: float

    def surface(self, points: Points, triangles: Triangles) -> NDArray[np.float64]:
        """Return the surface of the body that an area in the plane sweeps.

        Args:
            points: (k, 2) corners of the area in m.
            triangles: (t, 3) indices into them, counter-clockwise.

        Returns:
            (u, 3, 3) corners of triangles in m, in the base frame.
        """
        begin, end = self._halved(outline(points, triangles))
        front, back = self._part(begin, end, True), self._part(begin, end, False)
        corners = self._outside(front, back) + self._outside(back, front)
        corners += self._tube(front)
        if self.width < TURN:
            corners += self._caps(self._raised(points)[triangles], front, back)
        return np.concatenate(corners)

    def _raised(self, points: Points) -> Points:
        """Return points (..., 2) of the plane in the axis frame: (..., 3)."""
        s, t, h = self.sweep.raised(points[..., 0], points[..., 1])
        return np.stack([s, t + 0.0 * s, h], axis=-1)

    def _halved(self, edge: Segments) -> tuple[Points, Points]:
        """Return both ends of the outline's segments, none of which crosses the axis."""
        begin, end = self._raised(edge.begin), self._raised(edge.end)
        cut = (begin[:, 0] >= 0.0) != (end[:, 0] >= 0.0)
        part = begin[cut, :1] / (begin[cut, :1] - end[cut, :1])
        middle = begin[cut] + part * (end[cut] - begin[cut])
        return (
            np.concatenate([begin[~cut], begin[cut], middle]),
            np.concatenate([end[~cut], middle, end[cut]]),
        )

    def _part(self, begin: Points, end: Points, front: bool) -> _Part:
        outwards = begin[:, 0] + end[:, 0]
        kept = outwards > 0.0 if front else outwards < 0.0
        begin, end = begin[kept], end[kept]
        if front:  # Where the radius grows with the plane's out, the area is turned over.
            begin, end = end, begin
        first, second = _profile(begin), _profile(end)
        low, high = _closing(first, second)
        closed = Segments(np.concatenate([first, high]), np.concatenate([second, low]))
        return _Part(begin, end, closed, front)

    def _outside(self, part: _Part, other: _Part) -> list[NDArray[np.float64]]:
        """Return the corners (.., 3, 3) of triangles: what a part sweeps outside the other."""
        edge = Segments(_profile(part.begin), _profile(part.end))
        least = SPLIT * self.size / np.maximum(np.hypot(*(edge.end - edge.begin).T), 1e-300)
        places = [
            (0.0, *_spaced(cuts, gap), 1.0)
            for cuts, gap in zip(crossings(edge, other.closed), least.tolist(), strict=True)
        ]
        index = np.repeat(np.arange(len(places)), [len(cuts) - 1 for cuts in places])
        starts = np.array([place for cuts in places for place in cuts[:-1]])[:, None]
        stops = np.array([place for cuts in places for place in cuts[1:]])[:, None]
        along = (part.end - part.begin)[index]
        begin = part.begin[index] + starts * along
        end = part.begin[index] + stops * along
        hidden = self._is_within(other, 0.5 * (_profile(begin) + _profile(end)))
        low, high = (
            np.stack(ends, axis=1)
            for ends in zip(
                self._visible(begin, hidden, part.front),
                self._visible(end, hidden, part.front),
                strict=True,
            )
        )
        return self._strips(begin, end, low, high)

    def _is_within(self, part: _Part, places: Points) -> NDArray[np.bool_]:
        """Return which radii and heights are inside a part; of surfaces that are one, one is."""
        if not len(part.begin):
            return np.zeros(len(places), dtype=np.bool_)
        near = distances(part.closed, places) <= SAME * self.size
        within = inside(part.closed, places)
        return within | near if part.front else within & ~near

    def _apart(self, places: Points, front: bool) -> NDArray[np.float64]:
        """Return how far to turn until the other part of the area comes by, from 0 to 2 pi."""
        angle = np.arctan2(places[:, 1], np.abs(places[:, 0]))
        return np.asarray(math.pi - 2.0 * angle if front else math.pi + 2.0 * angle)

    def _visible(
        self, places: Points, hidden: NDArray[np.bool_], front: bool
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the turns between which points (k, 3) are not inside what the other part sweeps.

        Args:
            places: of the axis frame at turn 0.
            hidden: (k,) whether the other part sweeps the radius and height at all.
            front: whether the points are in front of the axis.
        """
        apart = self._apart(places, front)
        low = np.where(hidden, np.clip(self.width + apart - TURN, 0.0, self.width), 0.0)
        high = np.where(hidden, np.minimum(self.width, apart), self.width)
        return self.start + low, self.start + np.maximum(low, high)

    def _strips(
        self, begin: Points, end: Points, low: Points, high: Points
    ) -> list[NDArray[np.float64]]:
        """Revolve segments, each end (k, 3) between turns of its own, (k, 2) rad."""
        widths = (high - low).max(axis=1, initial=0.0)
        counts = np.ceil(widths / STEP - 1e-9).astype(np.int64)
        corners: list[NDArray[np.float64]] = []
        for count in np.unique(counts[counts > 0]).tolist():
            some = counts == count
            parts = np.linspace(0.0, 1.0, count + 1)
            turns = low[some, :, None] + (high - low)[some, :, None] * parts
            ends = np.stack([begin[some], end[some]], axis=1)[:, :, None]
            p, q = np.moveaxis(self._turned(ends, turns), 1, 0)
            corners += [
                np.stack([p[:, :-1], p[:, 1:], q[:, 1:]], axis=2).reshape(-1, 3, 3),
                np.stack([p[:, :-1], q[:, 1:], q[:, :-1]], axis=2).reshape(-1, 3, 3),
            ]
        return corners

    def _tube(self, front: _Part) -> list[NDArray[np.float64]]:
        """Return the surface about the axis that the area sweeps where it passes beside it."""
        count = len(front.begin)
        ends = []
        for places in front.closed:
            radii, heights = places[count:].T
            ends.append(
                np.stack([0.0 * radii, math.copysign(1.0, self.sweep.d) * radii, heights], 1)
            )
        low = np.full((len(ends[0]), 2), self.start)
        return self._strips(ends[0], ends[1], low, low + self.width)

    def _caps(self, area: Points, front: _Part, back: _Part) -> list[NDArray[np.float64]]:
        """Return the area (t, 3, 3) at both ends of the turn, where it is not inside the body."""
        corners = []
        for turn, outwards in ((0.0, -1), (self.width, 1)):

            def facing(places: Points, turn: float = turn, outwards: int = outwards) -> Facing:
                """Return 1 where the plane's normal points outwards, -1 inwards, 0 for hidden."""
                side = np.where(places[:, 0] >= 0.0, outwards, -outwards)
                for part, other in ((front, back), (back, front)):
                    own = (places[:, 0] >= 0.0) == part.front
                    apart = self._apart(places[own], part.front)
                    within = inside(other.closed, _profile(places[own]))
                    passed = apart < self.width if turn else apart > TURN - self.width
                    side[own] *= ~(within & passed)
                return side

            cap = _divided(area, facing, CAP * self.size, WHOLE * self.size)
            sides = facing(cap.mean(axis=1))
            for side, order in ((1, slice(None)), (-1, slice(None, None, -1))):
                corners.append(
                    self._turned(cap[sides == side][:, order], np.float64(self.start + turn))
                )
        return corners

    def _turned(
        self, places: Points, turns: NDArray[np.float64] | np.float64
    ) -> NDArray[np.float64]:
        """Turn points of the axis frame (..., 3), and convert them to the base frame."""
        raised = places[..., 0], places[..., 1], places[..., 2]
        away = self.sweep.turned(raised, np.cos(turns), np.sin(turns))
        placed: NDArray[np.float64] = np.stack(np.broadcast_arrays(*away), axis=-1)
        return np.add(placed, self.sweep.origin)


def _profile(places: Points) -> Points:
    """Return radius and height (k, 2) of points (k, 3) of the axis frame, in m."""
    return np.stack([np.hypot(places[:, 0], places[:, 1]), places[:, 2]], axis=1)


def _spaced(places: list[float], gap: float) -> Iterator[float]:
    """Yield those of ascending numbers that are farther than a gap from 0 and from each other."""
    last = 0.0
    for place in places:
        if place - last > gap:
            last = place
            yield place


def _closing(begin: Points, end: Points) -> tuple[Points, Points]:
    """Return lower and upper ends of the segments that close an outline along the axis."""
    balance: dict[tuple[float, ...], int] = {}
    for places, count in ((begin, 1), (end, -1)):
        for place in map(tuple, places.tolist()):
            balance[place] = balance.get(place, 0) + count
    loose = [place for place, count in balance.items() for _ in range(abs(count))]
    loose.sort(key=lambda place: place[1])
    ends = np.array(loose[: len(loose) // 2 * 2], dtype=np.float64).reshape(-1, 2, 2)
    return ends[:, 0], ends[:, 1]


def _divided(
    area: Points, state: Callable[[Points], Facing], least: float, largest: float
) -> Points:
    """Divide large triangles (t, 3, 3), and those whose corners differ in a state until small."""
    done = []
    while len(area):
        sides = np.linalg.norm(np.roll(area, -1, axis=1) - area, axis=2)
        longest = sides.max(axis=1)
        mixed = longest > largest
        asked = ~mixed & (longest > least)
        mixed[asked] = np.ptp(state(area[asked].reshape(-1, 3)).reshape(-1, 3), axis=1) > 0
        done.append(area[~mixed])
        # The longest side first.
        turns = (sides[mixed].argmax(axis=1)[:, None] + np.arange(3)) % 3
        a, b, c = np.moveaxis(np.take_along_axis(area[mixed], turns[..., None], axis=1), 1, 0)
        middle = 0.5 * (a + b)
        area = np.concatenate([np.stack([a, middle, c], axis=1), np.stack([middle, b, c], axis=1)])
    return np.concatenate(done)
