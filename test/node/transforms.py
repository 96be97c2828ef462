"""Transforms for tests: published for tf2_ros where it is installed, else for a stand-in."""

from __future__ import annotations

import importlib.util
import math
import os
from pathlib import Path
from typing import Any

from harness import HAS_ROS

HAS_TF = HAS_ROS and importlib.util.find_spec('tf2_ros') is not None
STANDIN = Path(__file__).parent / 'standin'


def with_tf() -> dict[str, str]:
    """An environment in which there is a tf2_ros."""
    path = os.pathsep.join([str(STANDIN), os.environ.get('PYTHONPATH', '')])
    return {} if HAS_TF else {'PYTHONPATH': path}


class Transforms:
    """Publishes where frames are."""

    def __init__(self, node: Any) -> None:
        from geometry_msgs.msg import TransformStamped
        from rclpy.qos import DurabilityPolicy, QoSProfile

        kind: Any = TransformStamped
        if HAS_TF:
            from tf2_msgs.msg import TFMessage as kind  # noqa: N813
        kept = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._stamped = TransformStamped
        self._moving = node.create_publisher(kind, '/tf', 100)
        self._fixed = node.create_publisher(kind, '/tf_static', kept)

    def place(
        self,
        frame: str,
        *xyz: float,
        turn: float = 0.5 * math.pi,
        stamp: int = 0,
        moving: bool = False,
    ) -> None:
        """Publish where a frame is in ``base_link``, turned about z."""
        message = self._stamped(child_frame_id=frame)
        message.header.frame_id, message.header.stamp.sec = 'base_link', stamp
        shift, rotation = message.transform.translation, message.transform.rotation
        shift.x, shift.y, shift.z = xyz
        rotation.z, rotation.w = math.sin(0.5 * turn), math.cos(0.5 * turn)
        publisher = self._moving if moving else self._fixed
        publisher.publish(publisher.msg_type(transforms=[message]) if HAS_TF else message)

    def are_heard(self) -> bool:
        """Whether anybody listens."""
        listeners = [each.get_subscription_count() for each in (self._moving, self._fixed)]
        return all(listeners)
