"""The joints of a chain in their normal form, as rows of Python and as tables for C."""

from __future__ import annotations

import math
from collections.abc import MutableSequence, Sequence
from typing import Any, NamedTuple, TypeAlias

from ik2d_ros.kinematics.kernel import points

SIZE = 130  # As ROOM in the .pxd: 64 joints, backwards up to two for each, and the tip.

# In signatures `int` and `float` would be Python's, in C, too.
Index: TypeAlias = int
Numbers: TypeAlias = 'MutableSequence[float]'

Range: TypeAlias = 'tuple[float, float]'
EVERY = (-math.inf, math.inf)


class Link(NamedTuple):
    """A joint and its link, along the x-axis of the link's frame.

    A joint varies one value: a relative joint the bend, the angle from the link before to its link;
    an absolute one the heading of its link; a slide the length of its link. Limits bound that, and
    the bend of an absolute joint.

    Attributes:
        slides: whether it is a slide.
        fixed: the constant: the length of a revolute joint's link in reaches, the bend of a slide's
            link in rad.
        lower, upper: least and largest value, in rad or reaches; infinite for a continuous joint.
        absolute: whether it varies the heading of its link, independent of the joints before.
        bends: the range of its bend if it is absolute; any_turn: whether whole turns do not count.
    """

    slides: bool
    fixed: float
    lower: float
    upper: float
    absolute: bool = False
    bends: Range = EVERY
    any_turn: bool = False

    @property
    def movable(self) -> bool:
        """Whether its limits leave more than one value."""
        return self.upper > self.lower

    @property
    def limits(self) -> tuple[float, ...]:
        """The values at which it can be held: both limits, its single value, or none."""
        return ends_of((self.lower, self.upper))

    @property
    def bend_range(self) -> Range:
        """The bends that its limits allow: a bound of its heading less the one before."""
        if self.slides:
            return self.fixed, self.fixed
        return self.bends if self.absolute else (self.lower, self.upper)

    @property
    def heading_range(self) -> Range:
        """The headings that its limits allow: a bound of its heading alone."""
        return (self.lower, self.upper) if self.absolute else EVERY

    def allows(self, bend: float) -> bool:
        """Tell whether its limits allow a bend, whole turns aside."""
        return points.is_within(bend, self.lower, self.upper, points.SLACK)

    def bend_and_length(self, value: float) -> tuple[float, float]:
        """Return its bend in rad and its length in reaches at a value."""
        return (self.fixed, value) if self.slides else (value, self.fixed)

    def heading(self, before: float, value: float) -> float:
        """Return the heading of its link from that of the link before and its value."""
        if self.absolute:
            return value
        return before + (self.fixed if self.slides else value)


class JointTable:
    """The joints of one chain as tables that C reads; constant, and shared between threads.

    Attributes:
        count: number of joints; leading_count: of the first ones that can move the tip, or limit
            joints that can. The links after them have no length; their joints move for a tip angle
            only.
        slides, absolute, movable, fixed, lower, upper: of each joint, as :class:`Link` has them.
        limits_bend: whether each joint is absolute and its bend limited; limits_bends: any.
        least_bend, most_bend, least_heading, most_heading, any_turn: the ranges of each link.
        limit_count: number of limits of each joint; 1 if it cannot move, 0 if it is continuous.
        limit, limit_bend, limit_length, limit_rotation: values at these, two for each joint, and
            bends, lengths and the bends as unit vectors there.
    """

    def __init__(self, links: Sequence[Link]) -> None:
        self.count = len(links)
        self.leading_count = 0
        for j, link in enumerate(links):
            if link.slides or link.bends != EVERY or abs(link.fixed) >= points.TINY:
                self.leading_count = j + 1
        self.slides = padded([link.slides for link in links])
        self.movable = padded([link.movable for link in links])
        self.fixed = padded([link.fixed for link in links])
        self.lower = padded([link.lower for link in links])
        self.upper = padded([link.upper for link in links])
        self.absolute = padded([link.absolute for link in links])
        self.limits_bend = padded([link.bends != EVERY for link in links])
        self.limits_bends = any(self.limits_bend)
        self.linked = any(self.absolute)
        self.least_bend = padded([link.bend_range[0] for link in links])
        self.most_bend = padded([link.bend_range[1] for link in links])
        self.least_heading = padded([link.heading_range[0] for link in links])
        self.most_heading = padded([link.heading_range[1] for link in links])
        self.any_turn = padded([link.any_turn for link in links])
        self.limit_count = padded([len(link.limits) for link in links])
        self.limit = two_each([link.limits for link in links])
        held = [[link.bend_and_length(value) for value in link.limits] for link in links]
        self.limit_bend = two_each([[bend for bend, _ in row] for row in held])
        self.limit_length = two_each([[length for _, length in row] for row in held])
        self.limit_rotation = two_each([[points.unit(bend) for bend, _ in row] for row in held])

    def clamp_value(self, j: Index, value: float) -> float:
        """Return the value within the limits of joint j that is next to one."""
        return points.clamp(value, self.lower[j], self.upper[j])

    def allows_bend(self, j: Index, bend: float, slack: float) -> bool:
        """Tell whether the limits of a revolute joint's bend allow one, whole turns aside."""
        return points.is_within(bend, self.least_bend[j], self.most_bend[j], slack)

    def clamp_bend(self, j: Index, bend: float) -> float:
        """Return the bend of absolute joint j within its limits that is next to one."""
        counted = bend
        if self.any_turn[j]:
            middle = 0.5 * self.least_bend[j] + 0.5 * self.most_bend[j]
            counted = points.near_zero(bend - middle) + middle
        return bend + (points.clamp(counted, self.least_bend[j], self.most_bend[j]) - counted)

    def clamp_bends(self, pose: Numbers) -> bool:
        """Turn absolute joints until their bends are within limits, from the base on.

        It returns whether their own limits allow that; if not, the pose is changed in part.
        """
        heading: float = 0.0
        for j in range(self.count if self.limits_bends else 0):
            if self.limits_bend[j]:
                pose[j] = self.clamp_bend(j, pose[j] - heading) + heading
                if pose[j] > self.upper[j] + points.SLACK or pose[j] < self.lower[j] - points.SLACK:
                    return False
                pose[j] = self.clamp_value(j, pose[j])
            bend = self.fixed[j] if self.slides[j] else pose[j]
            heading = bend + (0.0 if self.absolute[j] else heading)
        return True

    def copy_pose(self, pose: Numbers, to: Numbers) -> None:
        """Copy the value of each joint."""
        for j in range(self.count):
            to[j] = pose[j]


def ends_of(span: Range) -> tuple[float, ...]:
    """Return the ends of a range: two, one of a single value, none if there are none."""
    low, high = span
    if math.isinf(low):
        return ()
    return (low, high) if high > low else (low,)


def padded(values: Sequence[Any] = (), size: int = SIZE) -> list[Any]:
    """Return the values, and zeros up to the size that C reserves."""
    return [*values, *[0] * (size - len(values))]


def two_each(rows: Sequence[Sequence[Any]]) -> list[Any]:
    """Return the values of all rows, zeros where one has less than two."""
    return padded([value for row in rows for value in (*row, 0, 0)[:2]], 2 * SIZE)
