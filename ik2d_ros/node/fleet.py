"""The nodes of a process: one for each arm, in its namespace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rcl_interfaces.msg import ParameterDescriptor
from rclpy.exceptions import InvalidNamespaceException, ParameterException
from rclpy.node import Node
from rclpy.validate_namespace import validate_namespace

from ik2d_ros.control.drive import TRAJECTORY
from ik2d_ros.node.arm_node import ArmNode
from ik2d_ros.node.asking_controllers import controller_named_in, in_namespace
from ik2d_ros.node.merge_node import MergeNode
from ik2d_ros.parameters.checks import ConfigError, listed, refuse
from ik2d_ros.pilot.parameters import FLEET_PARAMETERS, Configuration

# As for one arm that drives a robot; a file may say otherwise.
_MERGED = {
    'use_measured_state': True,
    'publish_joint_states': False,
    'command_out_type': TRAJECTORY,
}


def build_nodes(arguments: Sequence[str]) -> list[ArmNode | MergeNode]:
    """Start the node, or the nodes of all arms and the one that merges their commands.

    With ``--controller NAME``, they first wait for that controller: one of all arms if their
    commands are merged, else one in the namespace of each.

    Args:
        arguments: the command line of the process.

    Raises:
        ConfigError: a parameter is refused; the message names the arm if there are several.
    """
    given, namespace = _fleet_parameters()
    if given.get('arms') is None:
        return [ArmNode(controller_named_in(arguments))]
    names = full_namespaces(given['arms'], namespace)
    arms: list[ArmNode] = []
    merge = _merge_node(namespace, arguments) if given['merge_commands'] else None
    for name in names:
        defaults = _MERGED if merge is not None else controller_named_in(arguments, name)
        try:
            first, timer = arms[0] if arms else None, merge.timer if merge else None
            arm = ArmNode(defaults, in_namespace(name), first, timer)
            if merge is not None:
                _check_merged(arm.settings)
        except (ConfigError, ParameterException) as error:
            raise ConfigError(f"arm '{name}': {error}") from None
        arms.append(arm)
    if merge is None:
        return [*arms]
    merge.start(arms)
    return [*arms, merge]


def _fleet_parameters() -> tuple[dict[str, Any], str]:
    """Return the checked parameters about several arms, and the namespace of the process."""
    # ROS itself tells which of its arguments and files are for this process.
    node = Node('ik2d', enable_rosout=False, start_parameter_services=False)
    try:
        given = {}
        for name in FLEET_PARAMETERS:
            how = ParameterDescriptor(dynamic_typing=True)
            value = node.declare_parameter(name, None, how).value
            if value is not None:  # not given, or an empty list
                given[name] = value
        checked = {**FLEET_PARAMETERS.defaults, **FLEET_PARAMETERS.checked(given)}
        return checked, node.get_namespace()
    finally:
        node.destroy_node()


def full_namespaces(names: Sequence[str], namespace: str) -> list[str]:
    """Return the full namespaces of the arms.

    Args:
        names: as the parameter ``arms`` has them.
        namespace: full namespace of the process.

    Raises:
        ConfigError: one is refused.
    """
    row = FLEET_PARAMETERS['arms']
    full = [name if name.startswith('/') else f'{namespace.rstrip("/")}/{name}' for name in names]
    try:
        for name in full:
            validate_namespace(name)
    except InvalidNamespaceException as error:
        refuse(row.name, names, f'{row.allowed} ({" ".join(str(error).split())})')
    if twice := sorted({name for name in full if full.count(name) > 1}):
        refuse(row.name, names, f'{row.allowed}; given twice: {listed(twice)}')
    return full


def _merge_node(namespace: str, arguments: Sequence[str]) -> MergeNode:
    # The name, too: the name given to the process is for the arms.
    own = [*in_namespace(namespace), '-r', '__node:=ik2d_merge']
    try:
        return MergeNode(controller_named_in(arguments, namespace), own)
    except ConfigError as error:
        raise ConfigError(f'ik2d_merge, for all arms: {error}') from None


def _check_merged(configuration: Configuration) -> None:
    """Refuse commands of an arm that are more than its part of the merged ones."""
    drive = configuration.drive
    if drive.command_out_type != TRAJECTORY:
        refuse('command_out_type', drive.command_out_type, f"{TRAJECTORY} with 'merge_commands'")
    if not set(drive.command_joints) <= {*configuration.arm.names}:
        refuse(
            'command_joints',
            list(drive.command_joints),
            "empty with 'merge_commands', or the joints of this arm alone; the controller's "
            "are a parameter of 'ik2d_merge'",
        )
