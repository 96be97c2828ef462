"""What the programs say of themselves; without ROS, too."""

from __future__ import annotations

import sys

import pytest

from ik2d_ros import programs


@pytest.mark.parametrize('name', ['node', 'sim', 'target', 'teleop', 'viewer'])
def test_every_node_prints_help(name, capsys, monkeypatch):
    monkeypatch.setattr(sys, 'argv', [f'ik2d_{name}', '--help'])
    assert getattr(programs, name)() == 0
    out = capsys.readouterr().out
    assert out.startswith(f'usage: ik2d_{name} ')
    assert ('--controller NAME' in out) == (name == 'node')
