"""A drawing of an arm and its reachable area with Matplotlib; no file access.

Needs the extra ``plot``: import this module only to draw.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke

from ik2d_ros.arm.area import reach_area
from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.arm.extent import lift_ends, skeleton
from ik2d_ros.arm.kinds import arc
from ik2d_ros.arm.region import Points, Region
from ik2d_ros.arm.tip_angles import ranges, reached_at
from ik2d_ros.kinematics import Path, Solution
from ik2d_ros.kinematics.plane import Plane, Vector
from ik2d_ros.node.outcome import Code
from ik2d_ros.node.parameters import Settings
from ik2d_ros.parameters.wording import printable

# Told apart by people who are colour-blind, too (Okabe and Ito).
POSES = ('#0072b2', '#e69f00', '#009e73', '#cc79a7', '#d55e00')
AREA, AT_ANGLE, EDGE, INK, FAINT = '#dbe7f1', '#a9c8e2', '#56b4e9', '#1f2933', '#8a8f98'
BROWN, SCALE = '#9a6b3f', 'viridis_r'

CELLS = 240  # of the area's grid
STEPS = 181  # of the arc that a turntable sweeps
WIDEST = 2.0  # reaches by which a target may widen a view
LONGEST_NAME = 40  # characters
STEEP = 0.7  # the share of a direction along z from which it counts as upright
LEAN = 5e-3  # rad by which a direction may differ from an axis and still be called by its name


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
    flat, area = arm.carrier is None, reach_area(arm.chain, CELLS)
    views = [(figure.add_axes((0.07, 0.08, 0.58, 0.84)), plane_view(arm))]
    if not flat:
        views[0][0].set_position((0.06, 0.4, 0.42, 0.5))
        views.append((figure.add_axes((0.56, 0.4, 0.42, 0.5)), body_view(arm)))
        _draw_carried(*views[1], arm, area)
    _draw_area(*views[0], arm, area, angle)
    named = [('', target) for target in targets] or _ends(arm, area.points)
    poses: list[tuple[str, Sequence[float], str, Vector | None]] = []
    for (name, target), colour in zip(named, _colours(len(named)), strict=True):
        solution = settings.solve(arm, target, arm.home)
        label = name + _outcome(arm, target, solution)
        poses.append((label, solution.q.tolist(), colour, target))
    for axes, view in views:
        for label, q, colour, goal in (*poses, ('home', arm.home, INK, None)):
            is_turned_back = view is views[0][1] and arm.turntable is not None
            _draw_pose(axes, arm, view, q, colour, label, goal, is_turned_back)
        axes.set(xlabel=_escaped(view.labels[0]), ylabel=_escaped(view.labels[1]))
        axes.set_aspect('equal', adjustable='datalim')
        axes.margins(0.05)
        axes.grid(color=INK, alpha=0.12, linewidth=0.6)
    _name_joints(*views[0], arm)
    near, far = (float(end(np.hypot(*area.points.T))) for end in (np.min, np.max))
    reaches = f'reaches {near:.3g} to {far:.3g} m from its first joint, within the limits'
    figure.suptitle(f'{_plain(title)}: {reaches}', fontsize=12)
    table = figure.add_axes((0.68, 0.08, 0.3, 0.84) if flat else (0.06, 0.02, 0.92, 0.3))
    table.axis('off')
    text = _escaped(describe(arm, area.size))
    table.text(0.0, 1.0, text, family='monospace', fontsize=8.5, va='top')
    labelled = [axes.get_legend_handles_labels() for axes, _ in views]
    entries = {label: handle for pair in labelled for handle, label in zip(*pair, strict=True)}
    corner = 'lower left' if flat else 'upper right'
    table.legend(entries.values(), entries.keys(), loc=corner, frameon=False, fontsize=8.5)
    return figure


def draw_path(arm: ArmDescription, title: str, points: Points, path: Path) -> Figure:
    """Draw a path, how far the tip can follow it, and some of the poses.

    Args:
        arm: the arm, drawn in its plane; with a turntable or a lift, as its body is seen.
        title: title of the drawing.
        points: (k, 2) in the arm's plane, or (k, 3) in the base frame, those that were asked for.
        path: what was found.
    """
    figure = Figure(figsize=(8.3, 8.3))
    axes = figure.add_axes((0.1, 0.08, 0.86, 0.84))
    flat, plane = arm.carrier is None, arm.kinematics.plane
    view = plane_view(arm) if flat else body_view(arm)
    area = reach_area(arm.chain, CELLS)
    if flat:
        _draw_area(axes, view, arm, area, None)
    else:
        _draw_carried(axes, view, arm, area)
    for some, colour, label in ((points, POSES[4], 'path'), (path.points, POSES[2], 'followed')):
        if len(some):
            seen = view.placed(plane, some) if flat else view.flat(some)
            axes.plot(*seen.T, color=colour, linewidth=2.5, zorder=4, label=label)
    for k in np.unique(np.linspace(0, len(path.q) - 1, 7).astype(int)) if len(path.q) else ():
        _draw_pose(axes, arm, view, path.q[k].tolist(), FAINT, '_', None, is_turned_back=False)
    axes.set(xlabel=_escaped(view.labels[0]), ylabel=_escaped(view.labels[1]))
    axes.set_aspect('equal', adjustable='datalim')
    axes.grid(color=INK, alpha=0.12, linewidth=0.6)
    axes.legend(loc='lower left', frameon=False, fontsize=8.5)
    verdict = f'{path.status.name}, {path.end:.4g} of {path.total:.4g} m'
    figure.suptitle(f'{_plain(title)}: {verdict}', fontsize=12)
    return figure


def describe(arm: ArmDescription, area: float) -> str:
    """Format the joints of an arm as a table, with the size of its reachable area (m^2)."""
    links = [''] * (len(arm.names) - len(arm.chain)) + [f'{x:.4g} m' for x in arm.chain.lengths]
    rows = [('joint', 'link', 'range', 'home')]
    for name, link, limits, unit, home in zip(
        arm.names, links, arm.limits, arm.units, arm.home, strict=True
    ):
        (lower, shown), (upper, _), (start, _) = (_shown(q, unit) for q in (*limits, home))
        span = f'{lower}..{upper} {shown}' if math.isfinite(limits[0]) else 'no limits'
        rows.append((printable(name, LONGEST_NAME), link, span, f'{start} {shown}'))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        '  '.join([name.ljust(widths[0]), *map(str.rjust, cells, widths[1:])])
        for name, *cells in rows
    ]
    return '\n'.join([*lines, '', f'reachable area  {area:.3g} m2'])


def _shown(value: float, unit: str) -> tuple[str, str]:
    """Return a position as people read it, and its unit."""
    if unit == 'rad':
        return f'{math.degrees(value) + 0.0:.0f}', 'deg'
    return f'{value:.4g}', unit


def _draw_area(
    axes: Axes, view: View, arm: ArmDescription, area: Region, angle: float | None
) -> None:
    """Draw what is reached in the plane."""
    plane, chain = arm.kinematics.plane, arm.chain

    def fill(region: Region, label: str, colour: str) -> None:
        points = view.placed(plane, region.points)
        triangles, edges = list(points[region.triangles]), list(points[region.edge])
        shape = PolyCollection(
            triangles, facecolor=colour, edgecolor=colour, linewidth=0.4, label=label
        )
        axes.add_collection(shape)
        axes.add_collection(LineCollection(edges, colors=EDGE, linewidth=1.2, zorder=2))

    fill(area, 'reachable within the limits', AREA)
    if angle is not None and math.isfinite(angle):
        label = f'at a tip angle of {math.degrees(angle):.4g} deg'
        fill(reached_at(chain, angle, area.points), label, AT_ANGLE)
    elif angle is not None:
        xs, ys, widths = ranges(chain, area.points)
        corners = np.stack(np.meshgrid(xs, ys), axis=-1)
        grid = view.placed(plane, corners.reshape(-1, 2)).reshape(corners.shape)
        degrees = np.ma.masked_invalid(np.degrees(widths))
        cells = axes.pcolormesh(*np.moveaxis(grid, -1, 0), degrees, cmap=SCALE, zorder=1.5)
        bar = axes.figure.colorbar(cells, ax=axes, shrink=0.6, pad=0.02)
        bar.set_label('range of tip angles, deg')
    for number, radius in enumerate(filter(None, chain.reach)):
        ring = view.placed(plane, arc(radius, 0.0, 2.0 * math.pi) + chain.tool)
        label = '_' if number else 'reach of the links alone'
        axes.plot(*ring.T, color=FAINT, linewidth=0.9, linestyle='--', zorder=2, label=label)
    if arm.turntable is not None and arm.kinematics.sweep is not None:
        name, axis = _plain(arm.turntable.name), np.array(arm.kinematics.sweep.frame[2])
        ends = view.flat(np.array(arm.turntable.xyz) + np.outer((0.0, 0.01), axis))
        axes.axline(*ends, color=BROWN, linewidth=0.9, linestyle='-.', label=f'axis of {name}')
        axes.set_title(f'the plane, turned into the page by {name}')
    elif arm.lift is not None:
        axes.set_title('the plane, seen along its normal')


def _draw_carried(axes: Axes, view: View, arm: ArmDescription, area: Region) -> None:
    """Draw what turntable or lift make of the area."""
    sweep, (lower, upper), name = arm.kinematics.sweep, arm.limits[0], _plain(arm.names[0])
    if sweep is None:
        lower, upper = lift_ends(arm)
        axes.set_title(f'from the side, with {name} from {lower:.3g} to {upper:.3g} m')
        planes = [arm.kinematics.carried_plane(q) for q in (lower, upper)]
        both = np.concatenate([view.placed(plane, area.points) for plane in planes])
        (left, bottom), (right, top) = both.min(axis=0), both.max(axis=0)
        polygons = [np.array([(left, bottom), (right, bottom), (right, top), (left, top)])]
    else:
        turns = 'all around'
        if upper - lower < 2.0 * math.pi:
            turns = f'from {math.degrees(lower):.0f} to {math.degrees(upper):.0f} deg'
        axes.set_title(f'seen along the axis of {name}, {turns}')
        lower = lower if math.isfinite(lower) else -math.pi
        away = np.linspace(lower, min(upper, lower + 2.0 * math.pi), STEPS)
        out, across, _ = sweep.raised(*area.points.T)
        beside = float(np.mean(across))
        sides = [side for side in (np.minimum(out, 0.0), np.maximum(out, 0.0)) if np.ptp(side)]
        polygons = [
            view.flat(
                [sweep.point((side.min(), beside, 0.0), q) for q in away]
                + [sweep.point((side.max(), beside, 0.0), q) for q in away[::-1]]
            )
            for side in sides
        ]
    axes.add_collection(PolyCollection(polygons, facecolor=AREA, edgecolor=EDGE, zorder=1))


def _draw_pose(
    axes: Axes,
    arm: ArmDescription,
    view: View,
    q: Sequence[float],
    colour: str,
    label: str,
    target: Vector | None,
    is_turned_back: bool,
) -> None:
    """Draw (m,) positions and their target."""
    points = view.flat(pose_in_plane(arm, q) if is_turned_back else skeleton(arm, q))
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
        return
    if is_turned_back:  # where the pose has it in its plane
        x, y, _ = arm.plane_at(q).locate(target)
        target = arm.kinematics.plane.point(x, y)
    place = view.flat([target])
    cross = Line2D(
        *place.T, label='_', color=colour, marker='+', markersize=14, markeredgewidth=2.0, zorder=6
    )
    axes.add_artist(cross)
    # One that is far away does not make a dot of the arm.
    widest = WIDEST * (arm.chain.reach.outer or 1.0)
    axes.update_datalim(points[first] + np.clip(place - points[first], -widest, widest))


def _name_joints(axes: Axes, view: View, arm: ArmDescription) -> None:
    """Label the joints of the pose at home."""
    behind = 2 if any(arm.chain.tool) else 1
    points = view.flat(pose_in_plane(arm, arm.home))[-len(arm.chain) - behind : -behind]
    for name, place in zip(arm.chain.names, points, strict=True):
        axes.annotate(
            _plain(name),
            tuple(place),
            (9.0, -9.0),
            textcoords='offset points',
            fontsize=8,
            color=INK,
            va='top',
            zorder=7,
            path_effects=[withStroke(linewidth=2.5, foreground='white')],
        )


def _ends(arm: ArmDescription, points: Points) -> list[tuple[str, Vector]]:
    """Return the points of an area farthest from and nearest to the base, in the base frame."""
    away, plane = np.hypot(*points.T), arm.plane_at(arm.home)
    ends = (('farthest, ', points[away.argmax()]), ('nearest, ', points[away.argmin()]))
    return [(name, plane.point(*end.tolist())) for name, end in ends]


def _outcome(arm: ArmDescription, target: Vector, solution: Solution) -> str:
    """Describe a target and its outcome, short enough for a legend."""
    where = target if arm.carrier is not None else arm.kinematics.plane.locate(target)[:2]
    place = ', '.join(f'{round(value, 4) + 0.0:.4g}' for value in where)
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


class View(NamedTuple):
    """A projection of space onto the page.

    Attributes:
        origin: (3,) where the page's coordinates are 0, in m in the base frame.
        right: (3,) unit vector in the base frame.
        up: (3,) unit vector in the base frame, at right angles to ``right``.
        labels: of the page's x-axis and y-axis.
    """

    origin: Points
    right: Points
    up: Points
    labels: tuple[str, str]

    def flat(self, points: Points | Sequence[Vector]) -> Points:
        """Project points (k, 3) in m in the base frame; (k, 2) in m on the page."""
        away = np.reshape(np.array(points, dtype=float), (-1, 3)) - self.origin
        return np.stack([away @ self.right, away @ self.up], axis=1)

    def placed(self, plane: Plane, points: Points) -> Points:
        """Project points (k, 2) of a plane, in m; (k, 2) in m on the page."""
        return self.flat([plane.point(x, y) for x, y in points.tolist()])


def plane_view(arm: ArmDescription) -> View:
    """Return the view of an arm's plane.

    Without turntable and lift it is seen in its own coordinates, else from above or from the side;
    one that turns with the turntable at 0, and its axis upright or level, whatever is nearer.
    """
    plane, sweep, turntable = arm.kinematics.plane, arm.kinematics.sweep, arm.turntable
    if arm.carrier is None:
        right, up = np.array(plane.axes[0]), np.array(plane.axes[1])
        return View(np.array(plane.origin), right, up, ('x in m', 'y in m'))
    if sweep is None or turntable is None:
        return _seen_along(np.array(plane.axes[2]))
    out, axis = _signed(np.array(sweep.frame[0])), _signed(np.array(sweep.frame[2]))
    # Along the axis the page has the coordinate of the base frame, beside it the distance from it.
    origin = np.array(turntable.xyz) - (np.array(turntable.xyz) @ axis) * axis
    name = printable(turntable.name, LONGEST_NAME)
    labels = f'out from the axis of {name}, in m', f'{_name(axis)} in m'
    if abs(out[2]) > abs(axis[2]):
        return View(origin, axis, out, labels[::-1])
    return View(origin, out, axis, labels)


def body_view(arm: ArmDescription) -> View:
    """Return the view that shows what turntable or lift do.

    A turntable is seen along its axis, from above if the axis is upright; a lift from the side.
    """
    if arm.turntable is not None:
        return _seen_along(np.array(arm.turntable.axis))
    up = _signed(np.array(arm.kinematics.plane.axes[2]))
    right = _across(np.eye(3)[0 if abs(up[0]) < STEEP else 1], up)
    return View(np.zeros(3), right, up, _labels(right, up))


def pose_in_plane(arm: ArmDescription, positions: Sequence[float]) -> list[Vector]:
    """Return the points of a pose in m in the base frame, turned back into :func:`plane_view`."""
    turned_back = (0.0, *positions[1:]) if arm.turntable is not None else positions
    return skeleton(arm, turned_back)


def _seen_along(direction: Points) -> View:
    """Return the view against a direction or along it, whichever is from above or in front."""
    viewer = _signed(direction)
    up = _across(np.eye(3)[2 if abs(viewer[2]) < STEEP else 1], viewer)
    right: Points = np.asarray(np.cross(up, viewer), dtype=np.float64)
    return View(np.zeros(3), right, up, _labels(right, up))


def _labels(right: Points, up: Points) -> tuple[str, str]:
    return f'{_name(right)} in m', f'{_name(up)} in m'


def _name(direction: Points) -> str:
    """Return what the coordinate along a unit vector of the base frame is called."""
    axis = int(np.abs(direction).argmax())
    if abs(direction[axis]) > math.cos(LEAN):
        return f'{"" if direction[axis] > 0.0 else "-"}{"xyz"[axis]}'
    return f'along ({", ".join(f"{part + 0.0:.3g}" for part in direction)})'


def _signed(direction: Points) -> Points:
    """Return a direction or its opposite: the one whose largest component is positive."""
    largest = direction[np.abs(direction).round(9).argmax()]
    return math.copysign(1.0, largest) * direction + 0.0


def _across(direction: Points, normal: Points) -> Points:
    """Return the unit vector at right angles to a normal that is nearest to a direction."""
    across = direction - float(direction @ normal) * normal
    return np.asarray(across / float(np.linalg.norm(across)), dtype=np.float64)
