"""The node's parameters as plain data: values, defaults, and changes as a whole."""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from node_client import THREE, TWO, yaml_of

from ik2d_ros.parameters.checks import Choice, ConfigError
from ik2d_ros.parameters.file import load_parameters
from ik2d_ros.parameters.table import Effect
from ik2d_ros.pilot.answer import Situation, answer
from ik2d_ros.pilot.parameters import PARAMETERS, configuration_from_parameters
from ik2d_ros.pilot.request import Point

# As documented; first the ones that may change at run time.
DOCUMENTED = {
    'following_tolerance': 0.1,
    'following_delay': 0.05,
    'goal_tolerance': 0.02,
    'hold_velocity': 0.5,
    'speed': 1.0,
    'jog_timeout': 0.2,
    'solver': 'auto',
    'bend': 'nearest',
    'tolerance': 1e-6,
    'tip_angle': math.nan,
    'angle_tolerance': 1e-3,
    'max_iterations': 100,
    'unreachable': 'closest',
    'publish_rate': 50.0,
    'target_timeout': 0.0,
    'plane_tolerance': math.nan,
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
    'tip_offset': [0.0, 0.0, 0.0],
    'base_frame': 'base_link',
}


def test_defaults_are_those_of_the_interface() -> None:
    assert PARAMETERS.defaults == {**DOCUMENTED, **FIXED}
    assert {name for name, row in PARAMETERS.items() if row.read_only} == {*FIXED, 'joints'}
    by_default = configuration_from_parameters(TWO)
    assert by_default == configuration_from_parameters({**TWO, **DOCUMENTED, **FIXED})
    assert all(row.summary and row.allowed for row in PARAMETERS.values())


# By name: changes of TWO, and words of the message. The arm's are in arm/test_description.py, those
# of what drives it in control/test_drive_parameters.py.
REFUSED: dict[str, tuple[dict[str, object], list[str]]] = {
    'solver': ({'solver': 'fabrik'}, ['solver', "'fabrik'", 'auto, two_bone, ccd']),
    'bend': ({'bend': 'up'}, ['bend', "'up'", 'nearest, positive, negative']),
    'tolerance': ({'tolerance': 0.0}, ['tolerance', '0.0', '> 0']),
    'iterations': ({'max_iterations': 0}, ['max_iterations', '0', '>= 1']),
    'unreachable': ({'unreachable': 'stop'}, ['unreachable', "'stop'", 'closest, hold']),
    'rate': ({'publish_rate': 0}, ['publish_rate', '0', '>= 0.01', '<= 10000']),
    'timeout': ({'target_timeout': -1.0}, ['target_timeout', '-1.0', '>= 0']),
    'plane': ({'plane_tolerance': -0.1}, ['plane_tolerance', '-0.1', '>= 0']),
    'tf timeout': ({'tf_timeout': math.inf}, ['tf_timeout', 'inf', '>= 0']),
    'speed': ({'path_speed': 0.0}, ["'path_speed'", '0.0', '> 0']),
    'path': ({'path_tolerance': math.nan}, ["'path_tolerance'", 'nan', '> 0']),
    'following': ({'following_tolerance': 0.0}, ['following_tolerance', '0.0', '> 0']),
    'delay': ({'following_delay': -1.0}, ['following_delay', '-1.0', '>= 0']),
    'goal': ({'goal_tolerance': 0.0}, ['goal_tolerance', '0.0', '> 0']),
    'hold': ({'hold_velocity': 0.0}, ['hold_velocity', '0.0', '> 0']),
    'two_bone': ({**THREE, 'solver': 'two_bone'}, ['solver', 'auto or ccd', '3 joints']),
    'tip angle': ({'tip_angle': 0.5}, ['tip_angle', '0.5', 'NaN for this arm']),
}


@pytest.mark.parametrize('row', REFUSED)
def test_a_refusal_names_the_parameter_its_value_and_what_is_allowed(
    tmp_path: Path, row: str
) -> None:
    """From the file to the message; that the node does the same is seen at run time."""
    changes, words = REFUSED[row]
    file = tmp_path / 'parameters.yaml'
    file.write_text(yaml_of({'solver': 'auto', **TWO, **changes}))
    with pytest.raises(ConfigError) as raised:
        configuration_from_parameters(load_parameters(file))
    assert [word for word in words if word not in str(raised.value)] == []


CHAIN = {**PARAMETERS.defaults, **TWO}
ARMS: tuple[dict[str, object], ...] = (
    CHAIN,
    {**CHAIN, 'solver': 'ccd'},
    {**CHAIN, **THREE, 'chain.wrist.min_position': -2.0, 'chain.wrist.max_position': 2.0},
    {**CHAIN, **THREE, 'tip_angle': 0.3},
    {
        **CHAIN,
        'chain.elbow.absolute': True,
        'chain.elbow.min_bend': -2.0,
        'chain.elbow.max_bend': 2.5,
    },
    {
        **CHAIN,
        'base.rpy': [0.5 * math.pi, 0.0, 0.0],
        'turntable.joint': 'waist',
        'turntable.min_position': -2.0,
        'turntable.max_position': 2.0,
    },
    {**CHAIN, 'walls.side.point': [0.0, -0.4, 0.0], 'walls.side.normal': [0.0, 1.0, 0.0]},
    {**CHAIN, 'lift.joint': 'quill', 'lift.min_position': -0.5, 'lift.max_position': 0.5},
    {**CHAIN, 'command_joints': ['elbow', 'gripper', 'shoulder'], 'hold.gripper': 0.5},
)
VALUES = (
    *(1, 7, -1, 0.0, 1e-3, 0.05, 0.7, 1.3, 2.0, True, False),
    *([0.1, 0.2], [0.7, 0.0, 0.0], [0.0, 0.0, 0.7], 'text'),
)
TARGETS = (
    *((0.3, 0.2, 0.0), (0.3, 0.2, 0.1), (0.2, -0.3, 0.0)),
    *((1.0, 0.0, 0.0), (0.01, 0.0, 0.0), (0.1, 0.0, 0.0)),
)
STARTS = ((0.3, 0.4, 0.8), (0.3, 0.4, -0.8))


def changeable() -> list[str]:
    """Every parameter that may change at run time; of the chain, the last joint's."""
    names = list(PARAMETERS)
    for family in PARAMETERS.families:
        member = {'chain': '.elbow', 'walls': '.side'}.get(family.prefix, '.gripper')
        first = f'{family.prefix}{member if family.name != f"{family.prefix}.<field>" else ""}'
        names += [f'{first}.{name}'.rstrip('.') for name in family]
    return [name for name in names if not PARAMETERS.row(name).read_only]


def answers(parameters: Mapping[str, object]) -> Iterator[object]:
    """What is answered to targets, and where the arm then is, one by one."""
    configuration = configuration_from_parameters(parameters)
    arm = configuration.arm
    for target, start in itertools.product(TARGETS, STARTS):
        one = answer(Point(target), Situation(arm.clamped(start[-len(arm.names) :])), configuration)
        yield one.positions, repr(one.report._replace(solve_time=0.0))


@pytest.mark.parametrize('name', changeable())
def test_a_change_affects_what_its_row_says(name: str) -> None:
    """None can be forgotten, neither in the table nor on the way to the solver."""
    row = PARAMETERS.row(name)
    aside = {name.replace('.link', '.length'): None} if name.endswith('.link') else {}
    shown = set()
    for before in ARMS:
        base = [*answers(before)]
        for value in row.check.valid if isinstance(row.check, Choice) else VALUES:
            changes = {**aside, name: value}
            with contextlib.suppress(ConfigError):
                changed = answers({**before, **changes})
                shown.add(any(one != other for one, other in zip(changed, base, strict=True)))
                after = PARAMETERS.merged(before, changes)
                is_same = before.get(name) == after.get(name)
                assert PARAMETERS.effects(before, after) == (set() if is_same else {row.affects})
    assert shown
    assert (True in shown) == (row.affects is Effect.SOLVING)
