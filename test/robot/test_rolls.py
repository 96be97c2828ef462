"""Arms whose last joint rolls the tip: read from a robot description, and written as one."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from carried import described
from descriptions import ARM, fixed, imported, joint, robot
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from space import ARMS

from ik2d_ros.arm.description import arm_from_parameters
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.robot.comparison import compare
from ik2d_ros.robot.export import TIP, urdf_of
from ik2d_ros.robot.options import ImportOptions
from ik2d_ros.robot.urdf import read_robot

ROLLING = [kind for kind in ARMS if 'roll' in kind]
numbers = st.floats(-0.2, 0.2).map(lambda x: round(x, 4))


@given(seed=st.integers(0, 2**32 - 1), kind=st.sampled_from(ROLLING))
@settings(max_examples=examples(30))
def test_the_description_of_an_arm_has_its_tip_where_it_is_and_is_read_back(seed, kind):
    arm = ARMS[kind](np.random.default_rng(seed))
    description = described(arm)
    text = urdf_of(description)
    read = read_robot(text, 'arm')
    assert compare(description, read, TIP, ImportOptions(), 20) <= 1e-9 * (1.0 + arm.size)


@given(turn=st.floats(-math.pi, math.pi), place=st.tuples(*[numbers] * 6), length=st.floats(0.0, 1))
@settings(max_examples=examples(40))
def test_a_last_joint_in_the_plane_is_the_roll_wherever_the_tip_is(turn, place, length):
    axis = f'{math.cos(turn)} 0 {math.sin(turn)}'  # the joints before turn about y
    limit = '<limit lower="-2.5" upper="2" velocity="3" effort="1"/>'
    wrist = joint('wrist', 'fore', 'hand', axis=axis, xyz=place[:3], limit=limit)
    text = robot(*ARM[:2], wrist, fixed('hand', 'tool', (0.01 + length, *place[3:5])))
    parameters = imported(text).parameters
    arm = arm_from_parameters(parameters)
    assert (arm.names[-1], arm.limits[-1], arm.motion[-1].velocity) == ('wrist', (-2.5, 2.0), 3.0)
    assert compare(arm, read_robot(text, 'arm'), 'tool', ImportOptions(), 50) <= 1e-9
    assert abs(parameters['roll.axis'][0]) == pytest.approx(1.0, abs=2e-5)  # as the tip points


def test_a_roll_may_be_held_and_is_then_no_joint_of_the_arm():
    wrist = joint('wrist', 'fore', 'hand', axis='1 0 0', xyz=(0.1, 0.0, 0.0))
    text = robot(*ARM[:2], wrist, fixed('hand', 'tool', (0.1, 0.0, 0.02)))
    result = imported(text, options=ImportOptions(hold={'wrist': 0.3}))
    assert arm_from_parameters(result.parameters).roll is None
    assert result.parameters['hold.wrist'] == 0.3


def test_two_rolls_and_one_that_leans_are_told_apart():
    rolls = [
        joint('roll', 'fore', 'mid', axis='1 0 0', xyz=(0.1, 0.0, 0.0)),
        joint('spin', 'mid', 'hand', axis='1 0 0', xyz=(0.1, 0.0, 0.0)),
    ]
    tool = fixed('hand', 'tool', (0.1, 0.0, 0.02))
    words = r"the joints 'roll', 'spin' all turn the tip .* has one roll; .*--hold roll=0.* leaves"
    with pytest.raises(ConfigError, match=words):
        imported(robot(*ARM[:2], *rolls, tool))
    leaning = [rolls[0].replace('1 0 0', '1 0.02 0'), rolls[1]]
    result = imported(robot(*ARM[:2], *leaning, tool))
    assert arm_from_parameters(result.parameters).roll.name == 'spin'
    told = ' '.join(remark.text for remark in result.remarks)
    assert "'roll' is held where it stands: its axis leans out of the plane by 0.0199973" in told


@pytest.mark.parametrize('kind', ROLLING)
def test_a_roll_at_0_moves_nothing(kind):
    rng = np.random.default_rng(0)
    arm = ARMS[kind](rng)
    still = replace(arm, roll=replace(arm.roll, lower=0.0, upper=0.0, tip_z=0.0))
    bare = replace(arm, roll=None)
    q = rng.uniform(-1.0, 1.0, len(bare))
    assert still.forward([*q, 0.0]) == pytest.approx(bare.forward(q), abs=1e-12)
