"""The parameters of a process with several arms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.node.fleet_parameters import (
    MOST_ARMS,
    fleet_from_parameters,
)
from ik2d_ros.parameters.checks import ConfigError

names = st.from_regex(r'[A-Za-z_][A-Za-z0-9_]{0,9}', fullmatch=True)
namespaces = st.lists(names, max_size=3).map(lambda parts: '/' + '/'.join(parts))


@given(st.lists(names, min_size=1, max_size=8, unique=True), namespaces, st.booleans())
def test_arms_are_below_the_namespace_of_the_process(
    arms: list[str], namespace: str, merged: bool
) -> None:
    fleet = fleet_from_parameters({'arms': arms, 'merge_commands': merged}, namespace)
    assert fleet is not None
    assert [each.rpartition('/')[2] for each in fleet.namespaces] == arms
    assert {each.rpartition('/')[0] or '/' for each in fleet.namespaces} == {namespace}
    assert fleet.merge_commands is merged
    # An absolute name stays as it is.
    assert fleet_from_parameters({'arms': fleet.namespaces}, '/other') == fleet_from_parameters(
        {'arms': arms}, namespace
    )


def test_without_arms_there_is_no_fleet() -> None:
    assert fleet_from_parameters({}, '/') is None
    assert fleet_from_parameters({'merge_commands': True, 'joints': ['a']}, '/') is None


@pytest.mark.parametrize(
    ('arms', 'said'),
    [
        ([], ['arms', '[]', 'namespaces']),
        ('left', ['arms', "'left'", 'list of namespaces']),
        (['left', 'left'], ['arms', 'given twice: left']),
        (['left', '/left'], ['arms', 'given twice: /left']),
        (['left', '2nd'], ['arms', "'2nd'", 'digit']),
        (['left', 'a b'], ['arms', "'a b'", 'letters']),
        (['left', 'right/'], ['arms', "'right/'"]),
        (['left', '/'], ['arms', "'/'"]),
        (['left', 'ärm'], ['arms', 'ärm']),
        ([1, 2], ['arms', '[1, 2]']),
        ([f'a{i}' for i in range(MOST_ARMS + 1)], ['arms', f'at most {MOST_ARMS}']),
    ],
)
def test_a_refused_list_is_named_with_what_is_allowed(arms: object, said: list[str]) -> None:
    with pytest.raises(ConfigError) as raised:
        fleet_from_parameters({'arms': arms}, '/')
    assert all(text in str(raised.value) for text in said), raised.value


def test_merging_is_true_or_false() -> None:
    with pytest.raises(ConfigError, match=r'merge_commands.*true or false'):
        fleet_from_parameters({'arms': ['left'], 'merge_commands': 'yes'}, '/')
