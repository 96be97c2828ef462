"""Entry point of ``ik2d_node``: the life of the process, from command line to exit status.

ROS is imported late, by :func:`main`: that takes a good part of a second, and Ctrl-C shall end the
process quietly from the very beginning.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence


class _Signals:
    """What SIGINT and SIGTERM do: before ROS is up they end the process, then they are ROS's.

    They never raise: an exception out of nowhere is lost in a callback, or turned into another one
    by an import that it hits.
    """

    def __init__(self) -> None:
        self.left_to_ros = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._handle)

    def _handle(self, *_: object) -> None:
        # rclpy's own handler, which calls this one, shuts its context down.
        if not self.left_to_ros:
            os._exit(0)


def main(args: Sequence[str] | None = None) -> int:
    """Run the node until it is told to stop.

    Args:
        args: the command line, the program's name first; None: that of the process.

    Returns:
        Exit status: 0 after SIGINT or SIGTERM, 1 where the node could not start (the reason is on
        stderr).
    """
    signals = _Signals()
    return _run(list(sys.argv if args is None else args), signals)


def _run(arguments: list[str], signals: _Signals) -> int:
    import rclpy  # noqa: PLC0415
    from rclpy.exceptions import ParameterException  # noqa: PLC0415
    from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor  # noqa: PLC0415
    from rclpy.utilities import ok, try_shutdown  # noqa: PLC0415

    from ik2d_ros import startup  # noqa: PLC0415
    from ik2d_ros.arm_node import ArmNode, MissingJointsError  # noqa: PLC0415
    from ik2d_ros.values import ConfigError  # noqa: PLC0415

    files = startup.parameter_files(arguments)
    try:
        rclpy.init(args=arguments)
    except RuntimeError as error:
        return _fail(startup.explain_refused_arguments(error, files))
    executor = SingleThreadedExecutor()  # rclpy does not stand its context's end in the midst of it
    signals.left_to_ros = True
    node = None
    try:
        node = ArmNode()
        executor.add_node(node)
        executor.spin()
    except MissingJointsError as error:
        return _fail(startup.explain_missing_joints(error.node, error.given, files))
    except (ConfigError, ParameterException) as error:
        return _fail(str(error))
    except ExternalShutdownException:
        pass
    except Exception:
        # A signal shuts ROS down from another thread, under whatever was going on.
        if ok():
            raise
    finally:
        executor.shutdown()
        if node is not None:
            node.destroy_node()
        try_shutdown()
    return 0


def _fail(message: str) -> int:
    sys.stderr.write(f'ik2d_node: {message}\n')
    return 1


if __name__ == '__main__':
    sys.exit(main())
