"""Which executor runs nodes' callbacks, and running them; exceptions in them do not end the nodes.

The EventsExecutor, written in C++, takes half the processor time of the SingleThreadedExecutor and
answers sooner. It came with Jazzy, is still called experimental, and cannot run guard conditions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rclpy.executors import Executor, ExternalShutdownException, SingleThreadedExecutor
from rclpy.task import Future
from rclpy.utilities import ok, remove_ros_args

from ik2d_ros.parameters.checks import ConfigError, shown

AUTO, EVENTS, SINGLE = KINDS = ('auto', 'events', 'single')
ARGUMENT = '--executor'
VARIABLE = 'IK2D_EXECUTOR'

# The longest wait. Without an end to it, spin() of the EventsExecutor uses a whole core and
# delivers nothing, in Jazzy and in Kilted.
TURN = 1.0  # s


def executor_named_in(arguments: Sequence[str], environment: Mapping[str, str]) -> str:
    """Return the kind of executor that a command line names, or else the environment.

    Args:
        arguments: the command line of the process.
        environment: its environment variables.

    Returns:
        One of ``KINDS``; ``auto`` where neither names one.

    Raises:
        ConfigError: there is no such kind.
    """
    own = remove_ros_args(list(arguments))
    source, kind = f"environment variable '{VARIABLE}'", environment.get(VARIABLE) or AUTO
    if ARGUMENT in own:
        source, kind = f"argument '{ARGUMENT}'", ''.join(own[own.index(ARGUMENT) + 1 :][:1])
    if kind not in KINDS:
        raise ConfigError(f'{source} is {shown(kind)}; it must be one of {", ".join(KINDS)}')
    return kind


def create_executor(kind: str) -> Any:
    """Create an executor in rclpy's default context.

    Args:
        kind: one of ``KINDS``; ``auto`` is the EventsExecutor where rclpy has it.

    Raises:
        ConfigError: rclpy does not have it.
    """
    if kind != SINGLE:
        try:
            from rclpy.experimental import EventsExecutor  # noqa: PLC0415

            return EventsExecutor()
        except ImportError:
            if kind == EVENTS:
                raise ConfigError(
                    f"the executor '{EVENTS}' is not available: rclpy has it from ROS 2 Jazzy on; "
                    f"it must be '{AUTO}' or '{SINGLE}' here"
                ) from None
    # Not rclpy's global executor: if created after a shutdown, it raises.
    return SingleThreadedExecutor()


def spin_function(executor: Any) -> Callable[[], None]:
    """Return a function that runs callbacks for a while, or until the context is shut down."""
    if isinstance(executor, Executor):
        return executor.spin
    # Not spin_once, which comes back to Python after every callback. A new future each time, as it
    # may keep the functions that it was given to call.
    return lambda: executor.spin_until_future_complete(Future(), TURN)


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
        except ExternalShutdownException:  # noqa: PERF203  # the loop is for these exceptions
            return
        except Exception as error:
            # A signal shuts ROS down from another thread, under whatever was going on.
            if not ok():
                return
            nodes[0].faults.note(error)
