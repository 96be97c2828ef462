"""Which rigid shapes are put together to reach a target at a tip angle, or to turn the tip there.

Derived in ``docs/solvers.md``, section 11.
"""

from __future__ import annotations

from collections.abc import Iterator
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
from ik2d_ros.kinematics.tip_angle.tip_angle_shapes import Parts, Shapes
from ik2d_ros.kinematics.tip_angle.tip_angle_triangles import Triangles, block, triangles
from ik2d_ros.kinematics.tuning import PROOF_TRIANGLES

_Made = Triangles | tuple[Kinds, Closures]
_NOTHING = Shapes(np.zeros(1, complex), np.zeros((1, 0)), np.zeros(1))


class Table(NamedTuple):
    """All that three joints close, two of them where the tip may have any angle.

    Attributes:
        triangles: of revolute joints.
        closures: of joints of which one slides or two, by their kinds.
    """

    triangles: Triangles
    closures: list[tuple[Kinds, Closures]]

    @property
    def entries(self) -> int:
        """How many there are."""
        return len(self.triangles.rest) + sum(len(each.ahead) for _, each in self.closures)


class Tables(NamedTuple):
    """What is known of a chain before any target is.

    Attributes:
        posed: what reaches a target at an angle; some first joints are at the start.
        turned: what reaches a target, with the last link turned as far as it can be.
        alone: whether no more than one revolute joint moves, so that nothing makes up for slides
            that are parallel.
    """

    posed: Table
    turned: Table
    alone: bool


def tables_of(chain: Chain) -> Tables | None:
    """Return what is known of a chain, or None where that is too much."""
    n, fixed = len(chain), chain.fixed_bends
    parts = Parts(
        np.array(chain.unit_lengths),
        chain.bend_limits,
        None if fixed is None else fixed_array(fixed),
    )
    turning = sum(turns and moves for turns, moves in zip(parts.turns, parts.moves, strict=True))
    alone = turning < 2
    posed = _gathered(_posed(parts, n), n, alone)
    turned = None if posed is None else _gathered(_turned(parts, n), n, alone)
    if posed is None or turned is None:
        return None
    return Tables(posed, turned, alone)


def _gathered(made: Iterator[_Made], n: int, alone: bool) -> Table | None:
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
        if count > PROOF_TRIANGLES:
            return None
    return Table(triangles(blocks, n), [(kind, joined(several)) for kind, several in kinds.items()])


def _free(parts: Parts, n: int, least: int) -> list[int]:
    """Return the joints that can move; all, where that is fewer than the least."""
    moving = [joint for joint in range(n) if parts.moves[joint]]
    return moving if len(moving) >= least else list(range(n))


def _posed(parts: Parts, n: int) -> Iterator[_Made]:
    free = _free(parts, n, 3)
    for i in free:
        before = Shapes(np.zeros(1, complex), np.zeros((1, i)), np.zeros(1))
        for j in free:
            for k in free:
                if i < j < k:
                    first, second, tail = parts.held(i, j), _between(parts, j, k), parts.held(k, n)
                    yield from _made(parts, (i, j, k), before, first, second, tail, False)


def _turned(parts: Parts, n: int) -> Iterator[_Made]:
    free = _free(parts, n, 2)
    for i in free:
        for j in free:
            if i < j:
                first, second = _between(parts, i, j), parts.held(j, n)
                yield from _made(parts, (i, j, n), parts.before(i), first, second, _NOTHING, True)


def _between(parts: Parts, first: int, last: int) -> Shapes:
    """Return the shapes between two joints that move, those between all held or in line."""
    if parts.turns[first] and parts.turns[last]:
        return parts.in_line(first, last)
    shapes = [parts.held(first, last)]
    if parts.turns[last]:
        shapes.append(parts.across_after(first, last))
    elif parts.turns[first]:
        shapes.append(parts.across_before(first, last))
    return Shapes.joined(shapes, last - first)


def _made(
    parts: Parts,
    joints: tuple[int, int, int],
    before: Shapes,
    first: Shapes,
    second: Shapes,
    tail: Shapes,
    known: bool,
) -> Iterator[_Made]:
    """Make what three joints close: triangles, or closures if one slides or two, or nothing."""
    i, j, k = joints
    turns = [*parts.turns, True]
    kinds = turns[i], turns[j], turns[k]
    if all(kinds):
        yield block(joints, before, first, second, tail, parts.limits[j], known)
    elif any(kinds):
        fixed = [0.0 if turns[joint] else parts.way(joint) for joint in joints]
        yield kinds, closures(kinds, joints, fixed, before, first, second, tail)
