"""The RViz configuration of an arm: the shipped one, at the arm's size; no ROS imports."""

from __future__ import annotations

import math
from typing import Any

import yaml

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.drawing.extent import ball_around

DISTANCE = 2.75
"""Distance of the view from the arm, in radii of its reach.

RViz shows 45 degrees from top to bottom: a sphere fits from 2.6 radii on.
"""


def fitted(text: str, arm: ArmDescription) -> str:
    """Return the shipped configuration, its lengths scaled to show the whole reach of an arm."""
    config: dict[str, Any] = yaml.safe_load(text)
    manager = config['Visualization Manager']
    view = manager['Views']['Current']
    center, radius = ball_around(arm)
    ratio = DISTANCE * radius / view['Distance']
    for display in manager['Displays']:
        if 'Cell Size' in display:
            display['Cell Size'] = 10.0 ** round(math.log10(ratio * display['Cell Size']))
        if 'Marker Scale' in display:
            display['Marker Scale'] *= ratio
    view['Focal Point'] = dict(zip('XYZ', center, strict=True))
    for length in ('Distance', 'Near Clip Distance'):
        view[length] *= ratio
    return yaml.safe_dump(config, sort_keys=False)
