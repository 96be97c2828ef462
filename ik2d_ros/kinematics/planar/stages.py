"""The strategy: which stages try to reach a target, and in which order.

One table for one target and for many; each stage has a form for either, and both do the same.
:mod:`.strategy` and :mod:`.strategy_many` go through it. Before it, targets on the edge of the
annulus and outside are met by one exact pose (:mod:`.edge`), and two joints have a closed form;
after it, limits leave the last word to a proof.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.arrays import ComplexArray, Flags, FloatArray, Indices
from ik2d_ros.kinematics.descent.ccd import sweep
from ik2d_ros.kinematics.descent.ccd_many import sweep_many
from ik2d_ros.kinematics.descent.closing import close_all, close_two
from ik2d_ros.kinematics.descent.closing_many import close_all_many, close_many, misses
from ik2d_ros.kinematics.descent.stepping_many import Passes
from ik2d_ros.kinematics.links import Links
from ik2d_ros.kinematics.pose import Pose, Problem
from ik2d_ros.kinematics.tuning import PAIRS


class Task(NamedTuple):
    """Many targets, and how far they have come; all but the arrays are as for one.

    Attributes:
        links: links and limits.
        targets: (m,) in reaches.
        bends: (n, m) rad, inside the limits.
        errors: (m,) distances from the targets in reaches.
        passes: (m,) made.
        tolerance: distance from a target in reaches that is good enough.
        budget: how many passes there may be for each.
    """

    links: Links
    targets: ComplexArray
    bends: FloatArray
    errors: FloatArray
    passes: Passes
    tolerance: float
    budget: int

    def left(self) -> Indices:
        """Return which targets are not reached and may have another pass."""
        return np.flatnonzero((self.errors > self.tolerance) & (self.passes < self.budget))

    def some(self, which: Indices) -> tuple[ComplexArray, FloatArray]:
        """Return targets (k,) and bends (n, k) of some; not to be changed."""
        if len(which) == len(self.targets):
            return self.targets, self.bends
        return self.targets[which], self.bends[:, which]

    def keep(self, some: Indices, ended: Ended) -> None:
        """Replace the poses of some targets by those that are closer."""
        bends, errors, tried = ended
        self.passes[some] += tried
        closer = errors < self.errors[some]
        if len(some) == len(self.errors) and closer.all():
            self.bends[:], self.errors[:] = bends, errors
            return
        which = some[closer]
        self.bends[:, which], self.errors[which] = bends[:, closer], errors[closer]


# Where it ended: bends (n, k) in rad, distances (k,) from the targets in reaches, and (k,) where
# there was anything to try.
Ended = tuple[FloatArray, FloatArray, Flags]


class Stage(NamedTuple):
    """One way to bring the tip onto a target, or closer; a pass where there is anything to try.

    Attributes:
        one: takes a task and a pose; gives another pose, or the same one where there is nothing to
            try.
        many: takes a task, which of its targets are meant, and the points (n + 1, k) of their
            poses, as of one; does the same for those.
    """

    one: Callable[[Problem, Pose], Pose]
    many: Callable[[Task, Indices, ComplexArray], Ended]


def _pairs(most: int | None = None, every: bool = False) -> Stage:
    """Return the stage that closes exactly with two joints: by so many pairs, or all."""

    def one(problem: Problem, pose: Pose) -> Pose:
        return close_two(problem, pose, False, most, every)

    def many(task: Task, some: Indices, points: ComplexArray) -> Ended:
        targets, bends = task.some(some)
        closed, met = close_many(task.links, targets, bends, most, every, points)
        errors = np.where(met, misses(task.links, targets, closed, task.tolerance), np.inf)
        return closed, errors, met

    return Stage(one, many)


def _sweep_each(task: Task, some: Indices, points: ComplexArray) -> Ended:
    targets, bends = task.some(some)
    swept, ends = sweep_many(task.links, targets, bends, points)
    return swept, np.abs(targets - ends), np.ones(len(some), dtype=np.bool_)


def _close_whole_each(task: Task, some: Indices, points: ComplexArray) -> Ended:
    targets, bends = task.some(some)
    return close_all_many(task.links, targets, bends, points)


_CLOSE = _pairs()  # With any two joints; without limits the first is one of them.
_CLOSE_FIRST = _pairs(most=2)  # With pairs that split the chain evenly, of which one often can.
_CLOSE_SOME = _pairs(most=PAIRS, every=True)
_SWEEP = Stage(sweep, _sweep_each)  # One; more of them only creep.
_CLOSE_WHOLE = Stage(close_all, _close_whole_each)  # Always there without limits.


class Plan(NamedTuple):
    """What is done for a target inside the annulus, in this order, until it is reached.

    Attributes:
        sweeps: whether sweeps come first, until they creep.
        follows: whether small moves come first, where the tip is near to the target.
        stages: one after the other, from there; what does not come closer is passed over.
        unproven: the same, then damped Gauss-Newton steps, where there is no proof: without limits,
            and for chains too long for it. The proof is quicker than these. Within limits it, or
            else the search, has the last word.
    """

    sweeps: bool
    follows: bool
    stages: tuple[Stage, ...]
    unproven: tuple[Stage, ...]


# By solver, and whether any joint has limits.
PLANS = {
    ('hybrid', False): Plan(
        sweeps=False,
        follows=True,
        stages=(_CLOSE_FIRST,),
        unproven=(_SWEEP, _CLOSE, _CLOSE_WHOLE),
    ),
    ('hybrid', True): Plan(
        sweeps=False,
        follows=True,
        stages=(_CLOSE,),
        unproven=(_SWEEP, _CLOSE, _SWEEP, _CLOSE),
    ),
    ('ccd', False): Plan(
        sweeps=True,
        follows=False,
        stages=(_CLOSE_SOME,),
        unproven=(_CLOSE_WHOLE,),
    ),
    ('ccd', True): Plan(
        sweeps=True,
        follows=False,
        stages=(_CLOSE,),
        unproven=(),
    ),
}
# The same for joints that bring others to where these have to be: small moves have been tried, and
# no proof follows, so that one sweep more and a closure come first in any case.
FROM_AFAR = {
    which: plan._replace(
        follows=False, stages=plan.stages + plan.unproven[:2], unproven=plan.unproven[2:]
    )
    for which, plan in PLANS.items()
}
