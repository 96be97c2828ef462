"""Xacro: known by what the file holds, found with its packages, and kept within bounds."""

from __future__ import annotations

from pathlib import Path

import pytest
from descriptions import ARM, robot

from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.robot.source import load_robot, load_urdf
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
def test_xacro_is_known_by_what_it_holds(tmp_path: Path, name: str) -> None:
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
def test_a_urdf_is_not_taken_for_xacro(text: str) -> None:
    assert not is_xacro(text)


def test_arguments_and_includes_beside_the_file_and_in_packages_are_found(tmp_path: Path) -> None:
    near = package(tmp_path / 'src' / 'arm-files', 'arm_description')
    package(tmp_path / 'src' / 'common', 'common_parts')
    far = package(tmp_path / 'elsewhere', 'far_parts')
    write(near / 'urdf' / 'a.xacro', '<link name="a"/>')
    write(tmp_path / 'src' / 'common' / 'b.xacro', '<link name="b"/>')
    write(far / 'c.xacro', '<link name="c"/>')
    (near / 'values.yaml').write_text('name: d\n')
    path = write(
        near / 'urdf' / 'arm.urdf.xacro',
        '<xacro:arg name="which" default="x"/>'
        '<xacro:include filename="a.xacro"/>'
        '<xacro:include filename="$(find arm_description)/urdf/a.xacro" ns="again"/>'
        '<xacro:include filename="$(find common_parts)/b.xacro"/>'
        '<xacro:include filename="$(find far_parts)/c.xacro"/>'
        '<xacro:property name="v" value="${xacro.load_yaml(\'../values.yaml\')}"/>'
        '<link name="${v[\'name\']}"/><link name="$(arg which)"/>'
        '<gazebo><plugin>$(find nobody_has_this)/config/controllers.yaml</plugin></gazebo>',
    )
    text = load_urdf(path, {'which': 'y'}, {'far_parts': str(far)})
    for name in 'abcdy':
        assert f'<link name="{name}"/>' in text
    with pytest.raises(ConfigError, match=r'the package far_parts.*--package far_parts=FOLDER'):
        load_urdf(path)


@pytest.mark.parametrize('root', ['clone', 'src'])
def test_packages_are_found_anywhere_below_the_clone_or_the_workspace(
    tmp_path: Path, root: str
) -> None:
    top = tmp_path / root
    own = package(top / 'config' / 'arm_config', 'arm_config')
    other = package(top / 'stack' / 'arms' / 'description', 'arm_description')
    package(other / 'inside', 'of_a_package')
    if root == 'clone':
        (top / '.git').mkdir()
    (top / 'stack' / 'back').symlink_to(top)
    write(other / 'a.xacro', '<link name="a"/>')
    write(other / 'inside' / 'a.xacro', '<link name="a"/>')
    include = '<xacro:include filename="$(find {})/a.xacro"/>'
    path = write(own / 'arm.xacro', include.format('arm_description'))
    assert load_robot(path).links == ('a',)
    for name in ('of_a_package', 'nobody_has_this'):
        with pytest.raises(ConfigError, match=f'the package {name}, which is not installed'):
            load_robot(write(own / 'other.xacro', include.format(name)))


def test_packages_are_not_looked_for_where_nothing_tells_of_a_workspace(tmp_path: Path) -> None:
    own = package(tmp_path / 'things' / 'own', 'own')
    write(package(tmp_path / 'other' / 'far', 'far') / 'a.xacro', '<link name="a"/>')
    path = write(own / 'arm.xacro', '<xacro:include filename="$(find far)/a.xacro"/>')
    with pytest.raises(ConfigError, match='the package far, which is not installed'):
        load_robot(path)


def test_without_manifests_a_package_is_a_folder_of_its_name_near_the_file(tmp_path: Path) -> None:
    own, parts = tmp_path / 'copies' / 'arm_description', tmp_path / 'copies' / 'parts'
    for folder in (own / 'urdf', parts):
        folder.mkdir(parents=True)
    write(own / 'urdf' / 'a.xacro', '<link name="a"/>')
    write(parts / 'b.xacro', '<link name="b"/>')
    find = '<xacro:include filename="$(find {})/{}"/>'.format
    here, beside = find('arm_description', 'urdf/a.xacro'), find('parts', 'b.xacro')
    assert load_robot(write(own / 'urdf' / 'one.xacro', here)).links == ('a',)
    assert load_robot(write(own / 'urdf' / 'two.xacro', beside)).links == ('b',)
    with pytest.raises(ConfigError, match=r'--package elsewhere=FOLDER'):
        load_robot(write(own / 'urdf' / 'three.xacro', find('elsewhere', 'c.xacro')))


def test_a_folder_that_its_package_installs_from_below_another_is_found(tmp_path: Path) -> None:
    source = package(tmp_path / 'example', 'demo_arm') / 'description'
    write(source / 'parts' / 'a.xacro', '<link name="a"/>')
    include = '<xacro:include filename="$(find demo_arm)/{}/a.xacro"/>'
    path = write(source / 'urdf' / 'arm.xacro', include.format('parts'))
    assert load_robot(path).links == ('a',)
    nowhere = write(source / 'urdf' / 'other.xacro', include.format('pieces'))
    with pytest.raises(ConfigError, match=r'No such file.*example/pieces/a\.xacro'):
        load_robot(nowhere)


@pytest.mark.parametrize(
    ('body', 'words'),
    [
        ('<link name="$(arg is_sim)"/>', r'is_sim.*give it as is_sim:=VALUE'),
        (
            '<xacro:property name="m" value="$(arg mass)"/><link name="${m}"/>',
            'it has no default; give it as mass:=VALUE$',
        ),
        ('<link name="${M_PI}"/>', 'M_PI'),
        ('<property name="a" value="1"/><link name="${a}"/>', 'tags of old xacro'),
        (
            '<xacro:property name="a" value="$(env IK2D_NOT_SET)"/><link name="${a}"/>',
            "cannot expand it: environment variable 'IK2D_NOT_SET' is not set",
        ),
        ('<xacro:nothing/>', 'nothing'),
        ('<xacro:include filename="missing.xacro"/>', r'No such file.*missing\.xacro'),
        ('<xacro:include filename="arm.xacro"/>', 'without end|too much|too deeply'),
        (
            '<xacro:macro name="m" params=""><xacro:m/><xacro:m/></xacro:macro><xacro:m/>',
            'without end|too much|too deeply',
        ),
        ('<link name="${\'a\' * 10**10}"/>', 'too much'),
        ('<xacro:include filename="/dev/zero"/>', 'is no file: /dev/zero'),
        ('<link name="${[].__class__.__base__}"/>', 'invalid name'),
        (
            '<xacro:macro name="arm" params=""><link name="a"/></xacro:macro><!-- <link> -->',
            'only defines macros, give the file that uses them',
        ),
    ],
)
def test_xacro_that_cannot_be_expanded_gets_a_clear_word(
    tmp_path: Path, body: str, words: str
) -> None:
    path = write(tmp_path / 'arm.xacro', body)
    with pytest.raises(ConfigError, match=words) as refused:
        load_urdf(path)
    assert str(refused.value).startswith(str(path))


def test_a_fault_in_an_included_file_is_told_with_its_name(tmp_path: Path) -> None:
    (tmp_path / 'part.xacro').write_text('<robot><link></robot>')
    path = write(tmp_path / 'arm.xacro', '<xacro:include filename="part.xacro"/>')
    with pytest.raises(ConfigError, match=r'mismatched tag.*\(in .*part\.xacro\)'):
        load_urdf(path)


def test_an_argument_that_an_included_file_wants_is_asked_for_by_its_name(tmp_path: Path) -> None:
    write(tmp_path / 'part.xacro', '<link name="$(arg side)"/>')
    path = write(tmp_path / 'arm.xacro', '<xacro:include filename="part.xacro"/>')
    with pytest.raises(ConfigError, match=r'side \(in .*part\.xacro\).*give it as side:=VALUE$'):
        load_urdf(path)


def test_what_lies_in_the_present_folder_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ('xacro', 'yaml', 'json', 'ik2d_ros'):
        (tmp_path / f'{name}.py').write_text('raise SystemExit("it ran")')
    monkeypatch.chdir(tmp_path)
    path = write(tmp_path / 'arm.xacro', '<link name="${2}"/>')
    assert load_robot(path.name).links == ('2',)
