"""The nodes of a process: one for each arm, in its namespace."""

from __future__ import annotations

from collections.abc import Sequence

from rcl_interfaces.msg import ParameterDescriptor
from rclpy.exceptions import ParameterException
from rclpy.node import Node

from ik2d_ros.node.arm_node import ArmNode
from ik2d_ros.node.asking_controllers import defaults_for_controller, in_namespace
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.pilot.parameters import FLEET_PARAMETERS


def build_nodes(arguments: Sequence[str]) -> list[ArmNode]:
    """Start the node, or the nodes of all arms.

    With ``--controller NAME``, each first waits for the controller of that name in its namespace.

    Raises:
        ConfigError: a parameter is refused; the message names the arm if there are several.
    """
    names = _namespaces()
    if names is None:
        return [ArmNode(defaults_for_controller(arguments))]
    arms: list[ArmNode] = []
    for name in names:
        defaults = defaults_for_controller(arguments, name)
        try:
            arms.append(ArmNode(defaults, in_namespace(name), arms[0] if arms else None))
        except (ConfigError, ParameterException) as error:
            raise ConfigError(f"arm '{name}': {error}") from None
    return arms


def _namespaces() -> Sequence[str] | None:
    """Return the full namespaces of the arms of this process; None for one arm."""
    # ROS itself knows which of its arguments and files are for this process.
    node = Node('ik2d', enable_rosout=False, start_parameter_services=False)
    try:
        # Of any type, as an empty list arrives without one.
        any_type = ParameterDescriptor(dynamic_typing=True)
        given = {'arms': node.declare_parameter('arms', None, any_type).value}
        arms: Sequence[str] | None = FLEET_PARAMETERS.checked(given).get('arms')
        own = node.get_namespace().rstrip('/')
        return arms and [name if name.startswith('/') else f'{own}/{name}' for name in arms]
    finally:
        node.destroy_node()
