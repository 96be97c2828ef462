"""The parameters of the viewer, its address, and its port."""

from __future__ import annotations

import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.viewer.parameters import (
    PORTS_TRIED,
    find_url,
    free_port,
    joint_states_topic,
    settings_from_parameters,
    url,
)


@pytest.mark.parametrize(
    ('name', 'value', 'allowed'),
    [
        ('host', '', 'not empty'),
        ('host', 7, 'string'),
        ('port', -1, '0 to 65535'),
        ('port', 65536, '0 to 65535'),
        ('port', 80.5, '0 to 65535'),
        ('port', True, '0 to 65535'),
        ('node', '', 'name of a node'),
        ('node', '~/ik2d', 'name of a node'),
        ('node', 'ik2d/', 'name of a node'),
        ('node', 'two words', 'name of a node'),
        ('target_node', '2d', 'name of a node'),
    ],
)
def test_refused_values_are_told_what_is_allowed(name, value, allowed):
    with pytest.raises(ConfigError) as caught:
        settings_from_parameters({name: value})
    assert name in str(caught.value)
    assert repr(value) in str(caught.value)
    assert allowed in str(caught.value)


@pytest.mark.parametrize(
    ('node', 'topic'),
    [
        ('ik2d', 'joint_states'),
        ('/ik2d', '/joint_states'),
        ('left/ik2d', 'left/joint_states'),
        ('/robot/left/arm', '/robot/left/joint_states'),
    ],
)
def test_joint_states_are_those_in_the_namespace_of_the_node(node, topic):
    assert joint_states_topic(node) == topic


@given(st.sampled_from(['127.0.0.1', '0.0.0.0', '::', '::1', 'robot.local']), st.integers(1, 65535))
def test_the_address_of_a_page_is_found_in_what_is_logged(host, port):
    address = url(host, port)
    assert find_url(f'[INFO] [1.0] [ik2d_viewer]: showing /ik2d at {address}\nmore') == address
    assert address.endswith(f':{port}')
    assert find_url('nothing yet') is None


def test_the_next_free_port_is_taken():
    with socket.socket() as first:
        first.bind(('127.0.0.1', 0))
        first.listen()
        taken = first.getsockname()[1]
        found = free_port('127.0.0.1', taken)
        assert taken < found < taken + PORTS_TRIED
        with socket.socket() as second:
            second.bind(('127.0.0.1', found))


@pytest.mark.parametrize('host', ['203.0.113.1', 'no.such.host.invalid', 'x' * 300])
def test_a_host_that_is_not_this_machine_is_refused(host):
    with pytest.raises(ConfigError, match='an address of this machine'):
        free_port(host, 8080)
