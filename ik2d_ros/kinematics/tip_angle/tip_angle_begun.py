"""Many targets at tip angles, and how far they have come. Arrays are as in :mod:`.links`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.arrays import ComplexArray, Flags, FloatArray, Indices
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.descent.stepping_many import Passes


class Task(NamedTuple):
    """What is asked of the chain, apart from targets."""

    chain: Chain
    solver: str
    tolerance: float
    angle_tolerance: float
    max_iterations: int

    @property
    def tolerances(self) -> tuple[float, float]:
        """How far off a pose may be, in reaches and in rad."""
        return self.tolerance / self.chain.size, self.angle_tolerance


class Asked(NamedTuple):
    """Targets, an element or a column each.

    Attributes:
        goals: (m,) where the tips are to go, in reaches.
        headings: (m,) of the last link in rad.
        starts: (n, m) bends in rad, inside the limits.
    """

    goals: ComplexArray
    headings: FloatArray
    starts: FloatArray

    def at(self, some: Indices) -> Asked:
        """Return some of them."""
        goals, headings = self.goals.take(some), self.headings.take(some)
        if self.starts.shape[1] and not self.starts.strides[1]:  # The same for all.
            one = self.starts[:, :1]
            return Asked(goals, headings, np.broadcast_to(one, (len(one), len(some))))
        return Asked(goals, headings, self.starts.take(some, axis=1))


class Begun(NamedTuple):
    """How far many targets have come.

    Attributes:
        bends: (n, m) rad, inside the limits.
        there: (m,) which targets they reach at their angles, or at the closest ones.
        closed: (m,) for which closures by three joints have been tried.
        passes: (m,) made.
    """

    bends: FloatArray
    there: Flags
    closed: Flags
    passes: Passes

    @classmethod
    def at_start(cls, asked: Asked) -> Begun:
        """Return it where nothing is done."""
        none = np.zeros(len(asked.goals), dtype=np.bool_)
        passes: Passes = np.zeros(len(none), dtype=np.int64)
        return cls(asked.starts.copy(), none, none.copy(), passes)

    def at(self, some: Indices) -> Begun:
        """Return a copy of some of them."""
        bends, there, closed, passes = self
        return Begun(
            bends.take(some, axis=1), there.take(some), closed.take(some), passes.take(some)
        )

    def part(self, part: slice) -> Begun:
        """Return a part of them, not copied."""
        bends, there, closed, passes = self
        return Begun(bends[:, part], there[part], closed[part], passes[part])

    def take_back(self, some: Indices, others: Begun) -> None:
        """Write how far some of them have come."""
        self.bends[:, some], self.there[some] = others.bends, others.there
        self.closed[some], self.passes[some] = others.closed, others.passes

    def put(self, some: Indices, found: tuple[FloatArray, Flags], passes: Passes) -> None:
        """Write where some of them are now."""
        self.bends[:, some], self.there[some] = found
        self.passes[some] = passes


def joined(several: list[Begun]) -> Begun:
    """Return some of them as one."""
    return Begun(*(np.concatenate(each, axis=-1) for each in zip(*several, strict=True)))
