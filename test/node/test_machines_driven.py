"""Shipped arms through the real node: targets in space in, joint positions out.

The tip of the commanded positions is judged by Pinocchio on the joints of the public robot
descriptions, or by the demo's own forward kinematics.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from harness import runs_in_full
from node_client import values
from public_machines import LEAN, MACHINES, PublicLimb, file_of
from rods import MACHINES as RODS
from rods import tip_of_rods

from ik2d_ros.arm.description import ArmDescription, arm_from_parameters
from ik2d_ros.parameters.file import load_parameters

TARGETS = 20 if runs_in_full() else 10  # for each arm
MOTION = ('max_velocity', 'max_acceleration', 'max_jerk')
Tip = Callable[[Mapping[str, float]], Any]


def drive(start: Any, given: Mapping[str, object], tip: Tip, frame: str, near: float) -> None:
    """Send an arm without motion limits to places that it can reach, and see that it gets there."""
    parameters = {name: v for name, v in given.items() if not name.endswith(MOTION)}
    arm: ArmDescription = arm_from_parameters(parameters)
    _, client = start({**parameters, 'tolerance': 1e-6})
    client.connect()
    rng = np.random.default_rng(0)
    for drawn in rng.uniform(*np.clip(np.array(arm.limits).T, -3, 3), (TARGETS, len(arm.names))):
        q = arm.clamped(drawn.tolist())
        point = tuple(map(float, tip(dict(zip(arm.names, q, strict=True)))))
        said = values(client.ask(point, frame_id=frame))
        assert said['code'] == 'REACHED', said['message']

        def is_there(point: tuple[float, ...] = point) -> bool:
            state = client.joint_states[-1]
            there = tip(dict(zip(state.name, state.position, strict=True)))
            return math.dist(there, point) <= 1e-6 + near

        client.wait(is_there, 'positions that bring the tip to the target')


# A waist, a lift, and a slide: the others differ in numbers.
@pytest.mark.parametrize('name', ['so101', 'scara_icube', 'zx200'])
def test_a_machine_reaches_every_target_that_it_can(name: str, start: Any) -> None:
    node = next(iter(MACHINES[name]))
    limb = PublicLimb(name, node)
    given = load_parameters(file_of(name), node)
    drive(start, given, limb.tip, limb.base, 1e-9 + LEAN.get(name, 0.0))


def test_a_linkage_goes_where_its_rods_put_the_tip(start: Any) -> None:
    name = 'magician'
    given = load_parameters(file_of(name))
    arm = arm_from_parameters(given)

    def tip(positions: Mapping[str, float]) -> Any:
        return tip_of_rods(arm, [positions[joint] for joint in arm.names], RODS[name])

    drive(start, given, tip, arm.base_frame, 1e-9)
