"""Interpreting the arguments of ``fleet.launch.py``: strings in, plain data out; no ROS imports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.content import in_memory, readable_again
from ik2d_ros.parameters.file import as_file, load_parameters
from ik2d_ros.parameters.shipped import find_config
from ik2d_ros.ros.launching import (
    DRIVING,
    PROCESS,
    PUSHED_NAMESPACE,
    clock_choice,
    controller_arguments,
    full_name,
    full_namespace,
    is_true,
    limb_namespaces,
    logger_argument,
)

NODE = 'ik2d'
MERGE = 'ik2d_merge'


@dataclass(frozen=True)
class FleetLaunch:
    """How several arms in one process are launched.

    Attributes:
        namespace: absolute namespace of the process, such as ``/`` or ``/robot1``.
        arms: absolute namespace of each arm.
        files: the parameter files, readable by other processes.
        controller: name of the controller of each arm or of all; empty for none.
        merge_commands: whether one controller moves all arms.
        measured_topic: topic of the measured joint states, if there is a controller.
        use_sim_time: whether to use /clock; None if the arguments do not say so.
        log_level: log level of all nodes.
    """

    namespace: str
    arms: tuple[str, ...]
    files: tuple[str, ...]
    controller: str
    merge_commands: bool
    measured_topic: str
    use_sim_time: bool | None
    log_level: str

    @property
    def node(self) -> dict[str, Any]:
        """The arguments of launch_ros' ``Node``, without a name: parameters are for all nodes."""
        clock = {} if self.use_sim_time is None else {'use_sim_time': self.use_sim_time}
        own = {'arms': list(self.arms), 'merge_commands': self.merge_commands, **clock}
        names = [*(full_name(arm, NODE) for arm in self.arms), full_name(self.namespace, MERGE)]
        remapped = [('measured_joint_states', self.measured_topic)] if self.controller else []
        return {
            **PROCESS,
            'namespace': self.namespace,
            'arguments': controller_arguments(self.controller),
            # Later ones win.
            'parameters': [*([DRIVING] if self.controller else []), *self.files, own],
            'remappings': remapped,
            'ros_arguments': [
                part for name in names for part in logger_argument(name, self.log_level)
            ],
        }


def read_fleet_arguments(values: Mapping[str, str]) -> FleetLaunch:
    """Check the arguments of ``fleet.launch.py``.

    Args:
        values: the launch configurations, by name.

    Raises:
        ConfigError: an argument is refused, or a parameter file is missing, cannot be read, or
            holds nothing for an arm.
    """
    namespace = full_namespace(values.get(PUSHED_NAMESPACE, ''), values['namespace'])
    shared = values['params_file']
    named = _arms(values['arms'], namespace)
    if not named:
        if not shared:
            raise ConfigError(
                "launch arguments 'params_file' and 'arms' are both empty; one of them must say "
                'which arms there are'
            )
        named = dict.fromkeys(limb_namespaces(shared), '')
    files = [str(readable_again(find_config(shared)))] if shared else []
    for arm, file in named.items():
        if file:
            files.append(_section(file, full_name(arm, NODE)))
        elif not shared:
            raise ConfigError(
                f"launch argument 'arms' has no file for '{arm}', and 'params_file' is empty; give "
                'the one, or the other for all arms'
            )
    merges = is_true(values['merge_commands'])
    default_topic = full_name(namespace, 'joint_states') if merges else 'joint_states'
    return FleetLaunch(
        namespace=namespace,
        arms=tuple(named),
        files=tuple(files),
        controller=values['controller'],
        merge_commands=merges,
        measured_topic=values['joint_states_topic'] or default_topic,
        use_sim_time=clock_choice(values['use_sim_time']),
        log_level=values['log_level'],
    )


def _arms(given: str, namespace: str) -> dict[str, str]:
    """Return the file of each arm by its absolute namespace; empty for an arm without its own."""
    arms: dict[str, str] = {}
    for entry in filter(None, (part.strip() for part in given.split(','))):
        name, _, file = entry.partition(':')
        arm = full_namespace(namespace, name)
        if arm == namespace or arm in arms:
            raise ConfigError(
                f"launch argument 'arms' is '{given}'; it must be namespaces with commas between "
                f"them, each one once: '{name}' is not"
            )
        arms[arm] = file
    return arms


def _section(file: str, node: str) -> str:
    """Return a copy of an arm's parameter file that is for its node alone."""
    parameters = load_parameters(find_config(file), node)
    return str(in_memory(node, as_file(parameters, node).encode()))
