"""An environment or a command line that ROS cannot live with: one clear line, exit status 1."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from peer import CONFIG

FILE = str(CONFIG / 'two_bone.yaml')

# What is wrong, and what the line has to say; None takes a variable away.
ENVIRONMENTS: dict[str, tuple[dict[str, str | None], tuple[str, ...]]] = {
    'no home': (
        {'HOME': None, 'ROS_LOG_DIR': None, 'ROS_HOME': None},
        ('log files', 'HOME', 'set ROS_LOG_DIR to a folder'),
    ),
    'no such folder': ({'ROS_LOG_DIR': '/proc/none/log'}, ('cannot start', '/proc/none/log')),
    'domain': ({'ROS_DOMAIN_ID': '233'}, ('ROS_DOMAIN_ID', "'233'", 'from 0 to 232')),
    'middleware': (
        {'RMW_IMPLEMENTATION': 'rmw_nope'},
        ('RMW_IMPLEMENTATION', "'rmw_nope'", 'rmw_fastrtps_cpp'),
    ),
}

COMMAND_LINES = {
    '-- --executor fast': ("argument '--executor' is 'fast'", 'auto, events, single'),
    '--nope': ('ROS cannot start', "'--nope'"),
    '-r ~/target:=joint_states': ('ROS cannot start', 'subscription'),
    '--params-file /nope.yaml': ('/nope.yaml', 'No such file'),
}


def lines_of(process: Any) -> list[str]:
    """What it says on stderr, but for what ROS logs on its way."""
    return [line for line in process.stderr.splitlines() if not line.startswith('[')]


@pytest.mark.parametrize('row', ENVIRONMENTS)
def test_an_environment_is_refused_in_one_line(
    start_process: Any, ros_environment: int, row: str
) -> None:
    changes, words = ENVIRONMENTS[row]
    gone = [part for name, value in changes.items() if value is None for part in ('-u', name)]
    kept = {name: value for name, value in changes.items() if value is not None}
    module = ('-m', 'ik2d_ros.node', '--ros-args', '--params-file', FILE)
    process = start_process('env', *gone, sys.executable, *module, env=kept)
    assert process.wait() == 1
    (line,) = lines_of(process)
    assert line.startswith('ik2d_node: ')
    assert all(word in line for word in words), line


@pytest.mark.parametrize('arguments', COMMAND_LINES)
def test_a_command_line_is_refused_in_one_line(
    start_process: Any, ros_environment: int, arguments: str
) -> None:
    module = ('-m', 'ik2d_ros.node', '--ros-args', '--params-file', FILE)
    process = start_process(*module, *arguments.split())
    assert process.wait() == 1
    line = lines_of(process)[-1]  # ROS may say more about it before
    assert line.startswith('ik2d_node: ')
    assert all(word in line for word in COMMAND_LINES[arguments]), line


def test_an_empty_variable_is_one_that_is_not_set(start_process: Any, ros_environment: int) -> None:
    empty = {'ROS_DOMAIN_ID': '', 'RMW_IMPLEMENTATION': ''}
    process = start_process('-m', 'ik2d_ros.node', '--ros-args', '--params-file', FILE, env=empty)
    process.wait_for_output('ready')
    assert process.stop() == 0
