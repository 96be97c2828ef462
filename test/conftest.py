"""Shared fixtures: an isolated ROS graph, processes that always end, bounded waiting.

Every test file that uses ROS has a domain of its own, locked machine-wide, so that files and whole
test runs beside each other never hear one another. Nothing here needs ROS
before a test asks for it.
"""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# For the modules that tests share. pytest's own setting for this, `pythonpath`, is not known to the
# pytest 6.2 of ROS 2 Humble.
TEST = Path(__file__).resolve().parent
sys.path[:0] = [str(folder) for folder in (TEST, *sorted(TEST.iterdir())) if folder.is_dir()]

# With more threads, the small matrices of the tests' optimiser only wait: two test runs side by
# side on two cores then take more than four times as long. Read when NumPy is imported.
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

from harness import (  # noqa: E402
    DEFAULT_TIMEOUT,
    HAS_ROS,
    IS_UNCOMPILED,
    UNCOMPILED_EXAMPLES,
    examples,
    runs_in_full,
    wait_until,
)

# Linux leaves the ports of the domains up to 101 outside the ephemeral range; 0 is everyone's.
DOMAIN_IDS = range(1, 102)

NODES = {'node', 'sim', 'target', 'teleop', 'viewer'}  # in ``ik2d_ros.programs``

# Fast DDS numbers its ports in shared memory across all domains. Test runs side by side race for
# them; the loser logs it and takes the next one.
SHARED_MEMORY_NOISE = re.compile(r'(?m)^.*init_port fastrtps_port\d+: open_and_lock_file.*\n')

# The machine may be slow: no test depends on its speed.
settings.register_profile(
    'patient',
    deadline=None,
    max_examples=examples(30),
    derandomize=bool(os.environ.get('CI')),
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)
settings.load_profile('patient')


def pytest_configure(config: pytest.Config) -> None:
    """Prepare this process, and so the processes it starts, for an isolated ROS graph."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # A shell ignores SIGINT for background jobs, and child processes inherit that.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:  # as nohup does; children inherit it
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
    os.environ.setdefault('AMENT_PREFIX_PATH', sys.prefix)
    # Several tests build the package; none measures its speed, or reads warnings.
    os.environ.setdefault('CFLAGS', '-O0 -w')
    os.environ['PYTHONUNBUFFERED'] = '1'
    os.environ['RCUTILS_COLORIZED_OUTPUT'] = '0'
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    for overriding in ('ROS_LOCALHOST_ONLY', 'ROS_STATIC_PEERS'):
        os.environ.pop(overriding, None)
    if os.environ.get('ROS_DISTRO') == 'humble':  # knows nothing of the discovery range
        os.environ['ROS_LOCALHOST_ONLY'] = '1'
    # By default, a participant that was not heard at first is heard three seconds later.
    is_before_kilted = runs_in_full() and os.environ.get('ROS_DISTRO', '') < 'kilted'
    middleware = 'FASTRTPS' if is_before_kilted else 'FASTDDS'
    os.environ[f'{middleware}_DEFAULT_PROFILES_FILE'] = str(TEST / 'discovery.xml')


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that use a fixture of ROS, directly or through another fixture."""
    for item in items:
        if 'ros_packages' in getattr(item, 'fixturenames', ()):
            item.add_marker(pytest.mark.ros)
    if IS_UNCOMPILED:  # a few cases of each test, spread over all
        cases = itertools.groupby(items, lambda item: item.nodeid.partition('[')[0])
        each = [list(of_one) for _, of_one in cases]
        items[:] = [case for one in each for case in one[:: -(-len(one) // UNCOMPILED_EXAMPLES)]]


@pytest.fixture(scope='session', autouse=True)
def _ros_logs_aside(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep the log files of every node that a test runs out of the home directory."""
    os.environ['ROS_LOG_DIR'] = str(tmp_path_factory.mktemp('ros_log'))


@pytest.fixture(scope='module')
def ros_environment(ros_packages: None) -> Iterator[int]:
    """Rclpy, and a domain that nothing else on this machine uses, also for child processes."""
    # Locks end with the process that holds them, however it ends.
    directory = Path(tempfile.gettempdir(), 'ros_domain_locks')
    with contextlib.suppress(FileExistsError):
        directory.mkdir()
        directory.chmod(0o1777)
    first = time.monotonic_ns() // 1000 % len(DOMAIN_IDS)
    for candidate in (*DOMAIN_IDS[first:], *DOMAIN_IDS[:first]):
        with contextlib.ExitStack() as stack:
            try:
                lock = stack.enter_context((directory / str(candidate)).open('a'))
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except (BlockingIOError, PermissionError):  # another run's, or another user's
                continue
            patch = stack.enter_context(pytest.MonkeyPatch.context())
            patch.setenv('ROS_DOMAIN_ID', str(candidate))
            yield candidate
            return
    pytest.fail(f'every ROS domain of {DOMAIN_IDS} is in use by another test run')


@pytest.fixture(scope='session')
def ros_packages() -> None:
    """Skip where the Python packages of ROS are not there, unless they have to be."""
    if not HAS_ROS:
        if os.environ.get('IK2D_REQUIRE_ROS'):
            pytest.fail('rclpy is not installed, yet IK2D_REQUIRE_ROS is set')
        pytest.skip('rclpy is not installed')


@pytest.fixture
def ros(ros_environment: int) -> Iterator[int]:
    """Rclpy's default context, initialised for one test; gives the domain id."""
    import rclpy

    rclpy.init(args=[])
    try:
        yield ros_environment
    finally:
        rclpy.try_shutdown()


@pytest.fixture
def ros_node(ros: int) -> Iterator[Any]:
    """A plain node to talk to the node under test with; see also ``spin_until``."""
    import rclpy

    node = rclpy.create_node('prober')
    try:
        yield node
    finally:
        node.destroy_node()


def _spin_until(
    spinnable: Any,
    predicate: Callable[[], Any],
    timeout: float = DEFAULT_TIMEOUT,
    what: str = 'the awaited condition',
) -> Any:
    """Spin a node or an executor until a predicate is true, and return its value.

    After so many seconds the test fails, and says what was waited for.
    """
    import rclpy

    with contextlib.ExitStack() as stack:
        executor = spinnable
        if not hasattr(spinnable, 'spin_once'):
            executor = rclpy.executors.SingleThreadedExecutor(context=spinnable.context)
            stack.callback(executor.shutdown)
            executor.add_node(spinnable)
            stack.callback(executor.remove_node, spinnable)
        return wait_until(
            predicate,
            lambda: f'no sign of {what} within {timeout} s',
            lambda: executor.spin_once(timeout_sec=0.05),
            timeout,
        )


@pytest.fixture(scope='session')
def spin_until() -> Callable[..., Any]:
    """``spin_until(node_or_executor, predicate, timeout=60.0, what='a status')``."""
    return _spin_until


class Process:
    """A running program, whose output is kept in files so that it never blocks on a full pipe."""

    def __init__(
        self, arguments: Sequence[str | Path], environment: Mapping[str, str], directory: Path
    ) -> None:
        """Start it, at the head of a process group of its own."""
        self.arguments = [str(argument) for argument in arguments]
        self._stdout = directory / 'stdout'
        self._stderr = directory / 'stderr'
        with self._stdout.open('wb') as stdout, self._stderr.open('wb') as stderr:
            self.popen = subprocess.Popen(
                self.arguments,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
            )

    @property
    def stdout(self) -> str:
        """Its standard output so far."""
        return _without_noise(self._stdout)

    @property
    def stderr(self) -> str:
        """Its standard error so far; ROS logs go here."""
        return _without_noise(self._stderr)

    @property
    def output(self) -> str:
        """Both, for messages and for searching."""
        return self.stdout + self.stderr

    def is_running(self) -> bool:
        """Tell whether it has not ended yet."""
        return self.popen.poll() is None

    def wait(self, timeout: float = DEFAULT_TIMEOUT) -> int:
        """Wait for its end and give its exit status; negative after a signal it did not handle."""
        try:
            return self.popen.wait(timeout)
        except subprocess.TimeoutExpired:
            pytest.fail(f'{self.arguments} did not end within {timeout} s:\n{self.output}')

    def wait_for_output(self, text: str, timeout: float = DEFAULT_TIMEOUT) -> None:
        """Wait until a text shows up in its output; the test fails if it never does."""
        deadline = time.monotonic() + timeout
        while text not in self.output:
            if not self.is_running() and text not in self.output:
                pytest.fail(f'{self.arguments} ended without saying {text!r}:\n{self.output}')
            if time.monotonic() > deadline:
                pytest.fail(f'{self.arguments} did not say {text!r}:\n{self.output}')
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.popen.wait(0.02)

    def stop(self, number: int = signal.SIGINT, timeout: float = DEFAULT_TIMEOUT) -> int:
        """Send it a signal (by default SIGINT), and return its exit status."""
        self.popen.send_signal(number)
        return self.wait(timeout)

    def end(self) -> None:
        """End it and everything it started, whatever state they are in."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.popen.pid, number)
            # Not killed before it has had its time: a process that is killed can block others in
            # the middleware's shared memory.
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.popen.wait(30.0)


def _without_noise(file: Path) -> str:
    return SHARED_MEMORY_NOISE.sub('', file.read_text(errors='replace'))


StartProcess = Callable[..., Process]


def _start_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StartProcess]:
    """``start_process(*arguments, env={...}) -> Process``; all are ended after the test.

    They begin with a program, a module (``'-m', 'ik2d_ros.cli'``), or a node (``'node'``), which
    this Python runs. A node needs ``ros_environment`` (or ``ros``, ``ros_node``), too.
    """
    started: list[Process] = []

    def start(*arguments: str | Path, env: Mapping[str, str] | None = None) -> Process:
        command = [*arguments]
        if arguments[0] in NODES:
            command = ['-m', 'ik2d_ros.programs', *command]
        if command[0] == '-m':
            command = [sys.executable, *command]
        environment = {**os.environ, **(env or {})}
        process = Process(command, environment, tmp_path_factory.mktemp('process'))
        started.append(process)
        return process

    try:
        yield start
    finally:
        for process in reversed(started):
            process.end()


start_process = pytest.fixture(_start_process)
start_lasting = pytest.fixture(scope='module')(_start_process)
"""The same for processes that last for all tests of a file."""
