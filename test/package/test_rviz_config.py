"""The RViz configuration of an arm."""

from __future__ import annotations

import math

import numpy as np
import pytest
import yaml
from harness import ROOT
from space import random_pose

from ik2d_ros.drawing.extent import skeleton
from ik2d_ros.parameters.shipped import find_config
from ik2d_ros.robot.from_urdf import load_arm
from ik2d_ros.ros.rviz_config import fitted


@pytest.mark.parametrize('name', ['two_bone', 'excavator', 'scara_icube', 'mini_pupper_2/lf'])
def test_the_view_fits_an_arm_of_any_size(name: str) -> None:
    file, _, limb = name.partition('/')
    arm = load_arm(find_config(file), f'/{limb}/ik2d' if limb else 'ik2d')
    text = fitted((ROOT / 'config/ik2d.rviz').read_text(), arm)
    view = yaml.safe_load(text)['Visualization Manager']['Views']['Current']
    rng = np.random.default_rng(1)
    focus = [view['Focal Point'][axis] for axis in 'XYZ']
    furthest = max(
        math.dist(focus, point)
        for _ in range(300)
        for point in skeleton(arm, random_pose(arm.kinematics, rng).tolist())
    )
    seen = view['Distance'] * math.sin(math.radians(22.5))  # radius of the sphere that it shows
    assert 0.5 * seen < furthest < seen
