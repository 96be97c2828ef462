"""The nodes of a process: one for each arm, in its namespace."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rclpy.exceptions import InvalidNamespaceException, ParameterException
from rclpy.node import Node
from rclpy.validate_namespace import validate_namespace

from ik2d_ros.node.arm_node import ArmNode
from ik2d_ros.node.asking_controllers import CONTROLLER, controller_named_in, in_namespace
from ik2d_ros.node.starting import check_arm
from ik2d_ros.parameters.checks import ConfigError, listed, refuse
from ik2d_ros.pilot.parameters import FLEET_PARAMETERS


def build_nodes(arguments: Sequence[str]) -> list[ArmNode]:
    """Start the node, or the nodes of all arms.

    With ``--controller NAME``, each first waits for the controller of that name in its namespace.

    Raises:
        ConfigError: a parameter is refused; the message names the arm if there are several.
    """
    given, name = _given()
    namespace = name.rpartition('/')[0]
    fleet = {**FLEET_PARAMETERS.defaults, **FLEET_PARAMETERS.checked(given)}
    is_one = fleet.get('arms') is None
    names = [''] if is_one else full_namespaces(fleet['arms'], namespace)
    if CONTROLLER in arguments:  # the wait for it may be long
        for name in names:
            with _naming(name and f"arm '{name}'"):
                check_arm(*_given(name))
    if is_one:
        return [ArmNode(controller_named_in(arguments))]
    arms: list[ArmNode] = []
    for name in names:
        defaults = controller_named_in(arguments, name)
        with _naming(f"arm '{name}'"):
            arms.append(ArmNode(defaults, in_namespace(name), arms[0] if arms else None))
    return arms


def _given(namespace: str = '') -> tuple[dict[str, object], str]:
    """Return the parameters that the arm in a namespace was given, and its node's full name."""
    # ROS itself tells which of its arguments and files are for this process.
    node = Node(
        'ik2d',
        cli_args=in_namespace(namespace),
        enable_rosout=False,
        start_parameter_services=False,
        allow_undeclared_parameters=True,
        automatically_declare_parameters_from_overrides=True,
    )
    try:
        given: Mapping[str, Any] = node.get_parameters_by_prefix('')
        # An empty list arrives without a value.
        return {name: each.value for name, each in given.items()}, str(
            node.get_fully_qualified_name()
        )
    finally:
        node.destroy_node()


@contextlib.contextmanager
def _naming(who: str) -> Iterator[None]:
    """Name the node to which something is refused, if there are several."""
    try:
        yield
    except (ConfigError, ParameterException) as error:
        raise ConfigError(f'{who}: {error}' if who else str(error)) from None


def full_namespaces(names: Sequence[str], namespace: str) -> list[str]:
    """Return the full namespaces of the arms, named as in ``arms``, of a process in a namespace.

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
