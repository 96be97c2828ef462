"""Running nodes' callbacks; exceptions in them do not end them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from rclpy.executors import ExternalShutdownException
from rclpy.utilities import ok

from ik2d_ros.ros.callback_errors import PAUSE
from ik2d_ros.ros.executors import spin_function


def spin(executor: Any, nodes: Sequence[Any]) -> None:
    """Run nodes' callbacks until their context is shut down.

    Args:
        executor: an executor of one thread, in rclpy's default context.
        nodes: the nodes, in the same context; they may add others to the executor. Exceptions of
            rclpy's own callbacks go to the ``CallbackErrors`` in the first one's ``faults``.
    """
    for node in nodes:
        executor.add_node(node)
    turn = spin_function(executor)
    while ok():
        try:
            turn()
        except ExternalShutdownException:  # noqa: PERF203  # it is what this loop is for
            return
        except Exception as error:
            # A signal shuts ROS down from another thread, under whatever was going on.
            if not ok():
                return
            nodes[0].faults.note(error)
            time.sleep(PAUSE)
