"""Several arms in one process: a node for each, in its namespace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rcl_interfaces.msg import ParameterDescriptor
from rclpy.exceptions import ParameterException
from rclpy.node import Node

from ik2d_ros.control.drive import TRAJECTORY
from ik2d_ros.node.arm_node import ArmNode
from ik2d_ros.node.asking_controllers import controller_named_in
from ik2d_ros.node.fleet_parameters import (
    FLEET_PARAMETERS,
    Fleet,
    fleet_from_parameters,
)
from ik2d_ros.node.merge_node import MergeNode
from ik2d_ros.node.parameters import Configuration
from ik2d_ros.node.process_context import ProcessContext, SharedFrames, in_namespace
from ik2d_ros.node.turns import Turns
from ik2d_ros.parameters.checks import ConfigError, refuse

# As for one arm that drives a robot; a file may say otherwise.
_MERGED = {
    'use_measured_state': True,
    'publish_joint_states': False,
    'command_out_type': TRAJECTORY,
}


def fleet_here() -> tuple[Fleet, str] | None:
    """Return the arms of this process and its namespace; None if it was given no list of arms.

    Raises:
        ConfigError: the arms are refused.
    """
    # ROS itself tells which of its arguments and files are for this process.
    node = Node('ik2d', enable_rosout=False, start_parameter_services=False)
    try:
        given = {
            row.name: node.declare_parameter(
                row.name, None, ParameterDescriptor(dynamic_typing=True)
            ).value
            for row in FLEET_PARAMETERS.rows
        }
        namespace = node.get_namespace()
        # What was not given, and an empty list, has no value.
        said = {name: value for name, value in given.items() if value is not None}
        fleet = fleet_from_parameters(said, namespace)
    finally:
        node.destroy_node()
    return None if fleet is None else (fleet, namespace)


def build_fleet(
    fleet: Fleet, namespace: str, arguments: Sequence[str]
) -> list[ArmNode | MergeNode]:
    """Start the nodes of all arms, and the one that merges their commands.

    With ``--controller NAME``, they first wait for that controller: one of all arms if their
    commands are merged, else one in the namespace of each.

    Args:
        fleet: the arms.
        namespace: the namespace of the process.
        arguments: its command line.

    Raises:
        ConfigError: a parameter of an arm is refused; the message names the arm.
    """
    frames, turns, arms = SharedFrames(), Turns(), list[ArmNode]()
    merge = _merge_node(namespace, arguments) if fleet.merge_commands else None
    for each in fleet.namespaces:
        context = ProcessContext(
            arguments=in_namespace(each),
            frames=frames,
            turns=turns,
            merger=merge,
            first=arms[0] if arms else None,
        )
        defaults = _MERGED if merge is not None else controller_named_in(arguments, each)
        arms.append(_arm_node(each, defaults, context))
    if merge is None:
        return [*arms]
    merge.start()
    return [*arms, merge]


def _merge_node(namespace: str, arguments: Sequence[str]) -> MergeNode:
    # The name, too: that of the process is the arms'.
    own = [*in_namespace(namespace), '-r', '__node:=ik2d_merge']
    try:
        return MergeNode(controller_named_in(arguments, namespace), own)
    except ConfigError as error:
        raise ConfigError(f'ik2d_merge, for all arms: {error}') from None


def _arm_node(namespace: str, defaults: Mapping[str, object], context: ProcessContext) -> ArmNode:
    try:
        node = ArmNode(defaults, context)
        if context.merger is not None:
            _check_merged(node.settings)
    except (ConfigError, ParameterException) as error:
        raise ConfigError(f"arm '{namespace}': {error}") from None
    return node


def _check_merged(configuration: Configuration) -> None:
    """Refuse what makes the commands of an arm more than its part of the merged ones."""
    drive = configuration.drive
    if drive.command_out_type != TRAJECTORY:
        refuse('command_out_type', drive.command_out_type, f"{TRAJECTORY} with 'merge_commands'")
    if not set(drive.command_joints) <= {*configuration.arm.names}:
        refuse(
            'command_joints',
            list(drive.command_joints),
            "empty with 'merge_commands', or the joints of this arm alone; those of the controller "
            "are a parameter of 'ik2d_merge'",
        )
