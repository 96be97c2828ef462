"""The words for a node that cannot start."""

from __future__ import annotations

from pathlib import Path

import pytest

from ik2d_ros.ros.startup_errors import (
    explain_missing_joints,
    parameter_files,
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
