"""The node's parameters as plain data: values, defaults, and changes as a whole."""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import re
from collections.abc import Iterator
from functools import cache

import pytest
from harness import ROOT
from node_client import THREE, TWO

from ik2d_ros.parameters.checks import Choice, ConfigError, read_numbers, shown
from ik2d_ros.parameters.table import Effect, same
from ik2d_ros.pilot.answer import Situation
from ik2d_ros.pilot.parameters import (
    FLEET_PARAMETERS,
    PARAMETERS,
    Configuration,
    configuration_from_parameters,
)
from ik2d_ros.pilot.plan import plan_target
from ik2d_ros.pilot.request import Point

ROWS = re.findall(
    r'^\| (`[^|]+) \|([^|]*)\| (.*) \|$',
    (ROOT / 'doc/reference.md').read_text().split('## Parameters')[1].split('\n## ')[0],
    re.MULTILINE,
)
"""Names, defaults and ranges as they are documented."""

DEFAULTS = {'empty': ['', []], 'zeros': [[0.0] * 3], 'true': [True], 'false': [False]}


def documented() -> Iterator[tuple[str, bool, str, str]]:
    """Each parameter: its name, whether it is fixed at the start, its default and its range."""
    for name_cell, default_cell, span in ROWS:
        names = name_cell.split(', ')
        defaults = default_cell.strip().split(', ')[: len(names)]
        defaults = [defaults[0]] * (len(names) - len(defaults)) + defaults
        for name, default in zip(names, defaults, strict=True):
            yield name.strip('`\\*'), name.endswith('*'), re.split('[: ]', default)[0], span


ALL = {name: rest for name, *rest in documented() if '<' not in name and name[0] != '.'}


def test_the_table_has_every_parameter() -> None:
    assert ALL.keys() == {*PARAMETERS, *FLEET_PARAMETERS}
    families = {name.partition('.')[0] for name, *_ in documented() if '<' in name}
    assert families == {family.prefix for family in PARAMETERS.families}
    by_default = configuration_from_parameters({**TWO, **PARAMETERS.defaults})
    assert configuration_from_parameters(TWO) == by_default


@pytest.mark.parametrize('name', ALL)
def test_defaults_and_ranges_are_those_of_the_table(name: str) -> None:
    """A refusal names the parameter, its value and what is allowed."""
    is_fixed, default, span = ALL[name]
    row = {**PARAMETERS, **FLEET_PARAMETERS}[name]
    assert (row.affects is None) == is_fixed
    assert row.description
    if row.default is not None:
        values = DEFAULTS.get(default) or [read_numbers(default.strip('`')), [0.0, 0.0]]
        assert any(same(row.default, value) for value in values), row.default
    good, bad = ends_of(span)
    if isinstance(row.check, Choice):
        good = re.findall('`(.*?)`', span.partition(':')[0])
        assert {*good} == {*row.check.valid} - {''}
    for value in (*good, *bad, [1.0], 'text') if good or bad else ():
        if value in good:
            configuration_from_parameters({**TWO, name: value})
            continue
        with pytest.raises(ConfigError) as raised:
            configuration_from_parameters({**TWO, name: value})
        assert f"'{name}' is {shown(value)}; it must be {row.allowed}" in str(raised.value)


def ends_of(span: str) -> tuple[list[object], list[object]]:
    """Values that a range has, and values next to it that it has not."""
    if found := re.match(r'([\d.]+) to ([\d.,]+)', span):
        low, high = (float(end.replace(',', '')) for end in found.groups())
        return [low, high], [math.nextafter(low, -math.inf), math.nextafter(high, math.inf)]
    if found := re.match(r'(>=?) ([\d.]+)', span):
        end = float(found[2])
        inside = int(end) if found[1] == '>=' else math.nextafter(end, math.inf)
        return [inside], [end if found[1] == '>' else math.nextafter(end, -math.inf), -1]
    return [], []


ROLL = {'roll.joint': 'wrist_roll', 'roll.min_position': -2.0, 'roll.max_position': 2.0}


@pytest.mark.parametrize(
    ('changes', 'words'),
    [
        ({**THREE, 'solver': 'two_bone'}, "'solver' is 'two_bone'; .*auto or ccd.*3 joints"),
        ({'tip_angle': 0.5}, "'tip_angle' is 0.5; it must be NaN for this arm"),
        ({'roll': 0.5}, "'roll' is 0.5; it must be NaN for this arm, which has no roll"),
        (
            {**ROLL, 'roll': 2.5},
            "'roll' is 2.5; it must be within the limits of the joint, -2 to 2 rad",
        ),
        ({**ROLL, 'roll.axis': [0.0, 0.0]}, 'roll.axis.* not both of them 0'),
        ({**ROLL, 'roll.joint': 'elbow'}, "'roll.joint' is 'elbow'; .* not one of 'joints'"),
        ({**ROLL, 'roll.home': 2.5}, "'roll.home' is 2.5; .* -2.0 to 2.0 rad"),
        ({**ROLL, 'tool': [0.1, 0.0]}, "'tool': .* a tool .* or a roll, not both"),
        ({'roll.axis': [1.0, 0.0]}, "'roll.joint' is missing; .* as 'roll[.].*' is given"),
        ({'poses.rest.knee': 0.5}, "'poses.rest.knee' is no pose; .* one of shoulder, elbow"),
        ({'poses.my rest.elbow': 0.5}, "'poses.my rest.elbow' is no pose; .* of letters"),
        ({'poses.rest.elbow': 3.0}, "'poses.rest.elbow' is 3.0; .* -2.6 to 2.6 rad"),
    ],
)
def test_what_suits_no_chain_is_refused(changes: dict[str, object], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        configuration_from_parameters({**TWO, **changes})


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
    {**CHAIN, **ROLL, 'roll.origin': [0.1, 0.02]},
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
    return [name for name in names if PARAMETERS.row(name).affects]


def answers(configuration: Configuration) -> Iterator[object]:
    """What is answered to targets, and where the arm then is, one by one."""
    arm = configuration.arm
    for target, start in itertools.product(TARGETS, STARTS):
        situation = Situation(arm.clamped(start[-len(arm.names) :]))
        one = plan_target(Point(target), situation, configuration)
        facts = vars(one) | {'make_report': one.report._replace(solve_time=0.0)}
        yield json.dumps(facts, default=lambda each: getattr(each, 'tolist', each.__repr__)())


@cache
def answers_before(k: int) -> list[object]:
    return [*answers(configuration_from_parameters(ARMS[k]))]


@pytest.mark.parametrize('name', changeable())
def test_a_change_affects_what_its_row_says(name: str) -> None:
    """None can be forgotten, neither in the table nor on the way to the solver."""
    row = PARAMETERS.row(name)
    aside = {name.replace('.link', '.length'): None} if name.endswith('.link') else {}
    shown = set()
    for k, before in enumerate(ARMS):
        for value in row.check.valid if isinstance(row.check, Choice) else VALUES:
            changes = {**aside, name: value}
            with contextlib.suppress(ConfigError):
                row.check(name, value, '')  # which is soon refused
                answered = answers(configuration_from_parameters({**before, **changes}))
                pairs = zip(answered, answers_before(k), strict=True)
                shown.add(True in shown or any(one != other for one, other in pairs))
                after = PARAMETERS.merged(before, changes)
                is_same = before.get(name) == after.get(name)
                assert PARAMETERS.effects(before, after) == (set() if is_same else {row.affects})
    assert shown
    assert (True in shown) == (row.affects is Effect.SOLVING)
