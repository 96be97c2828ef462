"""What the node answers, on which topics, with which stamps and qualities."""

from __future__ import annotations

import math
import time
from typing import Any

import pytest
from harness import HAS_ROS
from node_client import CHAIN, FAR, KEYS, NEAR, Client, only, tip, values
from refusals import TWO

from ik2d_ros.kinematics import Status, solve
from ik2d_ros.node.outcome import Level

if HAS_ROS:
    import rclpy
    from builtin_interfaces.msg import Time as TimeMessage
    from diagnostic_msgs.msg import DiagnosticArray
    from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy


STALE = {'stamp': 12}


# Floating-point arithmetic does not come this near but by chance, and the solver cannot know why.
IMPOSSIBLE = {'solver': 'ccd', 'tolerance': 1e-300, 'max_iterations': 1}


CODES = {
    'REACHED': ({}, NEAR, {}, Level.OK, 'true'),
    'REACHED in base_frame': ({}, NEAR, {'frame_id': 'base_link'}, Level.OK, 'true'),
    'TOO_FAR': ({}, FAR, {}, Level.WARN, 'false'),
    'TOO_NEAR': ({}, (0.01, 0.0, 0.0), {}, Level.WARN, 'false'),
    'JOINT_LIMIT': ({}, (0.1, 0.0, 0.0), {}, Level.WARN, 'false'),
    'NOT_CONVERGED': (
        IMPOSSIBLE,
        None,
        {},
        Level.WARN,
        'unknown',
    ),
    'UNKNOWN_FRAME': ({}, NEAR, {'frame_id': 'map'}, Level.ERROR, 'unknown'),
    'OUT_OF_PLANE': ({}, (0.3, 0.2, 0.02), {}, Level.ERROR, 'unknown'),
    'STALE_TARGET': ({'target_timeout': 60.0}, NEAR, STALE, Level.STALE, 'unknown'),
    **{
        f'INVALID_TARGET {point}': ({}, point, {}, Level.ERROR, 'unknown')
        for point in [
            (math.nan, 0.2, 0.0),
            (0.3, math.inf, 0.0),
            (0.3, 0.2, -math.inf),
            (0.3, 0.2, math.nan),
        ]
    },
}


REFUSED = ['INVALID_TARGET', 'UNKNOWN_FRAME', 'OUT_OF_PLANE', 'STALE_TARGET']


def not_converging(pose: tuple[float, ...]) -> tuple[float, float, float]:
    """A target that the solver, asked for the impossible, misses from a pose by a rounding."""
    for step in range(100):
        x, y = 0.31 + 1e-3 * step, 0.17
        if solve(CHAIN, (x, y), start=pose, **IMPOSSIBLE).status is Status.NOT_CONVERGED:
            return x, y, 0.0
    raise AssertionError('the solver reaches every target exactly')


@pytest.mark.parametrize('unreachable', ['closest', 'hold'])
def test_every_code_as_the_table_says(start: Any, unreachable: str) -> None:
    base = {**TWO, 'plane_tolerance': 0.01, 'unreachable': unreachable}
    _, arm = start(base)
    arm.connect()
    defaults = {'solver': 'auto', 'tolerance': 1e-6, 'max_iterations': 100, 'target_timeout': 0.0}
    for row, (changes, given, how, level, reachable) in CODES.items():
        code = row.split()[0]
        # Back to where no target of the table leads to, without a trace of the row before.
        assert arm.set(defaults).successful
        arm.ask((0.2, 0.35, 0.0))
        assert arm.set(changes).successful
        before = arm.pose()
        point = given or not_converging(before)
        message = arm.ask(point, **how)
        after = arm.pose()
        status, said = only(message), values(message)
        assert message.header.frame_id == 'base_link', row
        assert (status.name, status.hardware_id) == ('ik2d: reachability', '/ik2d'), row
        assert status.level == bytes([level]), row
        assert [value.key for value in status.values] == KEYS, row
        assert (said['code'], said['reachable']) == (code, reachable), row
        holds = code in REFUSED or (unreachable == 'hold' and code != 'REACHED')
        assert (after == before) == holds, row
        assert ('The arm holds.' in status.message) == holds, row
        assert said['at_goal'] == ('false' if holds else 'true'), row
        if code in REFUSED:
            assert (said['error'], said['solver'], said['iterations']) == ('nan', '', '0'), row
        else:
            assert (float(said['x']), float(said['y'])) == point[:2], row
            assert float(said['out_of_plane']) == point[2], row
            if not holds:
                error = math.dist(tip(after), point[:2])
                assert float(said['error']) == pytest.approx(error, abs=1e-12), row
                assert (error <= 1e-6) == (code == 'REACHED') or code == 'NOT_CONVERGED', row


def test_a_query_is_answered_and_moves_nothing(arm: Client) -> None:
    arm.ask((0.2, 0.35, 0.0))
    there = arm.now()
    before, statuses = arm.pose(), len(arm.statuses)
    for point, code in ((NEAR, 'REACHED'), (FAR, 'TOO_FAR'), ((math.nan, 0, 0), 'INVALID_TARGET')):
        message = arm.ask(point, query=True)
        assert values(message)['code'] == code
        assert [value.key for value in only(message).values] == KEYS
        assert only(message).hardware_id == arm.name
        assert values(message)['at_goal'] == 'false'
        assert 'The arm' not in only(message).message
    assert arm.pose() == before
    assert len(arm.statuses) == statuses
    assert set(arm.poses(since=there)) == {before}


def test_stamps_are_the_targets_or_the_time_of_arrival(arm: Client) -> None:
    given = TimeMessage(sec=123, nanosec=456)
    clock = arm.node.get_clock()
    for query, received in ((False, arm.statuses), (True, arm.answers)):
        arm.send(NEAR, stamp=given, query=query)
        arm.wait(lambda received=received: received, 'the status of a target with a stamp')
        assert [message.header.stamp for message in received] == [given]
        received.clear()
        before = clock.now()
        arm.send(NEAR, stamp=0, query=query)
        arm.wait(lambda received=received: received, 'the status of a target without a stamp')
        arrived = rclpy.time.Time.from_msg(received[0].header.stamp, clock_type=before.clock_type)
        assert before <= arrived <= clock.now()
    stamps = [rclpy.time.Time.from_msg(m.header.stamp).nanoseconds for m in arm.joint_states]
    assert stamps[0] > 0
    assert stamps == sorted(stamps)


def test_stale_in_the_past_and_in_the_future(arm: Client) -> None:
    assert arm.set({'target_timeout': 120.0}).successful
    for offset, code in ((-200, 'STALE_TARGET'), (0, 'REACHED'), (200, 'STALE_TARGET')):
        stamp = (arm.node.get_clock().now() + rclpy.duration.Duration(seconds=offset)).to_msg()
        assert values(arm.ask(NEAR, stamp=stamp))['code'] == code, offset


def test_qualities_of_service(arm: Client) -> None:
    reliable = ReliabilityPolicy.RELIABLE
    volatile, kept = DurabilityPolicy.VOLATILE, DurabilityPolicy.TRANSIENT_LOCAL
    published = {
        '/lasting/joint_states': (reliable, volatile, 'sensor_msgs/msg/JointState'),
        '/lasting/ik2d/status': (reliable, kept, 'diagnostic_msgs/msg/DiagnosticArray'),
        '/lasting/ik2d/query_status': (reliable, volatile, 'diagnostic_msgs/msg/DiagnosticArray'),
    }
    subscribed = {
        '/lasting/ik2d/target': (reliable, volatile, 'geometry_msgs/msg/PointStamped'),
        '/lasting/ik2d/target_pose': (reliable, volatile, 'geometry_msgs/msg/PoseStamped'),
        '/lasting/ik2d/query': (reliable, volatile, 'geometry_msgs/msg/PointStamped'),
    }
    for topics, infos in (
        (published, arm.node.get_publishers_info_by_topic),
        (subscribed, arm.node.get_subscriptions_info_by_topic),
    ):
        for topic, expected in topics.items():
            # An endpoint is heard of before the name of its node.
            (info,) = arm.wait(
                lambda infos=infos, topic=topic: [
                    info for info in infos(topic) if info.node_name == 'ik2d'
                ],
                topic,
            )
            profile = info.qos_profile
            assert (profile.reliability, profile.durability, info.topic_type) == expected, topic


def test_before_the_first_target_the_node_is_ready(start: Any) -> None:
    started = time.time_ns()
    _, arm = start(TWO)
    arm.wait(lambda: arm.repeated >= 2, 'the first status, and again')
    (message,) = arm.statuses
    said = values(message)
    assert (said['code'], only(message).level) == ('READY', bytes([Level.OK]))
    assert (said['at_goal'], said['reachable'], said['x']) == ('false', 'unknown', 'nan')
    assert started <= rclpy.time.Time.from_msg(message.header.stamp).nanoseconds <= time.time_ns()
    # No later change brings it back.
    arm.connect()
    arm.ask(NEAR)
    assert arm.set({'solver': 'ccd', 'publish_rate': 60.0}).successful
    arm.ask(FAR)
    assert 'READY' not in [values(message)['code'] for message in arm.statuses]


def test_the_last_status_is_told_again_as_it_was(arm: Client) -> None:
    arm.ask(NEAR)
    arm.wait(lambda: arm.repeated >= 3, 'the status, three times more')
    assert len(arm.statuses) == 1
    # Another one takes its place.
    arm.ask(FAR)
    repeated = arm.repeated
    arm.wait(lambda: arm.repeated >= repeated + 2, 'the new status again')
    assert [values(message)['code'] for message in arm.statuses] == ['REACHED', 'TOO_FAR']


def test_two_arms_are_two_entries_of_diagnostics(start: Any) -> None:
    to_diagnostics = ('-r', '~/status:=/diagnostics')
    started = [
        start(TWO, '-r', f'__ns:=/{side}', *to_diagnostics, node=f'/{side}/ik2d')
        for side in ('left', 'right')
    ]
    client = started[0][1]
    heard: list[DiagnosticArray] = []
    client.node.create_subscription(DiagnosticArray, '/diagnostics', heard.append, 100)
    names = {'left/ik2d: reachability': '/left/ik2d', 'right/ik2d: reachability': '/right/ik2d'}

    def entries() -> dict[str, str]:
        for _, own in started:
            own.send(NEAR)
            own.executor.spin_once(timeout_sec=0.05)
        return {only(message).name: only(message).hardware_id for message in heard}

    client.wait(lambda: entries() == names, 'both arms')
    # Neither goes stale, though nobody sends a target any more.
    heard.clear()
    client.wait(
        lambda: all([only(m).name for m in heard].count(name) >= 3 for name in names),
        'both arms, again and again',
    )


OVERRIDDEN = 'qos_overrides./ik2d/target.subscription'


def test_the_quality_of_targets_can_be_overridden(start: Any) -> None:
    given = {f'{OVERRIDDEN}.reliability': 'best_effort', f'{OVERRIDDEN}.depth': 5}
    process, arm = start({**TWO, **given})
    assert arm.get(*given) == list(given.values())
    infos = arm.wait(
        lambda: arm.node.get_subscriptions_info_by_topic('/ik2d/target'), 'the subscription'
    )
    assert [info.qos_profile.reliability for info in infos] == [ReliabilityPolicy.BEST_EFFORT]
    assert not arm.set({f'{OVERRIDDEN}.depth': 6}).successful
    assert arm.set({'solver': 'ccd'}).successful
    arm.connect()

    def is_reached() -> bool:
        arm.send(NEAR)  # again, for who listens with best effort may miss one
        return any(values(message)['code'] == 'REACHED' for message in arm.statuses)

    arm.wait(is_reached, 'an answer')
    assert 'ignored' not in process.output


def test_who_joins_late_gets_the_last_status(arm: Client) -> None:
    first, last = arm.ask(NEAR), arm.ask(FAR)
    late: list[DiagnosticArray] = []
    kept = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    arm.node.create_subscription(DiagnosticArray, f'{arm.name}/status', late.append, kept)
    arm.wait(lambda: last.header.stamp in [m.header.stamp for m in late], 'the last status')
    assert [m.header.stamp for m in late[-2:]] == [first.header.stamp, last.header.stamp]


def test_the_rate_changes_while_running(start: Any) -> None:
    _, arm = start({**TWO, 'publish_rate': 0.01})
    arm.connect(poses=False)
    # At this rate the next one takes longer than any wait here: what comes has another reason.
    arm.ask(NEAR)
    arm.wait(lambda: arm.joint_states, 'joint_states at once after a solve')
    assert arm.set({'publish_rate': 200}).successful
    arm.wait(lambda: len(arm.joint_states) > 5, 'joint_states at the new rate')
    assert arm.set({'publish_rate': 0.01}).successful
    assert arm.set({'publish_rate': 100.0}).successful
    seen = len(arm.joint_states)
    arm.wait(lambda: len(arm.joint_states) > seen + 5, 'joint_states at the last rate')


def test_a_namespace_and_another_name(start: Any) -> None:
    arguments = ('-r', '__ns:=/left', '-r', '__node:=solver')
    _, arm = start({**TWO, 'base_frame': 'world'}, *arguments, node='/left/solver')
    arm.connect()
    message = arm.ask(NEAR)
    assert only(message).hardware_id == '/left/solver'
    assert message.header.frame_id == 'world'
    assert arm.joint_states
    assert values(arm.ask(NEAR, query=True))['code'] == 'REACHED'
