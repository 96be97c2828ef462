"""The reachable area of a chain within its joint limits, as triangles.

No ROS imports and no drawing: the viewer and the markers draw it.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from ik2d_ros.arm.area_grid import TOLERANCE, area_on_grid, closest_tips
from ik2d_ros.arm.core import core_of
from ik2d_ros.arm.kinds import kind_of
from ik2d_ros.arm.outline import Points, Triangles
from ik2d_ros.arm.polygons import polygons
from ik2d_ros.arm.triangulation import triangulated
from ik2d_ros.kinematics import Chain
from ik2d_ros.kinematics.proof.edge_loops import area, edge_loops

COLUMNS = 120  # Sides of a circle.
CHORD = 3e-4  # How far a chord may be from its arc, in reaches.
LINE_WIDTH = 0.01  # Width of an area that is only a line or a point, in reaches.
THIN = 1e-4  # Mean width of an area that is drawn as a line, in reaches.


def reach_area(chain: Chain) -> tuple[Points, Triangles]:
    """Triangulate the area that the tip reaches within the joint limits.

    Every vertex is reachable, and on the exact outline of the area; the triangles follow the chords
    of its arcs, which are beside them by less than a thousandth of the reach. Of chains with so
    many joints that nothing is proven (more than ten, as a rule), the outline is found on a grid,
    to about a hundredth of the reach. If only a line or a point can be reached, or hardly more,
    the area is a strip along it, a hundredth of the reach wide.

    Args:
        chain: the arm; lengths in m.

    Returns:
        (k, 2) points in m in the arm's plane, and (t, 3) indices into them, counter-clockwise.
    """
    core = core_of(chain)
    if core.chain is None:
        center = np.array([core.base.real, core.base.imag])
        points, triangles = _ring(0.0, 0.5 * LINE_WIDTH * (chain.reach.outer or 1.0))
        return points + center, triangles
    first = core.chain.joints[0]
    if first.continuous:
        nearest, farthest = _radii(core.chain)
        if farthest - nearest < TOLERANCE * core.chain.reach.outer:  # a circle, or the base alone
            half = 0.5 * LINE_WIDTH * core.chain.reach.outer
            nearest, farthest = max(0.0, nearest - half), farthest + half
        points, triangles = _ring(nearest, farthest)
    elif len(core.chain) == 1:
        points, triangles = _arc(core.chain)
    else:
        points, triangles = _area(core.chain)
    return points + np.array([core.base.real, core.base.imag]), triangles


def _area(chain: Chain) -> tuple[Points, Triangles]:
    """Triangulate the area of a chain whose first joint has limits."""
    loops = edge_loops(chain)
    if loops is None:
        points, triangles = area_on_grid(chain)
        return (points, triangles) if len(triangles) else reach_area(_stiffened(chain))
    around = sum(float(loop.sizes.sum()) for loop in loops)
    if 2.0 * sum(map(area, loops)) <= THIN * around:
        return reach_area(_stiffened(chain))
    points, triangles = triangulated(polygons(loops, CHORD))
    return points * chain.reach.outer, triangles


def _stiffened(chain: Chain) -> Chain:
    """Return the chain with the joint that moves the tip the least fixed at its middle."""
    beyond = np.cumsum([kind_of(joint).farthest(joint) for joint in reversed(chain.joints)])[::-1]
    ranges = np.where([joint.slides for joint in chain.joints], 1.0, beyond)
    ranges *= np.minimum(chain.upper - chain.lower, 2.0 * math.pi)
    least = int(ranges.argmin())
    middle = chain.middle[least]
    joints = list(chain.joints)
    joints[least] = replace(joints[least], lower=middle, upper=middle)
    return Chain(joints)


def _radii(chain: Chain) -> tuple[float, float]:
    """Return the smallest and largest distance from the base in m if the first joint is continuous.

    Then only the distance matters, and it takes all values in between. The pose closest to the base
    has the smallest, the one closest to a point far away the largest.
    """
    if not chain.limited:
        return chain.reach
    tips = closest_tips(chain, np.array([[0.0, 0.0], [3.0 * chain.reach.outer, 0.0]]))
    nearest, farthest = np.hypot(*tips.T).tolist()
    return nearest, farthest


def _ring(inner: float, outer: float) -> tuple[Points, Triangles]:
    turns = np.linspace(0.0, 2.0 * math.pi, COLUMNS, endpoint=False)
    circle = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    first = np.arange(COLUMNS)
    following = (first + 1) % COLUMNS
    if inner <= TOLERANCE * outer:
        points = np.concatenate([outer * circle, [[0.0, 0.0]]])
        return points, np.stack([first, following, np.full(COLUMNS, COLUMNS)], axis=1)
    points = np.concatenate([outer * circle, inner * circle])
    return points, np.concatenate(
        [
            np.stack([first, following, first + COLUMNS], axis=1),
            np.stack([following, following + COLUMNS, first + COLUMNS], axis=1),
        ]
    )


def _arc(chain: Chain) -> tuple[Points, Triangles]:
    """Return a strip along the arc, or the line, that one joint with limits reaches."""
    lower, upper = float(chain.lower[0]), float(chain.upper[0])
    if chain.has_slides:
        ends = chain.forward(np.array([[lower], [upper]]))[:, -1]
        along = (ends[1] - ends[0]) / (upper - lower)
        aside = 0.5 * LINE_WIDTH * chain.reach.outer * np.array([-along[1], along[0]])
        strip = np.concatenate([ends - aside, ends + aside])
        return strip, np.array([[0, 1, 3], [0, 3, 2]])
    count = max(2, math.ceil((upper - lower) / (2.0 * math.pi) * COLUMNS) + 1)
    tips = chain.forward(np.linspace(lower, upper, count)[:, None])[:, -1]
    inner, outer = _widened(chain.reach.outer)
    points = np.concatenate([tips * outer, tips * inner]) / chain.reach.outer
    first = np.arange(count - 1)
    return points, np.concatenate(
        [
            np.stack([first, first + 1, first + count], axis=1),
            np.stack([first + 1, first + 1 + count, first + count], axis=1),
        ]
    )


def _widened(radius: float) -> tuple[float, float]:
    half = 0.5 * LINE_WIDTH * radius
    return radius - half, radius + half
