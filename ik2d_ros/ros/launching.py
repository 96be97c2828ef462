"""The arguments of all launch files: strings in, arguments of launch_ros' ``Node`` out."""

from __future__ import annotations

import atexit
import math
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, NamedTuple

import yaml

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.arm.fields import ARM_PARAMETERS
from ik2d_ros.drawing.extent import ball_around
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.file import as_file, load_parameters, read_sections
from ik2d_ros.parameters.shipped import find_config
from ik2d_ros.robot.from_urdf import with_description
from ik2d_ros.robot.urdf import load_urdf


class Argument(NamedTuple):
    """A launch argument, for ``DeclareLaunchArgument(name, **argument._asdict())``."""

    description: str
    default_value: str = ''
    choices: Sequence[str] | None = None


BOOLEANS = ('true', 'false', 'True', 'False')
_COMMON = {
    'params_file': Argument(
        'ROS parameter file that describes the arm or arms, or the name of a shipped one'
    ),
    'namespace': Argument('Namespace of the nodes and their topics, below a pushed one'),
    'use_sim_time': Argument(
        'Use /clock, from a simulator or a bag; default: as in the parameter file or the '
        'including launch file',
        choices=('', *BOOLEANS),
    ),
    'log_level': Argument('Log level', 'info', ('debug', 'info', 'warn', 'error', 'fatal')),
}
_CONTROLLER = (
    'Name of the controller that moves the arm, below its namespace; empty: the parameter file '
    'says what the node commands'
)
ARM_ARGUMENTS: Mapping[str, Argument] = {
    **_COMMON,
    'urdf': Argument(
        'URDF of the robot, or xacro, which is a program that is run; the arm is read from it, '
        'unless params_file has joints'
    ),
    'base': Argument(
        'Link of urdf in whose frame targets are; default: base_link, or the root link'
    ),
    'tip': Argument('Link of urdf to bring to the target; default: the only one possible'),
    'node_name': Argument('Name of the node', 'ik2d'),
    'frame_prefix': Argument('Prefix of base_frame, as in robot_state_publisher, such as left/'),
    'target_topic': Argument('Topic of the targets', '~/target'),
}
DRIVE_ARGUMENTS: Mapping[str, Argument] = {
    **ARM_ARGUMENTS,
    'controller': Argument(_CONTROLLER, 'joint_trajectory_controller'),
    'joint_states_topic': Argument('Topic of the measured joint states', 'joint_states'),
}
DEMO_ARGUMENTS: Mapping[str, Argument] = {
    **ARM_ARGUMENTS,
    'target_topic': Argument(
        'Topic of the targets; the first click in RViz stops the demo path', 'clicked_point'
    ),
    'use_rviz': Argument('Open RViz; without it the demo needs no display', 'true', BOOLEANS),
    'rviz_config_file': Argument(
        "RViz configuration; its fixed frame is set to the arm's base frame; default: the shipped "
        "one, fitted to the arm's size"
    ),
}
FLEET_ARGUMENTS: Mapping[str, Argument] = {
    **_COMMON,
    'controller': Argument(_CONTROLLER),
    'joint_states_topic': Argument(
        'Topic of the measured joint states; default: with a controller, joint_states of each arm'
    ),
}

# For a node that drives a robot; its file overrides them. joint_states belongs to
# joint_state_broadcaster.
_DRIVING = {'use_measured_state': True, 'publish_joint_states': False}

DISTANCE = 2.75
"""Of the view of RViz, in radii of the reach: in its 45 degrees, a sphere fits from 2.6 on."""


def described(rows: Mapping[str, Argument], build: Callable[[Mapping[str, str]], Any]) -> list[Any]:
    """Return the entities of a launch file: its arguments, and the actions for their values."""
    # Here, for the rest of this module is tested where launch is not installed.
    from launch.actions import DeclareLaunchArgument, OpaqueFunction  # noqa: PLC0415

    declared = [DeclareLaunchArgument(name, **row._asdict()) for name, row in rows.items()]
    act = OpaqueFunction(function=lambda context: build(context.launch_configurations))
    return [*declared, act]


def read_arguments(
    values: Mapping[str, str], drives: bool = False
) -> tuple[dict[str, Any], dict[str, object]]:
    """Check the launch configurations for one arm; a node that drives a robot needs its name.

    Returns:
        The arguments of launch_ros' ``Node`` for the arm's node; and its parameters by flat dotted
        name, with its robot description, if any.

    Raises:
        ConfigError: an argument is missing, or the parameter file is missing, cannot be read, or
            holds nothing for the node.
    """
    file, urdf, prefix = values['params_file'], values['urdf'], values['frame_prefix']
    if drives and not file and not urdf:  # the limits of another arm are dangerous to a robot
        raise ConfigError(
            "launch argument 'params_file' or 'urdf' is required: it must describe the arm"
        )
    name = values['node_name']
    files: list[str] = []
    parameters: dict[str, object] = {}
    if file or not urdf:
        path = find_config(file or 'two_bone')
        parameters = load_parameters(path, f'{full_namespace(values).rstrip("/")}/{name}')
        files.append(str(path))
    # A file with joints is enough: `urdf` may be an argument of the including file, for the
    # description of the whole robot.
    if urdf and 'joints' not in parameters:
        text = load_urdf(os.path.expanduser(urdf))
        ends = {'base_frame': values['base'], 'tip_frame': values['tip']}
        given = {name: value for name, value in ends.items() if value}
        parameters.update(robot_description=text, **given)
        # A file, for launch_ros would read its strings as YAML.
        files.append(temporary_file('.yaml', as_file({'robot_description': text, **given})))
    own: dict[str, object] = {}
    if prefix:
        if parameters.get('robot_description'):  # where the base's link has no prefix
            parameters = with_description(parameters)[0]
            files.append(temporary_file('.yaml', as_file(parameters)))
        row = ARM_PARAMETERS['base_frame']
        own[row.name] = f'{prefix}{row.checked(parameters.get(row.name, row.default))}'
    states = (values['joint_states_topic'] or 'joint_states') if drives else ''
    node = _arms(values, files, own, states, values['controller'] if drives else '')
    node.update(name=name, remappings=[('~/target', values['target_topic']), *node['remappings']])
    return node, parameters


def read_fleet_arguments(values: Mapping[str, str]) -> dict[str, Any]:
    """Return the arguments of launch_ros' ``Node`` for ``fleet.launch.py``.

    The arms are those of the parameter ``arms``, or else the sections of the file.

    Raises:
        ConfigError: the parameter file is missing, or cannot be read.
    """
    if not values['params_file']:
        raise ConfigError("launch argument 'params_file' is required: it must describe the arms")
    path, controller = find_config(values['params_file']), values['controller']
    sections = read_sections(path)
    own: dict[str, object] = {}
    if not any('arms' in parameters for parameters in sections.values()):
        own['arms'] = [name.removesuffix('/ik2d') for name in sections if name.endswith('/ik2d')]
    states = values['joint_states_topic'] or ('joint_states' if controller else '')
    return _arms(values, [str(path)], own, states, controller)


def temporary_file(suffix: str, text: str) -> str:
    """Write a file that is deleted when this process ends, and return its path."""
    with NamedTemporaryFile(prefix='ik2d_', suffix=suffix, delete=False) as file:
        file.write(text.encode())
    atexit.register(Path(file.name).unlink, missing_ok=True)
    return file.name


def fitted_rviz_config(text: str, arm: ArmDescription) -> str:
    """Return the shipped configuration of RViz, scaled to the reach of an arm."""
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


def full_namespace(values: Mapping[str, str]) -> str:
    """Return the absolute namespace, joined as launch_ros does, with one exception.

    An included launch file sees every argument of the including file. Inside of
    ``push_ros_namespace`` that may be the ``namespace:=robot1`` that was pushed already, and
    ``/robot1/robot1`` is never intended.
    """
    given, pushed = values['namespace'], values.get('ros_namespace', '')  # as launch_ros calls it
    inner, before = given.strip('/'), '' if given.startswith('/') else pushed.strip('/')
    is_pushed = f'/{before}/'.endswith(f'/{inner}/')
    return '/' + '/'.join(filter(None, [before, '' if is_pushed else inner]))


def common(values: Mapping[str, str]) -> dict[str, Any]:
    """Return the arguments of launch_ros' ``Node`` that all nodes of a launch file have."""
    return {
        'namespace': full_namespace(values),
        'output': 'screen',
        'emulate_tty': True,
        'ros_arguments': ['--log-level', values['log_level']],
    }


def clock(values: Mapping[str, str]) -> dict[str, bool]:
    """Return the clock parameters that an argument sets; none if it is empty."""
    use_sim_time = values['use_sim_time']
    return {'use_sim_time': use_sim_time.lower() == 'true'} if use_sim_time else {}


def _arms(
    values: Mapping[str, str],
    files: Sequence[str],
    own: Mapping[str, object],
    measured: str,
    controller: str,
) -> dict[str, Any]:
    """Return the arguments of ``Node`` for a process of arms.

    Its parameters in ``own`` override those of its files. A robot is driven where there is a topic
    of measured joint states.
    """
    own = {**clock(values), **own}
    return {
        **common(values),
        'package': 'ik2d_ros',
        'executable': 'ik2d_node',
        'arguments': ['--controller', controller] if controller else [],
        'parameters': [*filter(None, [_DRIVING if measured else None, *files, own])],
        'remappings': [('measured_joint_states', measured)] if measured else [],
    }
