"""Entry point of ``ik2d_target``: demo targets for the node, on a path."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from ik2d_ros.ros.process import run


def main(args: Sequence[str] | None = None) -> int:
    """Run the node until it is told to stop.

    Args:
        args: the command line with the program's name first; None for the process's own.

    Returns:
        The exit status: 0 after SIGINT, SIGTERM, SIGHUP or ``--help``, 1 if a parameter is
        refused (the reason is on stderr).
    """

    def build() -> Any:
        from ik2d_ros.target.target_node import TargetNode  # noqa: PLC0415

        return TargetNode()

    return run('ik2d_target', build, args)


if __name__ == '__main__':
    sys.exit(main())
