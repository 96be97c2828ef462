"""Joints between base and tip that are not the arm's: where they are held, and within what."""

from __future__ import annotations

import math
import re
import shlex
from typing import Any

import pytest
from descriptions import ARM, LIMIT, doubts, fixed, imported, joint, robot
from hypothesis import assume, given
from hypothesis import strategies as st
from random_robots import NAMES

from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.pilot.parameters import configuration_from_parameters
from ik2d_ros.robot.find import ImportOptions
from ik2d_ros.robot.from_urdf import with_description

HAND = fixed('hand', 'tool', (0.1, 0.0, 0.02))
POSITIONS = st.floats(-6.0, 6.0).map(lambda position: round(position, 3))


def rolling(lower: float, upper: float, *more: str) -> str:
    """An arm with a joint before its tip that leans too much for a roll."""
    limit = f'<limit lower="{lower}" upper="{upper}" velocity="1" effort="1"/>'
    roll = joint('roll', 'fore', 'hand', axis='1 1 0', xyz=(0.1, 0.0, 0.0), limit=limit)
    return robot(*ARM[:2], roll, HAND, *more)


@given(lower=POSITIONS, width=st.floats(0.001, 6.0), held=st.one_of(st.none(), POSITIONS))
def test_a_joint_is_held_and_assumed_where_it_can_be(
    lower: float, width: float, held: float | None
) -> None:
    upper = lower + round(width, 3)
    assume(lower or upper)
    options = ImportOptions(hold={} if held is None else {'roll': held})
    position = held or 0.0
    given: dict[str, Any] = {'robot_description': rolling(lower, upper)}
    if held is not None:
        given['hold.roll'] = held
    if lower <= position <= upper:
        result = imported(given['robot_description'], options=options).parameters
        for parameters in (result, with_description(given)[0]):
            assert parameters['assumes.roll'] == position
            assert parameters['hold_limits.roll'] == [lower, upper]
            assert parameters.get('hold.roll') == held
            control = configuration_from_parameters(parameters).control
            assert control.assumes == {'roll': position}
            assert control.hold_limits == {'roll': (lower, upper)}
        return
    words = r"'roll' would be at .* outside its limits, .* rad: give --hold roll=POSITION"
    for read in (
        lambda: imported(given['robot_description'], options=options),
        lambda: with_description(given),
    ):
        with pytest.raises(ConfigError, match=words) as refused:
            read()
        told = re.search(r'limits, (\S+) to (\S+) rad', str(refused.value))
        assert told
        assert (float(told[1]), float(told[2])) == pytest.approx((lower, upper), abs=1e-9)


def test_an_assumed_position_is_read_and_nothing_is_moved_there() -> None:
    given: dict[str, Any] = {'robot_description': rolling(0.3, 1.4), 'assumes.roll': 0.5}
    parameters, _ = with_description(given)
    held, _ = with_description({'robot_description': rolling(0.3, 1.4), 'hold.roll': 0.5})
    assert 'hold.roll' not in parameters
    assert parameters['chain.elbow.link'] == held['chain.elbow.link']


def test_a_gripper_in_the_commands_has_its_limits() -> None:
    text = rolling(-1.0, 1.0, joint('jaw', 'tool', 'finger', 'prismatic'))
    more = {'command_joints': ['shoulder', 'elbow', 'jaw'], 'tip_frame': 'tool'}
    parameters, _ = with_description({'robot_description': text, **more})
    assert parameters['hold_limits.jaw'] == [-2.0, 2.0]
    assert 'hold_limits.roll' not in parameters


def test_a_slide_that_the_node_takes_where_the_tip_needs_it_has_limits() -> None:
    """Positions of joints without them count modulo whole turns: a slide makes none."""
    text = robot(*ARM[:2], joint('rail', 'fore', 'hand', 'prismatic', axis='1 1 0', limit=''), HAND)
    words = "'rail' has no limits.*prismatic.*--limits rail=LOWER,UPPER .*hold_limits.rail: .* in m"
    for limits in ({}, {'rail': (-math.inf, math.inf)}):
        with pytest.raises(ConfigError, match=words):
            imported(text, options=ImportOptions(hold={'rail': 0.0}, limits=limits))
    options = ImportOptions(hold={'rail': 0.0}, limits={'rail': (-9.0, 9.0)})
    given = {'robot_description': text, 'hold.rail': 0.0, 'hold_limits.rail': [-9.0, 9.0]}
    for parameters in (imported(text, options=options).parameters, with_description(given)[0]):
        control = configuration_from_parameters(parameters).control
        assert control.off_by('rail', math.tau) == pytest.approx(math.tau)


def test_a_held_joint_turns_without_limits_if_that_is_asked() -> None:
    options = ImportOptions(limits={'roll': (-math.inf, math.inf)})
    parameters = imported(rolling(-1.0, 1.0), options=options).parameters
    assert configuration_from_parameters(parameters).control.ends('roll') == (-math.inf, math.inf)


@given(name=NAMES)
def test_what_a_message_tells_one_to_give_can_be_pasted(name: str) -> None:
    text = robot(ARM[0], joint(name, 'upper', 'fore', xyz=(0.3, 0.0, 0.0), limit=''), ARM[2])
    with pytest.raises(ConfigError) as refused:
        imported(text)
    asked = re.search(r'--limits (.*) \(parameters', str(refused.value))
    assert asked
    assert shlex.split(asked[1]) == [f'{name}=LOWER,UPPER']
    roll = joint(name, 'fore', 'hand', axis='1 1 0', xyz=(0.1, 0.0, 0.0), limit=LIMIT)
    asked = re.search(r'--hold (.*) \(parameter', doubts(imported(robot(*ARM[:2], roll, HAND))))
    assert asked
    assert shlex.split(asked[1]) == [f'{name}=0']
