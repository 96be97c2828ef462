"""The life of the process: signals, and what it logs."""

from __future__ import annotations

import contextlib
import itertools
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from harness import DEFAULT_TIMEOUT, wait_for_signal_handler
from node_client import FAR, NEAR, parameter_file
from refusals import TWO

SECONDS_BETWEEN_LOGS = 1.0


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize('busy', [False, True])
def test_signals_end_it_with_status_0(start: Any, number: int, busy: bool) -> None:
    process, arm = start({**TWO, 'publish_rate': 1000.0 if busy else 0.01})
    if busy:
        arm.connect()
        deadline = time.monotonic() + DEFAULT_TIMEOUT
        process.popen.send_signal(number)
        while process.is_running() and time.monotonic() < deadline:
            arm.send(NEAR)
            arm.executor.spin_once(timeout_sec=0.0)
        status = process.wait()
    else:
        status = process.stop(number)
    assert status == 0, process.output
    assert 'Traceback' not in process.output
    assert 'xception' not in process.output


def test_a_signal_while_it_starts_ends_it_with_status_0(
    ros_environment: int, tmp_path: Path
) -> None:
    file = parameter_file(tmp_path / 'two.yaml', TWO)
    command = ['-m', 'ik2d_ros.node', '--ros-args', '--params-file', str(file)]
    for number, part in itertools.product((signal.SIGINT, signal.SIGTERM), (0.3, 0.6, 0.9)):
        process = subprocess.Popen(
            [sys.executable, *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        wait_for_signal_handler(process.pid)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.3 * part)
        process.send_signal(number)
        output, _ = process.communicate(timeout=DEFAULT_TIMEOUT)
        assert process.returncode == 0, output
        assert 'Traceback' not in output


def test_a_second_signal_does_no_more_than_the_first(start: Any) -> None:
    """As when launch and the terminal both pass Ctrl-C on."""
    process, _ = start(TWO)
    process.popen.send_signal(signal.SIGINT)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.popen.wait(0.06)
    process.popen.send_signal(signal.SIGINT)
    assert process.wait() == 0, process.output
    assert 'Traceback' not in process.output


def test_the_log_tells_of_a_change_once(start: Any) -> None:
    process, arm = start(TWO)
    arm.connect()
    arm.wait(lambda: arm.ask(FAR) and 'TOO_FAR' in process.output, 'the change in the log')
    told = time.monotonic()
    while time.monotonic() < told + 1.5 * SECONDS_BETWEEN_LOGS:
        arm.ask(FAR)
    assert process.output.count('TOO_FAR') == 1


def test_debug_messages_are_there_for_who_wants_them(start: Any) -> None:
    process, arm = start(TWO, '--log-level', 'ik2d:=debug')
    arm.connect()
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


def test_the_log_level_can_be_changed_by_a_service(start: Any) -> None:
    pytest.importorskip('rclpy.logging_service', reason='this rclpy has no logger services')
    from rcl_interfaces.msg import LoggerLevel
    from rcl_interfaces.srv import SetLoggerLevels

    process, arm = start(TWO)
    arm.connect()
    level = LoggerLevel(name='ik2d', level=LoggerLevel.LOG_LEVEL_DEBUG)
    (result,) = arm.call(SetLoggerLevels, 'set_logger_levels', levels=[level]).results
    assert result.successful
    arm.ask(NEAR)
    process.wait_for_output('[DEBUG]')
