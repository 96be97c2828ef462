"""The qualities of service of all topics, each with its reason.

A reliable publisher serves best-effort subscribers and reliable ones alike. Targets are reliable on
both sides: with best effort a single one is lost now and then, and long ones are lost always. Where
a network needs something else, whoever runs the nodes can override the qualities of the targets
with ROS's own parameters, ``qos_overrides.<topic>.<publisher or subscription>.<policy>``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from ik2d_ros.parameters.checks import Choice, Whole

LATEST = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)
"""For what the next message replaces: targets."""

LATEST_BEST_EFFORT = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
"""For hearing poses that are only shown."""

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

DEEPEST = 10_000  # messages; the middleware may reserve room for all of them

OVERRIDES: Mapping[str, Choice | Whole] = MappingProxyType(
    {
        'history': Choice(('keep_last', 'keep_all', 'system_default')),
        'depth': Whole(least=1, most=DEEPEST),
        'reliability': Choice(('reliable', 'best_effort', 'system_default')),
    }
)
"""What a parameter ``qos_overrides.*`` may be, by the policy at the end of its name."""
