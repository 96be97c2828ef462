"""The choice of the executor, and what a node relies on in each of them."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Mapping
from typing import Any

import pytest
from harness import CONFIG, HAS_ROS

from ik2d_ros.parameters.checks import ConfigError

if HAS_ROS:
    from rclpy.executors import SingleThreadedExecutor

    from ik2d_ros.ros.executors import KINDS, create_executor, executor_named_in

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


# A signal comes while the executor begins to listen to the node: between two of its entities.
SIGNALLED_AT_ONCE = """
import os, signal, sys

def build():
    from rclpy.event_handler import EventHandler
    from ik2d_ros.node.arm_node import ArmNode
    original, calls = EventHandler.get_num_entities, []

    def get_num_entities(self):
        calls.append(self)
        if len(calls) == 2:
            os.kill(os.getpid(), signal.SIGTERM)
            print('signalled', flush=True)
        return original(self)

    EventHandler.get_num_entities = get_num_entities
    return ArmNode()

from ik2d_ros.ros.process import run
sys.exit(run('ik2d_node', build, chooses_executor=True))
"""


@pytest.mark.parametrize('kind', ['single', pytest.param('events', marks=NO_EVENTS)])
def test_a_signal_while_it_begins_to_listen_is_a_clean_end(
    ros_environment: int, start_process: Any, kind: str
) -> None:
    program = start_process(
        *(sys.executable, '-c', SIGNALLED_AT_ONCE, '--executor', kind),
        *('--ros-args', '--params-file', CONFIG / 'two_bone.yaml'),
    )
    assert program.wait() == 0, program.output
    assert 'signalled' in program.stdout
    assert program.stderr.count('\n') == 1, program.stderr  # that it was ready
