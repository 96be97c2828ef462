"""Shapes from a free joint to the tip at the edge of what a chain reaches: all in line.

Derived in ``docs/solvers.md``, section 8.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.angles import TURN
from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.kinematics.proof.corners import (
    SLACK,
    Corners,
    LimitedLinks,
    longest_and_shortest,
)


class Tails(NamedTuple):
    """Shapes from a free joint to the tip, all free joints in line; an element each.

    Attributes:
        along: (k,) how far the tip is from the joint, along the line, in reaches.
        heading: (k,) of the joint's link to the line, in rad.
        bends: (k, n) rad, of the joints after it.
    """

    along: FloatArray
    heading: FloatArray
    bends: FloatArray

    def at(self, chosen: NDArray[np.bool_]) -> Tails:
        """Return some of them."""
        return Tails(*(values[chosen] for values in self))


def tails_of(
    first: int, links: LimitedLinks, straight: list[Tails], folded: list[Tails]
) -> tuple[Tails, Tails]:
    """Return the tails from a revolute joint: as long as they can be, and as short.

    As long: every shape between free revolute joints as long as it can be, and all pointing on. As
    short: one of them as short as it can be, pointing on, and all others, as long as they can be,
    back; in the one that points on a slide may be free, where it makes it shortest.
    """
    n = len(links.lengths)
    far: list[Tails] = []
    near: list[Tails] = []
    for last in range(first + 1, n + 1):
        if last > first + 1 and not links.ends[last - 1]:
            break  # That joint is never at a limit.
        shapes = links.held_after(first, last)
        longest, shortest = longest_and_shortest(shapes)
        long, shorts = shapes.at(longest), [shapes.at(shortest)]
        shorts += [
            standing.at(longest_and_shortest(standing)[1])
            for standing in links.feet_after(first, last)
        ]
        if last == n:
            tip = Tails(np.zeros(1), np.zeros(1), np.zeros((1, n)))
            far += _before(tip, long, first, 1.0, None)
            for short in shorts:
                near += _before(tip, short, first, 1.0, None)
            continue
        if not links.turns_freely(last):
            continue
        far += _before(straight[last], long, first, 1.0, links.limits[last])
        back = straight[last]._replace(
            along=-straight[last].along, heading=straight[last].heading + np.pi
        )
        for short in shorts:
            near += _before(back, short, first, 1.0, links.limits[last])
        near += _before(folded[last], long, first, -1.0, links.limits[last])
    return joined_tails(far, n), joined_tails(near, n)


def _before(
    tails: Tails, shapes: Corners, first: int, way: float, limits: tuple[float, float] | None
) -> list[Tails]:
    """Put shapes before tails, on the same line; those that the limits of the joint allow.

    Args:
        tails: what follows.
        shapes: from the joint ``first`` on.
        first: the joint that they begin with.
        way: whether the shapes point on, 1, or back, -1.
        limits: of the joint between, or None where nothing follows.
    """
    if not len(shapes.bends) or not len(tails.along):
        return []
    span = shapes.spans[:, 0]
    heading = -np.angle(span) + (0.0 if way > 0.0 else np.pi)
    along = way * np.abs(span)[:, None] + tails.along
    bends = np.repeat(tails.bends[None], len(span), axis=0)
    last = first + shapes.bends.shape[1]
    bends[:, :, first + 1 : last] = shapes.bends[:, None, 1:]
    # What has no length, or is turned back, only gets shorter by what is put back before it.
    good = along >= 0.0 if way > 0.0 else along > SLACK
    if limits is not None:
        bend = tails.heading - (shapes.heading + heading)[:, None]
        bends[:, :, last], allowed = within(bend, limits)
        good &= allowed
    headings = np.broadcast_to(heading[:, None], good.shape)
    return [Tails(along[good], headings[good], bends[good])]


def within(bend: FloatArray, limits: tuple[float, float]) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return a turn of each bend that is within the limits, and which have one."""
    lower, upper = limits
    if lower == -np.inf:
        return bend, np.ones(bend.shape, dtype=np.bool_)
    above = lower + (bend - lower + SLACK) % TURN - SLACK
    return np.clip(above, lower, upper), above <= upper + SLACK


def joined_tails(parts: list[Tails], n: int) -> Tails:
    """Return all tails of all parts, for a chain of n joints."""
    if not parts:
        return Tails(np.zeros(0), np.zeros(0), np.zeros((0, n)))
    return Tails(*(np.concatenate(values) for values in zip(*parts, strict=True)))
