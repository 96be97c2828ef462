"""The launch file for several limbs and one controller."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from harness import ROOT
from launch_files import calls, described

LAUNCH_FILE = ROOT / 'launch/limbs.launch.py'
ARGUMENTS = {'params_file', 'controller', 'joint_states_topic', 'use_sim_time', 'log_level'}


def test_the_arguments_are_the_documented_ones() -> None:
    declared = {call.args[0].value for call in calls(LAUNCH_FILE, 'DeclareLaunchArgument')}
    assert declared == ARGUMENTS
    page = (ROOT / 'docs/driving.md').read_text(encoding='utf-8')
    section = page[page.index('## Several limbs') :].partition('\n## ')[0]
    assert all(f'`{name}`' in section for name in ARGUMENTS)


def test_a_node_for_each_leg_and_one_for_the_controller(
    launch: Any, colcon_prefix: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(colcon_prefix))
    context = launch.LaunchContext()
    path = colcon_prefix / 'share/ik2d_ros/launch/limbs.launch.py'
    source = launch.launch_description_sources.PythonLaunchDescriptionSource(str(path))
    description = source.get_launch_description(context)
    nodes = described(description, context, params_file='pxmark4', controller='legs')
    # By executable, of which the last leg's counts.
    assert set(nodes) == {'ik2d_node', 'ik2d_merge'}
    assert nodes['ik2d_merge'].arguments[:2] == ['--controller', 'legs']
    topics = {('measured_joint_states', '/joint_states')}
    assert topics < set(nodes['ik2d_merge'].remappings)
    assert topics < set(nodes['ik2d_node'].remappings)
    assert nodes['ik2d_node'].parameters['command_out_topic'] == '/limb_commands'
