"""The RViz configuration of an arm."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import yaml
from harness import ROOT
from space import random_pose

from ik2d_ros.arm.bounding_ball import skeleton
from ik2d_ros.parameters.shipped import find_config
from ik2d_ros.robot.from_urdf import load_arm
from ik2d_ros.ros.rviz_config import fitted

TEXT = (ROOT / 'config/ik2d.rviz').read_text()
MANAGER = yaml.safe_load(TEXT)['Visualization Manager']


WIDTH, HEIGHT = 880, 600  # px of the window are left for the picture itself


def on_screen(point: tuple[float, float, float], view: Any) -> np.ndarray:
    """Return where a view shows a point of the fixed frame.

    Returns:
        (2,) right and up from the middle of the picture, in px.
    """
    (cos_p, sin_p), (cos_y, sin_y) = (
        (math.cos(a), math.sin(a)) for a in (view['Pitch'], view['Yaw'])
    )
    back = np.array([cos_p * cos_y, cos_p * sin_y, sin_p])
    right, up = np.array([-sin_y, cos_y, 0.0]), np.array([-sin_p * cos_y, -sin_p * sin_y, cos_p])
    focus = np.array([view['Focal Point'][axis] for axis in 'XYZ'])
    seen = np.array(point) - focus - view['Distance'] * back
    scale = 0.5 * HEIGHT / math.tan(math.radians(22.5)) / -(seen @ back)
    return np.array([seen @ right, seen @ up]) * scale


@pytest.mark.parametrize('name', ['two_bone', 'excavator', 'scara_icube', 'mini_pupper_2/lf'])
def test_the_view_fits_an_arm_of_any_size(name: str) -> None:
    file, _, limb = name.partition('/')
    arm = load_arm(find_config(file), f'/{limb}/ik2d' if limb else 'ik2d')
    manager = yaml.safe_load(fitted(TEXT, arm))['Visualization Manager']
    view = manager['Views']['Current']
    rng = np.random.default_rng(1)
    places = np.array([
        on_screen(point, view)
        for _ in range(300)
        for point in skeleton(arm, random_pose(arm.kinematics, rng).tolist())
    ])  # fmt: skip
    across, upright = np.abs(places).max(axis=0)
    assert across < 0.5 * WIDTH
    assert upright < 0.5 * HEIGHT
    assert np.ptp(places, axis=0).max() > 0.4 * HEIGHT
    # The grid is as fine for the arm as it is for the one of the file.
    (cell,) = [shown['Cell Size'] for shown in manager['Displays'] if 'Cell Size' in shown]
    usual = 0.1 / MANAGER['Views']['Current']['Distance']
    assert 0.6 < cell / view['Distance'] / usual < 1.6
    assert f'{cell:.0e}'[0] in '125'
    assert view['Near Clip Distance'] < 0.01 * view['Distance']
