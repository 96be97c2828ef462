"""Entry point of ``ik2d_node``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ik2d_ros.ros.process import run

if TYPE_CHECKING:
    from ik2d_ros.node.arm_node import ArmNode

CONTROLLER = '--controller'


def main(args: Sequence[str] | None = None) -> int:
    """Run the node until it is told to stop.

    With ``--controller NAME``, it first waits for that controller and asks how to command it.

    Args:
        args: the command line with the program's name first; None for that of the process.

    Returns:
        The exit status: 0 after SIGINT, SIGTERM or SIGHUP, 1 if the node could not start (the
        reason is on stderr).
    """
    arguments = list(sys.argv if args is None else args)
    return run('ik2d_node', lambda: _build(arguments), arguments)


def _build(arguments: Sequence[str]) -> ArmNode:
    from ik2d_ros.node.arm_node import ArmNode, MissingJointsError  # noqa: PLC0415
    from ik2d_ros.parameters.checks import ConfigError  # noqa: PLC0415
    from ik2d_ros.ros.startup_errors import explain_missing_joints, parameter_files  # noqa: PLC0415

    name = _controller(arguments)
    found: dict[str, object] = {}
    if name:
        from ik2d_ros.node.asking_controllers import wait_for_controller  # noqa: PLC0415

        found = wait_for_controller(name)
    try:
        return ArmNode(found)
    except MissingJointsError as error:
        files = parameter_files(arguments)
        raise ConfigError(explain_missing_joints(error.node, error.given, files)) from None


def _controller(arguments: Sequence[str]) -> str:
    """Return the name after ``--controller`` on a command line; empty without it.

    Raises:
        ConfigError: it is not the name of a controller.
    """
    from rclpy.utilities import remove_ros_args  # noqa: PLC0415

    from ik2d_ros.control.discovery import checked_name  # noqa: PLC0415

    own = remove_ros_args(arguments)
    if CONTROLLER not in own:
        return ''
    return checked_name(''.join(own[own.index(CONTROLLER) + 1 :][:1]))


if __name__ == '__main__':
    sys.exit(main())
