"""The QoS profiles of all topics, with their reasons.

A reliable publisher serves best-effort and reliable subscribers alike. Targets are reliable on both
sides: best effort occasionally loses a single message, and always loses very long ones. The ROS
parameters ``qos_overrides.<topic>.<publisher or subscription>.<policy>`` override their profiles.
"""

from __future__ import annotations

import copy
from typing import Any

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.qos_overriding_options import QoSOverridingOptions

RELIABLE = ReliabilityPolicy.RELIABLE
BEST_EFFORT = ReliabilityPolicy.BEST_EFFORT
KEPT = DurabilityPolicy.TRANSIENT_LOCAL

LATEST = QoSProfile(depth=1, reliability=RELIABLE)
"""For messages that replace the previous one: targets."""

LATEST_BEST_EFFORT = QoSProfile(depth=1, reliability=BEST_EFFORT)
"""For poses that are only shown, and velocities that are repeated."""

EACH_BEST_EFFORT = QoSProfile(depth=10, reliability=BEST_EFFORT)
"""For measured positions: a driver may publish several messages at a time, for different joints."""

EACH = QoSProfile(depth=10, reliability=RELIABLE)
"""For messages that must all arrive: poses, queries and their answers."""

EACH_KEPT = QoSProfile(depth=10, reliability=RELIABLE, durability=KEPT)
"""The same, with the last ones kept for late joiners: statuses."""

LATEST_KEPT = QoSProfile(depth=1, reliability=RELIABLE, durability=KEPT)
"""For what late joiners need at once: markers."""

ALL = QoSProfile(depth=200, reliability=RELIABLE)
"""For receiving every message, deep enough for a subscriber that pauses briefly."""


def overridable(profile: QoSProfile) -> dict[str, Any]:
    """Return the arguments of a publisher or subscription that supports ``qos_overrides``."""
    return {
        'qos_profile': copy.copy(profile),  # to which rclpy applies them
        'qos_overriding_options': QoSOverridingOptions.with_default_policies(),
    }
