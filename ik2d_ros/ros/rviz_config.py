"""The RViz configuration of an arm: the shipped one, at the arm's size; no ROS imports."""

from __future__ import annotations

import math
from typing import Any

import yaml

from ik2d_ros.arm.bounding_ball import ball_around
from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.arm.rviz_camera import camera_yaw

DISTANCE = 2.75
"""Distance of the view from the arm, in radii of its reach.

RViz shows 45 degrees from top to bottom: a sphere fits from 2.6 radii on.
"""

STEPS = (1.0, 2.0, 5.0, 10.0)  # sizes of a cell of the grid, times a power of ten


def fitted(text: str, arm: ArmDescription) -> str:
    """Return an RViz configuration that shows the whole reach of an arm.

    Args:
        text: the shipped configuration; its lengths are scaled together.
        arm: the arm.
    """
    config: dict[str, Any] = yaml.safe_load(text)
    manager = config['Visualization Manager']
    view = manager['Views']['Current']
    center, radius = ball_around(arm)
    ratio = DISTANCE * radius / view['Distance']
    for display in manager['Displays']:
        if 'Cell Size' in display:
            display['Cell Size'] = _round(ratio * display['Cell Size'])
        if 'Marker Scale' in display:
            display['Marker Scale'] *= ratio
    view['Focal Point'] = dict(zip('XYZ', center, strict=True))
    view['Yaw'] = camera_yaw(arm)
    for length in ('Distance', 'Near Clip Distance'):
        view[length] *= ratio
    for saved in manager['Views']['Saved']:
        saved['X'], saved['Y'] = center[:2]
        saved['Scale'] /= ratio  # in px per m
        saved['Near Clip Distance'] *= ratio
    return yaml.safe_dump(config, sort_keys=False)


def _round(length: float) -> float:
    """Return the nearest length of 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(length))
    return power * min(STEPS, key=lambda step: abs(math.log(length / power / step)))
