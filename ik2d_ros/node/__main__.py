"""Entry point of ``ik2d_node``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ik2d_ros.ros.process import run

if TYPE_CHECKING:
    from ik2d_ros.node.arm_node import ArmNode
    from ik2d_ros.node.merge_node import MergeNode


def main(args: Sequence[str] | None = None) -> int:
    """Run the node, or one for each arm of the parameter ``arms``, until it is told to stop.

    With ``--controller NAME``, it first waits for that controller and asks how to command it.
    ``--executor KIND`` chooses what runs its callbacks: ``auto``, ``events`` or ``single``.

    Args:
        args: the command line with the program's name first; None for that of the process.

    Returns:
        The exit status: 0 after SIGINT, SIGTERM or SIGHUP, 1 if the node could not start (the
        reason is on stderr).
    """
    arguments = list(sys.argv if args is None else args)
    return run(
        'ik2d_node',
        lambda: _build(arguments),
        arguments,
        chooses_executor=True,
        stop=lambda node: bool(node.stop()),
    )


def _build(arguments: Sequence[str]) -> Sequence[ArmNode | MergeNode]:
    from ik2d_ros.node.arm_node import ArmNode  # noqa: PLC0415
    from ik2d_ros.node.asking_controllers import controller_named_in  # noqa: PLC0415
    from ik2d_ros.node.fleet import build_fleet, fleet_here  # noqa: PLC0415

    named = fleet_here()
    if named is not None:
        return build_fleet(*named, arguments)
    return [ArmNode(controller_named_in(arguments))]


if __name__ == '__main__':
    sys.exit(main())
