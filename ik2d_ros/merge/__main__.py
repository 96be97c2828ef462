"""Entry point of ``ik2d_merge``: the commands of several limbs as one, for one controller."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ik2d_ros.node.controller_argument import controller_named_in
from ik2d_ros.ros.process import run

if TYPE_CHECKING:
    from ik2d_ros.node.merge_node import MergeNode


def main(args: Sequence[str] | None = None) -> int:
    """Run the node until it is told to stop.

    With ``--controller NAME``, it first waits for that controller and asks how to command it.

    Args:
        args: the command line with the program's name first; None for that of the process.

    Returns:
        The exit status: 0 after SIGINT, SIGTERM or SIGHUP, 1 if a parameter is refused (the reason
        is on stderr).
    """
    arguments = list(sys.argv if args is None else args)
    return run('ik2d_merge', lambda: _build(arguments), arguments)


def _build(arguments: Sequence[str]) -> MergeNode:
    from ik2d_ros.node.merge_node import MergeNode  # noqa: PLC0415

    return MergeNode(controller_named_in(arguments))


if __name__ == '__main__':
    sys.exit(main())
