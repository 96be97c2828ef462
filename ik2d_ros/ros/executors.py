"""Which executor runs a node's callbacks, and running it; rclpy is imported late.

The EventsExecutor, written in C++, takes half the processor time of the SingleThreadedExecutor and
answers sooner. It came with Jazzy, is still called experimental, and cannot run guard conditions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

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
    from rclpy.utilities import remove_ros_args  # noqa: PLC0415

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
    from rclpy.executors import SingleThreadedExecutor  # noqa: PLC0415

    if kind != SINGLE:
        try:
            from rclpy.experimental import EventsExecutor  # noqa: PLC0415
        except ImportError:
            if kind == EVENTS:
                raise ConfigError(
                    f"the executor is to be '{EVENTS}', which rclpy has from ROS 2 Jazzy on, but "
                    f"not here; it must be '{AUTO}' or '{SINGLE}'"
                ) from None
        else:
            return EventsExecutor()
    # Not rclpy's global executor: if created after a shutdown, it raises.
    return SingleThreadedExecutor()


def spin_function(executor: Any) -> Callable[[], None]:
    """Return what runs callbacks for a while, or until the context is shut down."""
    from rclpy.executors import Executor  # noqa: PLC0415
    from rclpy.task import Future  # noqa: PLC0415

    if isinstance(executor, Executor):
        return executor.spin

    def turn() -> None:
        # Not spin_once, which comes back to Python after every callback. The future is a new one
        # each time, as it may keep what it was given to call.
        executor.spin_until_future_complete(Future(), TURN)

    return turn
