"""What the messages of targets and queries say, read from their bytes.

rclpy takes 10 us to make a message of the bytes; to read these here takes 1. Bytes in another form
than expected are left to rclpy: big-endian ones, and those of middleware with a form of its own.
"""

from __future__ import annotations

import struct
import sys
from typing import Any, NamedTuple

from geometry_msgs.msg import PointStamped, PoseStamped
from rclpy.serialization import deserialize_message, serialize_message

from ik2d_ros.kinematics.plane import Quaternion, Vector
from ik2d_ros.node.cdr import HEAD
from ik2d_ros.ros.stamps import Stamp

_front = struct.Struct('<4siII').unpack_from  # up to the text of frame_id
_TEXT = 16  # bytes before it
_NUMBERS = {PointStamped: 3, PoseStamped: 7}


class Asked(NamedTuple):
    """What a message asks for.

    Attributes:
        point: x, y, z in m in ``frame_id``.
        frame_id: the frame.
        stamp: the message's stamp.
        orientation: that of a pose; None for a point.
    """

    point: Vector
    frame_id: str
    stamp: Stamp
    orientation: Quaternion | None = None


class Reader:
    """Reads the bytes of messages of one type."""

    def __init__(self, kind: type) -> None:
        """Prepare to read messages of a type: PointStamped or PoseStamped."""
        self._kind, self._count = kind, _NUMBERS[kind]
        # How the last message was read, and the text that the next one must have to be read so:
        # the messages of one sender differ in stamp and numbers alone.
        self._again, self._least, self._text, self._frame_id = _front, sys.maxsize, b'', ''
        self._is_understood = True
        trial = kind()
        trial.header.frame_id, trial.header.stamp.sec, trial.header.stamp.nanosec = 'a frame', 1, 2
        place = trial.point if kind is PointStamped else trial.pose.position
        place.x, place.y, place.z = 0.5, 0.25, 0.125
        self._is_understood = self.read(serialize_message(trial)) == _content(trial)

    def read(self, data: bytes) -> Asked:
        """Return what a message says.

        Raises:
            Exception: rclpy cannot read it either.
        """
        if len(data) >= self._least:
            # The head, the stamp, the text, the point, and the orientation of a pose.
            said = self._again(data)
            if said[3] == self._text and said[0] == HEAD:
                # In half the time of `Stamp(...)` and `Asked(...)`.
                stamp = tuple.__new__(Stamp, said[1:3])
                return tuple.__new__(Asked, (said[4:7], self._frame_id, stamp, said[7:] or None))
        if self._is_understood and len(data) > _TEXT:
            head, _, _, length = _front(data)
            end = _TEXT + length - 1  # of the text, where a zero is
            place = (end + 4) // 8 * 8 + 4  # of the numbers, at multiples of 8 from the head on
            least = place + 8 * self._count
            if head == HEAD and data.find(0, _TEXT) == end and least <= len(data):
                self._frame_id = data[_TEXT:end].decode(errors='replace')  # as rclpy does
                size, gap = length + 4, place - end - 1
                self._again = struct.Struct(f'<4siI{size}s{gap}x{self._count}d').unpack_from
                self._least, self._text = least, data[_TEXT - 4 : end + 1]
                return self.read(data)
        return _content(deserialize_message(data, self._kind))


def _content(message: Any) -> Asked:
    """Return what a PointStamped or PoseStamped says."""
    header = message.header
    stamp = Stamp(header.stamp.sec, header.stamp.nanosec)
    if isinstance(message, PointStamped):
        point, orientation = message.point, None
    else:
        point, turn = message.pose.position, message.pose.orientation
        orientation = turn.x, turn.y, turn.z, turn.w
    return Asked((point.x, point.y, point.z), header.frame_id, stamp, orientation)
