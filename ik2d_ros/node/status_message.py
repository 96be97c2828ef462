"""A report as a message, or as the bytes of one.

rclpy takes 20 us to turn a status, of a dozen keys, into bytes, and 4 to send those; to write them
here takes 5. They are CDR, as all middleware of ROS has it, little-endian.
"""

from __future__ import annotations

import struct

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.serialization import deserialize_message

from ik2d_ros.node.outcome import Code, Level
from ik2d_ros.node.report import Report

LEVELS = {level: bytes([level]) for level in Level}

_HEAD = b'\0\1\0\0'  # little-endian; alignments count from after it
_stamp = struct.Struct('<iI').pack
_count = struct.Struct('<I').pack
_ENDS = tuple(bytes(4 - length % 4) for length in range(4))
"""What ends a string of a length modulo 4: a zero, and more up to a multiple of 4."""


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
        self._front = _string(base_frame) + _count(1)
        self._names = _string(self._name), _string(node) + _count(len(pairs))
        self._keys = [_string(key) for key, _ in pairs]
        trial = report, Time(sec=1, nanosec=2), 'a text'
        self._is_understood = self._is_read_as(self.written(*trial), self.message(*trial))

    def of(self, report: Report, stamp: Time, text: str) -> DiagnosticArray | bytes:
        """Return what to publish.

        Args:
            report: what it says.
            stamp: its stamp.
            text: what it says in words.
        """
        if self._is_understood:
            return self.written(report, stamp, text)
        return self.message(report, stamp, text)

    def written(self, report: Report, stamp: Time, text: str) -> bytes:
        """Return the bytes of :meth:`message`."""
        name, node = self._names
        parts = [
            *(_HEAD, _stamp(stamp.sec, stamp.nanosec), self._front),
            *(LEVELS[report.code.level], b'\0\0\0', name, _string(text), node),
        ]
        for key, (_, value) in zip(self._keys, report.values(), strict=True):
            parts += key, _string(value)
        return b''.join(parts)

    def message(self, report: Report, stamp: Time, text: str) -> DiagnosticArray:
        """Return the message."""
        message = DiagnosticArray()
        message.header.stamp = stamp
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

    @staticmethod
    def _is_read_as(data: bytes, message: DiagnosticArray) -> bool:
        """Return whether the middleware reads bytes as a message: it might have its own form."""
        try:
            return bool(deserialize_message(data, DiagnosticArray) == message)
        except Exception:
            return False


def _string(text: str) -> bytes:
    """Return a string's bytes, up to a multiple of 4."""
    data = text.encode()
    length = len(data)
    return _count(length + 1) + data + _ENDS[length % 4]
