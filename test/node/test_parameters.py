"""The node's parameters as plain data: values, defaults, and changes as a whole."""

from __future__ import annotations

import dataclasses
import math

import pytest
from changes import ARM, changeable, changes_of, shows
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.arm.description import ArmDescription, ConfigError
from ik2d_ros.node.parameters import (
    PARAMETERS,
    SETTINGS,
    Settings,
    configuration_from_parameters,
)
from ik2d_ros.parameters.table import Effect, same

TWO = {
    'joints': ['shoulder', 'elbow'],
    'chain.shoulder.length': 0.3,
    'chain.elbow.length': 0.25,
}
THREE = {**TWO, 'joints': ['shoulder', 'elbow', 'wrist'], 'chain.wrist.length': 0.1}
ONE = {'joints': ['shoulder'], 'chain.shoulder.length': 0.3}

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
        what, allowed = PARAMETERS.description(name)
        assert what
        assert allowed == row.allowed
    assert 'rad/s' in PARAMETERS.description('chain.elbow.max_velocity')[0]
    assert {name for name in PARAMETERS if PARAMETERS.is_read_only(name)} == {
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


NO_NUMBERS = [math.nan, 'much', True, [1.0], -math.inf]
REFUSED = {
    'solver': (['fabrik', '', 3, True, ['ccd']], 'one of auto, two_bone, ccd'),
    'bend': (['up', 1], 'one of nearest, positive, negative'),
    'tolerance': ([0.0, -1e-9, math.inf, *NO_NUMBERS], 'a finite number > 0, in m'),
    'max_iterations': ([0, -1, 1.5, 100.0, math.inf, *NO_NUMBERS], 'a whole number >= 1'),
    'unreachable': (['stop', False], 'one of closest, hold'),
    'publish_rate': (
        [0, 0.0, -50.0, 5e-324, 0.0099, 10_001, 1e300, math.inf, *NO_NUMBERS],
        'a finite number >= 0.01 and <= 10000, in Hz',
    ),
    'target_timeout': ([-0.1, math.inf, *NO_NUMBERS], 'a finite number >= 0, in s'),
    'plane_tolerance': ([-0.1, *NO_NUMBERS], 'a number >= 0, in m'),
    'tf_timeout': ([-0.1, math.inf, *NO_NUMBERS], 'a finite number >= 0, in s'),
}


@pytest.mark.parametrize('name', REFUSED)
def test_what_is_refused_is_named_with_what_is_allowed(name: str) -> None:
    values, allowed = REFUSED[name]
    for value in values:
        with pytest.raises(ConfigError) as raised:
            settings(**{name: value})
        assert f"'{name}' is {value!r}; it must be {allowed}" in str(raised.value)


def test_a_typo_in_a_choice_gets_a_hint() -> None:
    with pytest.raises(ConfigError, match=r"did you mean 'two_bone'\?"):
        settings(solver='twobone')


@pytest.mark.parametrize('parameters', [ONE, THREE])
def test_two_bone_is_for_two_joints(parameters: dict[str, object]) -> None:
    number = len(parameters['joints'])  # type: ignore[arg-type]
    with pytest.raises(ConfigError) as raised:
        configuration_from_parameters({**parameters, 'solver': 'two_bone'})
    assert all(
        word in str(raised.value)
        for word in ("'solver'", "'two_bone'", 'auto or ccd', f'{number} joint', 'exactly two')
    )
    for solver in ('auto', 'ccd'):
        configuration_from_parameters({**parameters, 'solver': solver})


def test_a_bad_arm_is_refused_too() -> None:
    with pytest.raises(ConfigError, match=r'chain\.elbow\.length'):
        settings(**{'chain.elbow.length': -1.0})


# Changes

CHANGEABLE = changeable()

CURRENT = {
    **PARAMETERS.defaults,
    **TWO,
    'chain.elbow.min_position': -1.0,
    'chain.elbow.max_position': 1.0,
}
CHANGES = st.dictionaries(
    st.sampled_from(
        ['solver', 'tolerance', 'base.xyz', 'chain.elbow.length', 'chain.elbow.home', 'bend']
    ),
    st.one_of(st.none(), st.integers(-2, 2), st.sampled_from(['ccd', 'two_bone', 'positive'])),
)


@given(CHANGES)
def test_a_change_takes_what_is_given_and_leaves_the_rest(changes: dict[str, object]) -> None:
    before = dict(CURRENT)
    after = PARAMETERS.merged(CURRENT, changes)
    assert before == CURRENT
    for name in {*CURRENT, *changes}:
        if name not in changes:
            assert same(after[name], CURRENT[name])
        elif changes[name] is None:
            assert same(after.get(name), PARAMETERS.defaults.get(name))
        else:
            assert after[name] == changes[name]


@given(CHANGES)
def test_nothing_changed_is_nothing_changed(changes: dict[str, object]) -> None:
    assert PARAMETERS.merged(CURRENT, {}) == CURRENT
    assert PARAMETERS.merged(PARAMETERS.merged(CURRENT, changes), changes) == PARAMETERS.merged(
        CURRENT, changes
    )


def test_limits_change_together_whatever_their_order() -> None:
    ends = [('chain.elbow.min_position', 1.5), ('chain.elbow.max_position', 2.5)]
    for order in (ends, ends[::-1]):
        elbow = configuration_from_parameters(
            PARAMETERS.merged(CURRENT, dict(order))
        ).arm.chain.joints[1]
        assert (elbow.lower, elbow.upper) == (1.5, 2.5)
    with pytest.raises(ConfigError, match='<='):
        configuration_from_parameters(PARAMETERS.merged(CURRENT, {'chain.elbow.min_position': 1.5}))


def test_length_and_link_change_places() -> None:
    changes = {'chain.elbow.length': None, 'chain.elbow.link': [0.1, 0.2]}
    assert configuration_from_parameters(PARAMETERS.merged(CURRENT, changes)).arm.chain.joints[
        1
    ].link == (
        0.1,
        0.2,
    )
    for name, value in changes.items():
        with pytest.raises(ConfigError, match='give one of them'):
            configuration_from_parameters(PARAMETERS.merged(CURRENT, {name: value}))


@pytest.mark.parametrize(('name', 'value'), [('joints', ['a', 'b']), ('base_frame', 'odom')])
def test_what_is_fixed_at_start_up_says_so(name: str, value: object) -> None:
    for change in (value, CURRENT[name], None):
        with pytest.raises(ConfigError) as raised:
            PARAMETERS.merged(CURRENT, {name: change})
        assert all(
            word in str(raised.value)
            for word in (f"'{name}'", repr(change), repr(CURRENT[name]), 'restart')
        )


def test_an_unknown_parameter_is_named_with_the_valid_ones() -> None:
    with pytest.raises(ConfigError) as raised:
        PARAMETERS.merged(CURRENT, {'solvr': 'ccd'})
    assert all(
        word in str(raised.value)
        for word in ("'solvr'", "'ccd'", "did you mean 'solver'?", *PARAMETERS, 'chain.<joint>')
    )


def test_unknown_names_are_listed_with_the_closest_valid_one() -> None:
    assert PARAMETERS.unknown([*PARAMETERS, 'chain.elbow.length', 'chain.x']) == []
    assert PARAMETERS.unknown(['publish_rat', 'zzz']) == [
        "'publish_rat'; did you mean 'publish_rate'?",
        "'zzz'",
    ]


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


def test_the_arm_defaults_are_those_of_its_type() -> None:
    assert configuration_from_parameters(TWO).arm.base_frame == ArmDescription.base_frame
