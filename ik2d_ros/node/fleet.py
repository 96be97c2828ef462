"""The nodes of a process: one for each arm, in its namespace, once its controller is there."""

from __future__ import annotations

import time
from collections.abc import Sequence

from rcl_interfaces.msg import ParameterDescriptor
from rclpy.exceptions import ParameterException
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.utilities import ok, remove_ros_args

from ik2d_ros.control.discovery import (
    COMMAND_TYPES,
    Controller,
    controllers,
    parameters_for,
)
from ik2d_ros.control.settings import ARRAY
from ik2d_ros.node.arm_node import ArmNode
from ik2d_ros.parameters.checks import ConfigError, closest, listed, shown
from ik2d_ros.pilot.parameters import FLEET_PARAMETERS
from ik2d_ros.ros.other_nodes import Parameters, RemoteParameters, owner_subscriptions
from ik2d_ros.ros.process import is_ending

CONTROLLER = '--controller'  # the argument that names one
PERIOD = 0.1  # s between checks for the controller
SECONDS_BETWEEN_LOGS = 3.0
PATIENCE = 10.0  # s for the parameters of a controller that already listens to commands
MANAGERS_PATIENCE = 2.0  # s for those of its manager, which not every robot has


def build_nodes(arguments: Sequence[str]) -> list[ArmNode]:
    """Start the node, or the nodes of all arms, each once the controller that is named is there.

    Raises:
        ConfigError: a parameter is refused; the message names the arm if there are several.
    """
    arms: list[ArmNode] = []
    for name in _namespaces():
        own = ['--ros-args', '-r', f'__ns:={name}'] if name else []
        defaults = _defaults(arguments, own)
        try:
            arms.append(ArmNode(defaults, own, arms[0] if arms else None))
        except (ConfigError, ParameterException) as error:
            raise ConfigError(f"arm '{name}': {error}" if name else str(error)) from None
    return arms


def _namespaces() -> Sequence[str]:
    """Return the full namespaces of the arms of this process; an empty one for one arm."""
    # ROS itself knows which of its arguments and files are for this process.
    node = Node('ik2d', enable_rosout=False, start_parameter_services=False)
    try:
        # Of any type, as an empty list arrives without one.
        any_type = ParameterDescriptor(dynamic_typing=True)
        given = {'arms': node.declare_parameter('arms', None, any_type).value}
        arms: Sequence[str] = FLEET_PARAMETERS.checked(given).get('arms') or []
        own = node.get_namespace().rstrip('/')
        return [name if name.startswith('/') else f'{own}/{name}' for name in arms] or ['']
    finally:
        node.destroy_node()


def _defaults(arguments: Sequence[str], own: list[str]) -> dict[str, object]:
    """Wait for the controller that a command line names, and ask how to command it.

    It may start after this node, as in the launch file of a whole robot, so there is no limit to
    the wait; the log says what it waits for. A relative name is in the namespace that the arm's own
    arguments of ROS name, or else in that of the process.

    Returns:
        The parameters that follow from it, ``publish_rate`` (a float) among them if it takes single
        poses and its rate is known; empty if none is named.

    Raises:
        ConfigError: the name is not one of a controller, or it does not take positions.
        ExternalShutdownException: the process was told to end.
    """
    words = remove_ros_args(arguments)
    if CONTROLLER not in words:
        return {}
    name = ''.join(words[words.index(CONTROLLER) + 1 :][:1])
    node = Node('ik2d', cli_args=own, start_parameter_services=False)
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    try:
        controller = _wait_for_topic(node, executor, _full_name(node, name))
        parameters = _read_parameters(node, executor, controller.name, PATIENCE)
        if not parameters:
            node.get_logger().warning(
                f"controller '{controller.name}' does not report its joints: unless the parameter "
                "'command_joints' names others, the arm's are used"
            )
        rate = parameters.get('update_rate')  # none on Humble, or 0
        if controller.command_type == ARRAY and not rate:
            manager = f'{controller.name.rpartition("/")[0]}/controller_manager'
            its = _read_parameters(node, executor, manager, MANAGERS_PATIENCE)
            rate = its.get('update_rate')
        return parameters_for(controller, parameters, rate)
    finally:
        executor.shutdown()
        node.destroy_node()


def _full_name(node: Node, name: str) -> str:
    try:
        return node.resolve_service_name(name)
    except RuntimeError as error:  # ROS says what is wrong with it
        raise ConfigError(f'the name of the controller is {shown(name)}: {error}') from None


def _wait_for_topic(node: Node, executor: SingleThreadedExecutor, name: str) -> Controller:
    while True:
        present = controllers(
            (topic, types)
            for topic, types in node.get_topic_names_and_types()
            if owner_subscriptions(node, topic)[0]
        )
        for controller in present:
            if controller.name == name:
                return controller
        where = ' or '.join(f'{name}/{command}' for command in COMMAND_TYPES)
        names = sorted({each.name for each in present})
        others = f'; controllers that are there: {listed(names)}' if names else ''
        node.get_logger().warning(
            f"waiting for controller '{name}': no node of that name listens on {where}{others}"
            f'{closest(name, names)}',
            throttle_duration_sec=SECONDS_BETWEEN_LOGS,
            skip_first=True,
        )
        _spin(executor)


def _read_parameters(
    node: Node, executor: SingleThreadedExecutor, name: str, patience: float
) -> Parameters:
    """Return the parameters of another node; empty if it is silent for ``patience`` s."""
    remote, deadline = RemoteParameters(node, name), time.monotonic() + patience
    while remote.newest is None and time.monotonic() < deadline:
        remote.tick()
        _spin(executor)
    return remote.newest or {}


def _spin(executor: SingleThreadedExecutor) -> None:
    if is_ending() or not ok():
        raise ExternalShutdownException
    executor.spin_once(timeout_sec=PERIOD)
