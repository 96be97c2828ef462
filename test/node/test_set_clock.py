"""Somebody sets the system's clock while a node runs: the arm moves on."""

from __future__ import annotations

import shutil
import struct
import subprocess
from pathlib import Path
from typing import Any

import pytest
from node_client import FAR, NEAR, TWO

SLOW = {'chain.shoulder.max_velocity': 1.0, 'chain.elbow.max_velocity': 1.0}


def test_the_arm_moves_on_when_the_clock_is_set(start: Any, tmp_path: Path) -> None:
    compiler = shutil.which('cc')
    if compiler is None:
        pytest.skip('there is no C compiler')
    library, source = tmp_path / 'set_clock.so', Path(__file__).with_name('set_clock.c')
    subprocess.run([compiler, '-shared', '-fPIC', '-o', library, source, '-ldl'], check=True)
    added = tmp_path / 'seconds'
    added.write_bytes(bytes(8))
    env = {'LD_PRELOAD': str(library), 'SECONDS_ADDED': str(added)}
    _, arm = start({**TWO, **SLOW}, env=env)
    arm.connect()
    before = arm.joint_states[-1].header.stamp.sec
    for seconds, target, code in ((-3600, NEAR, 'REACHED'), (3600, FAR, 'TOO_FAR')):
        with added.open('r+b') as file:  # not truncated: it is mapped
            file.write(struct.pack('q', seconds))

        def is_set(seconds: int = seconds) -> bool:
            return abs(arm.joint_states[-1].header.stamp.sec - before - seconds) < 1800

        arm.wait(is_set, 'a pose with the new time')
        arm.wait_for(arm.send(target), code, at_goal='true')
