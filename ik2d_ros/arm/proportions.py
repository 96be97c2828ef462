"""Drawn width of an arm, the same for the URDF and the markers; no ROS imports."""

from __future__ import annotations

from ik2d_ros.arm.kinds import kind_of
from ik2d_ros.kinematics import Chain

SHARE_OF_REACH = 0.05
SHARE_OF_LONGEST_LINK = 0.4  # so that many short links stay distinct
SMALLEST = 1e-3  # m, for an arm without reach: RViz rejects sizes of zero


def link_width(chain: Chain) -> float:
    """Return the drawn width of a link in m, in proportion to the arm and never 0."""
    longest = max(kind_of(joint).farthest(joint) for joint in chain.joints)
    width = min(SHARE_OF_REACH * chain.reach.outer, SHARE_OF_LONGEST_LINK * longest)
    return width or SMALLEST
