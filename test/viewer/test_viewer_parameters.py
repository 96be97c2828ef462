"""The parameters of the viewer, its address, and its port."""

from __future__ import annotations

import pytest

from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.viewer.parameters import free_port, settings_from_parameters


@pytest.mark.parametrize(
    ('name', 'value', 'allowed'),
    [
        ('port', 65536, '0 to 65535'),
        ('node', '~/ik2d', 'name of a node'),
        ('target_node', '2d', 'name of a node'),
        ('measured_topic', 'ik2d/', 'name of a topic'),
    ],
)
def test_refused_values_are_told_what_is_allowed(name, value, allowed):
    with pytest.raises(ConfigError, match=f'{name}.*{value!r}.*{allowed}'):
        settings_from_parameters({name: value})


@pytest.mark.parametrize('host', ['203.0.113.1', 'no.such.host.invalid'])
def test_a_host_that_is_not_this_machine_is_refused(host):
    with pytest.raises(ConfigError, match='an address of this machine'):
        free_port(host, 8080)
