"""``--help`` of every node."""

from __future__ import annotations

from importlib import import_module

import pytest


@pytest.mark.parametrize('option', ['-h', '--help'])
@pytest.mark.parametrize('name', ['node', 'sim', 'target', 'teleop', 'viewer'])
def test_help_names_the_parameters_and_starts_nothing(name, option, capsys):
    program = import_module(f'ik2d_ros.{name}.__main__')
    assert program.main([f'ik2d_{name}', option]) == 0
    said, complaints = capsys.readouterr()
    assert f'usage: ik2d_{name} ' in said
    assert '--ros-args [-p NAME:=VALUE' in said
    assert complaints == ''
    home = 'pilot' if name == 'node' else name
    table = import_module(f'ik2d_ros.{home}.parameters').PARAMETERS
    assert all(row.description in said for row in table.values())
    assert all(family.name in said for family in table.families)
