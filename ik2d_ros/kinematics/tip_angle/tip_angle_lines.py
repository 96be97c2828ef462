"""Rigid shapes of parts of a chain where a number has an extremum: lines, and what is beside them.

Where the tip's angle at a target is extreme, or how far a joint has to go for a target at an angle,
the free joints are on a line, and those at limits all push to one side of it: what more is known
there than :mod:`.tip_angle_shapes` uses. Derived in ``docs/solvers.md``, section 11. For chains
without slides. Units are as there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import TURN
from ik2d_ros.kinematics.arrays import ComplexArray, Flags, FloatArray, Indices
from ik2d_ros.kinematics.proof.corners import SLACK, Corners, turns_fully
from ik2d_ros.kinematics.tip_angle.tip_angle_shapes import Parts, Shapes, ways_of, within

FLAT = 1e-9  # Reaches; what is as short as this has no direction.
LEANS = (
    1e-5  # rad by which a line may lean too far, as rounding next to stretched or folded has it.
)

_STRAIGHT, _FOLDED = -1.0, 1.0  # To which side joints at limits push.


class OnLine(NamedTuple):
    """Shapes with the line of the free joints through their ends.

    Attributes:
        shapes: the shapes.
        side: (k,) to which side of the line all joints at limits push, 1 or -1; 0 for either.
        slid: (k,) whether a slide stands where it brings two joints in line closest.
    """

    shapes: Shapes
    side: FloatArray
    slid: Flags

    @classmethod
    def of(cls, shapes: Shapes) -> OnLine:
        """Return shapes of which the side is not known."""
        count = len(shapes.vector)
        return cls(shapes, np.zeros(count), np.zeros(count, dtype=np.bool_))

    @classmethod
    def joined(cls, several: list[OnLine], width: int) -> OnLine:
        """Return several as one, of so many joints."""
        return cls(
            Shapes.joined([each.shapes for each in several], width),
            np.concatenate([np.zeros(0), *(each.side for each in several)]),
            np.concatenate([np.zeros(0, np.bool_), *(each.slid for each in several)]),
        )

    def at(self, chosen: Flags | Indices) -> OnLine:
        """Return some of them."""
        return OnLine(self.shapes.at(chosen), self.side[chosen], self.slid[chosen])


class Beside(NamedTuple):
    """Shapes with all joints held, and the lines through one end to whose side all of them push.

    Attributes:
        shapes: the shapes.
        middle: (k,) the middle of the directions of the lines to whose positive side they push, in
            rad, as the shapes have them; to the negative side it is the opposite one.
        spread: (k,) how far the directions go to either side of it, in rad; half a turn for all.
    """

    shapes: Shapes
    middle: FloatArray
    spread: FloatArray

    @classmethod
    def of(cls, shapes: Shapes) -> Beside:
        """Return shapes that may be beside any line."""
        count = len(shapes.vector)
        return cls(shapes, np.zeros(count), np.full(count, np.pi))

    def at(self, chosen: Flags | Indices) -> Beside:
        """Return some of them."""
        return Beside(self.shapes.at(chosen), self.middle[chosen], self.spread[chosen])


class Lines:
    """Those shapes of all parts of a chain, made when asked for."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._held: dict[tuple[int, int], OnLine] = {}
        self._made: dict[tuple[int, int], OnLine] = {}
        self._kept: dict[tuple[int, int], Beside] = {}
        self._behind: dict[int, Beside] = {}
        self._lined: dict[tuple[int, int], OnLine] = {}

    def before(self, joint: int) -> Beside:
        """Return the shapes from the base to a joint, beside lines through that."""
        shapes = self._parts.before(joint)
        if not joint:
            return Beside.of(shapes)
        return _beside(shapes, self._parts.links.held(0, joint), self._slides(0, joint), 0.0)

    def behind(self, joint: int) -> Beside:
        """Return the shapes from a joint to the tip, beside lines through that joint."""
        if joint not in self._behind:
            held = self._parts.links.held_after(joint, len(self._parts.limits))
            shapes = self._parts.held(joint, len(self._parts.limits))
            self._behind[joint] = _beside(
                shapes, held, self._slides(joint, len(self._parts.limits)), held.spans[:, :1]
            )
        return self._behind[joint]

    def beside(self, first: int, last: int) -> Beside:
        """Return the shapes between two joints, beside lines through the last.

        The first one, if it has limits, has the least bend that it can have: as at an upper limit.
        """
        key = first, last
        if key not in self._kept:
            held = self._parts.links.held_after(first, last)
            if not turns_fully(self._parts.limits[first]):
                held.inward[:, 0] = -1.0
            self._kept[key] = _beside(
                self._parts.held(first, last), held, self._slides(first, last), 0.0
            )
        return self._kept[key]

    def on_line(self, first: int, last: int) -> OnLine:
        """Return the shapes between two free joints, each joint between held or in line.

        With joints in line, only those at which the angle can be extreme: straight on, or one part
        that is longer than all others together, which point the other way.
        """
        key = first, last
        if key not in self._made:
            held = self._pushing(first, last)
            # Where a slide has brought them closest, its foot, the ends are apart.
            apart = ~held.slid | (np.abs(held.shapes.vector) > SLACK)
            found = [held.at(apart), self._straight(first, last), *self._folded(first, last)]
            self._made[key] = OnLine.joined(found, last - first)
        return self._made[key]

    def _slides(self, first: int, last: int) -> Flags:
        return ~np.array(self._parts.turns[first:last], dtype=np.bool_)

    def _pushing(self, first: int, last: int) -> OnLine:
        """Return the shapes between two joints, all joints between them held, or one at its foot.

        Those of which all push to one side.
        """
        key = first, last
        if key not in self._held:
            links = self._parts.links
            held, feet = links.held_after(first, last), links.feet_after(first, last)
            several = [
                OnLine(
                    Shapes(each.spans[:, 0], each.bends, each.heading),
                    ways_of(each),
                    np.full(len(each.bends), each is not held),
                )
                for each in (held, *feet)
            ]
            every = OnLine.joined(several, last - first)
            self._held[key] = every.at(~np.isnan(every.side))
        return self._held[key]

    def _rigid(self, first: int, last: int, side: float) -> OnLine:
        """Return the rigid parts between two joints that push to no other side."""
        held = self._pushing(first, last)
        return held.at((held.side * side >= 0.0) & (np.abs(held.shapes.vector) > SLACK))

    def _runs(self, first: int, last: int) -> OnLine:
        """Return what is rigid or straight on between two joints."""
        some = [self._rigid(first, last, _STRAIGHT), self._straight(first, last)]
        return OnLine.joined(some, last - first)

    def _straight(self, first: int, last: int) -> OnLine:
        """Return what is straight on between two joints, with one in line at least."""
        key = first, last
        if key not in self._lined:
            found = [
                self._bent(joint, self._rigid(first, joint, _STRAIGHT), self._runs(joint, last))
                for joint in range(first + 1, last)
                if self._parts.links.turns_freely(joint)
            ]
            self._lined[key] = OnLine.joined(found, last - first)
        return self._lined[key]

    def _folded(self, first: int, last: int) -> list[OnLine]:
        """Return one rigid part with the others folded back along it: before, behind, or both."""
        free = list(filter(self._parts.links.turns_freely, range(first + 1, last)))
        found = []
        for begin in (first, *free):
            for end in (*free, last):
                if begin < end and (begin, end) != (first, last):
                    some = self._rigid(begin, end, _FOLDED)
                    if begin > first:
                        some = self._bent(begin, self._runs(first, begin), some, False)
                    if end < last:
                        some = self._bent(end, some, self._runs(end, last), True)
                    found.append(some)
        return found

    def _bent(
        self, joint: int, begin: OnLine, end: OnLine, first_longer: bool | None = None
    ) -> OnLine:
        """Return two kinds of shapes on one line, pointing the same way.

        Or, if it is said which one is longer, those that point opposite ways and are so.
        """
        one, two = begin.shapes, end.shapes
        direction, a, b = np.angle(one.vector), np.abs(one.vector)[:, None], np.abs(two.vector)
        turn = 0.0 if first_longer is None else np.pi
        bend = (direction - one.heading)[:, None] - np.angle(two.vector) + turn
        bend, good = within(bend, self._parts.limits[joint])
        good &= ~(begin.slid[:, None] & end.slid)
        if first_longer is not None:
            good &= (a >= b - FLAT) if first_longer else (b >= a - FLAT)
        i, k = np.nonzero(good)
        at = bend[i, k]
        shapes = Shapes(
            one.vector[i] + b[k] * np.exp(1j * (direction[i] + turn)),
            np.column_stack([one.bends[i], at, two.bends[k][:, 1:]]),
            one.heading[i] + at + two.heading[k],
        )
        side = _STRAIGHT if first_longer is None else _FOLDED
        return OnLine(shapes, np.full(len(i), side), begin.slid[i] | end.slid[k])


def _beside(shapes: Shapes, held: Corners, slides: Flags, end: ComplexArray | float) -> Beside:
    """Return those shapes beside lines through a point, which is seen from where they end."""
    # A line through it has all on one side that are within a right angle of its direction. What
    # slides pushes the same way wherever it is.
    pushes = held.inward * (held.columns - np.where(slides, 0.0, 1j * end))
    angles = np.sort(np.where(np.abs(pushes) > FLAT, np.angle(pushes), np.nan), axis=1)
    count = (~np.isnan(angles)).sum(axis=1)  # The others come last.
    rows, last = np.arange(len(angles)), np.maximum(count - 1, 0)
    gaps = np.diff(angles, axis=1, append=np.nan)
    gaps[rows, last] = angles[:, 0] + TURN - angles[rows, last]
    widest = np.where(np.isnan(gaps), -1.0, gaps).argmax(axis=1)
    sector = TURN - gaps[rows, widest]
    middle = angles[rows, (widest + 1) % np.maximum(count, 1)] + 0.5 * sector
    free = count == 0
    spread = np.where(free, np.pi, 0.5 * (np.pi - sector))
    return Beside(shapes, np.where(free, 0.0, middle), spread).at(spread > -LEANS)
