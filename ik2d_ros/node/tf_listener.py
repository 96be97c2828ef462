"""Looking up transforms with tf2_ros, whose import takes some tenths of a second."""

from __future__ import annotations

from rclpy.clock import JumpThreshold
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.time import Time
from tf2_ros import Buffer, TransformListener

from ik2d_ros.kinematics.plane import Quaternion, Vector


class TfListener:
    """Listens to ``/tf`` and ``/tf_static``, and looks transforms up without waiting."""

    def __init__(self, node: Node) -> None:
        """Start to listen with a node."""
        self._buffer = buffer = Buffer()
        self._listener = TransformListener(buffer, node)
        # Before a jump back, transforms had stamps that are now in the future: they would be the
        # latest for ever. The buffer would look after that itself if it were given the node, but
        # would then also offer the service tf2_frames.
        threshold = JumpThreshold(
            min_forward=None, min_backward=Duration(nanoseconds=-1), on_clock_change=True
        )
        self._jumps = node.get_clock().create_jump_callback(
            threshold, post_callback=lambda _: buffer.clear()
        )

    def __call__(
        self, target_frame: str, source_frame: str, time: int
    ) -> tuple[Vector, Quaternion]:
        """Return the pose of a frame in another one, as a ``frames.Lookup``."""
        found = self._buffer.lookup_transform(target_frame, source_frame, Time(nanoseconds=time))
        xyz, turn = found.transform.translation, found.transform.rotation
        return (xyz.x, xyz.y, xyz.z), (turn.x, turn.y, turn.z, turn.w)
