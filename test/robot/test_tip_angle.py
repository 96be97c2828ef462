"""The tip angle of an imported arm is the direction of the tip link's x-axis."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from descriptions import ROLL, arm_of, difference, fixed, imported, joint, robot
from hypothesis import given
from hypothesis import strategies as st
from public_machines import PublicRobot

from ik2d_ros import cli
from ik2d_ros.arm.description import arm_from_parameters
from ik2d_ros.commands.import_urdf import parameter_text
from ik2d_ros.robot.from_urdf import with_description
from ik2d_ros.robot.importing import Imported

SENSES = st.sampled_from(['0 0 1', '0 0 -1'])
ANGLES = st.floats(-math.pi, math.pi)


def scara(tool: tuple[float, float, float], *axes: str, reach: float = 0.05) -> str:
    """A SCARA whose quill is behind its elbow, with a tool's roll, pitch and yaw."""
    first, second, third = axes or ('0 0 1', '0 0 1', '0 0 1')
    return robot(
        joint('shoulder', 'base', 'upper', axis=first, xyz=(0.1, 0.0, 0.3)),
        joint('elbow', 'upper', 'fore', axis=second, xyz=(0.3, 0.02, 0.0), rpy=(0.0, 0.0, 0.4)),
        joint('quill', 'fore', 'rod', 'prismatic', axis='0 0 -1', xyz=(0.25, 0.0, 0.0)),
        joint('yaw', 'rod', 'hand', axis=third, rpy=(math.pi, 0.0, 0.2)),
        fixed('hand', 'tool', (reach, 0.0, -0.1), tool),
    )


def assert_tip_angle_is_that_of_the_tool(text: str, result: Imported) -> None:
    arm, known = arm_of(result).kinematics, PublicRobot(text)
    for q in np.random.default_rng(1).uniform(-1.5, 1.5, (10, len(arm.names))):
        x = known.pose('base', 'tool', dict(zip(arm.names, q, strict=True))).rotation[:, 0]
        expected = arm.carried_plane(q[0]).angle_of(tuple(x))
        assert math.remainder(arm.tip_angles(q) - expected, math.tau) == pytest.approx(0, abs=1e-9)


@given(flip=st.sampled_from([0.0, math.pi]), yaw=ANGLES, axes=st.tuples(SENSES, SENSES, SENSES))
def test_tip_angle_zero_is_where_the_x_axis_of_the_tool_points(flip, yaw, axes):
    text = scara((flip, 0.1, yaw), *axes)
    result = imported(text)
    assert_tip_angle_is_that_of_the_tool(text, result)
    assert difference(text, result) < 1e-9
    assert (arm_of(result).limits, arm_of(result).home) == (((-2.0, 2.0),) * 4, (0.0,) * 4)
    completed, _ = with_description({'robot_description': text, 'tip_frame': 'tool'})
    assert arm_from_parameters(completed) == arm_of(result)


def test_a_link_that_the_user_gives_is_not_turned():
    given = {'robot_description': scara((0.0, 0.0, 1.0)), 'chain.yaw.length': 0.2}
    assert 'chain.yaw.offset' not in with_description(given)[0]


ROLLING = robot(
    joint('low', 'base', 'foot'),
    joint('middle', 'foot', 'upper', xyz=(0.3, 0.0, 0.0)),
    joint('elbow', 'upper', 'fore', xyz=(0.3, 0.0, 0.0)),
    ROLL,
    fixed('hand', 'tool', (0.2, 0.0, 0.0)),
)
TURNED = "link 'tool' is turned against the last link's frame, by up to 1.5708 rad (90 deg)"
LEANING = "link 'tool' has its x-axis out of the plane"


@pytest.mark.parametrize(
    ('text', 'words'), [(scara((0.0, math.pi / 2.0, 0.0)), LEANING), (ROLLING, TURNED)]
)
def test_a_tool_whose_orientation_is_not_the_arms_is_noted(text, words):
    (note,) = [each for each in imported(text).remarks if words in each.text]
    assert 'tip angles' in note.text
    assert not note.doubt


def test_check_compares_the_tip_angle(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    urdf, file = tmp_path / 'arm.urdf', tmp_path / 'arm.yaml'
    urdf.write_text(scara((math.pi, 0.0, math.pi / 2.0), reach=0.0))
    result = imported(urdf.read_text())
    file.write_text(parameter_text(result, 'arm.urdf'))
    assert cli.main(['check', str(file), '--urdf', str(urdf)]) == 0
    unturned = {name: v for name, v in result.parameters.items() if name != 'chain.yaw.offset'}
    file.write_text(parameter_text(Imported(unturned, []), 'arm.urdf'))
    capsys.readouterr()
    assert cli.main(['check', str(file), '--urdf', str(urdf)]) == 1
    out = capsys.readouterr().out
    assert ('DIFFERENT' in out, 'tip angle:   off by ' in out) == (True, True)
