"""Publishing and logging of statuses."""

from __future__ import annotations

import time
from typing import Any

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue

from ik2d_ros.node.outcome import Code, Level
from ik2d_ros.node.report import KEYS, Report
from ik2d_ros.ros import qos
from ik2d_ros.ros.parameter_node import ParameterNode

SECONDS_BETWEEN_LOGS = 1.0

# A status is repeated after this time without a new one: a diagnostic aggregator reports as stale
# what was silent for a few seconds.
REPEAT_AFTER = 0.6  # s
REPEAT_PERIOD = 0.2  # s between checks; the sum stays below a second


class Statuses:
    """Publishes the node's statuses, repeats the last one, and logs changes."""

    def __init__(self, node: ParameterNode[Any], base_frame: str) -> None:
        """Create the publishers.

        Args:
            node: the node that publishes.
            base_frame: the frame of all statuses.
        """
        self._node = node
        name = node.get_fully_qualified_name()
        self._message = StatusMessage(name, base_frame)
        self._query_message = StatusMessage(name, base_frame)
        self._logged_code: Code | None = None
        self._logged_at = -SECONDS_BETWEEN_LOGS
        self._last: DiagnosticArray | None = None
        self._sent_at = 0.0
        self._status = node.create_publisher(DiagnosticArray, '~/status', qos.EACH_KEPT)
        self._query_status = node.create_publisher(DiagnosticArray, '~/query_status', qos.EACH)
        node.poll_every(REPEAT_PERIOD, self._repeat)

    def answer_target(self, report: Report, stamp: Time | None) -> None:
        """Publish the status of a target, and log it if the code has changed."""
        self.publish(report, stamp)
        self._log(report)

    def answer_query(self, report: Report, stamp: Time | None) -> None:
        """Publish the status of a query, if anybody listens: it is not kept for others."""
        if self._query_status.get_subscription_count():
            self._query_status.publish(
                self._query_message.encode(report, stamp, self._text(report))
            )

    def publish(self, report: Report, stamp: Time | None) -> None:
        """Publish a status, and repeat it until there is another one."""
        self._last = self._message.encode(report, stamp, self._text(report))
        self._send(self._last)

    def _repeat(self) -> None:
        is_due = time.monotonic() - self._sent_at >= REPEAT_AFTER
        # Who comes later gets the last one from the middleware.
        if self._last is not None and is_due and self._status.get_subscription_count():
            self._send(self._last)

    def _send(self, message: DiagnosticArray) -> None:
        self._sent_at = time.monotonic()
        self._status.publish(message)

    def _text(self, report: Report) -> str:
        return f'{report.message}{self._node.faults.remark()}'

    def _log(self, report: Report) -> None:
        """Log changes of the code, at most once a second."""
        if report.code is self._logged_code:
            return
        if self._logged_code is None and report.code.level is Level.OK:
            return  # Success is worth logging only after a failure.
        now = time.monotonic()
        if now - self._logged_at < SECONDS_BETWEEN_LOGS:
            return
        self._logged_code, self._logged_at = report.code, now
        text = f'{report.code.name}: {report.message}'
        if report.code.level is Level.OK:
            self._node.get_logger().info(text)
        else:
            self._node.get_logger().warning(text)


class StatusMessage:
    """The message of one report after the other."""

    def __init__(self, node: str, base_frame: str) -> None:
        """Prepare what all of them share.

        Args:
            node: full name of the node.
            base_frame: the frame of all reports.
        """
        self._values = [KeyValue(key=key) for key in KEYS]
        name = f'{node.lstrip("/")}: reachability'
        self._status = DiagnosticStatus(name=name, hardware_id=node, values=self._values)
        self._message = DiagnosticArray(status=[self._status])
        self._message.header.frame_id = base_frame

    def encode(self, report: Report, stamp: Time | None, text: str) -> DiagnosticArray:
        """Return the message of a report, valid until the next one.

        Args:
            report: the report.
            stamp: its stamp; None for zero.
            text: what it says in words.
        """
        self._message.header.stamp = stamp or Time()
        self._status.level, self._status.message = bytes([report.code.level]), text
        for pair, (_, value) in zip(self._values, report.values(), strict=True):
            pair.value = value
        return self._message
