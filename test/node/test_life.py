"""The log of the node, and services whose callbacks raise."""

from __future__ import annotations

import sys
import time
from typing import Any

import pytest
from harness import HAS_ROS
from node_client import FAR, NEAR, TWO

if HAS_ROS:
    from std_srvs.srv import Trigger

SECONDS_BETWEEN_LOGS = 1.0


def test_a_change_of_code_is_logged_once_and_every_target_at_debug_level(start: Any) -> None:
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


# A node whose services fail once they have begun.
CLUMSY = """
import sys
from ik2d_ros.node import incoming
from ik2d_ros.node.__main__ import main

def forget_targets(self):
    raise LookupError('so it was')

incoming.Incoming.forget_targets = forget_targets
sys.exit(main(['ik2d_node', *sys.argv[1:]]))
"""


def test_a_service_answers_even_if_its_callback_raises(start: Any) -> None:
    process, arm = start(TWO, program=(sys.executable, '-c', CLUMSY))
    arm.connect()
    for name in ('stop', 'home'):
        answer = arm.call(Trigger, name)
        assert not answer.success
        assert answer.message.startswith('internal error: LookupError: so it was, in ')
    process.wait_for_output('internal error 1 since start, continuing: LookupError: so it was')
    assert arm.wait_for(arm.send(NEAR), 'REACHED')['message'].endswith('since start, see the log)')
    assert process.stop() == 0
