"""A drawing of an arm and its reachable area with Matplotlib; no ROS imports, no file access.

Needs the extra ``plot``: import this module only to draw.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from ik2d_ros.arm.area import reach_area
from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.arm.extent import lift_ends
from ik2d_ros.arm.kinds import arc
from ik2d_ros.arm.region import Points, Region
from ik2d_ros.arm.skeleton import skeleton
from ik2d_ros.arm.tip_angles import ranges, reached_at
from ik2d_ros.commands.views import LONGEST_NAME, View, body_view, plane_view, pose_in_plane
from ik2d_ros.kinematics import Solution
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.node.outcome import Code
from ik2d_ros.node.parameters import Settings
from ik2d_ros.parameters.wording import printable

# Told apart by people who are colour-blind, too (Okabe and Ito).
POSES = ('#0072b2', '#e69f00', '#009e73', '#cc79a7', '#d55e00')
AREA, AT_ANGLE, EDGE, INK, FAINT = '#dbe7f1', '#a9c8e2', '#56b4e9', '#1f2933', '#8a8f98'
SCALE = 'viridis_r'

CELLS = 240  # of the area's grid
STEPS = 181  # of the arc that a turntable sweeps
MARGIN = 1.1  # of a view about what it shows
WIDEST = 2.0  # reaches by which a target may widen a view
MOST_ROWS = 24  # of the table of joints


def draw_arm(
    arm: ArmDescription,
    title: str,
    targets: Sequence[Vector] = (),
    settings: Settings | None = None,
    angle: float | None = None,
) -> Figure:
    """Draw one page about an arm: its reachable area, its poses and its joints.

    Args:
        arm: the arm. Without turntable and lift it is drawn in its own plane, seen against the
            plane's normal; with one, in two views.
        title: title of the drawing.
        targets: points (x, y, z) in m in the base frame to draw a pose for; default: the nearest
            and the farthest point in reach.
        settings: how targets are solved; default: the node's defaults.
        angle: the tip angle in rad for which the area of reach is shaded, inf for the range of all
            of them; None for neither.
    """
    settings, figure = settings or Settings(), Figure(figsize=(11.7, 8.3))
    flat = arm.carrier is None
    area = reach_area(arm.chain, CELLS)
    views = [plane_view(arm)] if flat else [plane_view(arm), body_view(arm)]
    places = (
        [(0.07, 0.08, 0.58, 0.84)] if flat else [(0.06, 0.4, 0.42, 0.5), (0.56, 0.4, 0.42, 0.5)]
    )
    pages = [figure.add_axes(place) for place in places]
    shown = [_draw_area(pages[0], arm, views[0], area, angle)]
    if not flat:
        shown.append(_draw_carried(pages[1], arm, views[1], area))
    named = [('', target) for target in targets] or _ends(arm, area.points)
    poses: list[tuple[str, Sequence[float], str, Vector | None]] = []
    for (name, target), colour in zip(named, _colours(len(named)), strict=True):
        solution = settings.solve(arm, target, arm.home)
        label = name + _outcome(arm, target, solution)
        poses.append((label, solution.q.tolist(), colour, target))
    for label, q, colour, goal in (*poses, ('home', arm.home, INK, None)):
        for axes, view, points in zip(pages, views, shown, strict=True):
            in_plane = view is views[0] and arm.turntable is not None
            points.extend(_draw_pose(axes, arm, view, q, colour, label, goal, in_plane))
    for axes, view, points in zip(pages, views, shown, strict=True):
        _finish(axes, view, points)
    _name_joints(pages[0], arm, views[0])
    near, far = (float(end(np.hypot(*area.points.T))) for end in (np.min, np.max))
    reaches = f'reaches {near:.3g} to {far:.3g} m from its first joint, within the limits'
    figure.suptitle(f'{_plain(title)}: {reaches}', fontsize=12)
    box = (0.68, 0.08, 0.3, 0.84) if flat else (0.06, 0.02, 0.92, 0.3)
    table = figure.add_axes(box)
    table.axis('off')
    text = _escaped(describe(arm, area.size))
    table.text(0.0, 1.0, text, family='monospace', fontsize=8.5, va='top')
    labelled = [axes.get_legend_handles_labels() for axes in pages]
    entries = {label: handle for pair in labelled for handle, label in zip(*pair, strict=True)}
    corner = 'lower left' if flat else 'upper right'
    table.legend(entries.values(), entries.keys(), loc=corner, frameon=False, fontsize=8.5)
    return figure


def describe(arm: ArmDescription, area: float) -> str:
    """Format the joints of an arm as a table, with the size of its reachable area (m^2)."""
    links = [''] * (len(arm.names) - len(arm.chain)) + [f'{x:.4g} m' for x in arm.chain.lengths]
    rows = [('joint', 'link', 'range', 'home')]
    for name, link, limits, unit, home in zip(
        arm.names, links, arm.limits, arm.units, arm.home, strict=True
    ):
        span = 'no limits'
        if math.isfinite(limits[0]):
            span = f'{_shown(limits[0], unit)}..{_shown(limits[1], unit)} {_unit(unit)}'
        home_text = f'{_shown(home, unit)} {_unit(unit)}'
        rows.append((printable(name, LONGEST_NAME), link, span, home_text))
    cut = rows[: MOST_ROWS + 1]
    widths = [max(map(len, column)) for column in zip(*cut, strict=True)]
    lines = [
        '  '.join([name.ljust(widths[0]), *map(str.rjust, cells, widths[1:])])
        for name, *cells in cut
    ]
    if len(rows) > len(cut):
        lines.append(f'... and {len(rows) - len(cut)} more')
    return '\n'.join([*lines, '', f'reachable area  {area:.3g} m2'])


def _shown(value: float, unit: str) -> str:
    return f'{math.degrees(value) + 0.0:.0f}' if unit == 'rad' else f'{value:.4g}'


def _unit(unit: str) -> str:
    return 'deg' if unit == 'rad' else unit


def _draw_area(
    axes: Axes, arm: ArmDescription, view: View, area: Region, angle: float | None
) -> list[Points]:
    """Draw what is reached in the plane; return the points that the view has to show."""
    plane, chain = arm.kinematics.plane, arm.chain

    def placed(region: Region) -> Region:
        return region._replace(points=view.placed(plane, region.points))

    fill_area(axes, placed(area), 'reachable within the limits')
    if angle is not None and math.isfinite(angle):
        found = placed(reached_at(chain, angle, area.points))
        label = f'at a tip angle of {math.degrees(angle):.4g} deg'
        fill_area(axes, found, label, AT_ANGLE)
    elif angle is not None:
        xs, ys, widths = ranges(chain, area.points)
        corners = np.stack(np.meshgrid(xs, ys), axis=-1)
        grid = view.placed(plane, corners.reshape(-1, 2)).reshape(corners.shape)
        cells = axes.pcolormesh(
            grid[..., 0],
            grid[..., 1],
            np.ma.masked_invalid(np.degrees(widths)),
            cmap=SCALE,
            zorder=1.5,
        )
        bar = axes.figure.colorbar(cells, ax=axes, shrink=0.6, pad=0.02)
        bar.set_label('range of tip angles, deg')
    circles = [arc(radius, 0.0, 2.0 * math.pi) for radius in chain.reach if radius > 0.0]
    rings = [view.placed(plane, circle) for circle in circles]
    for number, ring in enumerate(rings):
        label = '_' if number else 'reach of the links alone'
        axes.plot(*ring.T, color=FAINT, linewidth=0.9, linestyle='--', zorder=2, label=label)
    if arm.turntable is not None and arm.kinematics.sweep is not None:
        axis, name = arm.kinematics.sweep.frame[2], _plain(arm.turntable.name)
        (begin,) = view.flat([arm.turntable.xyz])
        way = view.flat([axis]) - view.flat([(0.0, 0.0, 0.0)])
        axes.axline(
            begin,
            begin + way[0],
            color='#9a6b3f',
            linewidth=0.9,
            linestyle='-.',
            label=f'axis of {name}',
        )
        axes.set_title(f'the plane, turned into the page by {name}')
    elif arm.lift is not None:
        axes.set_title('the plane, seen along its normal')
    return [view.placed(plane, area.points), *rings]


def _draw_carried(axes: Axes, arm: ArmDescription, view: View, area: Region) -> list[Points]:
    """Draw what turntable or lift make of the area; return the points that have to be shown."""
    carrier, sweep = arm.carrier, arm.kinematics.sweep
    name = '' if carrier is None else _plain(carrier.name)
    lower, upper = arm.limits[0]
    if sweep is None:
        lower, upper = lift_ends(arm)
        axes.set_title(f'from the side, with {name} from {lower:.3g} to {upper:.3g} m')
        ends = [view.placed(arm.kinematics.carried_plane(q), area.points) for q in (lower, upper)]
        low, high = ends[0][:, 0].min(), ends[0][:, 0].max()
        bottom, top = ends[0][0, 1], ends[1][0, 1]
        polygons = [np.array([(low, bottom), (high, bottom), (high, top), (low, top)])]
    else:
        turns = 'all around'
        if upper - lower < 2.0 * math.pi:
            turns = f'from {_shown(lower, "rad")} to {_shown(upper, "rad")} deg'
        axes.set_title(f'seen along the axis of {name}, {turns}')
        upper = min(upper, lower + 2.0 * math.pi) if math.isfinite(lower) else math.pi
        lower = max(lower, -math.pi) if not math.isfinite(lower) else lower
        out, across, _ = sweep.raised(*area.points.T)
        beside, away = float(np.mean(across)), np.linspace(lower, upper, STEPS)
        sides = [
            (float(side.min()), float(side.max()))
            for side in (np.minimum(out, 0.0), np.maximum(out, 0.0))
            if np.ptp(side) > 0.0
        ]
        polygons = [
            view.flat(
                [sweep.point((near, beside, 0.0), q) for q in away]
                + [sweep.point((far, beside, 0.0), q) for q in away[::-1]]
            )
            for near, far in sides
        ]
    axes.add_collection(
        PolyCollection(polygons, facecolor=AREA, edgecolor=EDGE, zorder=1, label='_')
    )
    return polygons


def fill_area(axes: Axes, area: Region, label: str, colour: str = AREA) -> None:
    """Fill a region, whose points are already placed, and draw its border."""
    triangles = area.points[area.triangles]
    axes.add_collection(
        PolyCollection(
            list(triangles), facecolor=colour, edgecolor=colour, linewidth=0.4, label=label
        )
    )
    edges = area.points[area.edge]
    axes.add_collection(LineCollection(list(edges), colors=EDGE, linewidth=1.2, zorder=2))


def _draw_pose(
    axes: Axes,
    arm: ArmDescription,
    view: View,
    q: Sequence[float],
    colour: str,
    label: str,
    target: Vector | None,
    in_plane: bool,
) -> list[Points]:
    """Draw (m,) positions and their target; return the points that the view has to show."""
    points = view.flat(pose_in_plane(arm, q) if in_plane else skeleton(arm, q))
    first = len(points) - len(arm.chain) - 1
    axes.plot(
        *points.T,
        '-o',
        color=colour,
        linewidth=1.5 if target is None else 3.5,
        markersize=6.0,
        markerfacecolor='white',
        markevery=slice(first, None),
        solid_joinstyle='round',
        zorder=5,
        label=label,
    )
    if target is None:
        return [points]
    if in_plane:  # where the pose has it in its plane
        x, y, _ = arm.plane_at(q).locate(target)
        target = arm.kinematics.plane.point(x, y)
    place = view.flat([target])
    axes.plot(*place.T, '+', color=colour, markersize=14, markeredgewidth=2.0, zorder=6)
    widest = WIDEST * (arm.chain.reach.outer or 1.0)
    return [points, points[first] + np.clip(place - points[first], -widest, widest)]


def _name_joints(axes: Axes, arm: ArmDescription, view: View) -> None:
    """Label the joints of the pose at home, on the outside of its bends."""
    points = view.flat(pose_in_plane(arm, arm.home))[-len(arm.chain) - 1 :]
    before = np.array([0.0, 0.0])
    for name, place, after in zip(arm.chain.names, points, points[1:], strict=False):
        way = (after - place) / (float(np.hypot(*(after - place))) or 1.0)
        outside = np.array([way[1], -way[0]]) if way.any() else np.array([1.0, 0.0])
        if before[0] * way[1] - before[1] * way[0] < 0.0:
            outside = -outside
        axes.annotate(
            _plain(name),
            tuple(place),
            tuple(14.0 * outside),
            textcoords='offset points',
            fontsize=8,
            color=INK,
            ha='left' if outside[0] > 0.3 else 'right' if outside[0] < -0.3 else 'center',
            va='bottom' if outside[1] > 0.3 else 'top' if outside[1] < -0.3 else 'center',
            zorder=7,
            path_effects=[withStroke(linewidth=2.5, foreground='white')],
        )
        before = way


def _finish(axes: Axes, view: View, shown: Sequence[Points]) -> None:
    """Show all that has to be shown, with the labels of the axes and equal scales."""
    points = np.concatenate(shown)
    low, high = points.min(axis=0), points.max(axis=0)
    middle, half = 0.5 * (low + high), 0.5 * MARGIN * float((high - low).max()) or 1.0
    (left, bottom), (right, top) = middle - half, middle + half
    axes.set(xlim=(left, right), ylim=(bottom, top))
    axes.set(xlabel=_escaped(view.labels[0]), ylabel=_escaped(view.labels[1]))
    axes.set_aspect('equal')
    axes.grid(color=INK, alpha=0.12, linewidth=0.6)


def _ends(arm: ArmDescription, points: Points) -> list[tuple[str, Vector]]:
    """Return the points of an area farthest from and nearest to the base; ties go to home.

    They are in the base frame, with turntable or lift half-way to its limits to either side, so
    that the poses do not hide each other.
    """
    tip = arm.chain.forward(arm.in_plane(arm.home))[-1]
    away = np.hypot(*(points - tip).T)
    radii = np.round(np.hypot(*points.T) / (arm.chain.reach.outer or 1.0), 6)
    ends = points[np.lexsort([away, -radii])[0]], points[np.lexsort([away, radii])[0]]
    planes = [arm.kinematics.plane] * 2
    if arm.carrier is not None:
        far = math.pi / 2.0 if arm.turntable is not None else arm.kinematics.size
        (lower, upper), now = arm.limits[0], arm.home[0]
        turned = 0.5 * (now + min(upper, now + far)), 0.5 * (now + max(lower, now - far))
        planes = [arm.kinematics.carried_plane(q) for q in turned]
    names = 'farthest, ', 'nearest, '
    return [
        (name, plane.point(float(x), float(y)))
        for name, plane, (x, y) in zip(names, planes, ends, strict=True)
    ]


def _outcome(arm: ArmDescription, target: Vector, solution: Solution) -> str:
    """Describe a target and its outcome, short enough for a legend."""
    digits = max(0, 2 - math.floor(math.log10(arm.chain.reach.outer or 1.0)))
    where = target if arm.carrier is not None else arm.kinematics.plane.locate(target)[:2]
    place = ', '.join(f'{round(value, digits) + 0.0:.{digits}f}' for value in where)
    code = Code.of(solution.status)
    return f'({place}): {code.name}{code.miss(solution)}'


def _colours(count: int) -> Sequence[str]:
    """Return as many colours, no two the same."""
    if count <= len(POSES):
        return POSES[:count]
    return [colormaps['viridis'](share) for share in np.linspace(0.0, 1.0, count)]


def _plain(name: str) -> str:
    """Make an untrusted name safe for a drawing."""
    return _escaped(printable(name, LONGEST_NAME))


def _escaped(text: str) -> str:
    """Escape dollar signs, which Matplotlib would take for formulas."""
    return text.replace('$', r'\$')
