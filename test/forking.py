"""A Python that has imported the nodes, and forks for each start: imports are half of a start.

A fork is a process of its own, with its signals and the end of any Python.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import os
import runpy
import subprocess
import sys
import time
import warnings
from collections.abc import Mapping, Sequence
from functools import cache
from multiprocessing.connection import Connection, Pipe
from pathlib import Path

PROGRAMS = 'ik2d_ros.programs'
NODES = {
    'node': 'ik2d_ros.node.fleet',
    'sim': 'ik2d_ros.sim.sim_node',
    'target': 'ik2d_ros.target.target_node',
    'teleop': 'ik2d_ros.teleop.teleop_node',
    'viewer': 'ik2d_ros.viewer.viewer_node',
}
"""The nodes by the names of their programs, and the modules that these import when they start."""


class Forked:
    """A process that a ``ForkServer`` has forked, to be used as a ``subprocess.Popen``."""

    def __init__(self, server: Connection, pid: int) -> None:
        self._server = server
        self._status: int | None = None
        self.pid = pid

    def poll(self) -> int | None:
        if self._status is None:
            self._server.send(self.pid)
            self._status = self._server.recv()
        return self._status

    def wait(self, timeout: float) -> int:
        deadline = time.monotonic() + timeout
        while (status := self.poll()) is None:
            if time.monotonic() > deadline:
                raise subprocess.TimeoutExpired(str(self.pid), timeout)
            time.sleep(0.02)
        return status

    def send_signal(self, number: int) -> None:
        if self.poll() is None:  # else its number may be another's by now
            os.kill(self.pid, number)


class ForkServer:
    """Runs the Python that forks."""

    def __init__(self) -> None:
        self._connection, end = Pipe()
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(end.fileno())],
            pass_fds=[end.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        end.close()

    def start(
        self, arguments: Sequence[str], environment: Mapping[str, str], directory: Path
    ) -> Forked:
        """Start one of ``NODES``, at the head of a process group, as ``start_apart`` does."""
        self._connection.send((arguments, dict(environment), directory, Path.cwd()))
        return Forked(self._connection, self._connection.recv())

    def close(self) -> None:
        self._connection.close()
        self._process.wait()


def start_apart(
    arguments: Sequence[str], environment: Mapping[str, str], directory: Path
) -> subprocess.Popen[bytes]:
    """Start a program of any kind; its outputs go to ``stdout`` and ``stderr`` in a directory."""
    with (directory / 'stdout').open('wb') as stdout, (directory / 'stderr').open('wb') as stderr:
        return subprocess.Popen(
            arguments,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
        )


@cache
def prepare(module: str) -> None:
    """Import a module of a node, and what ROS looks up at its first message and its first log."""
    with contextlib.suppress(ImportError):  # the program says what is missing
        importlib.import_module(module)
        importlib.import_module('rosidl_generator_py')
    inspect.getmodule(serve.__code__)


def serve(requests: Connection) -> None:
    """Fork programs, and tell how they have ended, until nobody asks any more."""
    while True:
        try:
            request = requests.recv()
        except EOFError:
            return
        if isinstance(request, int):
            ended, status = os.waitpid(request, os.WNOHANG)
            requests.send(os.waitstatus_to_exitcode(status) if ended else None)
            continue
        arguments, environment, directory, place = request
        prepare(NODES[arguments[0]])
        outputs = [(directory / name).open('wb') for name in ('stdout', 'stderr')]
        with warnings.catch_warnings():
            # Of other threads: LTTng has two in each process with ROS, which wait for tracers.
            warnings.simplefilter('ignore', DeprecationWarning)
            pid = os.fork()
        if not pid:
            requests.close()
            for descriptor, output in enumerate(outputs, 1):
                os.dup2(output.fileno(), descriptor)
            os.chdir(place)
            os.environ.clear()
            os.environ.update(environment)
            sys.path[0] = str(place)  # as `python -m` has it
            sys.argv = [PROGRAMS, *arguments]
            runpy.run_module(PROGRAMS, run_name='__main__', alter_sys=True)
        os.setpgid(pid, pid)
        for output in outputs:
            output.close()
        requests.send(pid)


if __name__ == '__main__':
    sys.path[0] = str(Path.cwd())
    serve(Connection(int(sys.argv[1])))
