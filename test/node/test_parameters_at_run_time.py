"""Parameters at the start and while the node runs: refused, changed, described."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest
from node_client import FAR, NEAR, Client, tip, values
from refusals import ALWAYS, HOME, LIMITS, TWO, Refusals, yaml_of

from ik2d_ros.kinematics import Chain

SECTION = '/**:\n  ros__parameters:\n'
ARRAY = 'std_msgs/Float64MultiArray'


# Only what rclpy has a hand in: all that our own functions refuse by themselves is tested there.
COMMAND_LINES: dict[str, tuple[str | None, list[str], list[str]]] = {
    'no file': (None, [], ['joints', '--ros-args --params-file', '/**', '/ik2d']),
    'a file for another namespace': (
        '/left/ik2d:\n  ros__parameters:\n    joints: [a]\n',
        [],
        ['joints', "'/**:'", "'/ik2d'"],
    ),
    'a value': (f'{SECTION}    joints: []\n', [], ['joints', '[]', 'unique']),
    'use_sim_time': (yaml_of({**TWO, 'use_sim_time': 3}), [], ['use_sim_time', '3']),
    'a topic': (
        yaml_of({**TWO, 'command_out_type': ARRAY, 'command_out_topic': 'a b'}),
        [],
        ["'command_out_topic' is 'a b'", 'valid topic name'],
    ),
    'an echo': (
        yaml_of({**TWO, 'use_measured_state': True}),
        ['-r', 'measured_joint_states:=joint_states'],
        ["'publish_joint_states' is True", 'false', '/joint_states'],
    ),
    'bad depth': (
        yaml_of({**TWO, 'qos_overrides./ik2d/target.subscription.depth': 0}),
        [],
        ['qos_overrides./ik2d/target.subscription.depth', '0', 'from 1 to 10000'],
    ),
    'bad reliability': (
        yaml_of(TWO),
        ['-p', 'qos_overrides./ik2d/target.subscription.reliability:=always'],
        ['subscription.reliability', "'always'", 'one of reliable, best_effort'],
    ),
}


@pytest.mark.parametrize('row', COMMAND_LINES)
def test_what_is_refused_at_start_up_ends_the_node_with_its_message(
    start_process: Any, ros_environment: int, tmp_path: Path, row: str
) -> None:
    content, arguments, words = COMMAND_LINES[row]
    if content is not None:
        file = tmp_path / 'parameters.yaml'
        file.write_text(content)
        arguments = [*arguments, '--params-file', str(file)]
    process = start_process('-m', 'ik2d_ros.node', '--ros-args', *arguments)
    assert process.wait() == 1, process.output
    message = '\n'.join(line for line in process.stderr.splitlines() if '[rcl]' not in line)
    assert [word for word in words if word not in message] == [], message
    assert message.startswith('ik2d_node: ')
    assert 'Traceback' not in process.output


WHILE_RUNNING: Refusals = {
    'joints': (
        {'joints': ['a', 'b']},
        ['joints', "['a', 'b']", "['shoulder', 'elbow']", 'restart'],
    ),
    'base_frame': ({'base_frame': 'odom'}, ['base_frame', "'odom'", "'base_link'", 'restart']),
    'unknown': ({'solvr': 'ccd'}, ['solvr', "'ccd'", "did you mean 'solver'?", 'tolerance']),
    'use_sim_time': ({'use_sim_time': 'yes'}, ['use_sim_time', "'yes'"]),
    'a good and a bad one': ({'solver': 'ccd', 'tolerance': -1.0}, ['tolerance', '-1.0', '> 0']),
    'a good and an unknown one': ({'solver': 'ccd', 'x': 1}, ['x', '1', 'no such parameter']),
    'a good and a fixed one': ({'solver': 'ccd', 'joints': ['a']}, ['joints', 'restart']),
    'bytes': ({'tolerance': [b'a']}, ['tolerance', "[b'a']", '> 0']),
}


def test_what_is_refused_at_run_time_changes_nothing(arm: Client) -> None:
    """As at start-up, where each refusal is seen; the node asks the same judge."""
    some = {row: ALWAYS[row] for row in ('solver unknown', 'xyz', 'min above max', 'unknown joint')}
    for row, (changes, words) in {**some, **WHILE_RUNNING}.items():
        names = [*TWO, 'solver', 'tolerance', *changes]
        before, pose = arm.get(*names), arm.pose()
        result = arm.set(changes)
        assert not result.successful, row
        assert [word for word in words if word not in result.reason] == [], result.reason
        assert repr(arm.get(*names)) == repr(before), row
        assert arm.pose() == pose, row


def test_each_of_several_is_judged_with_the_rest_as_it_stands(arm: Client) -> None:
    ends = {'chain.elbow.min_position': 2.7, 'chain.elbow.max_position': 2.9}
    low, high = arm.set_singly(ends)
    assert not low.successful
    assert 'chain.elbow.max_position' in low.reason
    assert high.successful
    assert arm.get(*ends) == [LIMITS[0], 2.9]
    assert arm.set({'chain.elbow.min_position': 2.75, 'chain.elbow.home': 2.8}).successful
    assert arm.get(*ends) == [2.75, 2.9]
    assert arm.set({'chain.elbow.min_position': LIMITS[0], 'chain.elbow.home': 0.0}).successful
    # Both at once, the home that is outside must move with them.
    assert not arm.set(ends).successful
    assert arm.set({**ends, 'chain.elbow.home': 2.8}).successful
    assert arm.get(*ends) == [2.7, 2.9]
    assert 2.7 <= arm.pose()[1] <= 2.9


def test_fields_that_were_not_given_can_be_set_and_taken_away(arm: Client) -> None:
    field = 'chain.elbow.max_velocity'
    assert arm.get(field) == [None]
    assert arm.set({field: 2}).successful
    assert arm.get(field) == [2]
    assert arm.set({field: 2.5}).successful
    assert 'rad/s' in arm.describe(field).description
    assert arm.set({field: None}).successful
    assert arm.get(field) == [None]
    assert arm.set({'chain.elbow.length': None, 'chain.elbow.link': [0, 1]}).successful
    assert values(arm.ask((0.3, 1.0, 0.0), query=True))['code'] == 'REACHED'
    assert arm.set({'solver': 'ccd'}).successful
    assert arm.set({'solver': None}).successful
    assert arm.get('solver') == ['auto']


def test_text_that_is_a_number_is_one(arm: Client) -> None:
    """As from ``ros2 param set``, which takes 1e-6, inf and lists of mixed kinds for text."""
    texts = {'tolerance': '1e-6', 'plane_tolerance': 'inf', 'base.xyz': '[0, 0, 0.5]'}
    assert arm.set(texts).successful
    tolerance, plane, xyz = arm.get(*texts)
    assert (tolerance, plane, [*xyz]) == (1e-6, math.inf, [0.0, 0.0, 0.5])
    for name, text in {'tolerance': '0x10', 'max_iterations': '1e2', 'base.xyz': '[0, x]'}.items():
        result = arm.set({name: text})
        assert not result.successful, (name, text)
        assert f"'{name}' is " in result.reason


def test_a_read_only_parameter_may_be_set_to_what_it_is(arm: Client) -> None:
    depth = f'qos_overrides.{arm.name}/target.subscription.depth'
    same = {'joints': ['shoulder', 'elbow'], 'base_frame': 'base_link', depth: 1}
    for name, value in same.items():
        assert arm.set({name: value}).successful, name
    assert arm.set({**same, 'solver': 'ccd'}).successful
    assert arm.get('solver') == ['ccd']
    assert not arm.set({'solver': 'auto', 'joints': ['elbow', 'shoulder']}).successful
    assert arm.get('solver', 'joints') == ['ccd', ['shoulder', 'elbow']]


def test_parameters_are_described(arm: Client) -> None:
    solver = arm.describe('solver')
    assert (solver.read_only, solver.dynamic_typing) == (False, True)
    assert 'two_bone' in solver.additional_constraints
    assert arm.describe('joints').read_only
    assert '[m]' in arm.describe('chain.elbow.length').description
    # A range where it has two ends, refused in our words, not those of rclpy.
    (rate,) = arm.describe('publish_rate').floating_point_range
    assert (rate.from_value, rate.to_value, rate.step) == (0.01, 10_000.0, 0.0)
    assert not arm.describe('tolerance').floating_point_range
    assert '100000.0; it must be' in arm.set({'publish_rate': 1e5}).reason


def test_a_changed_arm_solves_for_the_last_target_again(arm: Client) -> None:
    assert values(arm.ask(FAR))['code'] == 'TOO_FAR'
    stamp, seen = arm.statuses[-1].header.stamp, len(arm.statuses)
    assert arm.set({'chain.elbow.length': 0.9}).successful
    message = arm.wait(lambda: arm.statuses[seen:], 'the changed status')[0]
    assert message.header.stamp == stamp
    assert values(message)['code'] == 'REACHED'
    longer = Chain.from_lengths([0.3, 0.9])
    assert math.dist(tip(arm.pose(), longer), FAR[:2]) <= 1e-6


def test_a_refused_target_does_not_replace_the_one_before(arm: Client) -> None:
    stamp = arm.ask(NEAR).header.stamp
    for refused in ((math.nan, 0.0, 0.0), (math.inf, 0.0, 0.0)):
        assert values(arm.ask(refused))['code'] == 'INVALID_TARGET'
    seen = len(arm.statuses)
    assert arm.set({'solver': 'ccd'}).successful
    message = arm.wait(lambda: arm.statuses[seen:], 'the status of the target before')[0]
    assert message.header.stamp == stamp
    assert values(message)['code'] == 'REACHED'


def test_nothing_new_is_not_told_again(arm: Client) -> None:
    first = arm.ask(NEAR)
    pose = arm.pose()
    assert arm.set({'max_iterations': 50}).successful
    assert arm.set({'publish_rate': 80.0}).successful
    assert arm.set({'chain.elbow.max_velocity': 1.0}).successful
    second = arm.ask(FAR)
    assert [m.header.stamp for m in arm.statuses] == [first.header.stamp, second.header.stamp]
    assert pose in [tuple(m.position) for m in arm.joint_states]


def test_a_pose_outside_new_limits_is_clamped_before_any_target(start: Any) -> None:
    _, arm = start(TWO)
    assert arm.connect().pose() == HOME
    limits = {'chain.elbow.min_position': 1.0, 'chain.elbow.max_position': 2.0}
    assert arm.set({**limits, 'chain.elbow.home': 1.5}).successful
    assert arm.pose() == (HOME[0], 1.0)
    assert arm.statuses == []


def test_strange_parameters_are_warned_of_with_the_closest_valid_one(start: Any) -> None:
    ours = {'publish_rat': 3, 'use_sim_time': False, 'qos_overrides./x.publisher.depth': 1}
    process, _ = start({**TWO, **ours, 'start_type_description_service': True})
    (line,) = [line for line in process.output.splitlines() if '[WARN]' in line]
    assert "'publish_rat'; did you mean 'publish_rate'?" in line
    assert not re.search('use_sim_time|qos_overrides|start_type', line)
