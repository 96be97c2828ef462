"""A report as a message, or as the bytes of one.

rclpy takes 20 us to turn a status, of a dozen keys, into bytes, and 4 to send those; to write them
here takes 5.
"""

from __future__ import annotations

import struct

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue

from ik2d_ros.node.cdr import HEAD, count, is_read_as, string
from ik2d_ros.node.outcome import Code, Level
from ik2d_ros.node.report import Report
from ik2d_ros.ros.stamps import Stamp

LEVELS = {level: bytes([level]) for level in Level}

_stamp = struct.Struct('<iI').pack


class StatusMessage:
    """What to publish of the reports of a node.

    Args:
        node: the node's full name.
        base_frame: the frame of all reports.
    """

    def __init__(self, node: str, base_frame: str) -> None:
        self._node, self._base_frame = node, base_frame
        self._name = f'{node.lstrip("/")}: reachability'
        report = Report(next(iter(Code)), 'a text', solver='none')
        pairs = report.values()
        self._front = string(base_frame) + count(1)
        self._names = string(self._name), string(node) + count(len(pairs))
        self._keys = [string(key) for key, _ in pairs]
        trial = report, Stamp(1, 2), 'a text'
        self._is_understood = is_read_as(self.written(*trial), self.message(*trial))

    def of(self, report: Report, stamp: Stamp, text: str) -> DiagnosticArray | bytes:
        """Return what to publish.

        Args:
            report: what it says.
            stamp: its stamp.
            text: what it says in words.
        """
        if self._is_understood:
            return self.written(report, stamp, text)
        return self.message(report, stamp, text)

    def written(self, report: Report, stamp: Stamp, text: str) -> bytes:
        """Return the bytes of :meth:`message`."""
        name, node = self._names
        parts = [
            *(HEAD, _stamp(stamp.sec, stamp.nanosec), self._front),
            *(LEVELS[report.code.level], b'\0\0\0', name, string(text), node),
        ]
        for key, (_, value) in zip(self._keys, report.values(), strict=True):
            parts += key, string(value)
        return b''.join(parts)

    def message(self, report: Report, stamp: Stamp, text: str) -> DiagnosticArray:
        """Return the message."""
        message = DiagnosticArray()
        message.header.stamp = stamp.message()
        message.header.frame_id = self._base_frame
        message.status = [
            DiagnosticStatus(
                level=LEVELS[report.code.level],
                name=self._name,
                message=text,
                hardware_id=self._node,
                values=[KeyValue(key=key, value=value) for key, value in report.values()],
            )
        ]
        return message
