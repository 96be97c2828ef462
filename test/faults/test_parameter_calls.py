"""Every call of a parameter service is answered, and none ends the node."""

from __future__ import annotations

import math
from typing import Any

from harness import HAS_ROS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from node_client import Client, values
from sizes import count

from ik2d_ros.pilot.parameters import PARAMETERS

if HAS_ROS:
    from rcl_interfaces import srv
    from rcl_interfaces.msg import Parameter, ParameterValue

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


@settings(max_examples=count(12_000, 300), suppress_health_check=[*HealthCheck], deadline=None)
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
