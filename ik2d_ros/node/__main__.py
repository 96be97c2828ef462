"""Entry point of ``ik2d_node``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from ik2d_ros.ros.process import run

USAGE = '[--controller NAME] '
ABOUT = """
  --controller NAME  controller of ros2_control to command: waits for it, asks for its joints
"""


def main(args: Sequence[str] | None = None) -> int:
    """Run the node, or one for each arm of the parameter ``arms``, until it is stopped.

    With ``--controller NAME``, it first waits for that controller and asks how to command it.
    Arguments and exit status are as of ``run``.
    """
    arguments = list(sys.argv if args is None else args)

    def build() -> Sequence[Any]:
        from ik2d_ros.node.fleet import build_nodes  # noqa: PLC0415

        return build_nodes(arguments)

    return run('ik2d_node', build, arguments, USAGE, ABOUT)


if __name__ == '__main__':
    sys.exit(main())
