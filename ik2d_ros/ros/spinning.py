"""Running nodes' callbacks; exceptions in them do not end them."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from typing import Any

from rclpy.executors import Executor, ExternalShutdownException
from rclpy.utilities import ok

from ik2d_ros.ros.executors import turns
from ik2d_ros.ros.faults import PAUSE


def spin(executor: Any, nodes: Sequence[Any]) -> None:
    """Run nodes' callbacks until their context is shut down.

    Args:
        executor: an executor of one thread, in rclpy's default context.
        nodes: the nodes, in the same context; they may add others to the executor. Exceptions of
            rclpy's own callbacks go to the ``Faults`` in the first one's attribute ``faults``.
    """
    for node in nodes:
        executor.add_node(node)
    turn = turns(executor)
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
            if isinstance(executor, Executor):
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
