"""The choice of the executor, and what a node relies on in each of them."""

from __future__ import annotations

import sys
from collections.abc import Mapping

import pytest
from harness import HAS_ROS

from ik2d_ros.parameters.checks import ConfigError

if HAS_ROS:
    from rclpy.executors import SingleThreadedExecutor

    from ik2d_ros.ros.executors import KINDS, create_executor, executor_named_in


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


@pytest.mark.parametrize(
    ('arguments', 'environment', 'source'),
    [
        (['--executor', 'fast'], {}, "argument '--executor' is 'fast'"),
        (['--executor'], {}, "argument '--executor' is ''"),
        ([], {'IK2D_EXECUTOR': 'fast'}, "environment variable 'IK2D_EXECUTOR' is 'fast'"),
    ],
)
def test_another_kind_is_refused(
    ros_packages: None, arguments: list[str], environment: Mapping[str, str], source: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        executor_named_in(['ik2d_node', *arguments], environment)
    assert str(caught.value) == f'{source}; it must be one of {", ".join(KINDS)}'


def test_without_an_events_executor_there_is_the_other(
    ros: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, 'rclpy.experimental', None)
    executor = create_executor('auto')
    assert isinstance(executor, SingleThreadedExecutor)
    executor.shutdown()
    with pytest.raises(ConfigError, match="it must be 'auto' or 'single'"):
        create_executor('events')
