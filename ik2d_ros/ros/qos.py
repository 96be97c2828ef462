"""The qualities of service of all topics, each with its reason.

A reliable publisher serves best-effort subscribers and reliable ones alike, and a best-effort
subscriber hears reliable publishers too: where only the newest message counts, that pair fits
whoever is at the other end.
"""

from __future__ import annotations

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

LATEST = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)
"""For publishing what the next message replaces: targets."""

LATEST_BEST_EFFORT = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
"""For hearing what the next message replaces: targets, and poses that are only shown."""

EACH = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE)
"""For messages of which each one counts: poses, queries and their answers."""

EACH_KEPT = QoSProfile(
    depth=10,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)
"""The same, with the last ones kept for those who join late: statuses."""

LATEST_KEPT = QoSProfile(
    depth=1,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)
"""For what is whole in each message, and wanted at once by those who join late: pictures."""

ALL = QoSProfile(depth=200, reliability=ReliabilityPolicy.RELIABLE)
"""For hearing every message, deep enough for a listener that pauses for a moment."""

ALL_BEST_EFFORT = QoSProfile(depth=200, reliability=ReliabilityPolicy.BEST_EFFORT)
"""The same for a topic on which best-effort publishers must be heard too: everyone's targets."""
