"""The commanded pose as the bytes of a message, of which little changes from pose to pose.

rclpy takes 10 us to fill a message and turn it into bytes; to write these takes 1.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Sequence

from sensor_msgs.msg import JointState

from ik2d_ros.node.cdr import HEAD, count, is_read_as, string
from ik2d_ros.ros.stamps import BILLION


class PoseMessage:
    """What to publish of the poses of some joints."""

    def __init__(self, joints: Sequence[str]) -> None:
        """Prepare what all of them share, for joints in this order."""
        self._joints, size = list(joints), len(joints)
        front = string('') + count(size) + b''.join(map(string, joints)) + count(size)
        if size:
            front += bytes(-len(front) % 8)  # numbers are at multiples of 8, as the stamp ends
        self._front, self._size = front, size
        self._standing = struct.Struct(f'<4siI{len(front)}s{size}d2I').pack
        self._moving = struct.Struct(f'<4siI{len(front)}s{size}dI4x{size}dI').pack
        self._is_understood = True
        standing, moving = (1, [0.5] * size), (2, [0.5] * size, [0.25] * size)
        self._is_understood = all(
            is_read_as(self.filled(*trial), self.message(*trial)) for trial in (standing, moving)
        )

    def filled(
        self, time: int, positions: Sequence[float], velocities: Sequence[float] = ()
    ) -> JointState | bytes:
        """Return what to publish of a pose: the bytes of :meth:`message`, if those are understood.

        Args:
            time: its stamp in ns.
            positions: (n,) in rad or m.
            velocities: (n,) in rad/s or m/s; empty for none.
        """
        if not self._is_understood:
            return self.message(time, positions, velocities)
        seconds, rest = divmod(time, BILLION)
        size, front = self._size, self._front
        if not velocities:
            return self._standing(HEAD, seconds, rest, front, *positions, 0, 0)
        return self._moving(HEAD, seconds, rest, front, *positions, size, *velocities, 0)

    def message(
        self, time: int, positions: Sequence[float], velocities: Sequence[float] = ()
    ) -> JointState:
        """Return the message."""
        message = JointState(name=self._joints)
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(time, BILLION)
        # Arrays: of a list, every item would be checked.
        message.position, message.velocity = array('d', positions), array('d', velocities)
        return message
