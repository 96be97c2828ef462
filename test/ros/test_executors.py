"""The choice of the executor."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping

import pytest
from harness import HAS_ROS

if HAS_ROS:
    from ik2d_ros.ros.executors import executor_named_in

HAS_EVENTS = HAS_ROS and importlib.util.find_spec('rclpy.experimental') is not None
NO_EVENTS = pytest.mark.skipif(not HAS_EVENTS, reason='rclpy has no EventsExecutor')


@pytest.mark.parametrize(
    ('arguments', 'environment', 'kind'),
    [
        ([], {}, 'auto'),
        ([], {'IK2D_EXECUTOR': ''}, 'auto'),
        ([], {'IK2D_EXECUTOR': 'single'}, 'single'),
        (['--executor', 'events'], {'IK2D_EXECUTOR': 'single'}, 'events'),
        (['--ros-args', '-r', 'a:=b', '--', '--executor', 'single'], {}, 'single'),
    ],
)
def test_the_command_line_goes_before_the_environment(
    ros_packages: None, arguments: list[str], environment: Mapping[str, str], kind: str
) -> None:
    assert executor_named_in(['ik2d_node', *arguments], environment) == kind
