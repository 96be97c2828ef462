"""The way of two joints along a path: there are no more than two poses on each target."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ik2d_ros.kinematics.angles import SAME_MOVE
from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.links import Links
from ik2d_ros.kinematics.paths.path_jumps import jumping
from ik2d_ros.kinematics.paths.path_search import Task
from ik2d_ros.kinematics.planar.strategy import in_plane
from ik2d_ros.kinematics.tuning import PATH_MORE

# Bends (2,) of a pose, and which of the poses on the target before it comes from.
_Step = tuple[Sequence[float], int]

_REACHED = 1e-9  # Reaches; the closed form reaches a target exactly, or not at all.


def farthest_of_two(task: Task) -> FloatArray:
    """Return poses (2, k) on the first targets without a jump, on as many as there are any.

    All poses are followed. Where both sides meet, stretched or folded, each goes on on both.

    Args:
        task: a path for two joints within limits.
    """
    chain, links = task.chain, Links.of(task.chain)
    first = task.plain[:, 0].tolist()
    begin: list[_Step] = [(first, 0)]
    if task.free:
        for pose in _sides(chain, complex(task.targets[0]), first):
            _add(begin, pose, 0)
    steps = [begin]
    for k in range(1, len(task.targets)):
        ahead: list[_Step] = []
        for number, (before, _) in enumerate(steps[-1]):
            for pose in _sides(chain, complex(task.targets[k]), before):
                if _move(before, pose) > PATH_MORE:
                    both = np.array([before, pose]).T
                    if jumping(links, task.targets[k - 1 : k + 1], both)[0]:
                        continue
                _add(ahead, pose, number)
        if not ahead:
            break
        steps.append(ahead)
    way: list[Sequence[float]] = []
    number = 0
    for poses in reversed(steps):
        pose, number = poses[number]
        way.append(pose)
    return np.array(way[::-1]).T


def _sides(chain: Chain, target: complex, before: Sequence[float]) -> Iterator[Sequence[float]]:
    """Yield the poses on a target, in the turns nearest to one before."""
    x, y = target.real * chain.size, target.imag * chain.size
    start = list(chain.positions_at(before))
    for bend in ('positive', 'negative'):
        q, _, error, _, _ = in_plane(chain, x, y, start, 'two_bone', bend, 0.0, 1)
        if error <= _REACHED * chain.size:
            yield list(chain.bends_at(q))


def _add(steps: list[_Step], pose: Sequence[float], before: int) -> None:
    """Add a pose, unless it is there already."""
    if all(_move(known, pose) > SAME_MOVE for known, _ in steps):
        steps.append((pose, before))


def _move(pose: Sequence[float], other: Sequence[float]) -> float:
    """Return the largest joint move from one pose to another."""
    return max(abs(one - another) for one, another in zip(pose, other, strict=True))
