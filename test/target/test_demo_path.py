"""The demo path of an arm whose plane is carried: all of it is reached, and every joint moves."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from ik2d_ros.arm.description import load_arm
from ik2d_ros.kinematics import Status, solve_batch
from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.target.demo_path import demo_parameters
from ik2d_ros.target.parameters import settings_from_parameters
from ik2d_ros.target.paths import point_at

MACHINES = Path(__file__).resolve().parents[2] / 'config/machines'


@pytest.mark.parametrize('name', ['so101', 'arduinobot', 'scara_icube', 'zx200', 'al5d'])
def test_the_demo_path_leaves_the_plane_and_is_all_in_reach(name):
    arm = load_arm(MACHINES / f'{name}.yaml')
    settings = settings_from_parameters(demo_parameters(arm))
    plane = Plane.from_pose(settings.base_xyz, settings.base_rpy)
    laps = np.linspace(0.0, 1.0, 101)
    places = [
        plane.point(*point_at(settings.path, lap, settings.center, settings.size)) for lap in laps
    ]
    answers = solve_batch(arm.kinematics, places)
    assert (answers.status == Status.REACHED).all()
    assert settings.size >= 0.04 * arm.chain.reach.outer
    moved = np.ptp(arm.kinematics.forward(answers.q), axis=0)
    assert math.hypot(*moved) > settings.size
    assert np.ptp(answers.q[:, 0]) > 0.02
