"""The launch file for several arms in one process."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from harness import ROOT
from launch_files import LAUNCH, calls, described

LAUNCH_FILE = ROOT / 'launch/fleet.launch.py'
ARGUMENTS = {
    *('arms', 'params_file', 'namespace', 'controller', 'merge_commands'),
    *('joint_states_topic', 'use_sim_time', 'log_level'),
}


@pytest.fixture
def path(colcon_prefix: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(colcon_prefix))
    return colcon_prefix / 'share/ik2d_ros/launch/fleet.launch.py'


def test_the_arguments_are_the_documented_ones() -> None:
    declared = {call.args[0].value for call in calls(LAUNCH_FILE, 'DeclareLaunchArgument')}
    assert declared == ARGUMENTS
    page = (ROOT / 'docs/scaling.md').read_text(encoding='utf-8')
    assert all(f'| `{name}` |' in page for name in ARGUMENTS)


def test_one_process_for_all_arms(launch: Any, path: Path) -> None:
    context = launch.LaunchContext()
    source = launch.launch_description_sources.PythonLaunchDescriptionSource(str(path))
    description = source.get_launch_description(context)
    arguments = {'arms': 'left:two_bone,right:three_link', 'namespace': 'robot1'}
    nodes = described(description, context, **arguments)
    assert set(nodes) == {'ik2d_node'}
    assert nodes['ik2d_node'].parameters['arms'] == ['/robot1/left', '/robot1/right']


@pytest.mark.slow
def test_the_arms_of_two_files_answer_from_one_process(
    launch: Any,
    ros_node: Any,
    path: Path,
    start_installed: Callable[..., Any],
    spin_until: Callable[..., Any],
) -> None:
    from sensor_msgs.msg import JointState

    heard: dict[str, list[str]] = {}
    for arm in ('left', 'right'):
        ros_node.create_subscription(
            JointState,
            f'/{arm}/joint_states',
            lambda message, arm=arm: heard.update({arm: list(message.name)}),
            10,
        )
    arguments = ('arms:=left:two_bone,right:three_link', 'use_sim_time:=false')
    launched = start_installed(sys.executable, '-c', LAUNCH, path, *arguments)
    spin_until(ros_node, lambda: len(heard) == 2 or not launched.is_running(), what='poses of both')
    assert launched.is_running(), launched.output
    assert {arm: len(joints) for arm, joints in heard.items()} == {'left': 2, 'right': 3}
    launched.stop()
    assert 'Traceback' not in launched.output
