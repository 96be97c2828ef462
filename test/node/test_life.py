"""The life of the process: signals, and what it logs."""

from __future__ import annotations

import math
import signal
import time
from typing import Any

import pytest
from harness import DEFAULT_TIMEOUT
from node_client import FAR, NEAR
from refusals import TWO

SECONDS_BETWEEN_LOGS = 1.0


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_a_signal_in_a_flood_of_targets_ends_it_with_status_0(start: Any, number: int) -> None:
    """At other moments: ``faults/test_signals``. A second one, as from launch, does no more."""
    process, arm = start({**TWO, 'publish_rate': 1000.0})
    arm.connect()
    deadline = time.monotonic() + DEFAULT_TIMEOUT
    process.popen.send_signal(number)
    second = time.monotonic() + 0.06
    while process.is_running() and time.monotonic() < deadline:
        arm.send(NEAR)
        arm.executor.spin_once(timeout_sec=0.0)
        if time.monotonic() > second:
            second = math.inf
            process.popen.send_signal(number)
    assert process.wait() == 0, process.output
    assert 'Traceback' not in process.output
    assert 'xception' not in process.output


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
