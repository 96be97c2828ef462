"""The executor that runs nodes' callbacks; exceptions in them do not end the nodes.

The EventsExecutor, written in C++, takes half the processor time of the SingleThreadedExecutor and
answers sooner. It came with Jazzy, is still called experimental, and runs tasks, but no guard
conditions.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

from rclpy.executors import Executor, ExternalShutdownException, SingleThreadedExecutor
from rclpy.task import Future
from rclpy.utilities import ok

# The longest wait. Without an end to it, spin() of the EventsExecutor uses a whole core and
# delivers nothing, in Jazzy and in Kilted.
TURN = 1.0  # s


def create_executor(is_single: bool = False) -> Any:
    """Create the EventsExecutor where rclpy has it, else the single-threaded, in its context."""
    if not is_single:
        with contextlib.suppress(ImportError):
            from rclpy.experimental import EventsExecutor  # noqa: PLC0415

            return EventsExecutor()
    # Not rclpy's global executor: if created after a shutdown, it raises.
    return SingleThreadedExecutor()


def spin(executor: Any, nodes: Sequence[Any]) -> None:
    """Run the callbacks of nodes until their context, rclpy's default one, is shut down.

    The first node, a ``ParameterNode``, notes exceptions of rclpy's own callbacks.
    """
    for node in nodes:
        executor.add_node(node)
    while ok():
        try:
            if isinstance(executor, Executor):
                executor.spin()
            else:
                # Not spin_once, which comes back to Python after every callback. A new future each
                # time, as it may keep the functions that it was given to call.
                executor.spin_until_future_complete(Future(), TURN)
        except ExternalShutdownException:  # noqa: PERF203  # the loop is for these exceptions
            return
        except Exception as error:
            # ROS was shut down under whatever was going on.
            if not ok():
                return
            nodes[0].note(error)
