"""A node loads its solvers before its first target, not with it."""

from __future__ import annotations

import subprocess
import sys

import pytest
from harness import ROOT

KINDS = {
    'plane': {},
    'turntable': {'turntable.joint': 't', 'base.rpy': [1.5707963267948966, 0.0, 0.0]},
    'lift': {'lift.joint': 't', 'lift.min_position': -1.0, 'lift.max_position': 1.0},
}

SCRIPT = """
import sys
from ik2d_ros.node.answer import Target, answer
from ik2d_ros.node.parameters import configuration_from_parameters
from ik2d_ros.node.explanation import load_solvers

joints = {'joints': [*'abc']} | {f'chain.{name}.length': 0.2 for name in 'abc'}
limits = {
    f'chain.{name}.{end}': value
    for name in 'abc'
    for end, value in (('min_position', -1.0), ('max_position', 2.0))
}
for more in ({}, limits):
    configuration = configuration_from_parameters({**joints, **more, **KIND})
    arm = configuration.arm
    load_solvers(arm)
    before = set(sys.modules)
    for x, z in ((0.3, 0.0), (0.05, 0.1), (2.0, 0.0)):
        for direction in (None, (1.0, 0.0, 0.0)):
            answer(Target((x, 0.1, z), direction=direction), configuration, arm.home).report
    print(*sorted(name for name in set(sys.modules) - before if name.startswith('ik2d_ros')))
"""


@pytest.mark.parametrize('kind', KINDS)
def test_no_target_loads_a_solver(kind: str) -> None:
    script = SCRIPT.replace('KIND', repr(KINDS[kind]))
    done = subprocess.run(
        [sys.executable, '-c', script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.split() == []
