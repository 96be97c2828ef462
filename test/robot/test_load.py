"""Xacro is expanded; invalid and hostile files are refused quickly, with the reason."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from descriptions import ARM, fixed, imported, joint, robot

from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.robot.urdf import load_robot, load_urdf

GOOD = robot(*ARM)
REPEATED = '<!DOCTYPE robot [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><robot name="&b;"/>'
EXTERNAL = '<!DOCTYPE robot [<!ENTITY a SYSTEM "file:///etc/passwd">]><robot name="r">&a;</robot>'
PARAMETER = '<!DOCTYPE robot [<!ENTITY % a SYSTEM "file:///etc/passwd">%a;]><robot name="r"/>'


@pytest.mark.parametrize('text', [REPEATED, EXTERNAL, PARAMETER])
def test_entities_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / 'arm.urdf'
    path.write_text(text)
    with pytest.raises(ConfigError, match=r'arm\.urdf: declares XML entities'):
        load_robot(path)


CASES: dict[str, tuple[str, str]] = {
    'circle': (
        robot(*ARM, joint('x', 'p', 'q'), joint('y', 'q', 'p')),
        'not one tree: in a circle are p, q',
    ),
    'two parents': (
        robot(*ARM, joint('rod', 'base', 'fore')),
        'not one tree: two joints lead to fore',
    ),
    'no link': (
        GOOD.replace('<link name="fore"/>', ''),
        "'elbow' refers to 'fore', which does not exist",
    ),
    'circle of mimics': (
        GOOD.replace('</joint>', '<mimic joint="shoulder"/></joint>', 1),
        "'shoulder' mimics itself",
    ),
    'huge': (
        GOOD.replace('0.1 0.0 0.3', '0.1 1e300 0.3'),
        r"'shoulder': origin xyz is '0.1 1e300 0.3'; .* three numbers from -10000 to 10000",
    ),
    'nan limit': (GOOD.replace('lower="-2"', 'lower="nan"', 1), "'shoulder': limit lower is 'nan'"),
    'no axis': (GOOD.replace('0 1 0', '0 0 0', 1), "'shoulder': axis xyz is 0 0 0"),
    'no XML': ('<robot name="\x1b]0;evil\x07"/>', 'is not well-formed XML'),
    'fixed only': (robot(fixed('base', 'tool', (1, 0, 0))), 'no revolute joint is between'),
}


@pytest.mark.parametrize('case', CASES)
def test_an_invalid_robot_is_refused_with_the_reason(case: str) -> None:
    text, words = CASES[case]
    with pytest.raises(ConfigError, match=words):
        imported(text)


def test_only_the_named_file_is_opened(tmp_path: Path) -> None:
    meshes = '<visual><geometry><mesh filename="{}"/></geometry></visual>'
    names = ('package://nobody/has.stl', 'file:///etc/passwd', '/etc/passwd', '../x.dae')
    link = f'<link name="base">{"".join(map(meshes.format, names))}</link>'
    path = tmp_path / 'arm.urdf'
    path.write_text(GOOD.replace('<link name="base"/>', link))
    load_robot(path)  # what is imported late is imported now
    opened: set[str] = set()
    listening = True

    def listen(event: str, arguments: tuple[Any, ...]) -> None:
        if listening and event == 'open':
            opened.add(str(arguments[0]))

    sys.addaudithook(listen)
    load_robot(path)
    listening = False
    assert opened == {str(path)}


HEAD = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'


def write(path: Path, body: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'{HEAD}{body}</robot>')
    return path


EMPTY = (
    '<xacro:arg default="" name="speeds"/><xacro:arg name="prefix" default=\'\'/>'
    '<xacro:property name="f" value="$(arg speeds)"/>'
    '<xacro:property name="v" value="${{xacro.load_yaml({})}}"/><link name="${{v}}"/>'
)


@pytest.mark.parametrize(
    'text',
    [
        GOOD,
        GOOD.replace('<robot', '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"'),
        GOOD.replace('<link', '<!-- <xacro:include filename="${x}"/> --><link', 1),
    ],
)
def test_a_urdf_is_not_mistaken_for_xacro(tmp_path: Path, text: str) -> None:
    path = tmp_path / 'arm.xacro'
    path.write_text(text)
    assert load_urdf(path) == text


@pytest.mark.parametrize(
    ('body', 'words'),
    [
        (
            '<xacro:property name="m" value="$(arg mass)"/><link name="${m}"/>',
            'it has no default: give it as mass:=VALUE$',
        ),
        (EMPTY.format("'$(arg speeds)'"), 'empty by default: give speeds:=VALUE$'),
        (EMPTY.format('f'), 'empty by default: give speeds:=VALUE prefix:=VALUE$'),
        ('<xacro:include filename="arm.xacro"/>', 'without end'),
        (
            '<xacro:macro name="arm" params=""><link name="a"/></xacro:macro><!-- <link> -->',
            'only defines macros, give the file that uses them',
        ),
    ],
)
def test_invalid_xacro_is_refused_with_the_reason(tmp_path: Path, body: str, words: str) -> None:
    path = write(tmp_path / 'arm.xacro', body)
    with pytest.raises(ConfigError, match=words) as refused:
        load_robot(path)
    assert str(refused.value).startswith(str(path))


def test_arguments_includes_and_packages_are_found(tmp_path: Path) -> None:
    near, far = (tmp_path / name for name in ('arm_description', 'far_parts'))
    write(near / 'urdf' / 'a.xacro', '<link name="a"/>')
    write(far / 'c.xacro', '<link name="c"/>')
    path = write(
        near / 'urdf' / 'arm',  # its content says what it is
        '<xacro:arg name="which" default="x"/>'
        '<xacro:include filename="a.xacro"/>'
        '<xacro:include filename="$(find arm_description)/urdf/a.xacro" ns="again"/>'
        '<xacro:include filename="$(find far_parts)/c.xacro"/>'
        '<link name="$(arg which)"/>'
        '<gazebo><plugin>$(find nobody_has_this)/config/controllers.yaml</plugin></gazebo>',
    )
    packages = {'arm_description': str(near), 'far_parts': str(far)}
    text = load_urdf(path, {'which': 'y'}, packages)
    for name in 'acy':
        assert f'<link name="{name}"/>' in text
    for missing in packages:
        given = {name: folder for name, folder in packages.items() if name != missing}
        with pytest.raises(ConfigError, match=rf'the package {missing}.*--package {missing}=FOLD'):
            load_urdf(path, packages=given)
