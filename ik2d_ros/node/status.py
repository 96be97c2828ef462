"""Publishing and logging of statuses."""

from __future__ import annotations

import time
from typing import Any

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue

from ik2d_ros.pilot.outcome import Code, Level
from ik2d_ros.pilot.report import KEYS, Report
from ik2d_ros.ros import qos
from ik2d_ros.ros.parameter_node import ParameterNode

SECONDS_BETWEEN_LOGS = 1.0


class Statuses:
    """Publishes the node's statuses, and logs changes of the code.

    Attributes:
        last: the last report on a target; None before the first.
    """

    def __init__(self, node: ParameterNode[Any], base_frame: str) -> None:
        """Create the publishers.

        Args:
            node: the node that publishes.
            base_frame: the frame of all statuses.
        """
        self._node = node
        self._message = blank_status(node.get_fully_qualified_name(), base_frame)
        self.last: Report | None = None
        self._stamp: Time | None = None
        self._logged_code: Code | None = None
        self._logged_at = -SECONDS_BETWEEN_LOGS
        self._status = node.create_publisher(DiagnosticArray, '~/status', qos.EACH_KEPT)
        self._query_status = node.create_publisher(DiagnosticArray, '~/query_status', qos.EACH)

    def answer_target(self, report: Report, stamp: Time | None) -> None:
        """Publish the status of a target, and log it if the code has changed."""
        self.last, self._stamp = report, stamp
        self.repeat()
        self._log(report)

    def answer_query(self, report: Report, stamp: Time | None) -> None:
        """Publish the status of a query, if anybody listens: it is not kept for late joiners."""
        if self._query_status.get_subscription_count():
            self._query_status.publish(self._filled(report, stamp))

    def repeat(self) -> None:
        """Publish the last status of a target again, if there is one."""
        if self.last is not None:
            self._status.publish(self._filled(self.last, self._stamp))

    def _filled(self, report: Report, stamp: Time | None) -> DiagnosticArray:
        fill(self._message, report, stamp, f'{report.message}{self._node.faults.remark()}')
        return self._message

    def _log(self, report: Report) -> None:
        """Log changes of the code, at most once a second."""
        code = report.code
        # Success is worth logging only after a failure.
        if code is self._logged_code or (self._logged_code is None and code.level is Level.OK):
            return
        now = time.monotonic()
        if now - self._logged_at < SECONDS_BETWEEN_LOGS:
            return
        self._logged_code, self._logged_at = code, now
        text = f'{code.name}: {report.message}'
        if code.level is Level.OK:  # not one call: each place in the code has one level
            self._node.get_logger().info(text)
        else:
            self._node.get_logger().warning(text)


def blank_status(node: str, base_frame: str) -> DiagnosticArray:
    """Return a message with what all statuses of a node have, by its full name, to be filled."""
    name = f'{node.lstrip("/")}: reachability'
    values = [KeyValue(key=key) for key in KEYS]
    message = DiagnosticArray(status=[DiagnosticStatus(name=name, hardware_id=node, values=values)])
    message.header.frame_id = base_frame
    return message


def fill(message: DiagnosticArray, report: Report, stamp: Time | None, text: str) -> None:
    """Make a message that of a report; a stamp of None is zero."""
    message.header.stamp = stamp or Time()
    status = message.status[0]
    status.level, status.message = bytes([report.code.level]), text
    for pair, value in zip(status.values, report.values().values(), strict=True):
        pair.value = value
