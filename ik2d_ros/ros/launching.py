"""The arguments of all launch files: strings in, arguments of launch_ros' ``Node`` out.

An included launch file sees every argument of the including file, even if not meant for it. The
consequences are handled here.
"""

from __future__ import annotations

import atexit
import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, NamedTuple

from ik2d_ros.arm.fields import ARM_PARAMETERS
from ik2d_ros.parameters.checks import ConfigError, listed
from ik2d_ros.parameters.file import as_file, load_parameters, read_sections
from ik2d_ros.parameters.shipped import find_config
from ik2d_ros.pilot.parameters import FLEET_PARAMETERS
from ik2d_ros.robot.load import load_urdf


class Argument(NamedTuple):
    """A launch argument, for ``DeclareLaunchArgument(name, **argument._asdict())``."""

    description: str
    default_value: str = ''
    choices: Sequence[str] | None = None


BOOLEANS = ('true', 'false', 'True', 'False')
_COMMON = {
    'use_sim_time': Argument(
        'Use /clock, from a simulator or a bag; default: as in the parameter files or the '
        'including launch file',
        choices=('', *BOOLEANS),
    ),
    'log_level': Argument(
        "Log level of the nodes' loggers", 'info', ('debug', 'info', 'warn', 'error', 'fatal')
    ),
}
ARM_ARGUMENTS: Mapping[str, Argument] = {
    'params_file': Argument(
        'ROS parameter file that describes the arm, or the name of a shipped one; default: '
        'two_bone, or none with urdf'
    ),
    'urdf': Argument(
        'URDF of the robot, or xacro, which is a program that is run; the arm is read from it, '
        'unless params_file has joints'
    ),
    'base': Argument(
        'Link of urdf in whose frame targets are; default: base_link, or the root link'
    ),
    'tip': Argument('Link of urdf to bring to the target; default: the only one possible'),
    'namespace': Argument('Namespace of the node and its topics, below a pushed one'),
    'node_name': Argument('Name of the node', 'ik2d'),
    'frame_prefix': Argument('Prefix of base_frame, as in robot_state_publisher, such as left/'),
    'target_topic': Argument('Topic of the targets', '~/target'),
    **_COMMON,
}
DRIVE_ARGUMENTS: Mapping[str, Argument] = {
    **ARM_ARGUMENTS,
    # No default: the limits of another arm are dangerous to a robot.
    'params_file': Argument(
        'ROS parameter file that describes the arm, or the name of a shipped one; this or urdf is '
        'required'
    ),
    'controller': Argument(
        'Name of the controller that moves the arm, below the namespace; empty: the parameter '
        'file says what the node commands',
        'joint_trajectory_controller',
    ),
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
    'params_file': Argument(
        'ROS parameter file of all arms, or the name of a shipped one: its parameter arms names '
        'them, or else its sections, such as /left/ik2d'
    ),
    'namespace': Argument('Namespace above those of the arms, below a pushed one'),
    'controller': Argument(
        'Name of the controller in the namespace of each arm; default: the parameter file says '
        'what is commanded'
    ),
    'joint_states_topic': Argument(
        'Topic of the measured joint states; default: with a controller, joint_states of each arm'
    ),
    **_COMMON,
}

PUSHED_NAMESPACE = 'ros_namespace'
"""Launch configuration in which launch_ros keeps the pushed namespace."""

# For a node that drives a robot; its file overrides them. joint_states belongs to
# joint_state_broadcaster.
_DRIVING = {'use_measured_state': True, 'publish_joint_states': False}

_NAME = re.compile(r'[A-Za-z_][A-Za-z0-9_]*')


class ArmLaunch(NamedTuple):
    """How one arm is launched.

    Attributes:
        namespace: absolute namespace of all nodes: ``/`` or ``/left``.
        parameters: the arm's parameters by flat dotted name, with its robot description, if any.
        target_topic: topic of the targets, relative to the namespace.
        clock: the clock parameters of every node; empty to leave them to the including file.
        node: the arguments of launch_ros' ``Node`` for the arm's node.
    """

    namespace: str
    parameters: Mapping[str, object]
    target_topic: str
    clock: Mapping[str, bool]
    node: Mapping[str, Any]


def described(rows: Mapping[str, Argument], build: Callable[[Mapping[str, str]], Any]) -> list[Any]:
    """Return the entities of a launch file: its arguments, and the actions for their values."""
    # Here, for the rest of this module is tested where launch is not installed.
    from launch.actions import DeclareLaunchArgument, OpaqueFunction  # noqa: PLC0415

    declared = [DeclareLaunchArgument(name, **row._asdict()) for name, row in rows.items()]
    return [
        *declared,
        OpaqueFunction(function=lambda context: build(context.launch_configurations)),
    ]


def read_arguments(values: Mapping[str, str], drives: bool = False) -> ArmLaunch:
    """Check the launch configurations for one arm; a node that drives a robot needs its name.

    Raises:
        ConfigError: an argument is refused, or the parameter file is missing, cannot be read, or
            holds nothing for the node.
    """
    namespace = full_namespace(values.get(PUSHED_NAMESPACE, ''), values['namespace'])
    node_name = _name('node_name', values['node_name'])
    file, urdf, prefix = values['params_file'], values.get('urdf', ''), values['frame_prefix']
    if drives and not file and not urdf:
        raise ConfigError(
            "launch argument 'params_file' or 'urdf' is required: it must describe the arm"
        )
    files: list[str] = []
    parameters: dict[str, object] = {}
    if file or not urdf:
        path = find_config(file or 'two_bone')
        parameters = load_parameters(path, full_name(namespace, node_name))
        files.append(str(path))
    # A file with joints is enough: `urdf` may be an argument of the including file, for the
    # description of the whole robot.
    if urdf and 'joints' not in parameters:
        if prefix:
            raise ConfigError(
                "launch argument 'frame_prefix' cannot be used with 'urdf', whose links have "
                'their names already'
            )
        text = load_urdf(os.path.expanduser(urdf))
        ends = {'base_frame': values['base'], 'tip_frame': values['tip']}
        given = {name: value for name, value in ends.items() if value}
        parameters.update(robot_description=text, **given)
        # A file, for launch_ros would read its strings as YAML.
        files.append(temporary_file('.yaml', as_file({'robot_description': text, **given})))
    clock = _clock(values['use_sim_time'])
    if not clock and isinstance(parameters.get('use_sim_time'), bool):
        clock = {'use_sim_time': bool(parameters['use_sim_time'])}
    row, own = ARM_PARAMETERS['base_frame'], dict[str, object](clock)
    if prefix:
        own[row.name] = f'{prefix}{row.checked(parameters.get(row.name, row.default))}'
    # '~' means the arm's node for every node.
    target_topic = re.sub('^~/', f'{node_name}/', values['target_topic'])
    driving = (values['joint_states_topic'], values['controller']) if drives else ('', '')
    node = {
        'name': node_name,
        **common(namespace, values['log_level'], full_name(namespace, node_name)),
        **_process(files, own, *driving),
    }
    node['remappings'].append(('~/target', target_topic))
    return ArmLaunch(namespace, parameters, target_topic, clock, node)


def temporary_file(suffix: str, text: str) -> str:
    """Write a file that is deleted when this process ends, and return its path."""
    with NamedTemporaryFile(prefix='ik2d_', suffix=suffix, delete=False) as file:
        file.write(text.encode())
    atexit.register(Path(file.name).unlink, missing_ok=True)
    return file.name


def read_fleet_arguments(values: Mapping[str, str]) -> dict[str, Any]:
    """Check the launch configurations of ``fleet.launch.py``.

    Returns:
        The arguments of launch_ros' ``Node``, without a name: parameters are for all nodes.

    Raises:
        ConfigError: an argument is refused, or the parameter file is missing, cannot be read, or
            names no arms.
    """
    namespace = full_namespace(values.get(PUSHED_NAMESPACE, ''), values['namespace'])
    if not values['params_file']:
        raise ConfigError("launch argument 'params_file' is required: it must describe the arms")
    path = find_config(values['params_file'])
    arms, controller = _arms_in(path, namespace), values['controller']
    topic = values['joint_states_topic'] or ('joint_states' if controller else '')
    own = {'arms': arms, **_clock(values['use_sim_time'])}
    names = [full_name(arm, 'ik2d') for arm in arms]
    return {
        **common(namespace, values['log_level'], *names),
        **_process([str(path)], own, topic, controller),
    }


def common(namespace: str, log_level: str, *nodes: str) -> dict[str, Any]:
    """Return the arguments of launch_ros' ``Node`` that any process has.

    The level is for the loggers of its nodes, by full names, not for rcl and the middleware.
    """
    levels = [f'{node.strip("/").replace("/", ".")}:={log_level}' for node in nodes]
    return {
        'namespace': namespace,
        'output': 'screen',
        'emulate_tty': True,
        'ros_arguments': [part for level in levels for part in ('--log-level', level)],
    }


def _process(
    files: Sequence[str], own: Mapping[str, object], measured_topic: str, controller: str
) -> dict[str, Any]:
    """Return the arguments of launch_ros' ``Node`` that any process of arms has.

    The presets for driving a robot, with a topic of measured joint states, come first, then files,
    then the parameters of its own; each overrides those before.
    """
    presets = [_DRIVING] if measured_topic else []
    return {
        'package': 'ik2d_ros',
        'executable': 'ik2d_node',
        'arguments': ['--controller', controller] if controller else [],
        'parameters': [*presets, *files, *filter(None, [own])],
        'remappings': [('measured_joint_states', measured_topic)] if measured_topic else [],
    }


def _arms_in(path: Path, namespace: str) -> list[str]:
    """Return the full namespaces of the arms in a parameter file, for a process in a namespace."""
    sections = read_sections(path)
    for parameters in sections.values():
        if 'arms' in parameters:
            names = FLEET_PARAMETERS['arms'].checked(parameters['arms'])
            return [full_namespace(namespace, name) for name in names]
    limbs = [name.removesuffix('/ik2d') for name in sections if name.endswith('/ik2d')]
    if not all(limbs) or not limbs:
        raise ConfigError(
            f"{path}: names no arms, only {listed(sections)}; it must have the parameter 'arms', a "
            "list of namespaces, or a section for each arm, such as '/left/ik2d'"
        )
    return limbs


def full_namespace(pushed: str, given: str) -> str:
    """Return the absolute namespace, joined as launch_ros does, with one exception.

    If an included launch file is inside ``push_ros_namespace``, it may see the same
    ``namespace:=robot1`` that was already pushed, and ``/robot1/robot1`` is never intended.

    Args:
        pushed: the namespace from ``push_ros_namespace``; empty for none.
        given: the launch argument; absolute, relative to what was pushed, or empty.

    Raises:
        ConfigError: the argument is not a namespace.
    """
    parts = [_name('namespace', part) for part in given.strip('/').split('/') if given.strip('/')]
    before = [part for part in pushed.split('/') if part]
    is_there = not parts or before[-len(parts) :] == parts
    if given.startswith('/'):
        before = []
    elif is_there:
        parts = []
    return '/' + '/'.join([*before, *parts])


def full_name(namespace: str, node_name: str) -> str:
    """Return the full name of a node."""
    return f'{namespace.rstrip("/")}/{node_name}'


def is_true(text: str) -> bool:
    """Return whether a launch argument that is ``true`` or ``false`` is the former."""
    return text.lower() == 'true'


def _clock(use_sim_time: str) -> dict[str, bool]:
    """Return the clock parameters that an argument sets; none if it is empty."""
    return {'use_sim_time': is_true(use_sim_time)} if use_sim_time else {}


def _name(argument: str, value: str) -> str:
    if _NAME.fullmatch(value):
        return value
    raise ConfigError(
        f"launch argument '{argument}' is '{value}'; it must be letters, digits and underscores, "
        'and not start with a digit'
    )
