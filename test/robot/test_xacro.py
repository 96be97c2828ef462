"""Xacro files are recognised by their content, and expanded with their packages."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from descriptions import ARM, robot

from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.robot.load import load_robot, load_urdf
from ik2d_ros.robot.xacro_file import is_xacro

HEAD = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
GOOD = robot(*ARM)


def write(path: Path, body: str, head: str = HEAD) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'{head}{body}</robot>')
    return path


def package(folder: Path, name: str) -> Path:
    folder.mkdir(parents=True)
    (folder / 'package.xml').write_text(f'<package><name>{name}</name></package>')
    return folder


@pytest.mark.parametrize('name', ['arm.urdf', 'arm'])
def test_xacro_is_recognised_by_its_content(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name, '<link name="${1 + 1}"/>')
    assert load_robot(path).links == ('2',)


@pytest.mark.parametrize(
    'text',
    [
        GOOD,
        GOOD.replace('<robot', '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"'),
        GOOD.replace('<link', '<!-- <xacro:include filename="${x}"/> --><link', 1),
    ],
)
def test_a_urdf_is_not_mistaken_for_xacro(text: str) -> None:
    assert not is_xacro(text)


def test_other_folders_are_not_searched_for_packages(tmp_path: Path) -> None:
    own = package(tmp_path / 'things' / 'own', 'own')
    write(package(tmp_path / 'other' / 'far', 'far') / 'a.xacro', '<link name="a"/>')
    path = write(own / 'arm.xacro', '<xacro:include filename="$(find far)/a.xacro"/>')
    with pytest.raises(ConfigError, match='the package far, which is not installed'):
        load_robot(path)


@pytest.mark.parametrize(
    ('body', 'words'),
    [
        ('<link name="$(arg is_sim)"/>', r'is_sim.*give it as is_sim:=VALUE'),
        (
            '<xacro:property name="m" value="$(arg mass)"/><link name="${m}"/>',
            'it has no default: give it as mass:=VALUE$',
        ),
        (
            '<xacro:property name="a" value="$(env IK2D_NOT_SET)"/><link name="${a}"/>',
            "environment variable 'IK2D_NOT_SET' is not set",
        ),
        ('<xacro:include filename="missing.xacro"/>', r'No such file.*missing\.xacro'),
        ('<xacro:include filename="arm.xacro"/>', 'without end'),
        (
            '<xacro:macro name="m" params=""><xacro:m/><xacro:m/></xacro:macro><xacro:m/>',
            'without end',
        ),
        (
            '<xacro:macro name="arm" params=""><link name="a"/></xacro:macro><!-- <link> -->',
            'only defines macros, give the file that uses them',
        ),
    ],
)
def test_invalid_xacro_is_refused_with_the_reason(tmp_path: Path, body: str, words: str) -> None:
    path = write(tmp_path / 'arm.xacro', body)
    with pytest.raises(ConfigError, match=words) as refused:
        load_urdf(path)
    assert str(refused.value).startswith(str(path))


def test_an_error_in_an_included_file_names_that_file(tmp_path: Path) -> None:
    (tmp_path / 'part.xacro').write_text('<robot><link></robot>')
    path = write(tmp_path / 'arm.xacro', '<xacro:include filename="part.xacro"/>')
    with pytest.raises(ConfigError, match=r'mismatched tag.*\(in .*part\.xacro\)'):
        load_urdf(path)


def test_arguments_includes_and_packages_are_found(tmp_path: Path) -> None:
    near = package(tmp_path / 'arm-files', 'arm_description')
    far = package(tmp_path / 'elsewhere', 'far_parts')
    write(near / 'urdf' / 'a.xacro', '<link name="a"/>')
    write(far / 'c.xacro', '<link name="c"/>')
    (near / 'values.yaml').write_text('name: d\n')
    path = write(
        near / 'urdf' / 'arm.urdf.xacro',
        '<xacro:arg name="which" default="x"/>'
        '<xacro:include filename="a.xacro"/>'
        '<xacro:include filename="$(find arm_description)/urdf/a.xacro" ns="again"/>'
        '<xacro:include filename="$(find far_parts)/c.xacro"/>'
        '<xacro:property name="v" value="${xacro.load_yaml(\'../values.yaml\')}"/>'
        '<link name="${v[\'name\']}"/><link name="$(arg which)"/>'
        '<gazebo><plugin>$(find nobody_has_this)/config/controllers.yaml</plugin></gazebo>',
    )
    before = sys.modules.get('ament_index_python.packages')
    text = load_urdf(path, {'which': 'y'}, {'far_parts': str(far)})
    for name in 'acdy':
        assert f'<link name="{name}"/>' in text
    with pytest.raises(ConfigError, match=r'the package far_parts.*--package far_parts=FOLDER'):
        load_urdf(path)
    assert sys.modules.get('ament_index_python.packages') is before or before is None


def test_missing_ros2_control_macros_are_ignored(tmp_path: Path) -> None:
    include = '<xacro:include filename="$(find nobody_has_this)/arm.ros2_control.xacro"/>'
    call = '<xacro:arm_ros2_control name="arm" prefix=""><a/></xacro:arm_ros2_control>'
    path = write(tmp_path / 'arm.xacro', f'<link name="a"/>{include}{call}')
    assert load_robot(path).links == ('a',)
    near = '<xacro:include filename="$(find ros2_control_arms)/arm.xacro"/>'
    write(tmp_path / 'arms' / 'arm.xacro', '<link name="b"/>')
    path = write(tmp_path / 'arm.xacro', f'<link name="a"/>{near}{include}{call}')
    folders = {'ros2_control_arms': str(tmp_path / 'arms')}
    assert '<link name="b"/>' in load_urdf(path, packages=folders)
    path = write(tmp_path / 'arm.xacro', f'<link name="a"/>{include}{call}<xacro:other/>')
    with pytest.raises(ConfigError, match=r'package nobody_has_this.*--package'):
        load_robot(path)
