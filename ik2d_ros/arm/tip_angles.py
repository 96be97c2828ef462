"""The area that is reached at a tip angle; no ROS imports."""

from __future__ import annotations

import numpy as np

from ik2d_ros.arm.area import MARGIN, TOLERANCE
from ik2d_ros.arm.region import Points, Region, region
from ik2d_ros.kinematics import Chain, solve_batch

CELLS = 120  # of the grid that finds the area, along each side
ANGLE_TOLERANCE = 1e-3  # rad


def reached_at(chain: Chain, angle: float, area: Points) -> Region:
    """Return the points that the tip reaches at a tip angle, in m in the arm's plane.

    Args:
        chain: the arm, of three joints or more.
        angle: tip angle in rad.
        area: (k, 2) corners of the area that the chain reaches, in m in its plane.
    """
    tolerance = TOLERANCE * chain.reach.outer

    def field(points: Points) -> tuple[Points, Points]:
        answers = solve_batch(
            chain, points, tolerance=tolerance, angle=angle, angle_tolerance=ANGLE_TOLERANCE
        )
        reached = (answers.error <= tolerance) & (answers.angle_error <= ANGLE_TOLERANCE)
        return np.where(reached, 0.0, np.inf), points

    margin = MARGIN * chain.reach.outer
    return region(field, area.min(axis=0) - margin, area.max(axis=0) + margin, CELLS)[0]
