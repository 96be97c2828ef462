"""What the drawings of an arm consist of, on a page's axes; no ROS imports.

Needs the extra ``plot``. What is drawn of the arm's plane is given in its coordinates, in m, and a
function (:data:`Placed`) that says where they are on the page.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.patches import Circle, Polygon
from matplotlib.patheffects import withStroke

from ik2d_ros.arm.kinds import kind_of
from ik2d_ros.arm.projections import LONGEST_NAME
from ik2d_ros.arm.region import Points, Region
from ik2d_ros.commands.captions import reach_words
from ik2d_ros.kinematics import Chain
from ik2d_ros.parameters.wording import printable

AREA, EDGE, INK = '#cfe3f3', '#3b7dbd', '#1f2933'
POSES = ('#d1495b', '#2e8b57', '#8e5ea2', '#d98324', '#1b7f8c')

CELLS = 240  # of the area's grid
REACHED = 'reachable within joint limits'
STRIP = 0.06  # width of the strip along which a joint slides, in reaches
STRAIGHT = 1e-3  # rad; a joint that bends by less has no outside

Placed = Callable[[Points], Points]
"""Converts points (k, 2) of the arm's plane to those of the page, which keeps all distances."""


def plain(name: str) -> str:
    """Make an untrusted name safe for a drawing."""
    return escape_math(printable(name, LONGEST_NAME))


def escape_math(text: str) -> str:
    """Escape dollar signs, which Matplotlib would take for formulas."""
    return text.replace('$', r'\$')


def as_is(points: Points) -> Points:
    """Place the plane's own coordinates on the page."""
    return points


def draw_region(axes: Axes, corners: Iterable[Points], label: str, colour: str = AREA) -> None:
    """Fill polygons (k, 2) without borders; those that overlap look like one."""
    axes.add_collection(
        PolyCollection(
            list(corners),
            facecolor=colour,
            edgecolor=colour,
            linewidth=0.4,
            zorder=1,
            label=label,
        )
    )


def draw_edges(axes: Axes, lines: Iterable[Points]) -> None:
    """Draw the borders of regions, lines (k, 2) each."""
    axes.add_collection(LineCollection(list(lines), colors=EDGE, linewidth=1.2, zorder=2))


def draw_area(axes: Axes, area: Region, label: str, colour: str = AREA) -> None:
    """Fill a region, whose points are already placed, and draw its border."""
    draw_region(axes, area.points[area.triangles], label, colour)
    draw_edges(axes, area.points[area.edge])


def draw_annulus(axes: Axes, chain: Chain, placed: Placed = as_is) -> None:
    """Draw the edges of the reach without joint limits."""
    ((x, y),) = placed(np.zeros((1, 2)))
    label = f'reach, {reach_words(chain)}'
    for radius in chain.reach:
        if radius > 0.0:
            axes.add_patch(
                Circle(
                    (x, y),
                    radius,
                    fill=False,
                    edgecolor=INK,
                    linewidth=0.9,
                    linestyle=(0, (6, 4)),
                    alpha=0.7,
                    zorder=2,
                    label=label,
                )
            )
            label = '_'


def draw_limits(axes: Axes, chain: Chain, q: Sequence[float], placed: Placed = as_is) -> None:
    """Draw the range of each joint with limits, a sector or a strip, at a pose (n,)."""
    label, reach = 'joint ranges, at home', chain.reach.outer
    frames = accumulate(
        (joint.turns * x + joint.offset for joint, x in zip(chain.joints, q, strict=True)),
        initial=0.0,
    )
    for joint, place, angle in zip(chain.joints, chain.forward(q), frames, strict=False):
        if joint.continuous or not (joint.slides or joint.length):
            continue
        size = STRIP * reach if joint.slides else max(0.3 * joint.length, 0.06 * reach)
        c, s = math.cos(angle), math.sin(angle)
        corners = kind_of(joint).outline(joint, size) @ np.array([[c, s], [-s, c]])
        draw_sector(axes, placed(place + corners), label)
        label = '_'


def draw_sector(axes: Axes, corners: Points, label: str) -> None:
    """Draw a joint's range, given as the corners (k, 2) of its sector."""
    axes.add_patch(Polygon(corners, color=INK, alpha=0.12, linewidth=0.0, zorder=3, label=label))


def draw_pose(axes: Axes, points: Points, colour: str, label: str, first: int = 0) -> None:
    """Draw an arm as a line along points (k, 2), the last one its tip.

    Args:
        axes: where to draw.
        points: placed already.
        colour: of the arm.
        label: for the legend.
        first: index of the first point that is a joint of the chain.
    """
    axes.plot(
        *points.T,
        '-o',
        color=colour,
        linewidth=3.0,
        markersize=6.0,
        markerfacecolor='white',
        markeredgewidth=1.5,
        markevery=slice(first, None),
        solid_joinstyle='round',
        zorder=5,
        label=label,
    )
    axes.plot(*points[-1], 'o', color=colour, markersize=6.0, zorder=6)


def draw_target(axes: Axes, place: Sequence[float], colour: str) -> None:
    """Draw a target at (x, y) on the page."""
    axes.plot(*place, '+', color=colour, markersize=14, markeredgewidth=2.0, zorder=6)


def name_joints(axes: Axes, names: Sequence[str], points: Points) -> None:
    """Label joints on the outside of the bend; ``points`` (k + 1, 2) end with the tip."""
    for i, name in enumerate(names):
        x, y = _outside(points, i)
        note(axes, plain(name), points[i], (14.0 * x, 14.0 * y))


def _outside(points: Points, i: int) -> tuple[float, float]:
    """Return the direction in which the bend at point i is farthest from both of its links."""
    comes, goes = _direction(points[i::-1], -1.0), _direction(points[i:], 1.0)
    outside = comes - (goes if goes.any() else comes)
    length = math.hypot(*outside)
    if length > STRAIGHT:
        return outside[0] / length, outside[1] / length
    x, y = comes if comes.any() else (1.0, 0.0)
    return (-y, x) if x < 0.0 else (y, -x)  # below a straight arm


def _direction(points: Points, sign: float) -> Points:
    """Return the unit vector, times a sign, from the first point to the next one elsewhere."""
    away = points - points[0]
    lengths = np.hypot(*away.T)
    elsewhere = np.flatnonzero(lengths > 0.0)
    if not elsewhere.size:
        return np.zeros(2)
    direction: Points = sign * away[elsewhere[0]] / lengths[elsewhere[0]]
    return direction


def note(axes: Axes, text: str, place: Points, offset: tuple[float, float]) -> None:
    """Write next to a point (2,), at an offset in typographical points."""
    x, y = offset
    size = math.hypot(x, y) or 1.0
    axes.annotate(
        text,
        tuple(place),
        offset,
        textcoords='offset points',
        fontsize=8,
        color=INK,
        ha='left' if x > 0.3 * size else 'right' if x < -0.3 * size else 'center',
        va='bottom' if y > 0.3 * size else 'top' if y < -0.3 * size else 'center',
        zorder=7,
        path_effects=[withStroke(linewidth=2.5, foreground='white')],
    )


def finish(axes: Axes, title: str, labels: tuple[str, str]) -> None:
    """Give a view of the arm its title, the labels of its axes, a grid and equal scales."""
    axes.set(xlabel=escape_math(labels[0]), ylabel=escape_math(labels[1]))
    axes.set_aspect('equal')
    axes.grid(color=INK, alpha=0.12, linewidth=0.6)
    axes.set_title(title)
