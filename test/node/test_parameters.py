"""The node's parameters as plain data: values, defaults, and changes as a whole."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import pytest
from changes import ARM, changeable, changes_of, shows
from refusals import ALWAYS, AT_START, yaml_of
from refusals import TWO as LIMITED

from ik2d_ros.node.parameters import (
    PARAMETERS,
    SETTINGS,
    Settings,
    configuration_from_parameters,
)
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.file import load_parameters
from ik2d_ros.parameters.table import Effect, same

TWO = {
    'joints': ['shoulder', 'elbow'],
    'chain.shoulder.length': 0.3,
    'chain.elbow.length': 0.25,
}

# As the interface gives them.
DOCUMENTED = {
    'following_tolerance': 0.1,
    'following_delay': 0.05,
    'goal_tolerance': 0.02,
    'hold_velocity': 0.5,
    'solver': 'auto',
    'bend': 'nearest',
    'tolerance': 1e-6,
    'tip_angle': math.nan,
    'angle_tolerance': 1e-3,
    'max_iterations': 100,
    'unreachable': 'closest',
    'publish_rate': 50.0,
    'target_timeout': 0.0,
    'plane_tolerance': math.inf,
    'tf_timeout': 0.1,
    'path_speed': 0.05,
    'path_tolerance': 1e-4,
    'tool': [0.0, 0.0],
    'use_measured_state': False,
    'command_out_type': '',
    'command_out_topic': '~/command',
    'command_joints': [],
    'publish_joint_states': True,
    'robot_description': '',
    'tip_frame': '',
    'base_frame': 'base_link',
    'base.xyz': [0.0, 0.0, 0.0],
    'base.rpy': [0.0, 0.0, 0.0],
}


def settings(**changes: object) -> Settings:
    return configuration_from_parameters({**TWO, **changes}).settings


def test_defaults_are_those_of_the_interface() -> None:
    assert PARAMETERS.defaults == DOCUMENTED
    assert {*PARAMETERS} == {*DOCUMENTED, 'joints'}
    by_default = configuration_from_parameters(TWO)
    assert by_default == configuration_from_parameters({**TWO, **DOCUMENTED})
    assert by_default.settings == Settings()


def test_every_setting_has_a_row_and_every_row_is_described() -> None:
    assert [field.name for field in dataclasses.fields(Settings)] == [*SETTINGS]
    for name, row in PARAMETERS.items():
        assert name == row.name
        assert row.summary
        assert row.allowed
    velocity = PARAMETERS.row('chain.elbow.max_velocity')
    assert velocity is not None
    assert 'rad/s' in velocity.summary
    assert {name for name, row in PARAMETERS.items() if row.read_only} == {
        'joints',
        'base_frame',
        'robot_description',
        'tip_frame',
        'use_measured_state',
        'command_out_type',
        'command_out_topic',
        'command_joints',
        'publish_joint_states',
    }


ACCEPTED = {
    'solver': ['auto', 'two_bone', 'ccd'],
    'bend': ['nearest', 'positive', 'negative'],
    'tolerance': [1e-300, 1, 0.5],
    'tip_angle': [math.nan],
    'angle_tolerance': [1e-300, 1, 4.0],
    'max_iterations': [1, 10**9],
    'unreachable': ['closest', 'hold'],
    'publish_rate': [1, 0.01, 10_000],
    'target_timeout': [0, 0.0, 2.5],
    'plane_tolerance': [0, 0.1, math.inf],
    'tf_timeout': [0, 0.0, 2.5],
}


@pytest.mark.parametrize('name', ACCEPTED)
def test_what_is_allowed_arrives(name: str) -> None:
    for value in ACCEPTED[name]:
        arrived = getattr(settings(**{name: value}), name)
        assert same(arrived, value)
        assert type(arrived) is type(getattr(Settings(), name))


@pytest.mark.parametrize('row', [*ALWAYS, *AT_START])
def test_a_refusal_names_the_parameter_its_value_and_what_is_allowed(
    tmp_path: Path, row: str
) -> None:
    """From the file to the message; that the node does the same is seen at run time."""
    changes, words = {**ALWAYS, **AT_START}[row]
    file = tmp_path / 'parameters.yaml'
    file.write_text(yaml_of({'solver': 'auto', **LIMITED}))
    assert configuration_from_parameters(load_parameters(file)).arm.chain.names
    file.write_text(yaml_of({'solver': 'auto', **LIMITED, **changes}))
    with pytest.raises(ConfigError) as raised:
        configuration_from_parameters(load_parameters(file))
    assert [word for word in words if word not in str(raised.value)] == []


# Changes

CHANGEABLE = changeable()

CURRENT = {
    **PARAMETERS.defaults,
    **TWO,
    'chain.elbow.min_position': -1.0,
    'chain.elbow.max_position': 1.0,
}


def test_limits_change_together_whatever_their_order() -> None:
    ends = [('chain.elbow.min_position', 1.5), ('chain.elbow.max_position', 2.5)]
    for order in (ends, ends[::-1]):
        elbow = configuration_from_parameters(
            PARAMETERS.merged(CURRENT, dict(order))
        ).arm.chain.joints[1]
        assert (elbow.lower, elbow.upper) == (1.5, 2.5)
    with pytest.raises(ConfigError, match='equal or below'):
        configuration_from_parameters(PARAMETERS.merged(CURRENT, {'chain.elbow.min_position': 1.5}))


STARTS = [(0.4, 0.8), (0.4, -0.8)]


@pytest.mark.parametrize('name', CHANGEABLE)
def test_what_is_said_to_affect_solving_does_and_nothing_else(name: str) -> None:
    """None can be forgotten, neither in the table nor on the way to the solver."""
    row = CHANGEABLE[name]
    tried = list(changes_of(name, row))
    assert tried
    affects = row.affects is Effect.SOLVING
    assert any(shows(change, start) for change in tried for start in STARTS) == affects


@pytest.mark.parametrize('name', CHANGEABLE)
def test_a_change_has_the_effect_of_its_row(name: str) -> None:
    row = CHANGEABLE[name]
    for change in changes_of(name, row):
        before = {**ARM, **change.base}
        after = PARAMETERS.merged(before, change.changes)
        same = before.get(name) == after.get(name)
        assert PARAMETERS.effects(before, after) == (set() if same else {row.affects})
