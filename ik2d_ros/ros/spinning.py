"""Running a node's callbacks, which end nothing whatever they raise."""

from __future__ import annotations

import contextlib
import time
from typing import Any

from rclpy.executors import Executor, ExternalShutdownException
from rclpy.utilities import ok

from ik2d_ros.ros.faults import Faults

# After an error, so that one which comes back at every turn does not take a whole core.
PAUSE = 1e-3  # s


def spin(executor: Executor, node: Any, faults: Faults) -> None:
    """Run a node's callbacks until its context is shut down.

    Args:
        executor: one of a single thread, in rclpy's default context.
        node: the node, of the same context.
        faults: gets what the callbacks raise, be they the node's or rclpy's own.
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
            _release(node)
            time.sleep(PAUSE)


def _release(node: Any) -> None:
    """Let everything run again; nothing does at present, for there is one thread.

    Where rclpy fails to take a message rather than in a callback, it takes neither the mark from
    the entity nor the lock from its group, which is that of all: the node would live, but do
    nothing any more.
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
