"""The commanded pose as a message, which is filled anew for every pose.

To publish a message is to serialise it: whoever does so may change it right afterwards.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from sensor_msgs.msg import JointState

from ik2d_ros.ros.stamps import BILLION


class PoseMessage:
    """A JointState that is filled anew for every pose; to make one takes ten times as long."""

    def __init__(self, joints: Sequence[str]) -> None:
        """Make the message, for joints in this order."""
        self._message = JointState(name=list(joints))
        self._stamp = self._message.header.stamp

    def filled(
        self, time: int, positions: Sequence[float], velocities: Sequence[float] = ()
    ) -> JointState:
        """Return the message with other content; the same one each time.

        Args:
            time: its stamp in ns.
            positions: (n,) in rad or m.
            velocities: (n,) in rad/s or m/s; empty for none.
        """
        self._stamp.sec, self._stamp.nanosec = divmod(time, BILLION)
        # Arrays: of a list, every item would be checked.
        self._message.position = array('d', positions)
        self._message.velocity = array('d', velocities)
        return self._message
