"""The node's parameters as plain data: values, defaults, and changes as a whole."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from changes import ARM, changeable, changes_of
from refusals import ALWAYS, AT_START, TWO, yaml_of

from ik2d_ros.node.parameters import PARAMETERS, configuration_from_parameters
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.file import load_parameters
from ik2d_ros.parameters.table import Effect

# As documented; first the ones that may change at run time.
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
    'base.xyz': [0.0, 0.0, 0.0],
    'base.rpy': [0.0, 0.0, 0.0],
}
FIXED = {
    'use_measured_state': False,
    'command_out_type': '',
    'command_out_topic': '~/command',
    'command_joints': [],
    'publish_joint_states': True,
    'robot_description': '',
    'tip_frame': '',
    'base_frame': 'base_link',
}


def test_defaults_are_those_of_the_interface() -> None:
    assert PARAMETERS.defaults == {**DOCUMENTED, **FIXED}
    assert {name for name, row in PARAMETERS.items() if row.read_only} == {*FIXED, 'joints'}
    by_default = configuration_from_parameters(TWO)
    assert by_default == configuration_from_parameters({**TWO, **DOCUMENTED, **FIXED})
    assert all(row.summary and row.allowed for row in PARAMETERS.values())


@pytest.mark.parametrize('row', [*ALWAYS, *AT_START])
def test_a_refusal_names_the_parameter_its_value_and_what_is_allowed(
    tmp_path: Path, row: str
) -> None:
    """From the file to the message; that the node does the same is seen at run time."""
    changes, words = {**ALWAYS, **AT_START}[row]
    file = tmp_path / 'parameters.yaml'
    file.write_text(yaml_of({'solver': 'auto', **TWO, **changes}))
    with pytest.raises(ConfigError) as raised:
        configuration_from_parameters(load_parameters(file))
    assert [word for word in words if word not in str(raised.value)] == []


CHANGEABLE = changeable()


@pytest.mark.parametrize('name', CHANGEABLE)
def test_a_change_affects_what_its_row_says(name: str) -> None:
    """None can be forgotten, neither in the table nor on the way to the solver."""
    row, tried = CHANGEABLE[name], [*changes_of(name, CHANGEABLE[name])]
    assert tried
    assert any(change.shows() for change in tried) == (row.affects is Effect.SOLVING)
    for change in tried:
        before = {**ARM, **change.base}
        after = PARAMETERS.merged(before, change.changes)
        is_same = before.get(name) == after.get(name)
        assert PARAMETERS.effects(before, after) == (set() if is_same else {row.affects})
