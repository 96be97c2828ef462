"""Why a node could not start is heard on /rosout, wherever in its start that was."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from harness import DEFAULT_TIMEOUT

SECTION = '/**:\n  ros__parameters:\n'
# The module that is run, its parameter file, further arguments, the logger and what it says.
FAILURES = {
    'a refused parameter': ('node', f'{SECTION}    joints: []\n', [], 'ik2d', "'joints' is []"),
    'a broken file, another name': (
        'node',
        f'{SECTION}    joints: [a\n    b: 1\n',
        ['-r', '__ns:=/left', '-r', '__node:=arm'],
        'left.arm',
        'not valid YAML',
    ),
    'use_sim_time': (
        'target',
        f'{SECTION}    use_sim_time: 3\n',
        [],
        'ik2d_target',
        'use_sim_time',
    ),
}


@pytest.mark.parametrize('row', FAILURES)
def test_who_listens_hears_why_a_node_could_not_start(
    ros_node: Any, spin_until: Callable[..., Any], start_process: Any, tmp_path: Path, row: str
) -> None:
    from rcl_interfaces.msg import Log
    from rclpy.qos import DurabilityPolicy, QoSProfile

    module, content, arguments, logger, words = FAILURES[row]
    file = tmp_path / 'parameters.yaml'
    file.write_text(content)
    heard: list[Log] = []
    kept = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    ros_node.create_subscription(Log, '/rosout', heard.append, kept)
    deadline = time.monotonic() + DEFAULT_TIMEOUT
    # It does not wait long for somebody to listen, so on a busy machine it may be gone too soon.
    while not heard and time.monotonic() < deadline:
        command = ('-m', f'ik2d_ros.{module}', '--ros-args', '--params-file', file, *arguments)
        process = start_process(*command)
        spin_until(ros_node, lambda process=process: not process.is_running(), what='its end')
        assert process.wait() == 1, process.output
        assert words in process.stderr
        assert 'Traceback' not in process.output
        assert 'rosout' not in process.output
    ((name, level, text),) = {(message.name, message.level, message.msg) for message in heard}
    assert (name, level) == (logger, 50)
    assert words in text
    assert text in process.stderr
    assert heard[0].stamp.sec > 0
