"""Entry point of ``ik2d_sim``: the arm in physics, behind a controller."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from ik2d_ros.ros.process import run


def build() -> list[Any]:
    """Build the node and that of its controller."""
    from ik2d_ros.sim.sim_node import SimNode  # noqa: PLC0415

    node = SimNode()
    return [node, node.controller]


def main(args: Sequence[str] | None = None) -> int:
    """Run the nodes until they are told to stop; arguments and exit status as of ``run``."""
    return run('ik2d_sim', build, args)


if __name__ == '__main__':
    sys.exit(main())
