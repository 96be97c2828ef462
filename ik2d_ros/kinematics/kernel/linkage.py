"""The joints of a chain in their normal form, a pose to start from, one to try, and the best."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

try:
    import cython
except ImportError:
    from ik2d_ros.kinematics.kernel import uncompiled as cython

from ik2d_ros.kinematics.kernel import points

if not cython.compiled:
    ROOM = 130  # 64 joints, backwards up to two for each, and the tip.

# In signatures `int` and `float` would be Python's, in C, too.
Index: TypeAlias = int
Numbers: TypeAlias = 'list[float]'

WRONG_SIDE = 1e6  # rad; the extra cost of a bend to the other side.


class Link(NamedTuple):
    """A joint and its link, along the x-axis of the link's frame.

    A revolute joint varies the bend, the angle to its link from the link before; a slide varies the
    length of its link.

    Attributes:
        slides: whether it is a slide.
        fixed: the constant: the length of a revolute joint's link in reaches, the bend of a slide's
            link in rad.
        lower: the least value of its variable, in rad or reaches; -inf for a continuous joint.
        upper: the largest value.
        absolute: whether it sets the direction of its link, independent of the joints before it.
        bends: the limits of its bend, if it is absolute: none, two, or one that it cannot leave.
        any_turn: whether whole turns of that bend do not count.
    """

    slides: bool
    fixed: float
    lower: float
    upper: float
    absolute: bool = False
    bends: tuple[float, ...] = ()
    any_turn: bool = False

    @property
    def free(self) -> bool:
        """Whether it can move."""
        return self.upper > self.lower

    @property
    def limits(self) -> tuple[float, ...]:
        """Where it can be held: at both limits, at the one place that it has, or nowhere."""
        if math.isinf(self.lower):
            return ()
        return (self.lower, self.upper) if self.free else (self.lower,)

    @property
    def stops(self) -> tuple[float, ...]:
        """The bends at which limits hold it."""
        return self.bends if self.absolute else self.limits

    @property
    def is_idle_at_the_end(self) -> bool:
        """Whether it neither moves nor limits the tip if no link behind it has a length."""
        return not self.slides and abs(self.fixed) < points.TINY and not self.bends

    def allows(self, bend: float) -> bool:
        """Tell whether its limits allow a bend, whole turns aside."""
        return points.is_within(bend, self.lower, self.upper)

    def bend_and_length(self, value: float) -> tuple[float, float]:
        """Return its bend in rad and its length in reaches at a value."""
        return (self.fixed, value) if self.slides else (value, self.fixed)


class Linkage:
    """The joints as tables that C reads.

    Attributes:
        count: how many there are.
        leading: how many of the first joints can move the tip, or limit joints that can. The links
            behind them have no length; the joints behind them move for a tip angle only.
        start: what each joint is at to begin with; inside the limits.
        trial: a pose that is tried.
        pivot: where some of the first joints lead from the start; heading: of the link there.
        moved: how far all joints have moved to the trial.
        absolute: whether each joint varies the direction of its link; linked: whether any does.
        bent: whether bends of absolute joints are limited.
        gap: the bends of the trial; fewest and utmost: how many turns may be added to each heading.
        least: the smallest bend that each revolute joint is allowed; most: the largest; any_turn:
            whether whole turns of it do not count.
        limits: how many limits each joint has; 1 if it cannot move, 0 if it is continuous.
        limit: their values, two for each joint; and as many bends, lengths, and turns, which are
            the bends as unit vectors.
    """

    def __init__(self, links: Sequence[Link]) -> None:
        self.count = len(links)
        self.leading = leading(links)
        self.slides = room([link.slides for link in links])
        self.free = room([link.free for link in links])
        self.fixed = room([link.fixed for link in links])
        self.lower = room([link.lower for link in links])
        self.upper = room([link.upper for link in links])
        self.absolute = room([link.absolute for link in links])
        self.linked = any(link.absolute for link in links)
        self.bent = any(link.bends for link in links)
        bends = [link.stops or (-math.inf, math.inf) for link in links]
        self.least = room([least for least, *_ in bends])
        self.most = room([most for *_, most in bends])
        self.any_turn = room([link.any_turn for link in links])
        self.gap = room()
        self.fewest = room()
        self.utmost = room()
        self.start = room()
        self.trial = room()
        self.heading = self.moved = 0.0
        self.pivot = 0j
        self.limits = room([len(link.limits) for link in links])
        self.limit = two_each([link.limits for link in links])
        places = [[link.bend_and_length(value) for value in link.limits] for link in links]
        self.bend = two_each([[bend for bend, _ in row] for row in places])
        self.length = two_each([[length for _, length in row] for row in places])
        self.turn = two_each([[points.unit(bend) for bend, _ in row] for row in places])

    def fit(self, j: Index, value: float) -> bool:
        """Try joint j at a value, or a turn more or less: as near to its start as limits allow."""
        if not self.slides[j]:
            # Half a turn to either side differs by rounding alone: the positive one is taken.
            value += points.TAU * math.floor((self.start[j] - value) / points.TAU + (0.5 + 1e-13))
            if value > self.upper[j] + points.SLACK:
                value -= points.TAU * math.ceil((value - self.upper[j] - points.SLACK) / points.TAU)
            elif value < self.lower[j] - points.SLACK:
                value += points.TAU * math.ceil((self.lower[j] - points.SLACK - value) / points.TAU)
        if value > self.upper[j] + points.SLACK or value < self.lower[j] - points.SLACK:
            return False
        self.trial[j] = points.clamp(value, self.lower[j], self.upper[j])
        return True

    def bends_to(self, j: Index, bend: float) -> bool:
        """Tell whether the limits of a revolute joint's bend allow one, whole turns aside."""
        return points.is_within(bend, self.least[j], self.most[j])

    def bend_at(self, j: Index, bend: float) -> float:
        """Return the bend of an absolute joint within its limits that is next to one."""
        here = bend
        if self.any_turn[j]:
            middle = 0.5 * self.least[j] + 0.5 * self.most[j]
            here = points.near_zero(bend - middle) + middle
        return bend + (points.clamp(here, self.least[j], self.most[j]) - here)

    def bend_back(self, pose: Numbers) -> bool:
        """Turn absolute joints until their bends are within limits; tell whether they can."""
        if not self.bent:
            return True
        heading: float = 0.0
        for j in range(self.count):
            if not self.absolute[j]:
                heading += self.fixed[j] if self.slides[j] else pose[j]
                continue
            if self.most[j] < points.FAR:
                pose[j] = heading + self.bend_at(j, pose[j] - heading)
                if pose[j] > self.upper[j] + points.SLACK or pose[j] < self.lower[j] - points.SLACK:
                    return False
                pose[j] = points.clamp(pose[j], self.lower[j], self.upper[j])
            heading = pose[j]
        return True

    def wind(self, begin: Index) -> bool:
        """Add whole turns to the trial from a joint on, so that bends are within their limits.

        Each limit bounds the turns of one heading, or those that it gains over the one before. So
        ranges are enough: from the tip to the base, which of them leave room for the joints behind.

        Returns:
            Whether any turns do that.
        """
        heading: float = self.heading
        for j in range(begin, self.count):
            self.gap[j] = self.trial[j] - (heading if self.absolute[j] else 0.0)
            heading = self.trial[j] + (0.0 if self.absolute[j] else heading)
        low, high = -points.FAR, points.FAR
        for j in range(self.count - 1, begin - 1, -1):
            if self.absolute[j]:
                low = max(low, points.turns_up(self.lower[j] - self.trial[j]))
                high = min(high, points.turns_down(self.upper[j] - self.trial[j]))
            self.fewest[j], self.utmost[j] = low, high
            low -= self.largest_gain(j)
            high -= self.least_gain(j)
        turns: float = 0.0
        for j in range(begin, self.count):
            low = max(self.fewest[j], turns + self.least_gain(j))
            high = min(self.utmost[j], turns + self.largest_gain(j))
            if low > high:
                return False
            before = 0.0 if self.absolute[j] else turns
            turns = points.clamp(before, low, high)
            value = self.trial[j] + points.TAU * (turns - before)
            self.trial[j] = points.clamp(value, self.lower[j], self.upper[j])
        return True

    def least_gain(self, j: Index) -> float:
        """Return how many turns the limits of joint j's bend let its heading gain at the least."""
        return -points.FAR if self.any_turn[j] else points.turns_up(self.least[j] - self.gap[j])

    def largest_gain(self, j: Index) -> float:
        """Return how many at the most."""
        return points.FAR if self.any_turn[j] else points.turns_down(self.most[j] - self.gap[j])

    def nearest(self, j: Index, value: float) -> float:
        """Return the allowed value of joint j that is nearest to a value, whole turns aside."""
        if not self.fit(j, value):
            value += points.TAU * math.floor(
                (0.5 * self.lower[j] + 0.5 * self.upper[j] - value) / points.TAU + 0.5
            )
            self.trial[j] = points.clamp(value, self.lower[j], self.upper[j])
        return self.trial[j]

    def stand(self, count: Index) -> None:
        """Let the first joints of the trial stand where they start; find where that leads."""
        self.heading, self.pivot = 0.0, 0j
        for j in range(count):
            self.trial[j] = self.start[j]
            if self.slides[j]:
                self.heading += self.fixed[j]
                self.pivot += self.start[j] * points.unit(self.heading)
            else:
                self.heading = self.start[j] + (0.0 if self.absolute[j] else self.heading)
                self.pivot += self.fixed[j] * points.unit(self.heading)

    def rest(self, first: Index) -> None:
        """Let the joints of the trial from one on stand where they start."""
        for j in range(first, self.count):
            self.trial[j] = self.start[j]

    def move(self, count: Index) -> float:
        """Return the largest move of the first joints from start to trial; keep their sum."""
        self.moved = 0.0
        largest: float = 0.0
        for j in range(count):
            move = abs(self.trial[j] - self.start[j])
            self.moved += move
            largest = max(largest, move)
        return largest

    def copy(self, pose: Numbers, to: Numbers) -> None:
        """Copy a pose."""
        for j in range(self.count):
            to[j] = pose[j]


class Search:
    """Tries poses, and keeps the best. Subclasses implement some of the three searches.

    Attributes:
        movers: how many of the first joints may move for it; only their moves count.
        side: +1 or -1 if the second of two joints is to bend to that side, else 0.
        found: the cost of the best pose; best: that pose.
        move: the largest move to it; moved: the sum of all moves.
    """

    def __init__(self, linkage: Linkage) -> None:
        self.linkage = linkage
        self.movers = linkage.count
        self.side = 0
        self.found = self.move = self.moved = 0.0
        self.best = room()

    def meet(self, target: complex, angle: float, every: bool, enough: float) -> bool:  # noqa: ARG002
        """Find a pose with the end at a target that moves the fewest joints, and these least.

        Args:
            target: in reaches.
            angle: the heading of the last link in rad; NO_ANGLE for any.
            every: whether the pose may move any joints, and these least.
            enough: only poses that move less count.

        Returns:
            Whether there is one.
        """
        return False

    def seek(self, target: complex, enough: float) -> None:
        """Find the pose that is closest to a target, and closer than this distance in reaches."""

    def seek_angle(self, target: complex, angle: float, enough: float) -> None:
        """Find the pose at a target whose heading is closest to an angle, and closer than this."""

    def keep(self, cost: float) -> None:
        """Keep the trial."""
        self.found = cost
        self.linkage.copy(self.linkage.trial, self.best)

    def keep_move(self) -> None:
        """Keep the trial if it moves less."""
        cost = self.linkage.move(self.movers)
        if self.side != 0 and not self.is_on_side():
            cost += WRONG_SIDE
        same = self.found + points.SAME_MOVE
        if cost < self.found - points.SAME_MOVE or (
            cost < same and self.linkage.moved < self.moved - points.SAME_MOVE
        ):
            self.keep(cost)
            self.moved = self.linkage.moved

    def keep_closest(self, distance: float) -> None:
        """Keep the trial, which is as close as the best, if it is closer or moves less."""
        move = self.linkage.move(self.linkage.count)
        if distance < self.found - points.SAME or move < self.move - points.SAME_MOVE:
            self.keep(distance)
            self.move = move

    def is_on_side(self) -> bool:
        """Tell whether the second of two joints bends to the side that is asked for.

        Where one slides: whether the tip is ahead of the revolute joint in its direction.
        """
        bend = self.linkage.trial[1]
        if self.linkage.slides[0]:
            return self.side * self.linkage.fixed[1] * math.cos(bend) >= 0
        if self.linkage.slides[1]:
            ahead = self.linkage.fixed[0] * math.cos(self.linkage.fixed[1]) + bend
            return self.side * ahead >= 0
        if self.linkage.absolute[1]:
            bend -= self.linkage.trial[0]
        return self.side * math.sin(bend) >= 0


def leading(links: Sequence[Link]) -> int:
    """Return how many of the first joints can move the tip, or limit those that can."""
    count = len(links)
    while count and links[count - 1].is_idle_at_the_end:
        count -= 1
    return count


def room(values: Sequence[Any] = (), size: int = ROOM) -> list[Any]:
    """Return the values, and zeros up to the size that C reserves."""
    return [*values, *[0] * (size - len(values))]


def two_each(rows: Sequence[Sequence[Any]]) -> list[Any]:
    """Return the values of all rows, zeros where one has less than two."""
    return room([value for row in rows for value in (*row, 0, 0)[:2]], 2 * ROOM)
