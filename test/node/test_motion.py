"""The node moves the arm within its motion limits, over the middleware."""

from __future__ import annotations

import itertools
import math
import re
import shutil
import struct
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from node_client import FAR, TWO, Client, tip

from ik2d_ros.motion import smooth

SPEED, RATE = 1.0, 50.0
STEP = SPEED / RATE  # rad, the longest between two poses
NEAR, AWAY = (0.3, 0.2, 0.0), (0.1, -0.4, 0.0)
JOINTS = ('shoulder', 'elbow')

needs_ruckig = pytest.mark.skipif(not smooth.is_available(), reason='ruckig is not installed')


def limited(**more: float) -> dict[str, object]:
    limits = itertools.product(JOINTS, {'max_velocity': SPEED, **more}.items())
    return {'publish_rate': RATE, **{f'chain.{joint}.{name}': q for joint, (name, q) in limits}}


def go(arm: Client, point: tuple[float, float, float]) -> Any:
    """Send a target, and wait for its status and for motion."""
    seen = len(arm.joint_states)
    stamp = arm.ask(point).header.stamp

    def has_moved() -> bool:
        poses = [state.position for state in arm.joint_states[seen:]]
        return any(a != b for a, b in itertools.pairwise(poses))

    arm.wait(has_moved, 'motion')
    return stamp


def longest_step(arm: Client) -> float:
    """The longest way in rad of any joint from one pose to the next."""
    poses = np.array([state.position for state in arm.joint_states])
    return float(np.abs(np.diff(poses, axis=0)).max(initial=0.0))


@needs_ruckig
def test_the_status_says_moving_until_the_arm_arrives(arm: Client) -> None:
    """Also to a new target in mid-motion; each arrival is reported once."""
    arm.move_within(limited(max_acceleration=8.0, max_jerk=80.0))
    first, second = go(arm, AWAY), go(arm, NEAR)
    arm.wait_for(second, 'REACHED', at_goal='true')
    on_the_way, *_, there = arm.told(second)
    assert (on_the_way['code'], on_the_way['at_goal']) == ('REACHED', 'false')
    assert re.match(r'Moving: .* to go\. The target is reached', on_the_way['message'])
    assert 'Moving' not in there['message']
    assert {told['at_goal'] for told in arm.told(first)} == {'false'}
    assert longest_step(arm) <= STEP * 1.01
    # On a busy machine poses from before the arrival may still be on their way.
    arm.wait(lambda: math.dist(tip(tuple(arm.pose())), NEAR[:2]) <= 1e-6, 'the pose at the goal')
    assert list(arm.joint_states[-1].velocity) == [0.0, 0.0]
    assert max(abs(v) for state in arm.joint_states for v in state.velocity) > 0.5 * SPEED
    # Where it stands already, it is at once.
    again = arm.ask(NEAR).header.stamp
    assert [told['at_goal'] for told in arm.told(again)] == ['true']


def test_the_arm_moves_on_when_the_clock_is_set(start: Any, tmp_path: Path) -> None:
    compiler = shutil.which('cc')
    if compiler is None:
        pytest.skip('there is no C compiler')
    library, source = tmp_path / 'set_clock.so', Path(__file__).with_name('set_clock.c')
    subprocess.run([compiler, '-shared', '-fPIC', '-o', library, source, '-ldl'], check=True)
    added = tmp_path / 'seconds'
    added.write_bytes(bytes(8))
    env = {'LD_PRELOAD': str(library), 'SECONDS_ADDED': str(added)}
    arm = start({**TWO, **limited()}, env=env)[1].connect()
    before = arm.joint_states[-1].header.stamp.sec
    for seconds, target, code in ((-3600, NEAR, 'REACHED'), (3600, FAR, 'TOO_FAR')):
        with added.open('r+b') as file:  # not truncated: it is mapped
            file.write(struct.pack('q', seconds))

        def is_set(seconds: int = seconds) -> bool:
            return abs(arm.joint_states[-1].header.stamp.sec - before - seconds) < 1800

        arm.wait(is_set, 'a pose with the new time')
        arm.wait_for(arm.send(target), code, at_goal='true')
