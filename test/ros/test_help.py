"""What the programs say of themselves; without ROS, too."""

from __future__ import annotations

import importlib

import pytest


@pytest.mark.parametrize('name', ['node', 'sim', 'target', 'teleop', 'viewer'])
def test_every_node_prints_help(name, capsys):
    main = importlib.import_module(f'ik2d_ros.{name}.__main__').main
    assert main([f'ik2d_{name}', '--help']) == 0
    out = capsys.readouterr().out
    assert out.startswith(f'usage: ik2d_{name} ')
    assert ('--controller NAME' in out) == (name == 'node')
