"""The frames of targets: transforms from TF, where tf2_ros is installed.

Nothing here blocks: callers that find no transform ask again later (``waiting.py``).

Listening to TF is expensive in Python (a robot that publishes 20 transforms at 1 kHz costs most of
a core), so it begins with the first target in a foreign frame.
"""

from __future__ import annotations

import importlib
import time
from typing import Any

from rclpy.clock import JumpThreshold
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.time import Time

from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.parameters.checks import printable
from ik2d_ros.pilot.request import Missing

_tf2: Any = None
_FAULT = ''
try:
    _tf2 = importlib.import_module('tf2_ros')
except Exception as error:  # an incomplete installation raises anything
    _FAULT = (
        f'tf2_ros is not available ({error}); install the package tf2_ros_py of '
        'your ROS distribution and restart the node, or give targets in the base frame'
    )

# Publishers of transforms first have to discover a new listener; only then can one be missing.
DISCOVERY_TIME = 1.0  # s

LONGEST_CAUSE = 400  # characters


class Frames:
    """Poses of foreign frames in the base frame."""

    def __init__(self, node: Node) -> None:
        """Start without listening."""
        self._node = node
        self._buffer: Any = None
        self._listening_since = 0.0

    def pose(self, frame_id: str, base_frame: str, time_of_stamp: int) -> Plane | Missing:
        """Return the pose of a frame in the base frame at a time in ns, or the latest for 0."""
        if _tf2 is None:
            return Missing(_FAULT)
        if self._buffer is None:
            self._listen()
        try:
            when = Time(nanoseconds=time_of_stamp)
            found = self._buffer.lookup_transform(base_frame, frame_id, when).transform
            xyz, turn = found.translation, found.rotation
            return Plane.from_quaternion((xyz.x, xyz.y, xyz.z), (turn.x, turn.y, turn.z, turn.w))
        except Exception as error:
            cause = printable(' '.join(str(error).split()), LONGEST_CAUSE).rstrip(' .')
            until = self._listening_since + DISCOVERY_TIME
            return Missing(f'{cause} ({type(error).__name__})', until)

    def _listen(self) -> None:
        self._buffer = buffer = _tf2.Buffer()
        self._listener = _tf2.TransformListener(buffer, self._node)
        # Before a jump back, transforms had stamps that are now in the future: they would be the
        # latest for ever. The buffer would look after that itself if it were given the node, but
        # would then also offer the service tf2_frames.
        threshold = JumpThreshold(
            min_forward=None, min_backward=Duration(nanoseconds=-1), on_clock_change=True
        )
        self._jumps = self._node.get_clock().create_jump_callback(
            threshold, post_callback=lambda _: buffer.clear()
        )
        self._listening_since = time.monotonic()
