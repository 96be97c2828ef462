"""Running a node's callbacks; exceptions in them do not end it."""

from __future__ import annotations

import contextlib
import time
from typing import Any

from rclpy.executors import Executor, ExternalShutdownException
from rclpy.utilities import ok

from ik2d_ros.ros.faults import Faults

# After an exception, so that a recurring one does not use a whole core.
PAUSE = 1e-3  # s


def spin(executor: Executor, node: Any, faults: Faults) -> None:
    """Run a node's callbacks until its context is shut down.

    Args:
        executor: a single-threaded executor in rclpy's default context.
        node: the node, in the same context; it may add others to the executor.
        faults: gets exceptions of the node's and rclpy's own callbacks.
    """
    executor.add_node(node)
    while ok():
        try:
            executor.spin()
        except ExternalShutdownException:  # noqa: PERF203  # it is what this loop is for
            return
        except Exception as error:
            # A signal shuts ROS down from another thread, under whatever was going on.
            if not ok():
                return
            faults.note(error)
            for each in executor.get_nodes():
                _release(each)
            time.sleep(PAUSE)


def _release(node: Any) -> None:
    """Release all entities, of which none is running, as there is a single thread.

    If rclpy fails while taking a message, not in a callback, it does not reset the entity or
    release its callback group, which all share: the node would live, but never run again.
    """
    for entity in (
        *node.subscriptions,
        *node.timers,
        *node.services,
        *node.clients,
        *node.guards,
        *node.waitables,
    ):
        entity._executor_event = False
        if entity.callback_group is not None:
            with contextlib.suppress(AssertionError):  # it was another one that ran
                entity.callback_group.ending_execution(entity)
