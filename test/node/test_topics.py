"""Topics, stamps and QoS of a node, also in simulated time, and of several in one process."""

from __future__ import annotations

import itertools
import math
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from harness import HAS_ROS, once
from node_client import LIMITS, NEAR, TWO, Client, only, tip, values

from ik2d_ros.kinematics import Chain
from ik2d_ros.pilot.clock import BILLION
from ik2d_ros.pilot.outcome import Level

if HAS_ROS:
    from rclpy.qos import ReliabilityPolicy

    from ik2d_ros.ros.stamps import nanoseconds


@pytest.mark.parametrize('topic', ['target', 'target_pose', 'query', 'path', 'query_path'])
def test_targets_and_queries_are_taken_reliably(arm, topic):
    def found():  # the subscription, which is heard of before the name of its node
        infos = arm.node.get_subscriptions_info_by_topic(f'{arm.name}/{topic}')
        return [info for info in infos if info.node_name == 'ik2d']

    (info,) = arm.wait(found, topic)
    assert info.qos_profile.reliability is ReliabilityPolicy.RELIABLE


def test_the_node_is_ready_until_the_first_target_and_repeats_its_status(start: Any) -> None:
    """In a namespace, with another name, and with another quality of targets."""
    started = time.time_ns()
    arguments = ('-r', '__ns:=/left', '-r', '__node:=solver')
    quality = {'qos_overrides./left/solver/target.subscription.reliability': 'best_effort'}
    given = {**TWO, **quality, 'base_frame': 'world', 'handle': False}
    _, arm = start(given, *arguments, node='/left/solver')
    infos = arm.wait(
        lambda: arm.node.get_subscriptions_info_by_topic('/left/solver/target'), 'the subscription'
    )
    assert [info.qos_profile.reliability for info in infos] == [ReliabilityPolicy.BEST_EFFORT]
    arm.wait(lambda: arm.repeated >= 2, 'the first status, and again')
    (message,) = arm.statuses
    said = values(message)
    assert (said['code'], only(message).level) == ('READY', bytes([Level.OK]))
    assert (said['at_goal'], said['reachable'], said['x']) == ('false', 'unknown', 'nan')
    assert only(message).hardware_id == '/left/solver'
    assert only(message).name == 'left/solver: reachability'
    assert message.header.frame_id == 'world'

    def services() -> set[str]:
        return {name for name, _ in arm.node.get_service_names_and_types()}

    arm.wait(lambda: '/left/solver/stop' in services(), 'its services')
    assert '/left/solver/handle/get_interactive_markers' not in services()
    assert started <= nanoseconds(message.header.stamp) <= time.time_ns()


def test_the_rate_changes_while_running(arm: Client) -> None:
    # At this rate the timer fires after the longest wait of a test.
    assert arm.set({'publish_rate': 0.01}).successful
    arm.ask(NEAR)
    arm.wait(
        lambda: (
            arm.joint_states
            and math.dist(tip(tuple(arm.joint_states[-1].position)), NEAR[:2]) < 1e-5
        ),
        'the pose at once after a solve',
    )
    assert arm.set({'publish_rate': 200}).successful
    arm.wait(lambda: len(arm.joint_states) > 5, 'joint_states at the new rate')


SPEED = 1.0
LIMITED = {f'chain.{joint}.max_velocity': SPEED for joint in ('shoulder', 'elbow')}


def time_of(message):
    return nanoseconds(message.header.stamp)


def test_a_target_waits_for_the_clock_stamps_increase_and_the_arm_moves_with_it(start: Any) -> None:
    _, arm = start({**TWO, 'use_sim_time': True, 'target_timeout': 1e9})
    message = arm.connect(poses=False).ask(NEAR)
    assert (values(message)['code'], arm.joint_states) == ('NO_CLOCK', [])
    assert '/clock' in only(message).message
    # As soon as the clock comes, all is well by itself: the arm goes where it was sent.
    arm.statuses.clear()
    seconds = itertools.count(200)
    arm.wait(lambda: arm.show(next(seconds)) or arm.joint_states, 'poses')
    assert arm.joint_states[0].header.stamp.sec >= 200
    arm.wait_for(message.header.stamp, 'REACHED')
    arm.connect()
    for turn in range(5):
        # No tick in between: whoever keeps the latest stamp must see the latest pose.
        x, y = 0.4 * math.cos(0.2 * turn), 0.4 * math.sin(0.2 * turn)
        arm.ask((x, y, 0.0))

        def is_there(goal=(x, y)):
            """Poses of before may still be on their way."""
            latest = max(arm.joint_states, key=time_of)
            return math.dist(tip(tuple(latest.position)), goal) <= 1e-6

        arm.wait(is_there, 'the latest pose')
    stamps = [time_of(message) for message in arm.joint_states]
    assert stamps == sorted(set(stamps))

    assert arm.set({**LIMITED, 'target_timeout': 5.0}).successful
    ticks = itertools.count(1000 * BILLION, BILLION // 20)
    # The clock may come to the node later than a target that is sent after it.
    arm.wait(
        lambda: arm.show(1000) or arm.joint_states[-1].header.stamp.sec >= 1000, 'the new time'
    )
    arm.joint_states.clear()
    stamp = arm.ask((0.1, -0.4, 0.0), stamp=1001).header.stamp

    def is_there():
        arm.show(*divmod(next(ticks), BILLION))
        return arm.told(stamp)[-1]['at_goal'] == 'true'

    arm.wait(is_there, 'arrival')
    for before, after in itertools.pairwise(arm.joint_states):
        step = max(abs(a - b) for a, b in zip(after.position, before.position, strict=True))
        assert step <= SPEED * (time_of(after) - time_of(before)) / BILLION * 1.01 + 1e-9


ARMS = [f'arm{i}' for i in range(5)]
LENGTHS = {arm: round(0.2 + 0.01 * number, 2) for number, arm in enumerate(ARMS)}


@once
def test_each_arm_answers_its_own_target(
    client_of: Any, start_process: Any, tmp_path: Path
) -> None:
    sections = {'/**': {**TWO, 'arms': ARMS}}
    sections |= {f'/{arm}/ik2d': {'chain.shoulder.length': LENGTHS[arm]} for arm in ARMS}
    file = tmp_path / 'fleet.yaml'
    file.write_text(yaml.safe_dump({k: {'ros__parameters': v} for k, v in sections.items()}))
    process = start_process('node', '--ros-args', '--params-file', file)
    clients = [client_of(f'/{arm}/ik2d') for arm in (*ARMS[:2], ARMS[-1])]
    process.wait_for_output(f'[{ARMS[-1]}.ik2d]: ready')
    for number, client in enumerate(clients):
        goal = (0.25, 0.1 + 0.01 * number, 0.0)
        message = client.connect().ask(goal)
        assert values(message)['code'] == 'REACHED'
        assert message.status[0].hardware_id == client.name
        arm = client.name.split('/')[1]
        chain = Chain.from_lengths([LENGTHS[arm], 0.25], limits=[LIMITS, LIMITS])
        assert math.dist(tip(client.pose(), chain), goal[:2]) <= 1e-5

    # A parameter of one arm, good or bad, is no other's, nor is a target that is refused.
    first, second, _ = clients
    assert not first.set({'chain.elbow.length': -1.0}).successful
    assert first.set({'plane_tolerance': 0.5}).successful
    assert first.get('chain.elbow.length', 'plane_tolerance') == [0.25, 0.5]
    assert second.get('chain.elbow.length', 'plane_tolerance')[0] == 0.25
    assert math.isnan(second.get('plane_tolerance')[0])
    assert values(first.ask((math.nan, 0.0, 0.0)))['code'] == 'INVALID_TARGET'
    assert [values(client.statuses[-1])['code'] for client in clients[1:]] == ['REACHED'] * 2
