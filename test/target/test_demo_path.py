"""The demo path of an arm whose plane is carried: the tip follows it without a jump."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from harness import CONFIG

from ik2d_ros.kinematics import Status, solve
from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.parameters.file import nodes_in
from ik2d_ros.robot.from_urdf import load_arm
from ik2d_ros.target.demo_path import demo_parameters
from ik2d_ros.target.parameters import settings_from_parameters
from ik2d_ros.target.paths import point_at

MACHINES = CONFIG / 'machines'
STEPS = 300  # of a lap: as many as the demo takes


@pytest.mark.parametrize('file', sorted(MACHINES.glob('*.yaml')), ids=lambda file: file.stem)
def test_every_shipped_machine_in_space_goes_round_out_of_its_plane(file):
    nodes = nodes_in(file)
    arm = load_arm(file, nodes[0] if len(nodes) > 1 else 'ik2d')
    if arm.carrier is None:
        pytest.skip('its path is an eight in the plane, part of it out of reach')
    settings = settings_from_parameters(demo_parameters(arm))
    plane = Plane.from_pose(settings.base_xyz, settings.base_rpy)
    assert settings.size >= 0.01 * arm.chain.reach.outer
    q, poses = arm.home, []
    for step in range(2 * STEPS):  # two laps: the first begins elsewhere
        place = point_at(settings.path, step / STEPS, settings.center, settings.size)
        answer = solve(arm.kinematics, plane.point(*place), start=q)
        assert answer.status is Status.REACHED
        q = answer.q.tolist()
        poses.append(q)
    last = poses[STEPS:]
    assert max(math.dist(*ends) for ends in pairwise(last)) < 0.3
    assert np.ptp(last, axis=0)[0] > 0.005
    if arm.turntable is not None:  # seen from where the plane is seen at home
        assert max(abs(q[0] - arm.home[0]) for q in last) < 1.2
