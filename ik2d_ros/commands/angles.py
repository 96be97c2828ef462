"""The tip angles at which points are reached, drawn over the area of reach; no ROS imports.

Needs the extra ``plot``.
"""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes

from ik2d_ros.arm.region import Points
from ik2d_ros.arm.tip_angles import ranges, reached_at
from ik2d_ros.commands.strokes import Placed, as_is, draw_area
from ik2d_ros.kinematics import Chain

AT_ANGLE = '#8fbce0'
SCALE = 'viridis_r'


def draw_angles(
    axes: Axes, chain: Chain, angle: float | None, area: Points, placed: Placed = as_is
) -> Points:
    """Shade what is reached at a tip angle, or by how wide a range of them.

    Args:
        axes: a view of the arm's plane, with the area of reach.
        chain: the arm, of three joints or more.
        angle: in rad; inf for the range of all, None for neither.
        area: (k, 2) corners of what the chain reaches, in m in its plane.
        placed: where points of the plane are on the page.

    Returns:
        (k, 2) corners of what is reached at the angle, in m in the plane; those of the area where
        no single one is given, or nothing is reached at it.
    """
    if angle is None:
        return area
    if math.isfinite(angle):
        found = reached_at(chain, angle, area)
        label = f'reached at a tip angle of {angle:.4g} rad, {math.degrees(angle):.4g} deg'
        draw_area(axes, found._replace(points=placed(found.points)), label, AT_ANGLE)
        return found.points if len(found.points) else area
    xs, ys, widths = ranges(chain, area)
    grid = placed(np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)).reshape(*widths.shape, 2)
    shown = np.degrees(widths)
    most = 60 * max(1, math.ceil(np.nanmax(shown, initial=0.0) / 60.0 - 1e-6))
    cells = axes.pcolormesh(
        *np.moveaxis(grid, -1, 0), shown, cmap=SCALE, shading='nearest', zorder=1.5
    )
    cells.set_clim(0.0, most)
    bar = axes.figure.colorbar(cells, ax=axes, shrink=0.6, pad=0.02, ticks=range(0, most + 1, 30))
    bar.set_label('range of tip angles, deg')
    return area
