"""A report as a message, or as the bytes of one.

rclpy takes 20 us to turn a status, of a dozen keys, into bytes, and 4 to send those; to write them
here takes 4, most of it for the digits of numbers.
"""

from __future__ import annotations

import struct
from functools import lru_cache

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue

from ik2d_ros.node.cdr import HEAD, count, is_read_as, string
from ik2d_ros.node.outcome import Code, Level
from ik2d_ros.node.report import KEYS, Report
from ik2d_ros.ros.stamps import Stamp

LEVELS = {level: bytes([level]) for level in Level}

_LONGEST = 24  # characters of a number: sign, 17 digits, point, exponent

_stamp = struct.Struct('<iI').pack
# A number's bytes: its key with the length that it has, then itself, then what ends it.
_NUMBERS = ('error', 'solve_time', 'x', 'y', 'out_of_plane', 'angle', 'angle_error')
_BEFORE = [[string(key) + count(size + 1) for size in range(_LONGEST + 1)] for key in _NUMBERS]
_AFTER = [bytes(4 - size % 4) for size in range(_LONGEST + 1)]


class StatusMessage:
    """What to publish of the reports of a node.

    Args:
        node: the node's full name.
        base_frame: the frame of all reports.
    """

    def __init__(self, node: str, base_frame: str) -> None:
        self._node, self._base_frame = node, base_frame
        self._name = f'{node.lstrip("/")}: reachability'
        self._front = string(base_frame) + count(1)
        self._names = string(self._name), string(node) + count(len(KEYS))
        self._is_understood = True
        trial = Report(next(iter(Code)), 'a text', solver='none'), Stamp(1, 2), 'a text'
        self._is_understood = is_read_as(self.of(*trial), self.message(*trial))

    def of(self, report: Report, stamp: Stamp, text: str) -> DiagnosticArray | bytes:
        """Return what to publish: the bytes of :meth:`message`, if those are understood.

        Args:
            report: what it says.
            stamp: its stamp.
            text: what it says in words.
        """
        if not self._is_understood:
            return self.message(report, stamp, text)
        code, _, (x, y, off), _, error, at_goal, solver, iterations, took, proven, *angles = report
        level, words = _words(code, at_goal, solver, iterations, proven)
        name, node = self._names
        parts = [HEAD, _stamp(*stamp), self._front, level, name, string(text), node]
        for said, before, number in zip(
            words, _BEFORE, (error, took, x, y, off, *angles), strict=True
        ):
            digits = repr(number).encode()
            size = len(digits)
            parts += said, before[size], digits, _AFTER[size]
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


@lru_cache(maxsize=1024)  # one for every number of iterations
def _words(
    code: Code, at_goal: bool, solver: str, iterations: int, proven: bool
) -> tuple[bytes, tuple[bytes, ...]]:
    """Return the bytes of which there are few: the level, and what comes before each number."""
    report = Report(code, '', at_goal=at_goal, solver=solver, iterations=iterations, proven=proven)
    said = {key: string(key) + string(value) for key, value in report.values()}
    return (
        LEVELS[code.level] + bytes(3),
        (
            said['code'] + said['reachable'],
            said['at_goal'] + said['solver'] + said['iterations'],
            *(b'', b'', b''),
            said['proven'],
            b'',
        ),
    )
