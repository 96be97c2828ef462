"""A drawing of the arm and its reachable area with Matplotlib; no ROS imports, no file access.

Needs the extra ``plot``: import this module only to draw.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Wedge
from matplotlib.patheffects import withStroke
from numpy.typing import ArrayLike, NDArray

from ik2d_ros.arm.area import Points, Triangles, reach_area
from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics import Chain, Joint, Solution
from ik2d_ros.node.outcome import Code
from ik2d_ros.node.parameters import Settings
from ik2d_ros.node.solving import solve_in_plane
from ik2d_ros.parameters.wording import printable

AREA, EDGE, INK = '#cfe3f3', '#3b7dbd', '#1f2933'
POSES = ('#d1495b', '#2e8b57', '#8e5ea2', '#d98324', '#1b7f8c')

MARGIN = 1.08  # Half the width of the drawing, in reaches.
WIDEST = 2.0  # Its limit, in reaches, for targets out of reach: the arm stays visible.
LONGEST_NAME = 40  # characters
MOST_ROWS = 24  # of the table of joints; more would run off the page


def draw_arm(
    arm: ArmDescription,
    title: str,
    targets: Sequence[tuple[float, float]] = (),
    settings: Settings | None = None,
) -> Figure:
    """Draw one page about an arm: its reachable area, its poses and its joints.

    Args:
        arm: the arm; drawn in its own plane, seen against the plane's normal.
        title: title of the drawing.
        targets: points (x, y) in m to draw a pose for; default: the nearest and the farthest point
            in reach.
        settings: how targets are solved; default: the node's defaults.
    """
    settings, chain = settings or Settings(), arm.chain
    figure = Figure(figsize=(11.7, 8.3))
    plan, table = (
        figure.add_axes((0.06, 0.07, 0.62, 0.87)),
        figure.add_axes((0.71, 0.07, 0.28, 0.87)),
    )
    points, triangles = reach_area(chain)
    shown = [('', target) for target in targets] or ends_of_reach(points, arm)
    draw_annulus(plan, chain)
    draw_area(plan, points, triangles)
    home = arm.in_plane(arm.home)
    draw_limits(plan, chain, home)
    for number, (name, target) in enumerate(shown):
        solution = solve_in_plane(settings, chain, target, home)
        colour = POSES[number % len(POSES)]
        draw_pose(plan, chain, solution.q, colour, name + outcome(chain, target, solution))
        plan.plot(*target, '+', color=colour, markersize=14, markeredgewidth=2.0, zorder=6)
    draw_pose(plan, chain, home, INK, 'home')
    name_joints(plan, chain, home)
    inner, outer = chain.reach
    farthest = max(abs(value) for _, target in shown for value in target)
    half = MARGIN * min(max(farthest, outer or 1.0), WIDEST * (outer or 1.0))
    plan.set(xlim=(-half, half), ylim=(-half, half), xlabel='x in m', ylabel='y in m')
    plan.set_aspect('equal')
    plan.grid(color=INK, alpha=0.12, linewidth=0.6)
    plan.set_title(f'{plain(title)}: reach {inner:.4g} m to {outer:.4g} m, limits ignored')
    table.axis('off')
    text = describe(arm, covered(points, triangles))
    table.text(0.0, 1.0, escape_math(text), family='monospace', fontsize=8.5, va='top')
    table.legend(*plan.get_legend_handles_labels(), loc='lower left', frameon=False, fontsize=8.5)
    return figure


def plain(name: str) -> str:
    """Make an untrusted name safe for a drawing."""
    return escape_math(printable(name, LONGEST_NAME))


def escape_math(text: str) -> str:
    """Escape dollar signs, which Matplotlib would take for formulas."""
    return text.replace('$', r'\$')


def ends_of_reach(points: Points, arm: ArmDescription) -> list[tuple[str, tuple[float, float]]]:
    """Return the points of an area farthest from and nearest to the base; ties go to home."""
    tip = arm.chain.forward(arm.in_plane(arm.home))[-1]
    away = np.hypot(*(points - tip).T)
    radii = np.round(np.hypot(*points.T) / (arm.chain.reach.outer or 1.0), 6)
    ends = {
        'farthest, ': points[np.lexsort([away, -radii])[0]],
        'nearest, ': points[np.lexsort([away, radii])[0]],
    }
    return [(name, (float(x), float(y))) for name, (x, y) in ends.items()]


def covered(points: Points, triangles: Triangles) -> float:
    """Return the area of triangles in m^2: ``points`` (k, 2) in m, ``triangles`` (t, 3) indices."""
    a, b, c = (points[triangles[:, i]] for i in range(3))
    doubled = (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]
    return float(0.5 * doubled.sum())


def border(triangles: Triangles) -> NDArray[np.int64]:
    """Return the sides (k, 2) that belong to only one of the triangles (t, 3)."""
    sides = np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    found, counts = np.unique(sides, axis=0, return_counts=True)
    outer: NDArray[np.int64] = found[counts == 1]
    return outer


def draw_area(axes: Axes, points: Points, triangles: Triangles) -> None:
    """Fill the area of reach and draw its border."""
    axes.add_collection(
        PolyCollection(
            list(points[triangles]),
            facecolor=AREA,
            edgecolor=AREA,
            linewidth=0.4,
            zorder=1,
            label='reachable within joint limits',
        )
    )
    axes.add_collection(
        LineCollection(list(points[border(triangles)]), colors=EDGE, linewidth=1.2, zorder=2)
    )


def draw_annulus(axes: Axes, chain: Chain) -> None:
    """Draw the edges of the reach without joint limits."""
    label = 'reach, limits ignored'
    for radius in chain.reach:
        if radius > 0.0:
            axes.add_patch(
                Circle(
                    (0.0, 0.0),
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


def draw_limits(axes: Axes, chain: Chain, q: ArrayLike) -> None:
    """Draw the range of each joint with limits as a sector, at a pose (n,) in rad."""
    points = chain.forward(q)
    directions = np.degrees(np.arctan2(*np.diff(points, axis=0).T[::-1]))
    label = 'joint ranges, at home'
    for joint, now, center, direction in zip(
        chain.joints, np.asarray(q), points, directions, strict=False
    ):
        if joint.lower is None or joint.upper is None or not joint.length:
            continue
        ends = [math.degrees(joint.axis * (end - now)) for end in (joint.lower, joint.upper)]
        axes.add_patch(
            Wedge(
                center,
                max(0.3 * joint.length, 0.06 * chain.reach.outer),
                direction + min(ends),
                direction + max(ends),
                color=INK,
                alpha=0.12,
                linewidth=0.0,
                zorder=3,
                label=label,
            )
        )
        label = '_'


def draw_pose(axes: Axes, chain: Chain, q: ArrayLike, colour: str, label: str) -> None:
    """Draw the links and joints of a chain at a pose (n,) in rad."""
    points = chain.forward(q)
    axes.plot(
        *points.T,
        '-o',
        color=colour,
        linewidth=3.0,
        markersize=6.0,
        markerfacecolor='white',
        markeredgewidth=1.5,
        solid_joinstyle='round',
        zorder=5,
        label=label,
    )
    axes.plot(*points[-1], 'o', color=colour, markersize=6.0, zorder=6)


def name_joints(axes: Axes, chain: Chain, q: ArrayLike) -> None:
    """Label the joints on the outside of the bend, at a pose (n,) in rad."""
    points = chain.forward(q)
    for name, before, here, after in zip(
        chain.names, [points[0], *points], points, points[1:], strict=False
    ):
        outside = 2.0 * here - before - after
        length = math.hypot(*outside)
        x, y = outside / length if length > 0.0 else (0.0, -1.0)
        axes.annotate(
            plain(name),
            here,
            (14.0 * x, 14.0 * y),
            textcoords='offset points',
            fontsize=8,
            color=INK,
            ha='left' if x > 0.3 else 'right' if x < -0.3 else 'center',
            va='bottom' if y > 0.3 else 'top' if y < -0.3 else 'center',
            zorder=7,
            path_effects=[withStroke(linewidth=2.5, foreground='white')],
        )


def outcome(chain: Chain, target: tuple[float, float], solution: Solution) -> str:
    """Describe a target and its outcome, short enough for a legend."""
    digits = max(0, 2 - math.floor(math.log10(chain.reach.outer or 1.0)))
    x, y = (f'{round(value, digits) + 0.0:.{digits}f}' for value in target)
    code = Code.of(solution.status)
    miss = '' if code.reachable else f', {solution.error:.3g} m away'
    return f'({x}, {y}): {code.name}{miss}'


def describe(arm: ArmDescription, area: float) -> str:
    """Format the joints of an arm as a table, with the size of its reachable area (m^2)."""
    chain = arm.chain
    names = [printable(name, LONGEST_NAME) for name in chain.names]
    width = max([5, *map(len, names)])
    lines = [f'{"joint":{width}}  link m   range deg   home']
    rows = list(zip(names, chain.joints, arm.in_plane(arm.home), strict=True))
    for name, joint, home in rows[:MOST_ROWS]:
        lines.append(
            f'{name:{width}}  {joint.length:6.4g}  {_range(joint):>10}  {math.degrees(home):5.0f}'
        )
    if len(rows) > MOST_ROWS:
        lines.append(f'... and {len(rows) - MOST_ROWS} more')
    inner, outer = chain.reach
    ring = math.pi * (outer * outer - inner * inner)
    lines += ['', f'reachable area  {area:.3g} m2']
    if ring > 0.0:
        lines.append(f'without limits  {ring:.3g} m2')
    return '\n'.join(lines)


def _range(joint: Joint) -> str:
    if joint.lower is None or joint.upper is None:
        return 'continuous'
    return f'{math.degrees(joint.lower):.0f}..{math.degrees(joint.upper):.0f}'
