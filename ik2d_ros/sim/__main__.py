"""Entry point of ``ik2d_sim``: the simulated arm behind a controller."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ik2d_ros.ros.process import run

if TYPE_CHECKING:
    from ik2d_ros.sim.sim_node import SimNode


def main(args: Sequence[str] | None = None) -> int:
    """Run the simulation until it gets a signal.

    Args:
        args: the command line with the program's name first; None for ``sys.argv``.

    Returns:
        The exit status: 0 after SIGINT, SIGTERM or SIGHUP, 1 if a parameter is refused or MuJoCo
        is missing (the reason is on stderr).
    """
    return run('ik2d_sim', _build, args)


def _build() -> SimNode:
    from ik2d_ros.sim.sim_node import SimNode  # noqa: PLC0415

    return SimNode()


if __name__ == '__main__':
    sys.exit(main())
