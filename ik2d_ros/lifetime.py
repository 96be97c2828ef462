"""The life of a node's process, from the command line to the exit status."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Sequence
from typing import Any

from ik2d_ros.startup import explain_refused_arguments, parameter_files
from ik2d_ros.values import ConfigError


def run(program: str, build: Callable[[], Any], args: Sequence[str] | None = None) -> int:
    """Spin a node until SIGINT or SIGTERM.

    Args:
        program: the name that messages begin with.
        build: makes the node, with rclpy initialised; imports what it needs of ROS itself, for
            that takes a good part of a second and Ctrl-C shall be quiet from the beginning.
        args: the command line, the program's name first; None: that of the process.

    Returns:
        Exit status: 0 after a signal, 1 where the node could not start (the reason is on stderr).
    """
    interrupts = _Interrupts()
    try:
        return _run(build, list(sys.argv if args is None else args), interrupts)
    except ConfigError as error:
        sys.stderr.write(f'{program}: {error}\n')
        return 1
    except KeyboardInterrupt:
        return 0


class _Interrupts:
    """SIGINT and SIGTERM: KeyboardInterrupt, once, unless rclpy has them in hand."""

    def __init__(self) -> None:
        self.enabled = True
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._handle)

    def _handle(self, *_: object) -> None:
        # Once rclpy is initialised, its handler shuts its context down and then calls this one.
        if self.enabled:
            self.enabled = False
            raise KeyboardInterrupt


def _run(build: Callable[[], Any], arguments: list[str], interrupts: _Interrupts) -> int:
    try:
        import rclpy  # noqa: PLC0415
        from rclpy.executors import ExternalShutdownException  # noqa: PLC0415
        from rclpy.utilities import ok, try_shutdown  # noqa: PLC0415
    except ImportError as error:
        raise ConfigError(
            f'ROS 2 is not there ({error}): source a ROS installation, '
            "or install it with: pip install 'ik2d_ros[ros]'"
        ) from None
    try:
        rclpy.init(args=arguments)
    except RuntimeError as error:
        files = parameter_files(arguments)
        raise ConfigError(explain_refused_arguments(error, files)) from None
    node = None
    try:
        node = build()
        interrupts.enabled = False
        rclpy.spin(node)
    except ConfigError:
        raise
    except ExternalShutdownException:
        pass
    except Exception:
        # A signal shuts the context down from another thread, under whatever was going on.
        if ok():
            raise
    finally:
        interrupts.enabled = False
        if node is not None:
            node.destroy_node()
        try_shutdown()
    return 0
