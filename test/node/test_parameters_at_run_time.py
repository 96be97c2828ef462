"""Parameters at the start and while the node runs: refused, changed, described, from a URDF."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from descriptions import ARM, joint, robot
from harness import HAS_ROS, once, without
from node_client import HOME, TWO, Client, yaml_of

if HAS_ROS:
    from sensor_msgs.msg import JointState

ARRAY = 'std_msgs/Float64MultiArray'
TRAJECTORY = 'trajectory_msgs/JointTrajectory'


def given(name: str, value: object) -> str:
    return yaml_of({**TWO, name: value})


# Refusals of the node and of rclpy; the others are tested without a node.
REFUSED: dict[str, tuple[str | None, str, list[str]]] = {
    'no file': (None, '', ['joints', '--ros-args --params-file', '/**', '/ik2d']),
    'use_sim_time': (given('use_sim_time', 3), '', ['use_sim_time', '3']),
    'a topic': (
        yaml_of({**TWO, 'command_out_type': TRAJECTORY, 'command_out_topic': 'a b'}),
        '',
        ["'command_out_topic' is 'a b'", 'valid topic name'],
    ),
    'argument': (yaml_of(TWO), '--nope', ['ROS cannot start', "'--nope'"]),
}
OF_THE_NODE: dict[str, tuple[str | None, str, list[str]]] = {
    'an echo': (
        given('use_measured_state', True),
        '-r measured_joint_states:=joint_states',
        ["'publish_joint_states' is True", 'false', '/joint_states'],
    ),
    'one of several arms': (yaml_of({'arms': ['one', '/two']}), '', ["arm '/one'", "'joints'"]),
    'no velocity': (
        yaml_of({**TWO, 'chain.shoulder.max_velocity': 1.0, 'command_out_type': ARRAY}),
        '',
        ["'chain.elbow.max_velocity' is missing", '> 0 rad/s', ARRAY],
    ),
    'no ruckig': (given('chain.elbow.max_jerk', 8.0), '', ['max_jerk', 'pip install ruckig']),
}


@pytest.mark.parametrize('row', [*REFUSED, *(pytest.param(row, marks=once) for row in OF_THE_NODE)])
def test_a_refused_start_ends_with_one_line(
    start_process: Any, ros_environment: int, tmp_path: Path, row: str
) -> None:
    content, more, words = {**REFUSED, **OF_THE_NODE}[row]
    arguments = more.split()
    if content is not None:
        file = tmp_path / 'parameters.yaml'
        file.write_text(content)
        arguments = ['--params-file', str(file), *arguments]
    process = start_process('node', '--ros-args', *arguments, env=without('ruckig'))
    assert process.wait() == 1, process.output
    assert 'Traceback' not in process.output
    line = process.stderr.splitlines()[-1]  # before which ROS may say more
    assert line.startswith('ik2d_node: ')
    assert [word for word in words if word not in line] == [], line


WHILE_RUNNING: dict[str, tuple[dict[str, object], list[str]]] = {
    'min above max': ({'chain.elbow.min_position': 2.7}, ['chain.elbow.min_position', '2.7']),
    'base_frame': ({'base_frame': 'odom'}, ['base_frame', "'odom'", "'base_link'", 'restart']),
    'unknown': ({'solvr': 'ccd'}, ['solvr', "'ccd'", "did you mean 'solver'?", 'tolerance']),
    'a good and a bad one': ({'solver': 'ccd', 'tolerance': -1.0}, ['tolerance', '-1.0', '> 0']),
}


def test_a_refused_change_at_run_time_changes_nothing(arm: Client) -> None:
    """As at start-up, where each refusal is seen; the node asks the same judge."""
    for row, (changes, words) in WHILE_RUNNING.items():
        names = [*TWO, 'solver', 'tolerance', *changes]
        before, pose = arm.get(*names), arm.pose()
        result = arm.set(changes)
        assert not result.successful, row
        assert [word for word in words if word not in result.reason] == [], result.reason
        assert repr(arm.get(*names)) == repr(before), row
        assert arm.pose() == pose, row


def test_numbers_may_be_given_as_text(arm: Client) -> None:
    """As from ``ros2 param set``, which takes 1e-6, inf and lists of mixed kinds for text."""
    texts = {'tolerance': '1e-6', 'chain.elbow.max_position': '150 deg', 'base.xyz': '[0, 0, 0.5]'}
    assert arm.set(texts).successful
    tolerance, most, xyz = arm.get(*texts)
    assert (tolerance, most, [*xyz]) == (1e-6, math.radians(150.0), [0.0, 0.0, 0.5])
    # A parameter that is taken away has its default, if it has one.
    assert arm.set(dict.fromkeys(['tolerance', 'chain.elbow.max_velocity'])).successful
    assert arm.get('tolerance', 'chain.elbow.max_velocity') == [1e-6, None]


def test_parameters_are_described(arm: Client) -> None:
    solver = arm.describe('solver')
    assert not solver.read_only
    assert 'two_bone' in solver.additional_constraints
    assert arm.describe('joints').read_only
    assert '[m]' in arm.describe('chain.elbow.length').description


@once
def test_unknown_names_and_other_publishers_of_the_joints_are_warned_of(
    client_of: Callable[..., Client], start: Any
) -> None:
    other = client_of('/other')
    other.node.create_publisher(JointState, '/joint_states', 1)
    process, _ = start({**TWO, 'publish_rat': 3, 'use_sim_time': False})
    other.wait(lambda: 'too: /client; if' in process.output, 'the name of the other node')
    unknown, _ = [line for line in process.output.splitlines() if '[WARN]' in line]
    assert "'publish_rat'; did you mean 'publish_rate'?" in unknown
    assert 'use_sim_time' not in unknown


def test_limits_that_exclude_the_pose_are_refused_and_walls_come_and_go(arm: Client) -> None:
    assert arm.pose() == HOME
    limits = {'chain.elbow.min_position': 1.0, 'chain.elbow.max_position': 2.0}
    assert arm.set({**limits, 'chain.elbow.home': 1.5}).reason == (
        "parameter 'chain.elbow.min_position' is 1; it must not exclude the present position of "
        f'the joint, {HOME[1]:g} rad'
    )
    assert arm.pose() == HOME

    wall = {'walls.side.point': [0.0, 0.1, 0.0], 'walls.side.normal': [0.0, -1.0, 0.0]}
    assert arm.set(wall).successful
    stamp = arm.send((0.3, 0.3, 0.0))
    assert arm.wait_for(stamp, 'BLOCKED')['wall'] == 'side'
    assert arm.set(dict.fromkeys(wall)).successful
    assert arm.wait_for(stamp, 'REACHED', 'true')['wall'] == ''


@once
def test_the_node_reads_its_arm_from_robot_description(start: Any) -> None:
    pytest.importorskip('defusedxml', reason='defusedxml is not installed')
    roll = joint('roll', 'tool', 'hand', axis='1 0 0', xyz=(0.1, 0.0, 0.0))
    given = {'robot_description': robot(*ARM, roll), 'base_frame': 'base', 'tip_frame': 'hand'}
    process, client = start(given)
    process.wait_for_output('joints shoulder, elbow, roll;')
    client.wait(lambda: client.joint_states, 'joint_states')
    assert list(client.joint_states[-1].name) == ['shoulder', 'elbow', 'roll']
