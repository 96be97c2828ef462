"""The argument ``--controller NAME`` of a node that commands a controller."""

from __future__ import annotations

from collections.abc import Sequence

CONTROLLER = '--controller'


def controller_named_in(arguments: Sequence[str], namespace: str = '') -> dict[str, object]:
    """Wait for the controller that a command line names, and ask how to command it.

    Args:
        arguments: the command line.
        namespace: the namespace of a relative name; empty for that of the process.

    Returns:
        The parameters that follow from the controller; none if none is named.

    Raises:
        ConfigError: the name is not one of a controller, or it does not take positions.
        ExternalShutdownException: the process was told to end.
    """
    from rclpy.utilities import remove_ros_args  # noqa: PLC0415  # slow

    from ik2d_ros.control.discovery import checked_name  # noqa: PLC0415

    own = remove_ros_args(arguments)
    if CONTROLLER not in own:
        return {}
    name = checked_name(''.join(own[own.index(CONTROLLER) + 1 :][:1]))

    from ik2d_ros.node.asking_controllers import wait_for_controller  # noqa: PLC0415

    return wait_for_controller(name, namespace)
