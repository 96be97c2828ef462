"""The tails of a chain: all ways to hold the joints behind one, up to the tip."""

from __future__ import annotations

import math
from array import array
from cmath import rect
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

try:
    import cython
except ImportError:
    from ik2d_ros.kinematics.kernel import uncompiled as cython

from ik2d_ros.kinematics.kernel.linkage import Link

if not cython.compiled:
    from ik2d_ros.kinematics.kernel.linkage import doubles, integers


class Tail(NamedTuple):
    """The joints behind one, held at limits; one slide among them may move.

    Attributes:
        tip: where it is in the frame of that joint's link, the slide at 0.
        heading: of the last link in that frame.
        values: of the joints.
        slide: the joint that moves, or -1.
        toward: the heading of its direction in that frame.
    """

    tip: complex
    heading: float
    values: tuple[float, ...]
    slide: int = -1
    toward: float = 0.0


def tails(links: Sequence[Link], first: int, tail: Tail) -> Iterator[Tail]:
    """Yield all ways in which a tail up to a joint goes on to the tip."""
    if first == len(links):
        yield tail
        return
    link = links[first]
    for value in link.limits:
        bend, length = link.place(value)
        heading = tail.heading + bend
        tip = tail.tip + rect(length, heading)
        values = (*tail.values, value)
        held = tail._replace(tip=tip, heading=heading, values=values)
        yield from tails(links, first + 1, held)
    if link.slides and link.free and tail.slide < 0:
        heading = tail.heading + link.fixed
        values = (*tail.values, math.nan)
        moved = Tail(tail.tip, heading, values, first, heading)
        yield from tails(links, first + 1, moved)


class Tails:
    """The tails of each joint, as tables that C reads.

    Attributes:
        shortest: the least distance of a tip from the joint.
        first: of each joint, the number of its first tail.
        sliding: of each joint, the number of its first tail with a slide that moves.
        slide: of each tail, the joint that does, and so toward, the heading of its direction.
        along: of each tail, where the tip is in the direction of the joint's link.
        beside: how far to its left.
        heading: that of the last link.
        values: those of all joints; only those behind the joint count, and not the slide's.
    """

    def __init__(self, links: Sequence[Link], deep: int) -> None:
        rows: list[Tail] = []
        first, sliding = [], []
        values: list[float] = []
        for j, link in enumerate(links):
            size = 0.0 if link.slides else link.fixed
            found = tails(links, j + 1, Tail(complex(size), 0.0, ())) if j >= deep else ()
            ordered = sorted(found, key=lambda tail: tail.slide >= 0)
            first.append(len(rows))
            sliding.append(len(rows) + sum(tail.slide < 0 for tail in ordered))
            rows += ordered
            for tail in ordered:
                values += [0.0] * (j + 1)
                values += tail.values
        first.append(len(rows))
        self.shortest = min((abs(row.tip) for row in rows), default=0.0)
        self.kept: tuple[Any, ...] = (
            *(array('i', numbers) for numbers in (first, sliding, [row.slide for row in rows])),
            array('d', [row.tip.real for row in rows]),
            array('d', [row.tip.imag for row in rows]),
            array('d', [row.heading for row in rows]),
            array('d', [row.toward for row in rows]),
            array('d', values),
        )
        self.first = integers(self.kept[0])
        self.sliding = integers(self.kept[1])
        self.slide = integers(self.kept[2])
        self.along = doubles(self.kept[3])
        self.beside = doubles(self.kept[4])
        self.heading = doubles(self.kept[5])
        self.toward = doubles(self.kept[6])
        self.values = doubles(self.kept[7])
