"""Drawings of an arm and its reachable area with Matplotlib; no file access.

Needs the extra ``plot``: import this module only to draw.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke

from ik2d_ros.arm.area import area_at, reach_area
from ik2d_ros.arm.body import swept_body
from ik2d_ros.arm.bounding_ball import skeleton
from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.arm.kinds import arc
from ik2d_ros.arm.region import Points, Region
from ik2d_ros.arm.told import axis_name, told, upright
from ik2d_ros.kinematics import Path, solve
from ik2d_ros.kinematics.plane import Plane, Vector
from ik2d_ros.parameters.sanitize import printable
from ik2d_ros.pilot.outcome import Code
from ik2d_ros.pilot.parameters import Settings

AREA, AT_ANGLE, EDGE, INK, FAINT = '#dbe7f1', '#a9c8e2', '#56b4e9', '#1f2933', '#8a8f98'
LEGEND: dict[str, Any] = {'loc': 'lower center', 'ncol': 3, 'frameon': False, 'fontsize': 8.5}
ASKED, FOLLOWED = '#d55e00', '#009e73'  # colour-blind people tell them apart, and viridis, too

CELLS = 240  # of the area's grid
SHAPES = 7  # of the arm along a path
EDGEWISE = 0.999  # cosine
WIDEST = 2.0  # most that a target widens a view, in reaches
LONGEST_NAME = 40  # characters


class View(NamedTuple):
    """A projection of space onto the page.

    Attributes:
        axes: (2, 3) unit vectors of the page's x-axis and y-axis in the base frame.
        labels: of the page's x-axis and y-axis.
    """

    axes: Points
    labels: tuple[str, str]

    def flat(self, points: Points | Sequence[Vector]) -> Points:
        """Project points (k, 3) in m in the base frame; (k, 2) in m on the page."""
        return np.reshape(np.array(points, dtype=float), (-1, 3)) @ self.axes.T


def draw_arm(
    arm: ArmDescription,
    title: str,
    targets: Sequence[Vector] = (),
    settings: Settings | None = None,
) -> Figure:
    """Draw one page about an arm: its reachable area and its poses.

    Args:
        arm: the arm. Without turntable and lift it is drawn in its own plane, seen against the
            plane's normal; with one, in two views.
        title: title of the drawing.
        targets: points (x, y, z) in m in the base frame to draw a pose for; default: the nearest
            and the farthest point in reach.
        settings: how targets are solved; default: the node's defaults. The area that is reached at
            their tip angle is shaded.
    """
    settings, area = settings or Settings(), reach_area(arm.kinematics, CELLS)
    near = arm.chain.forward(solve(arm.chain, (0.0, 0.0)).q)[-1]
    far = max([near, *area.points], key=lambda point: math.hypot(*point))
    reaches = ' to '.join(f'{round(math.hypot(*end), 4):.4g}' for end in (near, far))
    heading = f'{_plain(title)}: reaches {reaches} m from its first joint, within the limits'
    regions = {'reachable within the limits': area}
    if settings.angle is not None:
        at_angle = area_at(arm.chain, settings.angle, area)
        regions[f'at a tip angle of {math.degrees(settings.angle):.4g} deg'] = at_angle
        if len(at_angle.points):
            away = np.hypot(*at_angle.points.T)
            near, far = at_angle.points[away.argmin()], at_angle.points[away.argmax()]
    named = [('', target) for target in targets]
    if not targets:
        plane = arm.plane_at(arm.home)
        named = [('farthest, ', plane.point(*far)), ('nearest, ', plane.point(*near))]
    figure, pages = _page(arm, heading, regions)
    colours = colormaps['viridis'](np.linspace(0.2, 0.9, len(named)))
    for (name, target), colour in zip(named, colours, strict=True):
        solution = settings.solve(arm, target, arm.home)
        code = Code.of(solution.status)
        where = ', '.join(f'{part:.4g}' for part in told(arm, target))
        label = f'{name}({where}): {code.name}{code.miss(solution)}'
        _draw_pose(pages, arm, label, solution.q.tolist(), colour, target)
    _draw_pose(pages, arm, 'home', arm.home, INK)
    _name_joints(*pages[0], arm)
    figure.legend(**LEGEND)
    return figure


def draw_path(arm: ArmDescription, title: str, points: Points, path: Path) -> Figure:
    """Draw a path, how far the tip can follow it, and some of the poses.

    The points (k, 3), in m in the base frame, are those that were asked for.
    """
    followed = path.points
    if arm.carrier is None:
        followed = _in_space(arm.kinematics.plane, path.points)
    how_far = f'{path.end:.4g} of {path.total:.4g} m can be followed'
    heading = f'{_plain(title)}: {how_far}, {path.status.name}'
    regions = {'reachable within the limits': reach_area(arm.kinematics, CELLS)}
    figure, pages = _page(arm, heading, regions)
    count = len(path.q)
    for k in np.unique(np.linspace(0, count - 1, SHAPES).astype(int)) if count else ():
        _draw_pose(pages, arm, '_', path.q[k].tolist(), FAINT)
    axes, view = pages[-1]
    for label, colour, line in (('path', ASKED, points), ('followed', FOLLOWED, followed)):
        axes.plot(*view.flat(line).T, color=colour, linewidth=2.5, zorder=6, label=label)
    figure.legend(**LEGEND)
    return figure


def _page(
    arm: ArmDescription, heading: str, regions: Mapping[str, Region]
) -> tuple[Figure, list[tuple[Axes, View]]]:
    """Return a page with the views of an arm: its plane and, if that is carried, from there.

    The regions that the arm reaches in its plane are given by their labels.
    """
    figure, views = Figure(figsize=(11.7, 8.3)), [plane_view(arm)]
    if arm.carrier is not None:
        views.append(body_view(arm))
    figure.suptitle(heading, fontsize=12)
    figure.subplots_adjust(0.07, 0.2, 0.97, 0.9)
    pages = list(zip(figure.subplots(1, len(views), squeeze=False)[0], views, strict=True))
    for axes, view in pages:
        axes.set(xlabel=_escaped(view.labels[0]), ylabel=_escaped(view.labels[1]))
        axes.set_aspect('equal', adjustable='datalim')
        axes.margins(0.05)
        axes.grid(color=INK, alpha=0.12, linewidth=0.6)
        if view.labels[1] == 'z in m':  # the ground
            axes.axhline(0.0, color=FAINT, linewidth=2.5, zorder=1)
    _draw_area(*pages[0], arm, regions)
    for axes, view in pages[1:]:
        _draw_body(axes, view, arm)
    for axes, view in pages:
        _draw_walls(axes, view, arm)
    return figure, pages


def _draw_area(axes: Axes, view: View, arm: ArmDescription, regions: Mapping[str, Region]) -> None:
    """Draw the reachable area in the plane."""
    plane = arm.kinematics.plane
    for (words, region), colour in zip(regions.items(), (AREA, AT_ANGLE), strict=False):
        points, label = view.flat(_in_space(plane, region.points)), f'{words}, {region.size:.3g} m2'
        triangles, edges = list(points[region.triangles]), list(points[region.edge])
        axes.add_collection(
            PolyCollection(triangles, color=colour, linewidth=1.0, label=label, rasterized=True)
        )
        axes.add_collection(LineCollection(edges, colors=EDGE, linewidth=1.2, zorder=2))
    links = f'{arm.reach.inner:.4g} to {arm.reach.outer:.4g} m'
    for number, radius in enumerate(filter(None, arm.chain.reach)):
        circle = arc(radius, 0.0, 2.0 * math.pi) + arm.chain.tool
        ring = view.flat(_in_space(plane, circle))
        label = '_' if number else f'reach of the links alone, {links}'
        # As an artist, so that the arm fills the view, however little its limits leave.
        line = Line2D(*ring.T, color=FAINT, linewidth=0.9, linestyle='--', zorder=2)
        axes.add_artist(line).set(label=label)
    if arm.turntable is not None:
        name, axis = _plain(arm.turntable.name), np.array(arm.turntable.axis)
        ends = np.outer([0.0, 0.01], axis / np.linalg.norm(axis)) + arm.turntable.xyz
        begin, end = view.flat(ends)
        axes.axline(begin, end, color=INK, linewidth=0.9, linestyle='-.', label=f'axis of {name}')
        axes.set_title(f'the plane, with {name} at 0', fontsize=10)
    elif arm.lift is not None:
        axes.set_title('the plane, seen along its normal', fontsize=10)


def _draw_walls(axes: Axes, view: View, arm: ArmDescription) -> None:
    """Hatch what is across walls: where they cut the plane, or are seen from the edge."""
    far, base = 8.0 * arm.reach.outer, arm.kinematics.plane.origin
    for wall in arm.walls:
        slope = view.axes @ np.array(wall.normal)
        steepness = math.hypot(*slope)
        if steepness < (EDGEWISE if arm.carrier else 1.0 - EDGEWISE):
            continue
        across = -slope / steepness
        foot = view.flat([base])[0] + across * wall.height(*base) / steepness
        along = far * np.array([across[1], -across[0]])
        deep = foot + far * across
        corners = [foot - along, foot + along, deep + along, deep - along]
        hatched = PolyCollection(
            [np.array(corners)],
            facecolor=(1.0, 1.0, 1.0, 0.7),
            edgecolor=FAINT,
            hatch='///',
            zorder=2.5,
            label=f'across wall {_plain(wall.name)}',
        )
        axes.add_collection(hatched, autolim=False)


def _draw_body(axes: Axes, view: View, arm: ArmDescription) -> None:
    """Draw the body that the area sweeps on a turntable or a lift."""
    body, name = swept_body(arm.kinematics), _plain(arm.names[0])
    shape = list(view.flat(body.vertices)[body.triangles])
    axes.add_collection(PolyCollection(shape, color=AREA, linewidth=1.0, rasterized=True))
    seen = 'along the axis of' if arm.turntable else 'from the side, carried by'
    axes.set_title(f'seen {seen} {name}', fontsize=10)


def _draw_pose(
    pages: Sequence[tuple[Axes, View]],
    arm: ArmDescription,
    label: str,
    pose: Sequence[float],
    colour: Any,
    target: Vector | None = None,
) -> None:
    """Draw a pose and its target, in the view of the plane as with the turntable at 0.

    The view of the plane is the first page; a label ``_`` does not appear in the legend.
    """
    for number, (axes, view) in enumerate(pages):
        q, place = pose, target
        if number == 0 and arm.turntable is not None:
            q = (0.0, *pose[1:])
            if target is not None:
                x, y, _ = arm.plane_at(pose).locate(target)
                place = arm.kinematics.plane.point(x, y)
        points = view.flat(skeleton(arm, q))
        axes.plot(
            *points.T,
            '-o',
            color=colour,
            linewidth=2.0 if target is None else 3.5,
            markerfacecolor='white',
            zorder=5,
            label='_' if number else label,
        )
        if place is not None:
            cross = view.flat([place])
            mark = Line2D(*cross.T, color=colour, marker='+', markersize=14, markeredgewidth=2.0)
            axes.add_artist(mark).set(label='_', zorder=6)
            # A distant target must not shrink the arm to a dot.
            widest = WIDEST * (arm.chain.reach.outer or 1.0)
            axes.update_datalim(points[-1] + np.clip(cross - points[-1], -widest, widest))


def _name_joints(axes: Axes, view: View, arm: ArmDescription) -> None:
    """Name the joints where they are at home."""
    joints = arm.chain.forward(arm.in_plane(arm.home))
    points = view.flat(_in_space(arm.kinematics.plane, joints))
    for name, point in zip(arm.chain.names, points, strict=False):
        axes.annotate(
            _plain(name),
            tuple(point),
            (7.0, -7.0),
            textcoords='offset points',
            fontsize=8,
            color=INK,
            va='top',
            zorder=7,
            path_effects=[withStroke(linewidth=2.5, foreground='white')],
        )


def _in_space(plane: Plane, points: Points) -> Points:
    """Return points (k, 2) of a plane as points (k, 3) in the base frame, in m."""
    x, y = points.T
    return np.stack(plane.point(x, y), axis=1)


def _plain(name: str) -> str:
    """Make an untrusted name safe for a drawing."""
    return _escaped(printable(name, LONGEST_NAME))


def _escaped(text: str) -> str:
    """Escape dollar signs, which Matplotlib would take for formulas."""
    return text.replace('$', r'\$')


def plane_view(arm: ArmDescription) -> View:
    """Return the view of an arm's plane, with a turntable at 0."""
    return _seen_along(arm.kinematics.plane.axes[2], turns=arm.carrier is not None)


def body_view(arm: ArmDescription) -> View:
    """Return the view that shows a turntable along its axis, or a lift from the side."""
    if arm.turntable is not None:
        return _seen_along(arm.turntable.axis)
    return _seen_along(arm.kinematics.plane.axes[1])


def _seen_along(direction: Vector, turns: bool = True) -> View:
    """Return a view along a direction in which up, or else y, is up on the page.

    Args:
        direction: of any length.
        turns: whether it may be seen from the other side, so that x or y does not run to the left.
    """
    frame = upright(direction)
    right, up = map(np.array, frame.axes[:2])
    if turns:
        right *= math.copysign(1.0, right[np.abs(right).round(9).argmax()])
    names = (axis_name(axis.tolist()) or _along(axis) for axis in (right, up))
    x, y = (f'{name} in m' for name in names)
    return View(np.stack([right, up]), (x, y))


def _along(axis: Points) -> str:
    return f'along ({", ".join(f"{part + 0.0:.3g}" for part in axis)})'
