"""A drawing of the arm and its reachable area with Matplotlib; no ROS imports, no file access.

Needs the extra ``plot``: import this module only to draw.
"""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from ik2d_ros.arm.area import reach_area
from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.commands.angles import draw_angles
from ik2d_ros.commands.captions import describe, outcome, reach_words
from ik2d_ros.commands.drawing_in_space import draw_in_space
from ik2d_ros.commands.extents import covered, ends_of_reach
from ik2d_ros.commands.strokes import (
    CELLS,
    INK,
    POSES,
    REACHED,
    draw_annulus,
    draw_area,
    draw_limits,
    draw_pose,
    draw_target,
    escape_math,
    finish,
    name_joints,
    plain,
)
from ik2d_ros.node.parameters import Settings

MARGIN = 1.08  # Half the width of the drawing, in reaches.
WIDEST = 2.0  # Its limit, in reaches, for targets out of reach: the arm stays visible.
MOST_ROWS = 24  # of the table of joints


def draw_arm(
    arm: ArmDescription,
    title: str,
    targets: Sequence[Sequence[float]] = (),
    settings: Settings | None = None,
    angle: float | None = None,
) -> Figure:
    """Draw one page about an arm: its reachable area, its poses and its joints.

    Args:
        arm: the arm. Without turntable and lift it is drawn in its own plane, seen against the
            plane's normal; with one, in two views.
        title: title of the drawing.
        targets: points in m to draw a pose for, (x, y) in the plane or, for an arm with a
            turntable or a lift, (x, y, z) in the base frame; default: the nearest and the farthest
            point in reach.
        settings: how targets are solved; default: the node's defaults.
        angle: the tip angle in rad for which the area of reach is shaded, inf for the range of all
            of them; None for neither.
    """
    settings = settings or Settings()
    if arm.carrier is not None:
        return draw_in_space(arm, title, targets, settings, angle)
    return _draw_in_plane(arm, title, [(x, y) for x, y in targets], settings, angle)


def _draw_in_plane(
    arm: ArmDescription,
    title: str,
    targets: list[tuple[float, float]],
    settings: Settings,
    angle: float | None,
) -> Figure:
    chain, figure = arm.chain, Figure(figsize=(11.7, 8.3))
    plan, table = (
        figure.add_axes((0.06, 0.07, 0.62, 0.87)),
        figure.add_axes((0.71, 0.07, 0.28, 0.87)),
    )
    area = reach_area(chain, CELLS)
    points, triangles = area.points, area.triangles
    draw_annulus(plan, chain)
    draw_area(plan, area, REACHED)
    ends = ends_of_reach(draw_angles(plan, chain, angle, points), arm)
    shown = [('', target) for target in targets] or ends
    home = arm.in_plane(arm.home)
    draw_limits(plan, chain, home)
    for number, (name, target) in enumerate(shown):
        solution = settings.solve(arm, arm.kinematics.plane.point(*target), home)
        colour = POSES[number % len(POSES)]
        label = name + outcome(chain, target, solution)
        draw_pose(plan, chain.forward(solution.q), colour, label)
        draw_target(plan, target, colour)
    draw_pose(plan, chain.forward(home), INK, 'home')
    name_joints(plan, chain.names, chain.forward(home))
    inner, outer = chain.reach
    farthest = max(abs(value) for _, target in shown for value in target)
    half = MARGIN * min(max(farthest, outer or 1.0), WIDEST * (outer or 1.0))
    plan.set(xlim=(-half, half), ylim=(-half, half))
    reach = f'reach {inner:.4g} m to {outer:.4g} m, {reach_words(chain)}'
    finish(plan, f'{plain(title)}: {reach}', ('x in m', 'y in m'))
    table.axis('off')
    text = describe(arm, covered(points, triangles), MOST_ROWS)
    table.text(0.0, 1.0, escape_math(text), family='monospace', fontsize=8.5, va='top')
    table.legend(*plan.get_legend_handles_labels(), loc='lower left', frameon=False, fontsize=8.5)
    return figure
