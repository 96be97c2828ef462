"""An imported arm moves like its robot, and its URDF and parameter file give it again."""

from __future__ import annotations

import contextlib

import pytest
from descriptions import ARM, arm_of, assert_same, attribute, difference, imported, robot
from harness import once
from hypothesis import given, settings
from random_robots import Machine, machines
from test_file import as_rclpy_reads

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.commands.import_urdf import parameter_text
from ik2d_ros.drawing.tree import TIP
from ik2d_ros.parameters.checks import ConfigError, is_printable
from ik2d_ros.parameters.table import same
from ik2d_ros.robot.export import urdf_of
from ik2d_ros.robot.find import ImportOptions
from ik2d_ros.robot.from_urdf import load_arm
from ik2d_ros.robot.importing import Imported, import_arm
from ik2d_ros.robot.urdf import read_robot


def there_and_back(arm: ArmDescription) -> ArmDescription:
    return arm_of(import_arm(read_robot(urdf_of(arm), 'r.urdf'), arm.base_frame, TIP))


def named(name: str) -> Imported:
    text = (
        robot(*ARM)
        .replace('"elbow"', f'"{attribute(name)}"')
        .replace('"base"', f'"{attribute(name)} 2"')
    )
    return imported(text)


@pytest.mark.parametrize(
    'name', ['a\n/**: {ros__parameters: {x: 1}}', 'a\x85b', '\u202eevil', 'x' * 300]
)
def test_names_cannot_forge_lines(name: str) -> None:
    with contextlib.suppress(ConfigError):
        text = parameter_text(named(name), f'{name}.urdf')
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
    back = there_and_back(arm)
    assert_same(arm, back)
    for one, other in zip(arm.chain.joints, back.chain.joints, strict=True):
        assert (other.axis, other.type) == (one.axis, one.type)
        assert other.link == pytest.approx(one.link, abs=1e-9)


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
