"""No message or call ends a node, whatever is in it: each is answered."""

from __future__ import annotations

import math
from typing import Any

from harness import CONFIG, HAS_ROS
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from node_client import Client, values
from sizes import count

from ik2d_ros.pilot.clock import BILLION
from ik2d_ros.pilot.parameters import PARAMETERS

if HAS_ROS:
    from builtin_interfaces.msg import Time as TimeMessage
    from rcl_interfaces import srv
    from rcl_interfaces.msg import Parameter, ParameterValue
    from rclpy.time import Time
    from rosgraph_msgs.msg import Clock
    from sensor_msgs.msg import JointState

LAST, MOST = 2**31 - 1, 2**32 - 1
OUTSIDE = [(-1, 999_999_999), (-(2**31), MOST), (LAST, 1_000_000_000), (LAST, MOST)]
MANY = {'suppress_health_check': [*HealthCheck], 'deadline': None}


@settings(max_examples=count(2000, 50), **MANY)
@given(st.integers(-(2**31), LAST), st.integers(0, MOST), st.booleans())
@example(0, 1, False)
@example(-1, 2_000_000_000, False)
@example(LAST, 999_999_999, True)
@example(*OUTSIDE[0], True)
@example(*OUTSIDE[2], False)
def test_a_stamp_is_returned_to_the_bit_or_refused(
    arm_node: Any, peer: Client, sec: int, nanosec: int, query: bool
) -> None:
    time = sec * BILLION + nanosec
    assume(time)  # 0 is now
    if not peer.joint_states:
        peer.connect()
    status = peer.ask((0.3, 0.2, 0.0), query, stamp=TimeMessage(sec=sec, nanosec=nanosec))
    is_time = 0 < time < 2**31 * BILLION
    assert values(status)['code'] == ('REACHED' if is_time else 'INVALID_TARGET')
    if not is_time:
        sentence = status.status[0].message
        assert 'stamp' in sentence
        assert ('before 0' if sec < 0 else '2147483647') in sentence
        assert ('The arm holds.' in sentence) != query


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

    for stamp in OUTSIDE * count(200, 20):
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


@settings(max_examples=count(2000, 100), **MANY)
@given(raw=st.sampled_from(GARBAGE) | st.binary(max_size=200), place=st.integers(0, 2))
def test_no_invalid_message_ends_a_node(
    arm_node: Any, peer: Client, raw: bytes, place: int
) -> None:
    if not peer.inputs[place].get_subscription_count():
        peer.connect()
    peer.inputs[place].publish(raw)
    peer.executor.spin_once(timeout_sec=0.0)


SERVICES = ('DescribeParameters', 'GetParameters', 'GetParameterTypes', 'ListParameters')
SERVICES += ('SetParameters', 'SetParametersAtomically')
TEXTS = st.text(st.characters(exclude_categories=['Cs']), max_size=20) | st.just('x' * 10_000)
KNOWN = [*PARAMETERS, 'chain', 'chain.elbow.', 'chain.elbow.length', 'chain.x.y', 'qos_overrides.']
NAMES = (st.sampled_from(KNOWN) | TEXTS).filter(lambda name: name != 'use_sim_time')  # no clock
INTEGERS = st.integers(-(2**63), 2**63 - 1)


@st.composite
def hostile_values(draw: st.DrawFn) -> Any:
    """Values of any type there is."""
    return ParameterValue(
        type=draw(st.integers(0, 9)),
        bool_value=draw(st.booleans()),
        integer_value=draw(INTEGERS),
        double_value=draw(st.floats()),
        string_value=draw(TEXTS),
        byte_array_value=[bytes([each]) for each in draw(st.binary(max_size=9))],
        bool_array_value=draw(st.lists(st.booleans(), max_size=9)),
        integer_array_value=draw(st.lists(INTEGERS, max_size=9)),
        double_array_value=draw(st.lists(st.floats(), max_size=9)),
        string_array_value=draw(st.lists(TEXTS, max_size=3)),
    )


@settings(max_examples=count(12_000, 300), **MANY)
@given(data=st.data())
def test_every_call_is_answered(arm_node: Any, peer: Client, data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(SERVICES))
    names = data.draw(st.lists(NAMES, max_size=4))
    request: dict[str, Any] = {'names': names}
    if kind == 'ListParameters':
        request = {'prefixes': names, 'depth': data.draw(st.integers(0, 2**64 - 1))}
    elif kind.startswith('Set'):
        given = [Parameter(name=name, value=data.draw(hostile_values())) for name in names]
        request = {'parameters': given}
    service = ''.join(f'_{c.lower()}' if c.isupper() else c for c in kind)[1:]
    answer = peer.call(getattr(srv, kind), service, **request)
    for result in answer.results if kind == 'SetParameters' else ():
        assert result.successful or result.reason
        assert 'internal error' not in result.reason, result


def test_after_all_that_targets_are_answered(arm_node: Any, peer: Client) -> None:
    status = peer.connect(poses=False).ask((math.nan, 0.0, 0.0))
    assert values(status)['code'] == 'INVALID_TARGET'
