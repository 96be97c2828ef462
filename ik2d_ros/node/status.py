"""Statuses: reports as messages, published and logged, and read."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue

from ik2d_ros.pilot.clock import Stamp
from ik2d_ros.pilot.outcome import KEYS, Level, Report, text_of
from ik2d_ros.pilot.status import StatusUpdate
from ik2d_ros.ros import qos

if TYPE_CHECKING:  # which the client does not need
    from ik2d_ros.ros.parameter_node import ParameterNode

SECONDS_BETWEEN_LOGS = 1.0
NO_VALUES: tuple[object, ...] = (...,) * len(KEYS)


class Statuses:
    """Publishes the node's statuses, and logs changes of the code."""

    def __init__(self, node: ParameterNode[Any], base_frame: str) -> None:
        """Create the publishers of statuses in a frame."""
        self._node = node
        self._message = blank_status(node.get_fully_qualified_name(), base_frame)
        self._values = NO_VALUES  # in the message
        self._logged_code: str = ''
        self._logged_at = -SECONDS_BETWEEN_LOGS
        self._status = node.create_publisher(DiagnosticArray, '~/status', qos.EACH_KEPT)
        self._query_status = node.create_publisher(DiagnosticArray, '~/query_status', qos.EACH)

    def publish(self, update: StatusUpdate, held: Mapping[str, tuple[float, float]]) -> None:
        """Publish a status; log one of a target if its code has changed.

        That of a target has position and goal of each held joint, by name.
        """
        report, request = update
        if request.is_query and not self._query_status.get_subscription_count():
            return  # it is not kept for late joiners
        self._values = fill(self._message, report, request.stamp, self._values)
        del self._message.status[1:]
        if request.is_query:
            self._query_status.publish(self._message)
            return
        self._log(report)
        if held:
            self._message.status.append(self._of_held(held))
        self._status.publish(self._message)

    def _of_held(self, held: Mapping[str, tuple[float, float]]) -> DiagnosticStatus:
        node, words, values = self._node.get_fully_qualified_name(), [], []
        tolerance, is_there = self._node.settings.control.following.goal_tolerance, True
        for name, (q, goal) in held.items():
            goes = abs(q - goal) > tolerance
            is_there = is_there and not goes
            words.append(f'{name} at {q:.5g}' + f', goes to {goal:.5g}' * goes)
            values.append(KeyValue(key=name, value=repr(q)))
            values.append(KeyValue(key=f'{name}.goal', value=repr(goal)))
        values.append(KeyValue(key='at_goal', value='true' if is_there else 'false'))
        return DiagnosticStatus(
            name=f'{node.lstrip("/")}: held joints',
            hardware_id=node,
            message=f'{"; ".join(words)}.',
            values=values,
        )

    def _log(self, report: Report) -> None:
        """Log changes of the code, at most once a second."""
        code, is_fine = report.code, report.level is Level.OK
        # Success is worth logging only after a failure.
        if code == self._logged_code or (not self._logged_code and is_fine):
            return
        now = time.monotonic()
        if now - self._logged_at < SECONDS_BETWEEN_LOGS:
            return
        self._logged_code, self._logged_at = code, now
        text = f'{code}: {report.message}'
        if is_fine:  # not one call: each place in the code has one level
            self._node.get_logger().info(text)
        else:
            self._node.get_logger().warning(text)


def blank_status(node: str, base_frame: str) -> DiagnosticArray:
    """Return a message for the statuses of a node, by its full name, to be filled."""
    name = f'{node.lstrip("/")}: reachability'
    values = [KeyValue(key=key) for key in KEYS]
    message = DiagnosticArray(status=[DiagnosticStatus(name=name, hardware_id=node, values=values)])
    message.header.frame_id = base_frame
    return message


def fill(
    message: DiagnosticArray, report: Report, stamp: Stamp, before: Sequence[object] = NO_VALUES
) -> tuple[object, ...]:
    """Make a message that of a report; return its values, with those that it had before."""
    message.header.stamp.sec, message.header.stamp.nanosec = stamp
    status = message.status[0]
    status.level, status.message = bytes([report.level]), report.message
    values = report.values()
    for pair, value, old in zip(status.values, values, before, strict=True):
        if value is not old:  # most stay from target to target
            pair.value = text_of(value)
    return values


def read(status: DiagnosticStatus) -> Report:
    """Return the report of a status, which may be of unknown origin."""
    values = {pair.key: pair.value for pair in status.values}
    return Report.read(int.from_bytes(status.level, 'little'), status.message, values)


def read_held(status: DiagnosticStatus) -> tuple[dict[str, tuple[float, float]], bool]:
    """Return where each held joint is and goes, by name, and whether all are there."""
    values = {pair.key: pair.value for pair in status.values}
    names = [name for name in values if f'{name}.goal' in values]
    with suppress(ValueError):  # of unknown origin
        held = {name: (float(values[name]), float(values[f'{name}.goal'])) for name in names}
        return held, values.get('at_goal') == 'true'
    return {}, False
