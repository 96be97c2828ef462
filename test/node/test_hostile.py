"""No message or call ends a node, whatever is in it: each is answered."""

from __future__ import annotations

import re
from typing import Any

from harness import HAS_ROS, once
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from node_client import NEAR, NOWHERE, TWO, Client, values
from sizes import count
from test_names import FORGED, is_harmless

from ik2d_ros.pilot.clock import BILLION
from ik2d_ros.pilot.parameters import PARAMETERS

if HAS_ROS:
    from builtin_interfaces.msg import Time as TimeMessage
    from rcl_interfaces import srv
    from rcl_interfaces.msg import Parameter, ParameterValue
    from rclpy.time import Time

LAST, MOST = 2**31 - 1, 2**32 - 1
OUTSIDE = [(-1, 999_999_999), (-(2**31), MOST), (LAST, 1_000_000_000), (LAST, MOST)]
MANY = {'suppress_health_check': [*HealthCheck], 'deadline': None}


@once
def test_a_hostile_frame_is_harmless_in_status_and_log(lasting: Client) -> None:
    status = lasting.ask(NEAR, frame_id=FORGED.replace('\ud800', ''))
    assert values(status)['code'] == 'UNKNOWN_FRAME'
    assert is_harmless(status.status[0].message)
    lasting.process.wait_for_output('UNKNOWN_FRAME')
    lines = [line for line in lasting.process.output.split('\n') if line]
    assert all(map(is_harmless, lines))
    assert all(re.match(r'\[(INFO|WARN)\] \[[\d.]+\] \[lasting.ik2d\]: ', line) for line in lines)


@settings(max_examples=count(2000, 50), **MANY)
@given(st.integers(-(2**31), LAST), st.integers(0, MOST), st.booleans())
@example(0, 1, False)
@example(-1, 2_000_000_000, False)
@example(LAST, 999_999_999, True)
@example(*OUTSIDE[0], True)
@example(*OUTSIDE[2], False)
def test_a_stamp_is_returned_to_the_bit_or_refused(
    lasting: Client, sec: int, nanosec: int, query: bool
) -> None:
    time = sec * BILLION + nanosec
    assume(time)  # 0 is now
    status = lasting.ask(NEAR, query, stamp=TimeMessage(sec=sec, nanosec=nanosec))
    is_time = 0 < time < 2**31 * BILLION
    assert values(status)['code'] == ('REACHED' if is_time else 'INVALID_TARGET')
    if not is_time:
        sentence = status.status[0].message
        assert 'stamp' in sentence
        assert ('before 0' if sec < 0 else '2147483647') in sentence
        assert ('The arm holds.' in sentence) != query


def test_invalid_clocks_end_no_node(start: Any) -> None:
    """``/clock`` before 0, and beyond the largest stamp; then it is sane again."""
    process, arm = start(TWO, '-p', 'use_sim_time:=true')
    for stamp in OUTSIDE * count(200, 20):
        arm.show(*stamp)
    for message in arm.joint_states:
        Time.from_msg(message.header.stamp)  # raises if it is none
    assert process.is_running(), process.output
    arm.joint_states.clear()
    times = iter(range(100, 10**6))

    def goes_on() -> bool:
        # Where time is set back, timers begin anew.
        arm.show(next(times))
        return any(100 <= message.header.stamp.sec < 10**6 for message in arm.joint_states)

    arm.wait(goes_on, 'life after a mad clock')
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
def test_no_invalid_message_ends_a_node(lasting: Client, raw: bytes, place: int) -> None:
    lasting.inputs[place].publish(raw)
    lasting.executor.spin_once(timeout_sec=0.0)


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
def test_every_call_is_answered(lasting: Client, data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(SERVICES))
    names = data.draw(st.lists(NAMES, max_size=4))
    request: dict[str, Any] = {'names': names}
    if kind == 'ListParameters':
        request = {'prefixes': names, 'depth': data.draw(st.integers(0, 2**64 - 1))}
    elif kind.startswith('Set'):
        given = [Parameter(name=name, value=data.draw(hostile_values())) for name in names]
        request = {'parameters': given}
    service = ''.join(f'_{c.lower()}' if c.isupper() else c for c in kind)[1:]
    answer = lasting.call(getattr(srv, kind), service, **request)
    for result in answer.results if kind == 'SetParameters' else ():
        assert result.successful or result.reason
        assert 'internal error' not in result.reason, result


def test_after_all_that_targets_are_answered(lasting: Client) -> None:
    assert values(lasting.connect(poses=False).ask(NOWHERE))['code'] == 'INVALID_TARGET'
