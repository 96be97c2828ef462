"""What launch arguments mean, for all launch files alike; texts in, plain data out, no ROS in here.

An included launch file sees every argument of the one that includes it, also those that were not
meant for it. What follows from that is decided here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ik2d_ros.arm.description import ARM_PARAMETERS, load_parameters
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.content import readable_again
from ik2d_ros.parameters.shipped import find_config

PUSHED_NAMESPACE = 'ros_namespace'
"""Where launch_ros keeps the namespace that push_ros_namespace has made."""

_NAME = re.compile(r'[A-Za-z_][A-Za-z0-9_]*')


@dataclass(frozen=True)
class ArmLaunch:
    """How one arm is launched.

    Attributes:
        namespace: of all nodes, from the root on: ``/`` or ``/left``.
        node_name: of the arm's node, without its namespace.
        params_file: the arm's parameter file, which other processes can read as well.
        parameters: what that file says, by flat dotted name.
        frame_prefix: stands before the name of every frame.
        target_topic: where targets come from, seen from the namespace.
        log_level: of all nodes.
        use_sim_time: whether the time comes from /clock; None where that was not said, neither here
            nor in the file.
    """

    namespace: str
    node_name: str
    params_file: Path
    parameters: Mapping[str, object]
    frame_prefix: str
    target_topic: str
    log_level: str
    use_sim_time: bool | None

    @property
    def base_frame(self) -> str:
        """The arm's base frame, with the prefix."""
        row = ARM_PARAMETERS['base_frame']
        return f'{self.frame_prefix}{row.checked(self.parameters.get(row.name, row.default))}'

    @property
    def clock_parameters(self) -> dict[str, bool]:
        """What every node has to be told of the clock; nothing where whoever includes us may."""
        return {} if self.use_sim_time is None else {'use_sim_time': self.use_sim_time}

    @property
    def node_parameters(self) -> dict[str, bool | str]:
        """What the arm's node is told beside its file."""
        frame = {'base_frame': self.base_frame} if self.frame_prefix else {}
        return {**self.clock_parameters, **frame}

    def log_arguments(self, node_name: str) -> list[str]:
        """ROS arguments for the log level of a node; what it is built on stays silent."""
        logger = full_name(self.namespace, node_name).strip('/').replace('/', '.')
        return ['--log-level', f'{logger}:={self.log_level}']


def read_arguments(values: Mapping[str, str]) -> ArmLaunch:
    """Judge the launch arguments that all launch files have.

    Args:
        values: the launch configurations, by name.

    Raises:
        ConfigError: an argument is refused, or the parameter file is not there, cannot be read, or
            holds nothing for the node; the message says which, and what is allowed.
    """
    namespace = full_namespace(values.get(PUSHED_NAMESPACE, ''), values['namespace'])
    node_name = _name('node_name', values['node_name'])
    params_file = find_config(values['params_file'])
    parameters = load_parameters(params_file, full_name(namespace, node_name))
    use_sim_time: object = parameters.get('use_sim_time')
    if values['use_sim_time']:
        use_sim_time = values['use_sim_time'].lower() == 'true'
    return ArmLaunch(
        namespace=namespace,
        node_name=node_name,
        params_file=readable_again(params_file),
        parameters=parameters,
        frame_prefix=values['frame_prefix'],
        # '~' is the arm's node for every node, not each one itself.
        target_topic=re.sub('^~/', f'{node_name}/', values['target_topic']),
        log_level=values['log_level'],
        use_sim_time=use_sim_time if isinstance(use_sim_time, bool) else None,
    )


def full_namespace(pushed: str, given: str) -> str:
    """The namespace from the root on, as launch_ros puts it together, but for one thing.

    Where ``push_ros_namespace`` stands around an included launch file, that file sees the same
    ``namespace:=robot1`` that was pushed already, and ``/robot1/robot1`` is not what anyone means.

    Args:
        pushed: what ``push_ros_namespace`` has made; empty for nothing.
        given: the launch argument; absolute, relative to what was pushed, or empty.

    Raises:
        ConfigError: the argument is no namespace.
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
    """A node's name from the root on."""
    return f'{namespace.rstrip("/")}/{node_name}'


def _name(argument: str, value: str) -> str:
    if _NAME.fullmatch(value):
        return value
    raise ConfigError(
        f"launch argument '{argument}' is '{value}'; it must be letters, digits and underscores, "
        'and not begin with a digit'
    )
