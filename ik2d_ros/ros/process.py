"""The life of a node's process, from the command line to the exit status.

Most imports come late, after the signal handlers are installed: imports take a large part of a
second, and Ctrl-C must end the process quietly from the start.
"""

from __future__ import annotations

import gc
import itertools
import os
import signal
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

HELP = """\
usage: {program} {usage}[--ros-args [-p NAME:=VALUE] [--params-file FILE] [-r FROM:=TO] ...]

A ROS 2 node, which runs until Ctrl-C. While it does, `ros2 param list` lists its parameters and
`ros2 param describe NODE NAME` says what one is. All programs, topics and parameters are in
doc/reference.md. Without ROS there is the command line: ik2d --help
{about}"""
"""What ``--help`` prints."""

BRAKING = 0.5  # s from a signal to the end, for braking
LOOK_PERIOD = 0.05  # s between checks for a signal
_received: list[float] = []  # times of signals in s


def run(
    program: str,
    build: Callable[[], Sequence[Any]],
    args: Sequence[str] | None = None,
    usage: str = '',
    about: str = '',
) -> int:
    """Spin a node, or several, until SIGINT, SIGTERM or SIGHUP.

    ``build`` builds them, a ``ParameterNode`` first, once rclpy is initialised, and imports what it
    needs. ``args`` is a command line with the program's name first, by default that of the process;
    ``usage`` and ``about`` are the program's own options, for its help. The environment variable
    IK2D_EXECUTOR=single, for tests, forbids the EventsExecutor.

    Returns:
        The exit status: 0 after a signal, 1 if the node could not start (the reason is on stderr).
    """
    arguments = list(sys.argv if args is None else args)
    if {'-h', '--help'} & {*itertools.takewhile(lambda each: each != '--ros-args', arguments)}:
        sys.stdout.write(HELP.format(program=program, usage=usage, about=about))
        return 0
    _on_signals(lambda: os._exit(0))
    from ik2d_ros.kinematics import UnitWarning  # noqa: PLC0415
    from ik2d_ros.parameters.checks import ConfigError  # noqa: PLC0415

    warnings.simplefilter('ignore', UnitWarning)  # the nodes log it, with names of parameters
    try:
        _run(build, arguments)
    except ConfigError as error:
        sys.stderr.write(f'{program}: {error}\n')
        return 1
    finally:
        # Blocked first: Python complains about a signal that arrives while it is being ignored.
        signal.pthread_sigmask(signal.SIG_BLOCK, _signals())
        for number in _signals():
            signal.signal(number, signal.SIG_IGN)
    return 0


def is_ending() -> bool:
    """Return whether a signal has told the process to end."""
    return bool(_received)


def end() -> None:
    """End the process as a signal does."""
    _received.append(time.monotonic())


def _on_signals(act: Callable[[], object]) -> None:
    """Call a function, in the main thread, at the signals that end a process.

    ROS's own handlers would shut down before anything could brake. The function must not raise: an
    exception can be lost in a callback, or turned into another one by an import.
    """
    for number in _signals():
        signal.signal(number, lambda *_: act())


def _signals() -> list[signal.Signals]:
    is_nohup = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return [signal.SIGINT, signal.SIGTERM, *([] if is_nohup else [signal.SIGHUP])]


def _run(build: Callable[[], Sequence[Any]], arguments: list[str]) -> None:
    from ik2d_ros.parameters.checks import ConfigError  # noqa: PLC0415

    try:
        import rclpy  # noqa: PLC0415
        from rclpy.exceptions import ParameterException  # noqa: PLC0415
        from rclpy.signals import SignalHandlerOptions  # noqa: PLC0415

        from ik2d_ros.ros.parameter_node import (  # noqa: PLC0415
            ParameterNode,
            create_executor,
            spin,
        )
    except ImportError as error:
        raise ConfigError(
            f'ROS 2 is not available ({error}): source a ROS installation, or install it with: '
            "pip install 'ik2d_ros[ros]'; in a clone: make demo, or pip install '.[ros]'"
        ) from None
    check_parameter_files(arguments)
    executor: Any = None
    nodes: Sequence[Any] = ()
    try:
        rclpy.init(args=arguments, signal_handler_options=SignalHandlerOptions.NO)
        # Not a shutdown: it would destroy nodes that are being built.
        _on_signals(end)
        executor = create_executor(os.environ.get('IK2D_EXECUTOR') == 'single')
        nodes = build()
        # Searching all of this for garbage would take some 10 ms, in the midst of a motion.
        gc.freeze()
        sys.setswitchinterval(5e-4)  # s; ticks wait no longer for a thread that plans

        def stop_at_signal() -> None:
            """Let a signal bring the nodes to rest, and then shut ROS down."""
            if not is_ending():
                return
            are_at_rest = [node.stop() for node in nodes if isinstance(node, ParameterNode)]
            if all(are_at_rest) or time.monotonic() - _received[0] > BRAKING:
                rclpy.try_shutdown()

        # In a callback: the EventsExecutor aborts the process if that happens as it begins to
        # listen.
        nodes[0].poll_every(LOOK_PERIOD, stop_at_signal)
        spin(executor, nodes)
    except ParameterException as error:
        raise ConfigError(str(error)) from None
    except Exception as error:
        if is_ending():
            return
        if not nodes and isinstance(error, RuntimeError):  # rclpy's for errors of rcl
            raise ConfigError(f'ROS cannot start: {" ".join(str(error).split())}') from None
        raise
    finally:
        gc.unfreeze()  # the interpreter takes down cycles of objects at its end
        if executor is not None:
            executor.shutdown()
        for node in nodes:
            node.destroy_node()
        rclpy.try_shutdown()


def check_parameter_files(arguments: Sequence[str]) -> None:
    """Read the parameter files on a command line before ROS does.

    ROS reads any file without bounds, and its error messages refer to its own source code.

    Raises:
        ConfigError: a file is refused, whichever node it is for.
    """
    from ik2d_ros.parameters.file import read_sections  # noqa: PLC0415

    is_for_ros = False
    for argument, value in itertools.pairwise(arguments):
        if argument in ('--ros-args', '--'):
            is_for_ros = argument == '--ros-args'
        elif is_for_ros and argument == '--params-file':
            read_sections(value)
