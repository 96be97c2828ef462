"""Arms whose last joint rolls the tip, read from a robot description."""

from __future__ import annotations

import math

import pytest
from descriptions import ARM, fixed, imported, joint, robot
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from ik2d_ros.arm.description import arm_from_parameters
from ik2d_ros.robot.find import ImportOptions
from ik2d_ros.robot.importing import compare
from ik2d_ros.robot.urdf import read_robot

numbers = st.floats(-0.2, 0.2).map(lambda x: round(x, 4))


@given(turn=st.floats(-math.pi, math.pi), place=st.tuples(*[numbers] * 6), length=st.floats(0.3, 1))
@settings(max_examples=examples(40))
def test_a_last_joint_in_the_plane_is_the_roll_wherever_the_tip_is(turn, place, length):
    axis = f'{math.cos(turn)} 0 {math.sin(turn)}'  # the joints before turn about y
    limit = '<limit lower="-2.5" upper="2" velocity="3" effort="1"/>'
    wrist = joint('wrist', 'fore', 'hand', axis=axis, xyz=place[:3], limit=limit)
    text = robot(*ARM[:2], wrist, fixed('hand', 'tool', (0.01 + length, *place[3:5])))
    parameters = imported(text).parameters
    arm = arm_from_parameters(parameters)
    assert (arm.names[-1], arm.limits[-1], arm.motion[-1].velocity) == ('wrist', (-2.5, 2.0), 3.0)
    assert compare(arm, read_robot(text, 'arm'), 'tool', ImportOptions(), 50)[0] <= 1e-9
    assert abs(parameters['roll.axis'][0]) == pytest.approx(1.0, abs=2e-5)  # as the tip points
