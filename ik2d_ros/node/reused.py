"""Messages that are filled anew, again and again: to make one each time costs more than to send it.

To publish a message is to serialise it: whoever does so may change it right afterwards.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from sensor_msgs.msg import JointState

from ik2d_ros.node.outcome import Level
from ik2d_ros.node.report import Report
from ik2d_ros.ros.stamps import BILLION

LEVELS = {level: bytes([level]) for level in Level}


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


class StatusMessage:
    """A DiagnosticArray that is filled anew for every report; to make one takes four times as long.

    Args:
        node: full name of the node whose reports these are.
        base_frame: the frame of all reports.
    """

    def __init__(self, node: str, base_frame: str) -> None:
        self._status = DiagnosticStatus(name=f'{node.lstrip("/")}: reachability', hardware_id=node)
        self._values: list[KeyValue] = []
        self._message = DiagnosticArray(status=[self._status])
        self._message.header.frame_id = base_frame

    def filled(self, report: Report, stamp: Time, text: str) -> DiagnosticArray:
        """Return the message with other content; the same one each time.

        Args:
            report: what it says.
            stamp: its stamp.
            text: what it says in words.
        """
        status, values = self._status, report.values()
        if len(values) != len(self._values):
            status.values = self._values = [KeyValue(key=key) for key, _ in values]
        self._message.header.stamp = stamp
        status.level = LEVELS[report.code.level]
        status.message = text
        for pair, (_, value) in zip(self._values, values, strict=True):
            pair.value = value
        return self._message
