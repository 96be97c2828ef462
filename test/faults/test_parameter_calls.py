"""Every call of a parameter service is answered, and none ends the node."""

from __future__ import annotations

import math
from random import Random
from typing import Any

from harness import HAS_ROS
from node_client import Client, values
from sizes import FULL, count, resident_kib

if HAS_ROS:
    from rcl_interfaces import srv
    from rcl_interfaces.msg import Parameter, ParameterValue

    SERVICES = {
        'describe_parameters': srv.DescribeParameters,
        'get_parameters': srv.GetParameters,
        'get_parameter_types': srv.GetParameterTypes,
        'list_parameters': srv.ListParameters,
        'set_parameters': srv.SetParameters,
        'set_parameters_atomically': srv.SetParametersAtomically,
    }

CALLS = count(12_000, 300)
GROWTH = 1024  # KiB

NAMES = [
    *('solver', 'bend', 'tolerance', 'max_iterations', 'unreachable', 'publish_rate'),
    *('target_timeout', 'plane_tolerance', 'base_frame', 'base.xyz', 'base.rpy', 'joints'),
    *('chain', 'chain.', 'chain.elbow', 'chain.elbow.', 'chain.elbow.length', 'chain.elbow.axis'),
    *('chain.elbow.home', 'chain.elbow.min_position', 'chain.elbow.max_velocity', 'chain.x.y'),
    *('use_sim_time', 'start_type_description_service'),
    *('qos_overrides.', 'qos_overrides./x.depth', 'use_sim_time.x'),
    *('', '.', '..', ' ', '\n', '\x1b[2J', 'ü', 'nope', 'x' * 10_000),
]
NUMBERS = [
    *(0.0, -0.0, 1.0, -1.0, 0.3, 5e-324, 1e-300, 1e300, 1e308, -1e308),
    *(math.inf, -math.inf, math.nan),
]
INTEGERS = [0, 1, -1, 2, 50, 2**31, 2**63 - 1, -(2**63)]
TEXTS = ['', 'auto', 'hold', 'eight', '\x00', '\n', '\x1b[2J', 'ü', 'x' * 10_000]


def hostile_value(random: Random) -> ParameterValue:
    """A value of any type there is, or of none."""
    kind = random.choice([*range(10), 10, 99, 255])
    few = random.choice([0, 1, 2, 3, 4, 100])
    return ParameterValue(
        type=kind,
        bool_value=random.random() < 0.5,
        integer_value=random.choice(INTEGERS),
        double_value=random.choice(NUMBERS),
        string_value=random.choice(TEXTS),
        byte_array_value=[bytes([random.randrange(256)]) for _ in range(few)],
        bool_array_value=[random.random() < 0.5 for _ in range(few)],
        integer_array_value=[random.choice(INTEGERS) for _ in range(few)],
        double_array_value=[random.choice(NUMBERS) for _ in range(few)],
        string_array_value=[random.choice(TEXTS) for _ in range(few)],
    )


def hostile_call(random: Random) -> tuple[str, dict[str, Any]]:
    """The name of a service, and what is asked of it."""
    service = random.choice([*SERVICES])
    names = [random.choice(NAMES) for _ in range(random.choice([0, 1, 1, 2, 5]))]
    if service == 'list_parameters':
        return service, {'prefixes': names, 'depth': random.choice([0, 1, 2, 2**63, 2**64 - 1])}
    if service.startswith('set'):
        # Not use_sim_time: nobody publishes a clock.
        given = [Parameter(name=n, value=hostile_value(random)) for n in names]
        return service, {'parameters': [p for p in given if p.name != 'use_sim_time']}
    return service, {'names': names}


def test_every_call_is_answered(arm_node: Any, peer: Client) -> None:
    random = Random(1)
    warm = 0
    for turn in range(CALLS):
        service, request = hostile_call(random)
        answer = peer.call(SERVICES[service], service, **request)
        if service == 'set_parameters':
            for parameter, result in zip(request['parameters'], answer.results, strict=True):
                assert result.successful or result.reason, parameter
                assert 'internal error' not in result.reason, (parameter, result)
        if turn == CALLS // 3:
            warm = resident_kib(arm_node.popen.pid)
    growth = resident_kib(arm_node.popen.pid) - warm
    print(f'{CALLS} calls answered, memory grew by {growth} KiB')
    assert growth < GROWTH or not FULL, growth  # a few calls are not enough to warm up
    assert values(peer.connect(poses=False).ask((math.nan, 0.0, 0.0)))['code'] == 'INVALID_TARGET'
