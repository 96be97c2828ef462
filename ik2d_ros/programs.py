"""The programs of the nodes, as entry points and by ``python -m ik2d_ros.programs NAME``."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ik2d_ros.ros.process import run

CONTROLLER_USAGE = '[--controller NAME] '
CONTROLLER_HELP = """
  --controller NAME  controller of ros2_control to command: waits for it, asks for its joints
"""


def node() -> int:
    """Run the arm's node, or one for each arm of the parameter ``arms``, until it is stopped."""

    def build() -> Sequence[Any]:
        from ik2d_ros.node.fleet import build_nodes  # noqa: PLC0415

        return build_nodes(sys.argv)

    return run('ik2d_node', build, usage=CONTROLLER_USAGE, about=CONTROLLER_HELP)


def _run(package: str, kind: str) -> int:
    """Run one node, a class in ``<package>_node``, until it is stopped."""

    def build() -> Sequence[Any]:
        made = getattr(importlib.import_module(f'ik2d_ros.{package}.{package}_node'), kind)()
        return [made, *made.others]

    return run(f'ik2d_{package}', build)


sim = partial(_run, 'sim', 'SimNode')
target = partial(_run, 'target', 'TargetNode')
teleop = partial(_run, 'teleop', 'TeleopNode')
viewer = partial(_run, 'viewer', 'ViewerNode')

if __name__ == '__main__':
    programs: dict[str, Callable[[], int]] = {
        'node': node,
        'sim': sim,
        'target': target,
        'teleop': teleop,
        'viewer': viewer,
    }
    name = sys.argv.pop(1) if len(sys.argv) > 1 else ''
    if name not in programs:
        sys.exit(f'usage: python -m ik2d_ros.programs {{{",".join(programs)}}} [arguments of ROS]')
    sys.exit(programs[name]())
