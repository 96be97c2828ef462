"""The words for a node that cannot start."""

from __future__ import annotations

from pathlib import Path

import pytest

from ik2d_ros.ros.startup_errors import (
    explain_failed_start,
    explain_missing_joints,
    parameter_files,
    without_parameters,
)


@pytest.mark.parametrize(
    ('line', 'files'),
    [
        ('ik2d_node', []),
        ('ik2d_node --ros-args --params-file a.yaml', ['a.yaml']),
        (
            'ik2d_node --ros-args --params-file a.yaml -p x:=1 --params-file b.yaml',
            ['a.yaml', 'b.yaml'],
        ),
        ('ik2d_node --params-file mine.yaml', []),
        ('ik2d_node --ros-args -p x:=1 -- --params-file mine.yaml', []),
        ('ik2d_node --ros-args -- x --ros-args --params-file b.yaml', ['b.yaml']),
    ],
)
def test_parameter_files_are_those_that_ros_is_given(line: str, files: list[str]) -> None:
    assert parameter_files(line.split()) == files


def test_names_are_left_of_a_command_line_without_its_parameters() -> None:
    line = (
        'ik2d_node -p 1 --ros-args -r __ns:=/left --params-file a.yaml -p x:=1 --param y:=-2 '
        '-r __node:=arm -- -p 2'
    )
    expected = 'ik2d_node -p 1 --ros-args -r __ns:=/left -r __node:=arm -- -p 2'
    assert without_parameters(line.split()) == expected.split()
    assert without_parameters(['ik2d_node', '--ros-args', '-p']) == ['ik2d_node', '--ros-args']


def test_every_file_is_told_with_the_nodes_that_it_names(tmp_path: Path) -> None:
    other, broken = tmp_path / 'other.yaml', tmp_path / 'broken.yaml'
    other.write_text('a:\n  ros__parameters: {p: 1}\n/b/c:\n  ros__parameters: {p: 1}\n')
    broken.write_text('[')
    files = [str(other), str(broken)]
    message = explain_missing_joints('/left/ik2d', [], files)
    assert 'no parameter file reached' not in message
    assert all(word in message for word in (*files, "'a', '/b/c'", '/left/ik2d', 'not valid YAML'))


def test_what_did_arrive_is_told() -> None:
    message = explain_missing_joints('/ik2d', ['solver', 'bend'], [])
    assert 'given only: bend, solver' in message


def test_our_own_reading_of_a_file_is_preferred_to_that_of_ros(tmp_path: Path) -> None:
    fine, bad = tmp_path / 'fine.yaml', tmp_path / 'bad.yaml'
    fine.write_text('/**:\n  ros__parameters: {p: 1}\n')
    bad.write_text('/**:\n  ros__parameters:\n    link: [0, 0.5]\n')
    error = RuntimeError('Sequence should be of same type, at /project/src/parse.c:391')
    for_bad = explain_failed_start(error, [str(fine), str(bad)])
    assert for_bad.startswith(f'{bad}:3:')
    for_fine = explain_failed_start(error, [str(fine)])
    assert 'Sequence should be of same type' in for_fine
    assert '[0.0, 0.3]' in for_fine
    assert '.c:' not in for_fine
