"""The reachable area at a tip angle, and the range of tip angles at points; no ROS imports."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.arm.area import MARGIN, TOLERANCE
from ik2d_ros.arm.region import Points, Region, region
from ik2d_ros.kinematics import Chain, solve_batch

CELLS = 120  # Along each side of the area of reach, where the points at one angle are looked for.
COARSE = 60  # The same for the range of angles, which is asked for many of them.
ASKED = 24  # Tip angles asked for at each point, evenly spread over a turn.
ANGLE_TOLERANCE = 1e-3  # rad


def reached_at(chain: Chain, angle: float, area: Points) -> Region:
    """Return the points that the tip reaches at a tip angle, in m in the arm's plane.

    Args:
        chain: the arm, of three joints or more.
        angle: tip angle in rad.
        area: (k, 2) corners of what the chain reaches, in m in its plane.
    """

    def field(points: Points) -> tuple[Points, Points]:
        is_reached = _away(chain, points, angle) == 0.0
        return np.where(is_reached, 0.0, np.inf), points

    margin = MARGIN * chain.reach.outer
    return region(field, area.min(axis=0) - margin, area.max(axis=0) + margin, CELLS)[0]


def ranges(chain: Chain, area: Points) -> tuple[Points, Points, Points]:
    """Return at how wide a range of tip angles the tip reaches the points of a grid.

    Args:
        chain: the arm, of three joints or more.
        area: (k, 2) corners of what the chain reaches, in m in its plane.

    Returns:
        (p,) and (q,) coordinates x and y in m, and (q, p) widths in rad, up to a whole turn; NaN
        for points out of reach.
    """
    xs, ys = np.linspace(area.min(axis=0), area.max(axis=0), COARSE + 1).T
    points = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
    tolerance = TOLERANCE * chain.reach.outer
    reached = solve_batch(chain, points, tolerance=tolerance).error <= tolerance
    found = np.full(len(points), np.nan)
    found[reached] = widths(chain, points[reached])
    return xs, ys, found.reshape(len(ys), len(xs))


def widths(chain: Chain, points: Points) -> NDArray[np.float64]:
    """Return how wide the range of tip angles is at which the tip reaches each of some points.

    Angles that are asked for at a fixed step either are reached, or tell which one is closest:
    that is where a range begins or ends. A range is missed if it lies between two of them and both
    have others that are closer.

    Args:
        chain: the arm, of three joints or more.
        points: (k, 2) m in the arm's plane.

    Returns:
        (k,) rad, up to a whole turn; 0 where no angle is reached.
    """
    asked = ASKED
    step = 2.0 * math.pi / asked
    # How far the closest angle is from each asked for, and to which side.
    away = np.stack([_away(chain, points, k * step - math.pi) for k in range(asked)])
    here, there = away, np.roll(away, -1, axis=0)
    is_here, is_there = here == 0.0, there == 0.0
    begins = np.where(here > 0.0, here, np.nan)  # of a range after an angle that is not reached
    ends = np.where(there < 0.0, step + there, np.nan)
    # One that only one of two angles tells of ends somewhere in between.
    half = 0.5 * step
    width = np.select(
        [is_here & is_there, is_here, is_there],
        [
            np.full_like(here, step),
            np.where(np.isnan(ends), half, ends),
            step - np.where(np.isnan(begins), half, begins),
        ],
        np.nan_to_num(ends - begins),
    )
    return np.asarray(np.clip(width, 0.0, step).sum(axis=0))


def _away(chain: Chain, points: Points, angle: float) -> NDArray[np.float64]:
    """Return how far the closest tip angle is from one, (k,) in rad; inf out of reach."""
    tolerance = TOLERANCE * chain.reach.outer
    answers = solve_batch(
        chain, points, tolerance=tolerance, angle=angle, angle_tolerance=ANGLE_TOLERANCE
    )
    away = answers.angle - angle
    away -= 2.0 * math.pi * np.rint(away / (2.0 * math.pi))
    away[answers.angle_error <= ANGLE_TOLERANCE] = 0.0
    return np.where(answers.error <= tolerance, away, np.inf)
