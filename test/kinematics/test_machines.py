"""Public machines with one joint before their plane, from the facts of their descriptions."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from space import random_pose, tip

from ik2d_ros.kinematics import (
    Arm,
    Chain,
    Joint,
    Lift,
    Plane,
    Status,
    Turntable,
    solve,
    solve_batch,
)

MACHINES = json.loads(Path(__file__).with_name('machines.json').read_text(encoding='utf-8'))


def built(facts):
    """The arm of a machine; its plane is that of the tip, beside the one of the first joint."""
    normal = np.array(facts['normal']) / np.linalg.norm(facts['normal'])
    x = np.array([1.0, 0.0, 0.0] if abs(normal[0]) < 0.5 else [0.0, 0.0, 1.0])
    x -= (x @ normal) * normal
    x /= np.linalg.norm(x)
    origin = np.array(facts['first']) + sum(facts['beside']) * normal
    plane = Plane(tuple(origin), tuple(map(tuple, (x, np.cross(normal, x), normal))))
    joints = [
        Joint(f'joint{number}', tuple(link), *limits)
        for number, (link, limits) in enumerate(zip(facts['links'], facts['limits'], strict=True))
    ]
    if 'lift' in facts:
        return Arm(Chain(joints), plane, lift=Lift(1, *facts['lift']['limits']))
    before = facts['turntable']
    limits = before['limits'] or (None, None)
    return Arm(Chain(joints), plane, Turntable(before['xyz'], before['axis'], *limits))


@pytest.mark.parametrize('name', MACHINES)
def test_public_machines_reach_what_they_can(name):
    arm = built(MACHINES[name])
    rng = np.random.default_rng(1)
    targets = np.array([tip(arm, random_pose(arm, rng)) for _ in range(200)])
    tolerance = 1e-9 * arm.chain.reach.outer
    batch = solve_batch(arm, targets, tolerance=tolerance)
    assert (batch.status == Status.REACHED).sum() == 200
    for q, target in zip(batch.q, targets, strict=True):
        assert math.dist(tip(arm, q), target) <= tolerance * (1.0 + 1e-5)
    q = arm.middle
    for target in targets[:30]:
        solution = solve(arm, target, start=q, tolerance=tolerance)
        assert solution.status is Status.REACHED
        assert math.dist(tip(arm, solution.q), target) <= tolerance * (1.0 + 1e-5)
        q = solution.q
