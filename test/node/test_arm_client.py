"""The arm's node from Python: what each call returns, and what ends it; joints, gripper, jogs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any
from uuid import uuid4

import numpy as np
import pytest
from harness import DEFAULT_TIMEOUT, HAS_ROS, once, wait_until
from node_client import TWO, Client, values
from transforms import Transforms

from ik2d_ros.parameters.file import load_parameters
from ik2d_ros.parameters.shipped import find_config

if HAS_ROS:
    from geometry_msgs.msg import TwistStamped
    from sensor_msgs.msg import JointState

    from ik2d_ros.client import ArmClient
    from ik2d_ros.ros.stamps import nanoseconds

pytestmark = once  # with the others, test_readme.py moves an arm
IN_TIME = {'timeout': DEFAULT_TIMEOUT}
FOR_LONG = {'timeout': 10 * DEFAULT_TIMEOUT}
Connect = Callable[..., 'ArmClient']
Call = Callable[..., Future[Any]]


@pytest.fixture
def connect(ros_node: Any) -> Iterator[Connect]:
    """``connect(name) -> ArmClient`` of a node."""
    clients = []

    def begin(name):
        clients.append(ArmClient(ros_node, name))
        return clients[-1]

    yield begin
    for client in clients:
        client.destroy()


@pytest.fixture
def move(arm: Client, connect: Connect) -> Connect:
    """``move(speed, **parameters) -> ArmClient`` of the node of all tests, in rad/s."""

    def begin(speed, **parameters):
        speeds = {f'chain.{joint}.max_velocity': speed for joint in ('shoulder', 'elbow')}
        assert arm.set({**speeds, **parameters}).successful
        return connect(arm.name)

    return begin


@pytest.fixture
def beside() -> Iterator[Call]:
    """``beside(call, *arguments)`` makes a call in another thread."""
    with ThreadPoolExecutor(2) as pool:
        yield pool.submit


QUICK, SLOW = 3.0, 1e-3  # rad/s; slow: another call comes first, however slow the machine is


def assert_is_replaced(call: Future[Any], target: tuple[float, float, float]) -> None:
    """What replaces it may come before the node has answered, or after that."""
    fault = call.exception(DEFAULT_TIMEOUT)
    if fault is None:
        assert call.result().target == target or math.isnan(call.result().target[0])
        assert not call.result().at_goal
    else:
        assert isinstance(fault, CancelledError)


def test_a_script_that_spins_nothing(move: Connect) -> None:
    client = move(QUICK)
    assert client.name == '/lasting/ik2d'
    asked = client.can_reach(0.3, 0.2, **IN_TIME)
    assert (asked.code, asked.reachable, asked.at_goal) == ('REACHED', True, False)
    assert asked
    there = client.go_to(0.3, 0.2, **IN_TIME)
    assert (there.code, there.at_goal) == ('REACHED', True)
    assert there.target == (0.3, 0.2, 0.0)
    beyond = client.go_to(1.0, 0.0, **IN_TIME)
    assert (beyond.code, beyond.reachable, beyond.at_goal) == ('TOO_FAR', False, True)
    assert not beyond
    assert beyond.error == pytest.approx(0.45)
    held = move(QUICK, unreachable='hold').go_to(0.0, 1.0, **IN_TIME)
    assert (held.code, held.at_goal) == ('TOO_FAR', False)
    stopped = client.stop(DEFAULT_TIMEOUT)
    assert stopped.code == 'READY'
    assert stopped.message.startswith('The arm stands with its tip at (0.55, ')
    with pytest.raises(ValueError, match=r"angle is 0 in frame 'table'; it must be .*'base_link'"):
        client.go_to(0.3, 0.2, angle=0.0, frame='table', **IN_TIME)


def test_a_path(move: Connect) -> None:
    client = move(QUICK, path_speed=0.5)
    there = client.follow([(0.3, 0.2), (0.3, 0.0), (0.2, 0.2, 0.0)], **IN_TIME)
    assert (there.code, there.at_goal, there.path_progress) == ('REACHED', True, 1.0)
    assert there.target == (0.2, 0.2, 0.0)
    for points, frame, code in (
        ([(0.3, 0.2)], '', 'INVALID_TARGET'),
        ([(0.3, 0.2), (math.nan, 0.0)], '', 'INVALID_TARGET'),
        ([(0.3, 0.2), (0.3, 0.0)], 'nowhere', 'UNKNOWN_FRAME'),
    ):
        bad = client.follow(points, frame=frame, **IN_TIME)
        assert (bad.code, bad.at_goal) == (code, False)
    assert client.follow([], **IN_TIME).code == 'READY'


def test_a_callback_of_a_spun_node(move: Connect, ros_node: Any, spin_until: Any) -> None:
    client, results = move(QUICK), []

    def call() -> None:
        timer.cancel()
        results.append(client.go_to(0.3, 0.2, **IN_TIME))

    timer = ros_node.create_timer(0.01, call)
    spin_until(ros_node, lambda: results, what='the end of the motion')
    assert results[0].at_goal


def test_the_next_call_ends_a_motion_and_a_question_does_not(move: Connect, beside: Call) -> None:
    client = move(SLOW)
    first = beside(client.go_to, -0.3, 0.2, **FOR_LONG)
    assert client.can_reach(0.2, 0.2, **IN_TIME).reachable
    assert not first.done()
    second = beside(client.go_to, -0.3, -0.2, **FOR_LONG)
    assert_is_replaced(first, (-0.3, 0.2, 0.0))
    assert client.stop(DEFAULT_TIMEOUT).code == 'READY'
    assert_is_replaced(second, (-0.3, -0.2, 0.0))


def test_a_status_from_before_is_not_the_answer_of_a_stop(move: Connect, arm: Client) -> None:
    """The node answers a stop sooner than its statuses come through."""
    client = move(QUICK)
    for _ in range(10):
        arm.send((math.nan, 0.0, 0.0))
        assert client.stop(DEFAULT_TIMEOUT).code == 'READY'


def test_a_timeout_stops_the_arm(move: Connect, arm: Client) -> None:
    client = move(SLOW)
    client.can_reach(0.3, 0.2, **IN_TIME)
    late, timeout = None, 1.0
    while late is None:  # a busy node has not even answered
        with suppress(TimeoutError):
            late = client.go_to(-0.3, 0.2, timeout=timeout)
        timeout *= 3.0
    assert late.moving
    assert not late.at_goal
    arm.wait_until_told('READY')


def test_a_target_of_somebody_else_ends_a_motion(move: Connect, arm: Client, beside: Call) -> None:
    call = beside(move(SLOW).go_to, -0.3, 0.2, **FOR_LONG)
    timer = arm.node.create_timer(0.1, lambda: arm.send((0.3, 0.0, 0.0), stamp=0))
    arm.wait(call.done, 'the end of the motion')
    arm.node.destroy_timer(timer)
    assert_is_replaced(call, (-0.3, 0.2, 0.0))


def test_points_paths_and_tip_angles_in_space(start: Any, connect: Connect, beside: Call) -> None:
    """The first call may begin before the node."""
    client = connect('ik2d')
    call = beside(client.go_to, 0.25, 0.1, 0.15, **IN_TIME)
    start({**load_parameters(find_config('so101')), 'path_speed': 0.3})
    assert call.result().code == 'REACHED'
    status = client.go_to(0.25, 0.1, 0.15, angle=0.0, **IN_TIME)
    assert (status.code, status.at_goal) == ('REACHED', True)
    assert status.angle == pytest.approx(0.0, abs=2e-3)
    path = [(0.25, 0.1, 0.15), (0.25, 0.05, 0.15), (0.22, 0.05, 0.2)]
    there = client.follow(path, angle=0.7, **FOR_LONG)
    assert there, there
    assert there.target == pytest.approx(path[-1])
    assert there.error < 1e-4
    assert there.angle == pytest.approx(0.7, abs=2e-3)

    # Its wrist rolls, and stays as it is rolled.
    there = client.go_to(0.22, 0.05, 0.05, angle=1.2, roll=0.6, **FOR_LONG)
    assert there, there
    assert (there.angle, there.roll) == pytest.approx((1.2, 0.6), abs=2e-3)
    assert client.go_to(0.2, 0.03, 0.1, **FOR_LONG).roll == pytest.approx(0.6)
    there = client.go_to(0.2, 0.05, 0.1, roll=3.0, **FOR_LONG)
    assert there.code == 'TIP_ANGLE'
    assert there.roll_error == pytest.approx(3.0 - there.roll, abs=1e-3)


def test_a_refused_target_is_forgotten(arm: Client, connect: Connect) -> None:
    client, transforms = connect(arm.name), Transforms(arm.node)
    frame = f'camera_{uuid4().hex}'
    refused = client.go_to(0.2, -0.2, frame=frame, **IN_TIME)
    assert refused.code == 'UNKNOWN_FRAME'
    transforms.place(frame, 0.0, 0.0, 0.0)
    wait_until(lambda: client.can_reach(0.2, -0.2, frame=frame, **IN_TIME).code == 'REACHED')
    arm.wait_until_told('READY')
    assert client.go_to(math.nan, 0.0, **IN_TIME).code == 'INVALID_TARGET'


def test_without_a_node_there_is_no_answer(connect: Connect) -> None:
    client = connect('left/ik2d')
    for call, point in ((client.go_to, (0.3, 0.2)), (client.can_reach, (0, 0)), (client.stop, ())):
        with pytest.raises(TimeoutError, match="'/left/ik2d' in time: is it running"):
            call(*point, timeout=0.1)


ARM = {
    **TWO,
    'command_joints': ['shoulder', 'elbow', 'gripper'],
    'hold_limits.gripper': [0.0, 0.8],
    'poses.rest.shoulder': 0.2,
    'poses.rest.elbow': 1.2,
    'poses.rest.gripper': 0.5,
    'poses.open.gripper': 0.8,
    'chain.shoulder.max_velocity': 2.0,
    'chain.elbow.max_velocity': 2.0,
    'hold_velocity': 3.0,
}


def held(client):
    """The newest second status."""
    client.wait(lambda: client.statuses, 'a status')
    status = client.statuses[-1].status[1]
    assert status.name == 'ik2d: held joints'
    return {pair.key: pair.value for pair in status.values}


def test_a_person_jogs_and_a_program_moves_joints_and_gripper(start: Any, ros_node: Any) -> None:
    _, client = start(ARM)
    node = client.node
    joints = node.create_publisher(JointState, '/ik2d/joint_target', 1)
    twists = node.create_publisher(TwistStamped, '/ik2d/jog', 1)
    client.wait(joints.get_subscription_count, 'joint_target')
    client.wait(twists.get_subscription_count, 'jog')
    client.wait(lambda: client.joint_states, 'joint_states')
    assert [*client.joint_states[-1].name] == ['shoulder', 'elbow', 'gripper']

    def positions():
        return tuple(client.joint_states[-1].position)

    grip = JointState(name=['gripper'], position=[2.0])

    def is_closed() -> bool:
        joints.publish(grip)  # again: it is lost before the node has found its publisher
        return held(client)['at_goal'] == 'true' and positions()[2] == 0.8

    client.wait(is_closed, 'the gripper')
    assert held(client)['gripper.goal'] == '0.8'
    joints.publish(JointState(name=['elbow', 'knee'], position=[0.4, 0.1]))
    client.wait(lambda: values(client.statuses[-1])['code'] == 'INVALID_TARGET', 'a refusal')
    assert 'knee' in client.statuses[-1].status[0].message

    begin = positions()
    push = TwistStamped()
    push.twist.linear.y = 0.1

    def has_moved():
        twists.publish(push)
        return abs(positions()[0] - begin[0]) > 0.05

    client.wait(has_moved, 'the jogged arm')
    stamps = [nanoseconds(message.header.stamp) for message in client.joint_states]
    ticks = np.diff(stamps) * 50.0e-9  # of the default publish_rate
    assert np.median(np.abs(ticks - ticks.round())) < 1e-3  # however late each came
    client.wait(lambda: values(client.statuses[-1])['code'] == 'READY', 'the end of the jog')
    assert values(client.statuses[-1])['moving'] == 'false'

    arm = ArmClient(ros_node)
    there = arm.move_joints({'elbow': 0.4}, **IN_TIME)
    assert there, there
    assert str(there).startswith('REACHED: ')
    there = arm.hold({'gripper': 0.31254}, **IN_TIME)
    assert there
    name, at, position = there.message.rstrip('.').split()
    assert (name, at) == ('gripper', 'at')
    assert float(position) == pytest.approx(0.31254, abs=0.02)  # goal_tolerance
    client.wait(lambda: positions()[2] == 0.31254, 'the gripper to stand')  # not before
    assert arm.hold({'gripper': 0.31254}, **IN_TIME).message == 'gripper at 0.31254.'
    assert not arm.hold({'gripper': 3.0}, **IN_TIME)  # beyond its limits: at the nearest
    refused = arm.hold({'griper': 0.3}, **IN_TIME)
    assert not refused
    assert "did you mean 'gripper'?" in refused.message
    with pytest.raises(ValueError, match=r"has no pose 'rset'; .* did you mean 'rest'\?"):
        arm.go_to_pose('rset', timeout=math.inf)
    assert arm.move_joints({'gripper': 0.6, 'elbow': 0.5}, **IN_TIME)
    assert arm.go_to_pose('rest', **IN_TIME)
    client.wait(lambda: positions() == (0.2, 1.2, 0.5), 'the pose rest')
    assert arm.home(**IN_TIME)
    begun = len(client.joint_states)
    assert arm.go_to_pose('open', **IN_TIME)
    assert arm.hold({'gripper': 0.1}, **IN_TIME)
    client.wait(
        lambda: any(state.position[2] > 0.77 for state in client.joint_states[begun:]),
        'the gripper to have opened',
    )
    assert not arm.move_joints({'nobody': 1.0}, **IN_TIME)
    arm.destroy()
