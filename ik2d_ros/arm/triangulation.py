"""Polygons with holes, cut into triangles by clipping ears.

An ear is a corner whose two sides make a triangle with nothing else inside. Every polygon has one
(G. H. Meisters, "Polygons have ears", 1975). Holes are first joined to what is around them by two
sides, there and back.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.arm.outline import Points, Segments, Triangles, inside
from ik2d_ros.kinematics.arrays import ComplexArray

TURN = 2.0 * math.pi
FLAT = 1e-14  # Area of a degenerate triangle, in squares of the overall size.


def triangulated(polygons: Sequence[ComplexArray]) -> tuple[Points, Triangles]:
    """Return triangles that cover some polygons.

    Args:
        polygons: the corners of each, counter-clockwise; clockwise those of holes, each inside one
            of the others. Sides do not cross; where some do by a little, triangles overlap there.

    Returns:
        (k, 2) corners, those of the polygons without any that no triangle has, and (t, 3) indices
        into them, counter-clockwise.
    """
    corners = np.concatenate(polygons)
    rings = [
        last - len(each) + np.arange(len(each))
        for each, last in zip(polygons, np.cumsum([len(each) for each in polygons]), strict=True)
    ]
    outer = [ring for ring in rings if _area(corners[ring]) > 0.0]
    holes = [ring for ring in rings if _area(corners[ring]) <= 0.0]
    around = [_around(corners, outer, hole) for hole in holes]
    found: list[tuple[int, int, int]] = []
    for number, ring in enumerate(outer):
        own = [hole for hole, where in zip(holes, around, strict=True) if where == number]
        found += _clipped(corners, _bridged(corners, ring, own))
    triangles = np.array(found, dtype=np.int64).reshape(-1, 3)
    used, places = np.unique(triangles, return_inverse=True)
    points = np.stack([corners.real, corners.imag], axis=1)
    return points[used], places.reshape(-1, 3).astype(np.int64)


def _area(corners: ComplexArray) -> float:
    return 0.5 * float((corners.conj() * np.roll(corners, -1)).imag.sum())


def _around(corners: ComplexArray, outer: list[NDArray[np.int64]], hole: NDArray[np.int64]) -> int:
    """Return the number of the ring that a hole is in: most of its corners."""
    points = np.stack([corners[hole].real, corners[hole].imag], axis=1)
    shares = []
    for ring in outer:
        xy = np.stack([corners[ring].real, corners[ring].imag], axis=1)
        shares.append(int(inside(Segments(xy, np.roll(xy, -1, axis=0)), points).sum()))
    return int(np.argmax(shares)) if shares else -1


def _bridged(
    corners: ComplexArray, ring: NDArray[np.int64], holes: list[NDArray[np.int64]]
) -> NDArray[np.int64]:
    """Return one ring of a ring and its holes, joined by sides that cross nothing."""
    holes = sorted(holes, key=lambda hole: -float(corners[hole].real.max()))
    for number, hole in enumerate(holes):
        first = int(corners[hole].real.argmax())
        place = corners[hole[first]]
        rings = [ring, *holes[number:]]
        begin = np.concatenate([corners[each] for each in rings])
        end = np.concatenate([np.roll(corners[each], -1) for each in rings])
        own = corners[ring]
        # Corners that bridges end at are there twice: it has to be the one with this side inside.
        following = np.roll(own, -1) - own
        within = np.angle((place - own) * following.conj()) % TURN
        ahead = within < np.angle((np.roll(own, 1) - own) * following.conj()) % TURN
        order = np.argsort(np.where(ahead, np.abs(own - place), np.inf), kind='stable').tolist()
        best = next((k for k in order if not _crosses(place, own[k], begin, end)), order[0])
        turned = np.roll(hole, -first)
        ring = np.concatenate([ring[: best + 1], turned, turned[:1], ring[best:]])
    return ring


def _crosses(a: complex, b: complex, begin: ComplexArray, end: ComplexArray) -> bool:
    """Whether a segment crosses any of others; common ends do not count."""
    across = end - begin
    here = ((begin - a) * np.conj(b - a)).imag * ((end - a) * np.conj(b - a)).imag
    there = ((a - begin) * across.conj()).imag * ((b - begin) * across.conj()).imag
    apart = (begin != a) & (begin != b) & (end != a) & (end != b)
    return bool((apart & (here <= 0.0) & (there <= 0.0)).any())


def _clipped(corners: ComplexArray, ring: NDArray[np.int64]) -> list[tuple[int, int, int]]:
    """Return the triangles of a ring, those with the shortest new sides first."""
    places = corners[ring]
    size = float(max(np.ptp(places.real), np.ptp(places.imag)))
    flat = FLAT * size * size
    count = len(ring)
    before, after = (np.arange(count) - 1) % count, (np.arange(count) + 1) % count
    bends = ((places - places[before]).conj() * (places[after] - places)).imag
    reflex = bends <= flat
    version = [0] * count
    gone = np.zeros(count, dtype=np.bool_)
    heap = [(abs(places[after[k]] - places[before[k]]), 0, k) for k in range(count)]
    heapq.heapify(heap)
    triangles: list[tuple[int, int, int]] = []
    blocked: list[tuple[float, int, int]] = []
    left, clipped_since = count, True
    while left > 2:
        if not heap:
            heap, blocked = blocked, []
            heapq.heapify(heap)
            if not clipped_since:  # Rounding has left no ear: take the least corner for one.
                least = min(heap, key=lambda entry: abs(bends[entry[2]]) + (bends[entry[2]] < 0.0))
                heap.remove(least)
                heap, blocked = [least], heap
            forced, clipped_since = not clipped_since, False
        else:
            forced = False
        entry = heapq.heappop(heap)
        _, stamp, k = entry
        if gone[k] or stamp != version[k]:
            continue
        a, c = int(before[k]), int(after[k])
        is_flat = abs(bends[k]) <= flat
        if not (forced or is_flat) and (
            reflex[k] or _holds_any(places, (a, k, c), np.flatnonzero(reflex & ~gone))
        ):
            blocked.append(entry)
            continue
        if bends[k] > flat:
            triangles.append((int(ring[a]), int(ring[k]), int(ring[c])))
        gone[k], clipped_since = True, True
        left -= 1
        after[a], before[c] = c, a
        for j in (a, c):
            i, m = int(before[j]), int(after[j])
            bends[j] = ((places[j] - places[i]).conjugate() * (places[m] - places[j])).imag
            reflex[j] = bends[j] <= flat
            version[j] += 1
            heapq.heappush(heap, (abs(places[m] - places[i]), version[j], j))
    return triangles


def _holds_any(
    places: ComplexArray, triangle: tuple[int, int, int], others: NDArray[np.intp]
) -> bool:
    """Whether a triangle holds any of some corners; those in place of its own do not count."""
    own = places[list(triangle)]
    points = places[others]
    points = points[(points != own[0]) & (points != own[1]) & (points != own[2])]
    sides = np.roll(own, -1) - own
    left = ((points - own[:, None]) * sides.conj()[:, None]).imag >= 0.0
    return bool(left.all(axis=0).any())
