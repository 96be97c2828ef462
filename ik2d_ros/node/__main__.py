"""Entry point of ``ik2d_node``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from ik2d_ros.ros.process import run


def main(args: Sequence[str] | None = None) -> int:
    """Run the node, or one for each arm of the parameter ``arms``, until it is told to stop.

    With ``--controller NAME``, it first waits for that controller and asks how to command it.

    Args:
        args: the command line with the program's name first; None for the process's own.

    Returns:
        The exit status: 0 after SIGINT, SIGTERM or SIGHUP, 1 if the node could not start (the
        reason is on stderr).
    """
    arguments = list(sys.argv if args is None else args)

    def build() -> Sequence[Any]:
        from ik2d_ros.node.fleet import build_nodes  # noqa: PLC0415

        return build_nodes(arguments)

    return run('ik2d_node', build, arguments, uses_events=True)


if __name__ == '__main__':
    sys.exit(main())
