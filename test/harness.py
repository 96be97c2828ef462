"""Names that test modules import: paths, deadlines, installed packages."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent

# colcon runs `python -m pytest` among the sources. They would hide what it has installed, compiled,
# from the tests, and from the processes that these start. Who names them in PYTHONPATH means them.
AS_STARTED = list(sys.path)
MEANT = {*os.environ.get('PYTHONPATH', '').split(os.pathsep)} - {''}
sys.path[:] = [each for each in AS_STARTED if each in MEANT or Path(each).resolve() != ROOT]
INSTALLED = importlib.util.find_spec('ik2d_ros')
if INSTALLED is None:
    sys.path[:] = AS_STARTED
elif ROOT not in Path(str(INSTALLED.origin)).resolve().parents:
    os.chdir(ROOT / 'test')

from ik2d_ros.parameters.file import naming  # noqa: E402
from ik2d_ros.parameters.shipped import find_config  # noqa: E402
from ik2d_ros.pilot.parameters import Configuration, configuration_from_parameters  # noqa: E402
from ik2d_ros.robot.from_urdf import NOTHING, load_completed  # noqa: E402

CONFIG = find_config('two_bone').parent

# A test module is collected with or without ROS: it imports ROS below `if HAS_ROS`, and its tests
# ask for a fixture of ROS, which skips them where there is none. A skip at import would do for
# pytest alone, but the plugins of a ROS installation import modules inside of the collection, where
# a skip takes the whole tree with it.
HAS_ROS = importlib.util.find_spec('rclpy') is not None

# On a busy machine a second's work may take thirty. Below 100 s, the period of the slowest node.
DEFAULT_TIMEOUT = 90.0
# For programs that are run to their end, such as all tests being collected.
PROGRAM_TIMEOUT = 600.0

# Uncompiled, the kernel takes fifty times as long. Compiled, it runs all examples of the same laws.
IS_UNCOMPILED = bool(os.environ.get('IK2D_UNCOMPILED'))
UNCOMPILED_EXAMPLES = 3


# The arguments of a node that drives ``ik2d_sim``; parameters may follow.
DRIVEN = (
    *('--controller', 'arm_controller', '--ros-args', '-p', 'use_measured_state:=true'),
    *('-p', 'publish_joint_states:=false', '-r', 'measured_joint_states:=joint_states'),
)


def load_configuration(
    path: str | Path, overrides: Mapping[str, object] = NOTHING, node_name: str = 'ik2d'
) -> Configuration:
    """Return what a file says of a node, with some parameters overridden."""
    parameters = load_completed(path, node_name, overrides)
    with naming(path):
        return configuration_from_parameters(parameters)


def examples(count: int) -> int:
    """Return how many examples of a law are tried: few where the kernel is uncompiled.

    Or ``IK2D_EXAMPLES`` of each.
    """
    return int(os.environ.get('IK2D_EXAMPLES') or (UNCOMPILED_EXAMPLES if IS_UNCOMPILED else count))


def runs_in_full() -> bool:
    """Whether long tests with ROS run in full: with Jazzy, and with any ROS installation.

    With another distribution's wheels a part will do: the package is the same. Tests that leave
    something out there say why it cannot differ.
    """
    try:
        return version('ros-rclpy').startswith('7.')
    except PackageNotFoundError:
        return True


once = pytest.mark.skipif(not runs_in_full(), reason='it is the same with each distribution')
"""For a long test of what does not depend on the distribution."""


def without(modules: str) -> dict[str, str]:
    """Return an environment in which modules, separated by spaces, cannot be imported."""
    hidden = f'{os.environ.get("IK2D_WITHOUT", "")} {modules}'
    folders = [str(ROOT / 'test/without'), os.environ.get('PYTHONPATH', '')]
    return {'IK2D_WITHOUT': hidden, 'PYTHONPATH': os.pathsep.join(filter(None, folders))}


def run_program(
    *command: str | Path, check: bool = False, **options: Any
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, and capture its output as text."""
    usual = {'capture_output': True, 'text': True, 'timeout': PROGRAM_TIMEOUT}
    return subprocess.run([str(part) for part in command], check=check, **usual, **options)


def copy_sources(destination: Path) -> Path:
    """Copy the sources, so that a build leaves nothing in the tree.

    Of their own build only the C files of the kernel are copied, which take long.
    """
    built = ('.*', '__pycache__', '*.egg-info', '*.so', 'build', 'install', 'log')
    return Path(shutil.copytree(ROOT, destination, ignore=shutil.ignore_patterns(*built)))


def resent(send: Callable[[], object], every: float = 2.0) -> Callable[[], None]:
    """Return a function that sends something every few s, which may get lost on its way."""
    again = 0.0

    def send_again() -> None:
        nonlocal again
        if time.monotonic() >= again:
            send()
            again = time.monotonic() + every

    return send_again


def wait_until(
    condition: Callable[[], Any],
    missing: Callable[[], str] = lambda: 'what was waited for did not come',
    meanwhile: Callable[[], object] = lambda: time.sleep(0.005),
    timeout: float = DEFAULT_TIMEOUT,
) -> Any:
    """Return what a condition gives once that is true; the test fails with words if it never is."""
    deadline = time.monotonic() + timeout
    while not (result := condition()):
        if time.monotonic() > deadline:
            pytest.fail(missing())
        meanwhile()
    return result


def asking(client: Any, request: Any) -> Callable[[], Any]:
    """Return a function that returns a service's answer, or None before there is one.

    The answer to a request that is sent before both sides have found each other is lost, so the
    request is sent again now and then; it must be one that may be carried out twice.
    """
    futures: list[Any] = []
    send = resent(lambda: futures.append(client.call_async(request)))

    def answer() -> Any:
        send()
        return next((future.result() for future in futures if future.done()), None)

    return answer


def wait_for_signal_handler(process: int) -> None:
    """Wait until a process handles its signals itself: SIGTERM, for SIGINT is Python's before."""
    bit = 1 << (signal.SIGTERM - 1)

    def is_caught() -> bool:
        status = Path(f'/proc/{process}/status').read_text()
        caught = re.search(r'SigCgt:\s*([0-9a-f]+)', status)
        return bool(caught) and bool(int(caught[1], 16) & bit)

    wait_until(is_caught, lambda: 'the process never handled its signals')
