"""Which rigid shapes are put together to reach a target at a tip angle, or to turn the tip there.

Derived in ``docs/solvers.md``, section 11.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.columns import fixed_array
from ik2d_ros.kinematics.tip_angle.tip_angle_closures import (
    Closures,
    Kinds,
    closures,
    joined,
    not_parallel,
)
from ik2d_ros.kinematics.tip_angle.tip_angle_lines import Beside, Lines, OnLine
from ik2d_ros.kinematics.tip_angle.tip_angle_shapes import Parts, Shapes
from ik2d_ros.kinematics.tip_angle.tip_angle_triangles import (
    Origins,
    Triangles,
    block,
    origins,
    triangles,
)
from ik2d_ros.kinematics.tuning import PROOF_TRIANGLES

_Made = Triangles | tuple[Kinds, Closures]
_NOTHING = Beside.of(Shapes(np.zeros(1, complex), np.zeros((1, 0)), np.zeros(1)))


class Table(NamedTuple):
    """All that three joints close, two of them where the tip may have any angle.

    Attributes:
        triangles: of revolute joints.
        origins: of these.
        closures: of joints of which one slides or two, by their kinds.
    """

    triangles: Triangles
    origins: Origins
    closures: list[tuple[Kinds, Closures]]

    @property
    def entries(self) -> int:
        """How many there are."""
        return len(self.triangles.rest) + sum(len(each.ahead) for _, each in self.closures)


class Tables:
    """What is known of a chain before any target is; made when asked for.

    Attributes:
        alone: whether no more than one revolute joint moves, so that nothing makes up for slides
            that are parallel.
    """

    def __init__(self, chain: Chain) -> None:
        fixed = chain.fixed_bends
        self._parts = parts = Parts(
            np.array(chain.unit_lengths),
            chain.bend_limits,
            None if fixed is None else fixed_array(fixed),
        )
        self._lines = Lines(parts)
        self._joints = len(chain)
        self.alone = sum(turns and moves for turns, moves in zip(parts.turns, parts.moves)) < 2

    @cached_property
    def posed(self) -> Table:
        """What reaches a target at an angle; some first joints are at the start."""
        return self._gathered(_posed(self._parts, None, self._joints))

    @cached_property
    def had(self) -> Table:
        """Enough of these to reach a target at an angle if any pose does, from the lowest start.

        Fewer, if no joint slides.
        """
        return _gathered(_posed(self._parts, self._lines, self._joints), self._joints, self.alone)

    @cached_property
    def turned(self) -> Table:
        """What reaches a target, with the last link turned as far as it can be."""
        return self._gathered(_turned(self._parts, self._lines, self._joints))

    @property
    def too_many(self) -> bool:
        """Whether there are more than a search takes; without slides there never are."""
        if self._parts.fixed is None:
            return False
        return max(self.posed.entries, self.turned.entries) > PROOF_TRIANGLES

    def _gathered(self, made: Iterator[_Made]) -> Table:
        return _gathered(made, self._joints, self.alone, PROOF_TRIANGLES)


def _gathered(made: Iterator[_Made], n: int, alone: bool, most: float = np.inf) -> Table:
    """Return what is made as one; what is more than so many is left out."""
    blocks: list[Triangles] = []
    kinds: dict[Kinds, list[Closures]] = {}
    count = 0
    for each in made:
        if isinstance(each, Triangles):
            blocks.append(each)
            count += len(each.rest)
        else:
            kind, some = each
            if not alone:
                some = not_parallel(kind, some)
            if len(some.ahead):
                kinds.setdefault(kind, []).append(some)
            count += len(some.ahead)
        if count > most:
            break
    every = triangles(blocks, n)
    closed = [(kind, joined(several)) for kind, several in kinds.items()]
    return Table(every, origins(every), closed)


def _free(parts: Parts, n: int, least: int) -> list[int]:
    """Return the joints that can move; all, where that is fewer than the least."""
    moving = [joint for joint in range(n) if parts.moves[joint]]
    return moving if len(moving) >= least else list(range(n))


def _posed(parts: Parts, lines: Lines | None, n: int) -> Iterator[_Made]:
    """Yield what closes; of triangles only extrema where ``lines`` is given."""
    free = _free(parts, n, 3)
    for i in free:
        before = Beside.of(Shapes(np.zeros(1, complex), np.zeros((1, i)), np.zeros(1)))
        for j in free:
            for k in free:
                if i < j < k:
                    sided = _sided(parts, lines, i, j, k)
                    first = Beside.of(parts.held(i, j)) if sided is None else sided.beside(i, j)
                    second, tail = _between(parts, sided, j, k), _behind(parts, sided, k, n)
                    yield from _made(parts, (i, j, k), before, first, second, tail)


def _turned(parts: Parts, lines: Lines, n: int) -> Iterator[_Made]:
    free = _free(parts, n, 2)
    for i in free:
        for j in free:
            if i < j:
                sided = _sided(parts, lines, i, j)
                before = Beside.of(parts.before(i)) if sided is None else sided.before(i)
                first, second = _between(parts, sided, i, j), _behind(parts, sided, j, n)
                yield from _made(parts, (i, j, n), before, first, second, _NOTHING)


def _sided(parts: Parts, lines: Lines | None, *joints: int) -> Lines | None:
    """Return what tells on which side joints have to be, where the line goes through these."""
    return lines if all(parts.turns[joint] for joint in joints) else None


def _behind(parts: Parts, lines: Lines | None, joint: int, n: int) -> Beside:
    return Beside.of(parts.held(joint, n)) if lines is None else lines.behind(joint)


def _between(parts: Parts, lines: Lines | None, first: int, last: int) -> OnLine:
    """Return the shapes between two joints that move, those between all held or in line."""
    if parts.turns[first] and parts.turns[last]:
        if lines is not None:
            return lines.on_line(first, last)
        return OnLine.of(parts.in_line(first, last))
    shapes = [parts.held(first, last)]
    if parts.turns[last]:
        shapes.append(parts.across_after(first, last))
    elif parts.turns[first]:
        shapes.append(parts.across_before(first, last))
    return OnLine.of(Shapes.joined(shapes, last - first))


def _made(
    parts: Parts,
    joints: tuple[int, int, int],
    before: Beside,
    first: OnLine | Beside,
    second: OnLine | Beside,
    tail: Beside,
) -> Iterator[_Made]:
    """Make what three joints close: triangles, or closures if one slides or two, or nothing."""
    i, j, k = joints
    turns = [*parts.turns, True]
    kinds = turns[i], turns[j], turns[k]
    if all(kinds):
        yield block(joints, before, first, second, tail, parts.limits[j])
    elif any(kinds):
        fixed = [0.0 if turns[joint] else parts.way(joint) for joint in joints]
        limits = [*parts.limits, (-np.inf, np.inf)]
        limits = [limits[joint] for joint in joints]
        shapes = before.shapes, first.shapes, second.shapes, tail.shapes
        yield kinds, closures(kinds, joints, limits, fixed, *shapes)
