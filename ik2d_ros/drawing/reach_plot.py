"""The plot of an arm's reachable area; it needs Matplotlib: import this module only to draw."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ik2d_ros.arm.coordinates import axis_name, upright
from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.drawing.area import Points, Region, reach_area
from ik2d_ros.drawing.extent import skeleton
from ik2d_ros.drawing.solids import arc
from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.parameters.checks import printable

AREA, EDGE, INK, FAINT = '#dbe7f1', '#56b4e9', '#1f2933', '#8a8f98'
CELLS = 240  # of the area's grid
EDGEWISE = 0.999  # cosine
LONGEST_NAME = 40  # characters


def draw_reach(arm: ArmDescription, title: str) -> Figure:
    """Draw the area that an arm reaches in its plane, its walls and its home pose.

    The plane is seen along its normal, with a turntable or a lift at 0.
    """
    area, page = reach_area(arm.at_home_roll, CELLS), page_of(arm)
    figure = Figure(figsize=(11.7, 8.3))
    figure.suptitle(f'The reach of {_plain(title)}')
    figure.subplots_adjust(0.07, 0.2, 0.97, 0.9)
    axes = figure.subplots()
    right, up = (axis_name(axis) or f'along {np.round(axis, 3)}' for axis in page.axes[:2])
    axes.set(xlabel=f'{right} in m', ylabel=f'{up} in m')
    axes.set_aspect('equal', adjustable='datalim')
    axes.margins(0.05)
    axes.grid(color=INK, alpha=0.12, linewidth=0.6)
    if arm.carrier is not None:
        axes.set_title(f'with {_plain(arm.names[0])} at 0', fontsize=10)
    _draw_area(axes, page, arm, area)
    _draw_walls(axes, page, arm)
    _draw_home(axes, page, arm)
    figure.legend(loc='lower center', ncol=3, frameon=False, fontsize=8.5)
    return figure


def page_of(arm: ArmDescription) -> Plane:
    """Return the page of a plot: a frame along an arm's plane.

    A plane that a turntable or a lift carries is seen from the side where x or y runs to the right.
    """
    page = upright(arm.kinematics.plane.axes[2])
    right, _, normal = page.axes
    if arm.carrier is None or max(right, key=lambda part: abs(round(part, 9))) > 0.0:
        return page
    return upright((-normal[0], -normal[1], -normal[2]))


def flat(page: Plane, points: Points) -> Points:
    """Return points (k, 3) in m in the base frame as (k, 2) on a page."""
    along, up = np.array(page.axes[:2])
    return np.stack([points @ along, points @ up], axis=-1)


def _draw_area(axes: Axes, page: Plane, arm: ArmDescription, area: Region) -> None:
    """Draw the reachable area, and the annulus of the links alone."""
    plane = arm.kinematics.plane
    points = flat(page, _in_space(plane, area.points))
    words = f'reachable within the limits, {area.size:.3g} m2'
    filled = PolyCollection(list(points[area.triangles]), color=AREA, label=words, rasterized=True)
    axes.add_collection(filled)
    edges = LineCollection(list(points[area.edge]), colors=EDGE, linewidth=1.2, zorder=2)
    axes.add_collection(edges)
    links = f'{arm.reach.inner:.4g} to {arm.reach.outer:.4g} m'
    for number, radius in enumerate(filter(None, arm.chain.reach)):
        circle = arc(radius, 0.0, 2.0 * math.pi) + arm.chain.tool
        ring = flat(page, _in_space(plane, circle))
        # As an artist, so that the arm fills the view, however little its limits leave.
        line = Line2D(*ring.T, color=FAINT, linewidth=0.9, linestyle='--', zorder=2)
        axes.add_artist(line).set(label='_' if number else f'reach of the links alone, {links}')


def _draw_walls(axes: Axes, page: Plane, arm: ArmDescription) -> None:
    """Hatch what is across walls: where they cut the plane, or are seen from the edge."""
    far, base = 8.0 * arm.reach.outer, arm.kinematics.plane.origin
    for wall in arm.walls:
        slope = np.array(page.axes[:2]) @ np.array(wall.normal)
        steepness = math.hypot(*slope)
        if steepness < (EDGEWISE if arm.carrier else 1.0 - EDGEWISE):
            continue
        across = -slope / steepness
        foot = flat(page, np.array(base)) + across * wall.height(*base) / steepness
        along = far * np.array([across[1], -across[0]])
        deep = foot + far * across
        hatched = PolyCollection(
            [np.array([foot - along, foot + along, deep + along, deep - along])],
            facecolor=(1.0, 1.0, 1.0, 0.7),
            edgecolor=FAINT,
            hatch='///',
            zorder=2.5,
            label=f'across wall {_plain(wall.name)}',
        )
        axes.add_collection(hatched, autolim=False)


def _draw_home(axes: Axes, page: Plane, arm: ArmDescription) -> None:
    """Draw the home pose, and name its joints."""
    begin = int(arm.carrier is not None)
    pose = (*[0.0] * begin, *arm.home[begin:])
    bones = flat(page, np.array(skeleton(arm, pose))).T
    axes.plot(*bones, '-o', color=INK, linewidth=2.0, mfc='white', zorder=5, label='home')
    joints = _in_space(arm.kinematics.plane, arm.chain.forward(arm.in_plane(arm.home)))
    for name, point in zip(arm.chain.names, flat(page, joints), strict=False):
        below = _plain(name), tuple(point), (7.0, -7.0)
        axes.annotate(*below, textcoords='offset points', fontsize=8, va='top', zorder=7)


def _in_space(plane: Plane, points: Points) -> Points:
    """Return points (k, 2) of a plane as points (k, 3) in the base frame, in m."""
    x, y = points.T
    return np.stack(plane.point(x, y), axis=1)


def _plain(name: str) -> str:
    """Make an untrusted name safe for a drawing: Matplotlib takes dollar signs for formulas."""
    return printable(name, LONGEST_NAME).replace('$', r'\$')
