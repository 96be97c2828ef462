"""Entry point of ``ik2d_viewer``: the arm on a page in the browser."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from ik2d_ros.ros.process import run


def main(args: Sequence[str] | None = None) -> int:
    """Run the viewer until it is told to stop.

    Args:
        args: the command line with the program's name first; None for the process's own.

    Returns:
        The exit status: 0 after SIGINT, SIGTERM, SIGHUP or ``--help``, 1 if a parameter is
        refused or viser is missing (the reason is on stderr).
    """

    def build() -> Any:
        from ik2d_ros.viewer.viewer_node import ViewerNode  # noqa: PLC0415

        return ViewerNode()

    return run('ik2d_viewer', build, args)


if __name__ == '__main__':
    sys.exit(main())
