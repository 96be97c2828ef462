"""Interpreting launch arguments for all launch files: strings in, plain data out; no ROS imports.

An included launch file sees every argument of the including file, even if not meant for it. The
consequences are handled here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ik2d_ros.arm.description import (
    ARM_PARAMETERS,
    ArmDescription,
    arm_from_parameters,
    load_parameters,
)
from ik2d_ros.parameters.checks import ConfigError, closest, listed
from ik2d_ros.parameters.content import in_memory, readable_again
from ik2d_ros.parameters.file import as_file, nodes_in
from ik2d_ros.parameters.shipped import config_directories, find_config
from ik2d_ros.robot.described import with_description
from ik2d_ros.robot.load import load_urdf

PUSHED_NAMESPACE = 'ros_namespace'
"""Launch configuration in which launch_ros keeps the pushed namespace."""

CONTROLLER = 'ik2d_controller'
MEASURED_TOPIC = 'ik2d_measured_topic'
"""Launch configurations in which drive.launch.py passes its arguments on to the node.

They are no launch arguments, so that nothing else that an including file calls a controller is
taken for one.
"""

DEFAULT_FILE = 'two_bone.yaml'
"""The shipped file that is the default of ``params_file``; with ``urdf``, it stands for none."""

PROCESS = {
    'package': 'ik2d_ros',
    'executable': 'ik2d_node',
    'output': 'screen',
    'emulate_tty': True,
}
"""Arguments of launch_ros' ``Node`` for every process of arms."""

# joint_states belongs to joint_state_broadcaster.
DRIVING: Mapping[str, bool] = {'use_measured_state': True, 'publish_joint_states': False}
"""The parameters of a node that drives a robot; its file overrides them."""

_NAME = re.compile(r'[A-Za-z_][A-Za-z0-9_]*')


@dataclass(frozen=True)
class ArmLaunch:
    """How one arm is launched.

    Attributes:
        namespace: absolute namespace of all nodes: ``/`` or ``/left``.
        node_name: name of the arm's node, without its namespace.
        params_file: the arm's parameter file, readable by other processes; None for none.
        parameters: content of that file, by flat dotted name.
        description: what the node is told of a robot description: parameters by name; empty for
            none.
        frame_prefix: prefix of every frame name.
        target_topic: topic of the targets, relative to the namespace.
        log_level: log level of all nodes.
        use_sim_time: whether to use /clock; None if neither the arguments nor the file say so.
        measured_topic: topic of the measured joint states from which the node drives a robot;
            empty if it drives none.
        controller: name of the controller that the node waits for and commands; empty for none.
    """

    namespace: str
    node_name: str
    params_file: Path | None
    parameters: Mapping[str, object]
    description: Mapping[str, str]
    frame_prefix: str
    target_topic: str
    log_level: str
    use_sim_time: bool | None
    measured_topic: str
    controller: str

    @property
    def base_frame(self) -> str:
        """The arm's base frame, with the prefix."""
        row = ARM_PARAMETERS['base_frame']
        given = {**self.parameters, **self.description}
        return f'{self.frame_prefix}{row.checked(given.get(row.name, row.default))}'

    @property
    def arm(self) -> ArmDescription:
        """The arm.

        Raises:
            ConfigError: it is refused.
        """
        return arm_from_parameters(with_description({**self.parameters, **self.description})[0])

    @property
    def clock_parameters(self) -> dict[str, bool]:
        """The clock parameters of every node; empty to leave them to the including launch file."""
        return {} if self.use_sim_time is None else {'use_sim_time': self.use_sim_time}

    @property
    def node(self) -> dict[str, Any]:
        """The arguments of launch_ros' ``Node`` for the arm's node."""
        own: dict[str, object] = dict(self.clock_parameters)
        if self.frame_prefix:
            own['base_frame'] = self.base_frame
        remapped = [('~/target', self.target_topic)]
        if self.measured_topic:
            remapped.append(('measured_joint_states', self.measured_topic))
        return {
            **PROCESS,
            'name': self.node_name,
            'namespace': self.namespace,
            'arguments': controller_arguments(self.controller),
            # Later ones win.
            'parameters': [
                *([DRIVING] if self.measured_topic else []),
                *self.files,
                *filter(None, [own]),
            ],
            'remappings': remapped,
            'ros_arguments': self.log_arguments(self.node_name),
        }

    @property
    def files(self) -> list[str]:
        """The parameter files of the arm's node: its own, and one with a robot description."""
        files = [] if self.params_file is None else [str(self.params_file)]
        if self.description:
            # A file, for launch_ros would read its strings as YAML.
            files.append(str(in_memory('description', as_file(self.description).encode())))
        return files

    def log_arguments(self, node_name: str) -> list[str]:
        """Return ROS arguments for the log level of a node, without that of rcl and others."""
        return logger_argument(full_name(self.namespace, node_name), self.log_level)


def read_arguments(values: Mapping[str, str]) -> ArmLaunch:
    """Check the launch arguments that all launch files share.

    Args:
        values: the launch configurations, by name.

    Raises:
        ConfigError: an argument is refused, or the parameter file is missing, cannot be read, or
            holds nothing for the node.
    """
    namespace = full_namespace(values.get(PUSHED_NAMESPACE, ''), values['namespace'])
    node_name = _name('node_name', values['node_name'])
    if not values['params_file'] and not values.get('urdf'):
        raise ConfigError(
            "launch argument 'params_file' or 'urdf' is required: it must describe the arm"
            f'{_mistyped(values)}'
        )
    file = find_config(values['params_file']) if values['params_file'] else None
    params_file = None if values.get('urdf') and file and _is_default(file) else file
    parameters: dict[str, object] = {}
    if params_file is not None:
        parameters = load_parameters(params_file, full_name(namespace, node_name))
    # A file that describes the arm itself is enough: another `urdf` may be meant, that of a robot
    # which the including file starts.
    description = {} if 'joints' in parameters else _description(values, parameters)
    use_sim_time: object = clock_choice(values['use_sim_time'])
    if use_sim_time is None:
        use_sim_time = parameters.get('use_sim_time')
    return ArmLaunch(
        namespace=namespace,
        node_name=node_name,
        params_file=None if params_file is None else readable_again(params_file),
        parameters=parameters,
        description=description,
        frame_prefix=values['frame_prefix'],
        # '~' means the arm's node for every node.
        target_topic=re.sub('^~/', f'{node_name}/', values['target_topic']),
        log_level=values['log_level'],
        use_sim_time=use_sim_time if isinstance(use_sim_time, bool) else None,
        measured_topic=values.get(MEASURED_TOPIC, ''),
        controller=values.get(CONTROLLER, ''),
    )


def _mistyped(values: Mapping[str, str]) -> str:
    """Return a question about an argument that is close to ``params_file``, or nothing."""
    others = [name for name in values if name != 'params_file']
    return closest('params_file', others).replace('mean', 'mean params_file by')


def _is_default(params_file: Path) -> bool:
    """Return whether a file is the default of ``params_file``, in whichever place it is shipped."""
    shipped = [directory / DEFAULT_FILE for directory in config_directories()]
    return params_file.resolve() in [path.resolve() for path in shipped]


def _description(values: Mapping[str, str], parameters: Mapping[str, object]) -> dict[str, str]:
    """Return the parameters of the arm's node for the robot description that is named."""
    if not values.get('urdf'):
        return {}
    if values['frame_prefix']:
        raise ConfigError(
            "launch argument 'frame_prefix' cannot be used with 'urdf', whose links have their "
            'names already'
        )
    given = {
        'robot_description': load_urdf(os.path.expanduser(values['urdf'])),
        'base_frame': values.get('base', ''),
        'tip_frame': values.get('tip', ''),
    }
    said = {name: value for name, value in given.items() if value}
    found, _ = with_description({**parameters, **said})
    return {name: str(found[name]) for name in given}


def limb_namespaces(params_file: str) -> list[str]:
    """Return the namespaces of the limbs in a parameter file, each with a node ``ik2d``.

    Args:
        params_file: the file, or the name of a shipped one.

    Raises:
        ConfigError: the file is missing or cannot be read, or holds no limbs.
    """
    path = find_config(params_file)
    names = nodes_in(path)
    namespaces = [name.removesuffix('/ik2d') for name in names if name.endswith('/ik2d')]
    if not all(namespaces) or not namespaces:
        raise ConfigError(
            f'{path}: holds no limbs, only parameters for {listed(names) or "any node"}; each limb '
            "must have a section with its namespace, such as '/left/ik2d'"
        )
    return namespaces


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


def clock_choice(use_sim_time: str) -> bool | None:
    """Return what the launch argument ``use_sim_time`` says; None if it is empty."""
    return is_true(use_sim_time) if use_sim_time else None


def controller_arguments(controller: str) -> list[str]:
    """Return the command line for the node of a controller; empty for no controller."""
    return ['--controller', controller] if controller else []


def logger_argument(node: str, log_level: str) -> list[str]:
    """Return the ROS arguments for the log level of a node, by its full name."""
    return ['--log-level', f'{node.strip("/").replace("/", ".")}:={log_level}']


def _name(argument: str, value: str) -> str:
    if _NAME.fullmatch(value):
        return value
    raise ConfigError(
        f"launch argument '{argument}' is '{value}'; it must be letters, digits and underscores, "
        'and not start with a digit'
    )
