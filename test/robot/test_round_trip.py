"""An imported arm moves like its robot, and its URDF and parameter file give it again."""

from __future__ import annotations

import contextlib
import math

import numpy as np
import pytest
from descriptions import ARM, arm_of, attribute, difference, imported, robot
from harness import once
from hypothesis import given, settings
from random_robots import Machine, machines
from test_file import as_rclpy_reads

from ik2d_ros.commands.import_urdf import parameter_text
from ik2d_ros.drawing.tree import TIP
from ik2d_ros.parameters.checks import ConfigError, is_printable
from ik2d_ros.parameters.table import same
from ik2d_ros.robot.export import urdf_of
from ik2d_ros.robot.find import ImportOptions
from ik2d_ros.robot.from_urdf import load_arm
from ik2d_ros.robot.importing import import_arm
from ik2d_ros.robot.urdf import read_robot


@pytest.mark.parametrize(
    'name', ['a\n/**: {ros__parameters: {x: 1}}', 'a\x85b', '\u202eevil', 'x' * 300]
)
def test_names_cannot_forge_lines(name: str) -> None:
    with contextlib.suppress(ConfigError):
        found = imported(robot(*ARM).replace('"elbow"', f'"{attribute(name)}"'))
        text = parameter_text(found, f'{name}.urdf')
        assert all(is_printable(line) for line in text.splitlines())
        assert text.count('/**:') == 1


@given(machines())
def test_an_imported_arm_moves_like_its_robot(
    tmp_path_factory: pytest.TempPathFactory, made: Machine
) -> None:
    options = ImportOptions(hold=made.hold, tip=made.offset)
    result = imported(made.text, made.tip, options)
    assert result.parameters['joints'] == made.planar
    assert result.parameters.get('turntable.joint', '') == made.turntable
    assert result.parameters.get('lift.joint', '') == made.lift
    assert difference(made.text, result, made.hold, made.offset, count=5) < 1e-9
    path = tmp_path_factory.getbasetemp() / 'machine.yaml'
    path.write_text(parameter_text(result, 'arm.urdf'), encoding='utf-8')
    arm = load_arm(path)
    assert arm == arm_of(result)
    # It assumes the positions of those joints that move the tip, and of no others.
    for name, position in made.hold.items():
        elsewhere = {**made.hold, name: position + 0.5}
        moved = difference(made.text, result, elsewhere, made.offset, count=5)
        assert (f'assumes.{name}' in result.parameters) == (moved > 1e-6)
        assert result.parameters.get(f'assumes.{name}', position) == position
    # The URDF that is written of the arm is the same arm again.
    back = arm_of(import_arm(read_robot(urdf_of(arm), 'r.urdf'), arm.base_frame, TIP))
    assert (back.names, back.units, back.base_frame) == (arm.names, arm.units, arm.base_frame)
    assert np.array(back.limits) == pytest.approx(np.array(arm.limits), abs=1e-12)
    assert [each.velocity for each in back.motion] == [each.velocity for each in arm.motion]
    for one, other in zip(arm.chain.joints, back.chain.joints, strict=True):
        assert (other.axis, other.type) == (one.axis, one.type)
        assert other.link == pytest.approx(one.link, abs=1e-9)
    spans = [(max(low, -math.pi), min(high, math.pi)) for low, high in arm.limits]
    q = np.random.default_rng(3).uniform(*zip(*spans, strict=True), (50, len(spans)))
    assert np.abs(arm.kinematics.forward(q) - back.kinematics.forward(q)).max() < 1e-9


@once
@settings(max_examples=20)
@given(made=machines())
def test_ros_reads_the_file_of_an_imported_arm(
    ros_environment: int, tmp_path_factory: pytest.TempPathFactory, made: Machine
) -> None:
    result = imported(made.text, made.tip, ImportOptions(hold=made.hold, tip=made.offset))
    path = tmp_path_factory.getbasetemp() / 'read_by_ros.yaml'
    path.write_text(parameter_text(result, 'arm.urdf'), encoding='utf-8')
    read = as_rclpy_reads(path)
    assert read.keys() == result.parameters.keys()
    assert all(same(read[name], value) for name, value in result.parameters.items())
