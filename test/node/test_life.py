"""What the node logs. How it ends: ``faults/test_signals``."""

from __future__ import annotations

import time
from typing import Any

import pytest
from node_client import FAR, NEAR
from refusals import TWO

SECONDS_BETWEEN_LOGS = 1.0


def test_the_log_tells_of_a_change_once_and_of_all_at_debug_level(start: Any) -> None:
    process, arm = start(TWO)
    arm.connect()
    arm.wait(lambda: arm.ask(FAR) and 'TOO_FAR' in process.output, 'the change in the log')
    told = time.monotonic()
    while time.monotonic() < told + 1.5 * SECONDS_BETWEEN_LOGS:
        arm.ask(FAR)
    assert process.output.count('TOO_FAR') == 1

    pytest.importorskip('rclpy.logging_service', reason='this rclpy has no logger services')
    from rcl_interfaces.msg import LoggerLevel
    from rcl_interfaces.srv import SetLoggerLevels

    level = LoggerLevel(name='ik2d', level=LoggerLevel.LOG_LEVEL_DEBUG)
    (result,) = arm.call(SetLoggerLevels, 'set_logger_levels', levels=[level]).results
    assert result.successful
    arm.ask(NEAR)
    arm.ask(FAR, query=True)
    assert arm.set({'solver': 'ccd', 'tolerance': '1e-5'}).successful
    for words in (
        "target (0.3, 0.2, 0) in '': REACHED by two_bone in ",
        "target (1, 0, 0) in '': TOO_FAR by two_bone in ",
        "set: solver = 'ccd', tolerance = 1e-05",
    ):
        process.wait_for_output(words)
        (line,) = [line for line in process.output.splitlines() if words in line]
        assert line.startswith('[DEBUG] ')
