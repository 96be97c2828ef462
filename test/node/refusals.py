"""Parameters that the node refuses, and the words that its messages must have."""

from __future__ import annotations

import math
from collections.abc import Mapping

import yaml

LIMITS = (-2.6, 2.6)
HOME = (0.4, 0.8)
TWO: dict[str, object] = {
    'joints': ['shoulder', 'elbow'],
    'chain.shoulder.length': 0.3,
    'chain.shoulder.min_position': LIMITS[0],
    'chain.shoulder.max_position': LIMITS[1],
    'chain.shoulder.home': HOME[0],
    'chain.elbow.length': 0.25,
    'chain.elbow.min_position': LIMITS[0],
    'chain.elbow.max_position': LIMITS[1],
    'chain.elbow.home': HOME[1],
}
THREE = {**TWO, 'joints': ['shoulder', 'elbow', 'wrist'], 'chain.wrist.length': 0.1}

# By name: changes of TWO (None removes a parameter), and words of the message.
Refusals = dict[str, tuple[dict[str, object], list[str]]]

ALWAYS: Refusals = {
    'solver unknown': ({'solver': 'fabrik'}, ['solver', "'fabrik'", 'auto, two_bone, ccd']),
    'solver a number': ({'solver': 3}, ['solver', '3', 'auto, two_bone, ccd']),
    'bend': ({'bend': 'up'}, ['bend', "'up'", 'nearest, positive, negative']),
    'tolerance 0': ({'tolerance': 0.0}, ['tolerance', '0.0', '> 0']),
    'tolerance NaN': ({'tolerance': math.nan}, ['tolerance', 'nan', '> 0']),
    'tolerance a text': ({'tolerance': 'small'}, ['tolerance', "'small'", '> 0']),
    'iterations 0': ({'max_iterations': 0}, ['max_iterations', '0', '>= 1']),
    'iterations 1.5': ({'max_iterations': 1.5}, ['max_iterations', '1.5', 'whole']),
    'unreachable': ({'unreachable': 'stop'}, ['unreachable', "'stop'", 'closest, hold']),
    'rate 0': ({'publish_rate': 0}, ['publish_rate', '0', '>= 0.01', '<= 10000']),
    'rate true': ({'publish_rate': True}, ['publish_rate', 'True', '>= 0.01', '<= 10000']),
    'timeout': ({'target_timeout': -1.0}, ['target_timeout', '-1.0', '>= 0']),
    'plane': ({'plane_tolerance': -0.1}, ['plane_tolerance', '-0.1', '>= 0']),
    'tf timeout': ({'tf_timeout': math.inf}, ['tf_timeout', 'inf', '>= 0']),
    'speed': ({'path_speed': 0.0}, ["'path_speed'", '0.0', '> 0']),
    'path': ({'path_tolerance': math.nan}, ["'path_tolerance'", 'nan', '> 0']),
    'following': ({'following_tolerance': 0.0}, ['following_tolerance', '0.0', '> 0']),
    'delay': ({'following_delay': -1.0}, ['following_delay', '-1.0', '>= 0']),
    'goal': ({'goal_tolerance': 0.0}, ['goal_tolerance', '0.0', '> 0']),
    'hold': ({'hold_velocity': 0.0}, ['hold_velocity', '0.0', '> 0']),
    'xyz': ({'base.xyz': [1.0, 2.0]}, ['base.xyz', '[1.0, 2.0]', '3 finite']),
    'length NaN': ({'chain.elbow.length': math.nan}, ['chain.elbow.length', 'nan', '>= 0']),
    'length and link': ({'chain.elbow.link': [0.1, 0.0]}, ["'elbow'", 'both', 'length', 'link']),
    'neither': ({'chain.elbow.length': None}, ["'elbow'", 'neither', 'length', 'link']),
    'min above max': (
        {'chain.elbow.min_position': 2.7},
        ['chain.elbow.min_position', '2.7', 'equal or below', '2.6'],
    ),
    'min alone': (
        {'chain.elbow.max_position': None},
        ['chain.elbow.min_position', 'chain.elbow.max_position', 'both'],
    ),
    'velocity': ({'chain.elbow.max_velocity': -1}, ['chain.elbow.max_velocity', '-1', '> 0']),
    'axis': ({'chain.elbow.axis': 2}, ['chain.elbow.axis', '2', '+1 or -1']),
    'home': ({'chain.elbow.home': 3.0}, ['chain.elbow.home', '3.0', '-2.6 to 2.6']),
    'unknown field': (
        {'chain.elbow.lenght': 0.3},
        ['chain.elbow.lenght', "did you mean 'length'?", 'max_velocity'],
    ),
    'unknown joint': ({'chain.wrist.length': 0.3}, ['chain.wrist.length', 'shoulder, elbow']),
}
AT_START: Refusals = {
    'joints empty': ({'joints': []}, ['joints', '[]', 'unique']),
    'joint twice': ({'joints': ['elbow', 'elbow']}, ['joints', 'given twice: elbow', 'unique']),
    'joints a text': ({'joints': 'elbow'}, ['joints', "'elbow'", 'list']),
    'frame empty': ({'base_frame': ''}, ['base_frame', "''", 'not empty']),
    'two_bone': ({**THREE, 'solver': 'two_bone'}, ['solver', 'auto or ccd', '3 joints']),
    'tip angle': ({'tip_angle': 0.5}, ['tip_angle', '0.5', 'NaN for this arm']),
    'command': ({'command_joints': ['elbow']}, ['command_joints', 'missing: shoulder']),
}


def yaml_of(parameters: Mapping[str, object]) -> str:
    """A ROS parameter file for any node; None leaves a parameter out."""
    given = {name: value for name, value in parameters.items() if value is not None}
    return yaml.safe_dump({'/**': {'ros__parameters': given}})
