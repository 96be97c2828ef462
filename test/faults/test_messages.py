"""No message ends a node, whatever is in it: each is answered, and the arm stays within limits."""

from __future__ import annotations

import itertools
from typing import Any

from harness import CONFIG, HAS_ROS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from node_client import Client, values
from sizes import count

if HAS_ROS:
    from builtin_interfaces.msg import Time as TimeMessage
    from rclpy.time import Time
    from rosgraph_msgs.msg import Clock
    from sensor_msgs.msg import JointState

LAST = 2**31 - 1
MOST = 2**32 - 1

# Stamps as a message holds them (s, ns), and whether a target can have been sent at such a time.
STAMPS = {
    (0, 1): True,
    (5, 1_000_000_000): True,
    (5, MOST): True,
    (-1, 2_000_000_000): True,
    (LAST, 999_999_999): True,
    (LAST - 4, MOST): True,
    (-1, 999_999_999): False,
    (-(2**31), MOST): False,
    (LAST, 1_000_000_000): False,
    (LAST, MOST): False,
}


def test_a_stamp_is_returned_to_the_bit_or_refused(arm_node: Any, peer: Client) -> None:
    peer.connect()
    for (stamp, is_time), query in itertools.product(STAMPS.items(), (False, True)):
        given = TimeMessage(sec=stamp[0], nanosec=stamp[1])
        status = peer.ask((0.3, 0.2, 0.0), query, stamp=given)
        assert values(status)['code'] == ('REACHED' if is_time else 'INVALID_TARGET'), stamp
        sentence = status.status[0].message
        if not is_time:
            assert 'stamp' in sentence, stamp
            assert ('before 0' if stamp[0] < 0 else '2147483647') in sentence, stamp
            assert ('The arm holds.' in sentence) != query, stamp
    assert arm_node.is_running()


def test_invalid_clocks_end_no_node(start_process: Any, peer: Client) -> None:
    """``/clock`` before 0, and beyond the largest stamp; then it is sane again."""
    arguments = ['-p', 'use_sim_time:=true', '--params-file', CONFIG / 'two_bone.yaml']
    arguments += ['-r', 'joint_states:=joint_states_of_its_own']  # not those of another node
    process = start_process('-m', 'ik2d_ros.node', '--ros-args', *arguments)
    clock = peer.node.create_publisher(Clock, '/clock', 10)
    heard: list[Any] = []
    peer.node.create_subscription(JointState, '/joint_states_of_its_own', heard.append, 100)
    peer.wait(clock.get_subscription_count, 'the subscription of the clock')

    def tick(sec: int, nanosec: int) -> None:
        clock.publish(Clock(clock=TimeMessage(sec=sec, nanosec=nanosec)))
        peer.executor.spin_once(timeout_sec=0.01)

    for _ in range(count(200, 20)):
        for stamp, is_time in STAMPS.items():
            if not is_time:
                tick(*stamp)
    for message in heard:
        Time.from_msg(message.header.stamp)  # raises if it is none
    assert process.is_running(), process.output
    heard.clear()
    times = iter(range(10**6))

    def goes_on() -> bool:
        # Where time is set back, timers begin anew.
        tick(100 + next(times), 0)
        return any(100 <= message.header.stamp.sec < 10**6 for message in heard)

    peer.wait(goes_on, 'life after a mad clock')
    assert process.is_running(), process.output
    assert 'Traceback' not in process.output
    assert process.stop() == 0


GARBAGE = [
    b'',
    b'\0\1\0\0',
    b'\0\1\0\0' + b'\xff' * 12,
    # A frame that is not UTF-8, in an otherwise sound target.
    b'\0\1\0\0' + bytes(8) + b'\6\0\0\0\xff\xfe\xed\xa0\x80\0' + bytes(2) + bytes(24),
    # A frame of 4 GB, says its length.
    b'\0\1\0\0' + bytes(8) + b'\xff\xff\xff\xff' + bytes(60),
]


@settings(max_examples=count(2000, 100), suppress_health_check=[*HealthCheck], deadline=None)
@given(raw=st.sampled_from(GARBAGE) | st.binary(max_size=200), place=st.integers(0, 2))
def test_no_invalid_message_ends_a_node(
    arm_node: Any, peer: Client, raw: bytes, place: int
) -> None:
    if not peer.inputs[place].get_subscription_count():
        peer.connect()
    peer.inputs[place].publish(raw)
    peer.executor.spin_once(timeout_sec=0.0)


def test_after_all_that_targets_and_queries_are_answered(arm_node: Any, peer: Client) -> None:
    peer.connect()
    for query in (False, True):
        assert values(peer.ask((0.3, 0.2, 0.0), query))['code'] == 'REACHED'
