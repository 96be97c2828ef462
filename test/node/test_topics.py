"""Topics, stamps and QoS of the node."""

from __future__ import annotations

import math
import time

import pytest
from harness import HAS_ROS
from node_client import NEAR, TWO, only, tip, values

from ik2d_ros.pilot.outcome import Level

if HAS_ROS:
    import rclpy
    from rclpy.qos import ReliabilityPolicy


@pytest.mark.parametrize('topic', ['target', 'target_pose', 'query', 'path', 'query_path'])
def test_targets_and_queries_are_taken_reliably(arm, topic):
    def found():  # the subscription, which is heard of before the name of its node
        infos = arm.node.get_subscriptions_info_by_topic(f'{arm.name}/{topic}')
        return [info for info in infos if info.node_name == 'ik2d']

    (info,) = arm.wait(found, topic)
    assert info.qos_profile.reliability is ReliabilityPolicy.RELIABLE


def test_the_node_is_ready_until_the_first_target_and_repeats_its_status(start):
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

    def services():
        return {name for name, _ in arm.node.get_service_names_and_types()}

    arm.wait(lambda: '/left/solver/stop' in services(), 'its services')
    assert '/left/solver/handle/get_interactive_markers' not in services()
    assert started <= rclpy.time.Time.from_msg(message.header.stamp).nanoseconds <= time.time_ns()


def test_the_rate_changes_while_running(arm):
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
