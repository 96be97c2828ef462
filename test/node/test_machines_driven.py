"""Shipped arms through the real node: targets in space in, joint positions out.

The tip of the commanded positions is judged by Pinocchio on the joints of the public robot
descriptions.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from harness import runs_in_full
from node_client import values
from public_machines import LEAN, MACHINES, PublicLimb, file_of

from ik2d_ros.arm.description import arm_from_parameters
from ik2d_ros.parameters.file import load_parameters

TARGETS = 20 if runs_in_full() else 10  # for each arm
MOTION = ('max_velocity', 'max_acceleration', 'max_jerk')


# A waist, a lift, and a slide: the others differ in numbers.
@pytest.mark.parametrize('name', ['so101', 'scara_icube', 'zx200'])
def test_a_machine_reaches_every_target_that_it_can(name: str, start: Any) -> None:
    """Without motion limits, it is there at once."""
    node = next(iter(MACHINES[name]))
    limb = PublicLimb(name, node)
    given = load_parameters(file_of(name), node)
    parameters = {name: v for name, v in given.items() if not name.endswith(MOTION)}
    arm = arm_from_parameters(parameters)
    client = start({**parameters, 'tolerance': 1e-6})[1].connect()
    rng = np.random.default_rng(0)
    for drawn in rng.uniform(*np.clip(np.array(arm.limits).T, -3, 3), (TARGETS, len(arm.names))):
        q = arm.clamped(drawn.tolist())
        point = tuple(map(float, limb.tip(dict(zip(arm.names, q, strict=True)))))
        said = values(client.ask(point, frame_id=limb.base))
        assert said['code'] == 'REACHED', said['message']

        def is_there(point: tuple[float, ...] = point) -> bool:
            state = client.joint_states[-1]
            at = dict(zip(state.name, state.position, strict=True))
            there = limb.tip({name: at[name] for name in arm.names})  # without its gripper
            return math.dist(there, point) <= 1e-6 + 1e-9 + LEAN.get(name, 0.0)

        client.wait(is_there, 'positions that bring the tip to the target')
