"""How thick an arm is drawn: one rule for the robot description and the markers; no ROS in here."""

from __future__ import annotations

from ik2d_ros.kinematics import Chain

SHARE_OF_REACH = 0.05
SHARE_OF_LONGEST_LINK = 0.4  # so that many short links do not melt into one
SMALLEST = 1e-3  # m, for an arm that reaches nowhere: displays refuse sizes of zero


def link_width(chain: Chain) -> float:
    """Width of a link as it is drawn, in m; in proportion to the arm, and never 0."""
    width = min(SHARE_OF_REACH * chain.reach.outer, SHARE_OF_LONGEST_LINK * max(chain.lengths))
    return width or SMALLEST
