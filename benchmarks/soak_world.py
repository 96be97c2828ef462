"""The processes of a soak: nodes that run all the time, one that is restarted, and visitors."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tables import Bar

HERE = Path(__file__).resolve().parent
CONFIG = HERE.parent / 'config'
PATIENCE = 60.0  # s
WRONG = re.compile(r'Traceback|internal error|\[ERROR\]|\[FATAL\]|Segmentation|terminate called')
CONSTANT, MORTAL = ('plane', 'turntable', 'fleet', 'bare'), 'mortal'
OTHERS = {'bare', 'visitor'}  # not ours to judge
ENDINGS = (signal.SIGKILL, signal.SIGINT, signal.SIGKILL, signal.SIGTERM)
VISITORS_ENDINGS = (None, signal.SIGKILL, signal.SIGTERM, None, signal.SIGINT)

# All that this node is sent must be answered, whoever sends it and how fast.
EVERY = [
    ('qos_overrides./plane/ik2d/target.subscription.depth', 1000),
    ('qos_overrides./plane/ik2d/target_pose.subscription.depth', 1000),
]
DRIVEN = [
    ('use_measured_state', 'true'),
    ('command_out_type', 'trajectory_msgs/JointTrajectory'),
]


def node(name: str, executor: str, file: Path, *more: tuple[str, object]) -> list[str]:
    """Return the command line of a node in a namespace."""
    values = [('-p', f'{key}:={value}') for key, value in more]
    place = [] if name == 'fleet' else ['-r', f'__ns:=/{name}']
    ours = [sys.executable, '-m', 'ik2d_ros.node', '--executor', executor]
    return [*ours, '--ros-args', '--params-file', str(file), *place, *itertools.chain(*values)]


def commands() -> dict[str, list[str]]:
    """Return the command lines of the processes that run all the time."""
    so101 = CONFIG / 'machines' / 'so101.yaml'
    return {
        'plane': node('plane', 'auto', CONFIG / 'three_link.yaml', *EVERY),
        'turntable': node('turntable', 'single', so101, ('publish_rate', 50.0), *DRIVEN),
        'fleet': node('fleet', 'auto', CONFIG / 'two_bone.yaml', ('arms', '[left, right]')),
        'bare': [sys.executable, str(HERE / 'bare_fleet.py'), '--arms', '1', '--cycle', '50'],
    }


class Visitors:
    """Clients that come and go.

    They are bare rclpy nodes: that one does not leave is not the nodes' doing, but it is told.

    Attributes:
        count: how many have come.
        stuck: how many of them did not leave, and had to be killed.
    """

    def __init__(self) -> None:
        """There are none yet."""
        self.count = self.stuck = 0
        self._here: list[tuple[subprocess.Popen[bytes], signal.Signals | None, float]] = []

    def come(
        self, visitor: subprocess.Popen[bytes], seconds: float, ending: signal.Signals | None
    ) -> None:
        """Take in a visitor.

        Args:
            visitor: its process, just started.
            seconds: how long it stays.
            ending: the signal that ends it then; None if it leaves by itself.
        """
        self.count += 1
        self._here.append((visitor, ending, time.monotonic() + seconds))

    def look(self) -> None:
        """Send those away whose time has come, at last by SIGKILL."""
        now = time.monotonic()
        for visitor, ending, due in self._here:
            if visitor.poll() is not None or now < due:
                continue
            if now >= due + PATIENCE:
                self.stuck += 1
                visitor.kill()
                visitor.wait()
            elif ending is not None:
                visitor.send_signal(ending)
        self._here = [each for each in self._here if each[0].poll() is None]

    def end(self) -> None:
        """End all."""
        for visitor, _, _ in self._here:
            visitor.kill()
            visitor.wait()
        self._here = []


class Processes:
    """Everything that runs, with a log each.

    Attributes:
        failures: what went wrong with them, in words.
        restarts: how many times the mortal node was ended and started again.
        visitors: the clients that come and go.
    """

    def __init__(self, folder: Path, kills: bool) -> None:
        """Start all but the visitors.

        Args:
            folder: for the logs.
            kills: whether some are ended by SIGKILL; else by SIGTERM.
        """
        self._folder, self._kills = folder, kills
        self.failures: list[str] = []
        self.restarts = 0
        self._running = {name: self._start(name, line) for name, line in commands().items()}
        self.visitors = Visitors()
        self._revive()

    @property
    def bar(self) -> Bar:
        """Whether all nodes ended when they were told to, and as they should."""
        count = len(self.failures)
        return Bar('every node ends as it is told', f'{count} did not', not count)

    def _start(self, name: str, command: Sequence[str]) -> subprocess.Popen[bytes]:
        with (self._folder / f'{name}.log').open('ab') as log:
            return subprocess.Popen(command, stdout=log, stderr=log)

    def _revive(self) -> None:
        executor = ('auto', 'single')[self.restarts % 2]
        command = node(MORTAL, executor, CONFIG / 'machines' / 'so101.yaml', *DRIVEN)
        self._running[MORTAL] = self._start(MORTAL, command)

    def end_mortal(self) -> None:
        """End the mortal node, the way whose turn it is, and start it again."""
        self._end(MORTAL, self._permitted(ENDINGS[self.restarts % len(ENDINGS)]))
        self.restarts += 1
        self._revive()

    def _end(self, name: str, by: signal.Signals) -> None:
        process = self._running.pop(name)
        process.send_signal(by)
        try:
            status = process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.failures.append(f'{name} did not end within {PATIENCE:g} s of {by.name}')
            process.send_signal(signal.SIGABRT)  # Python's fault handler logs where it hung
            process.wait()
            return
        expected = -signal.SIGKILL if by is signal.SIGKILL else 0
        if status != expected:
            self.failures.append(f'{name} ended with status {status} after {by.name}')

    def _permitted(self, ending: signal.Signals) -> signal.Signals:
        return signal.SIGTERM if ending is signal.SIGKILL and not self._kills else ending

    def visit(self, seconds: float) -> None:
        """Start a visitor.

        Args:
            seconds: how long it stays; it then leaves by itself, or is ended by a signal.
        """
        number = self.visitors.count
        turn = VISITORS_ENDINGS[number % len(VISITORS_ENDINGS)]
        ending = None if turn is None else self._permitted(turn)
        stay = seconds if ending is None else 10.0 * seconds
        command = [sys.executable, str(HERE / 'soak_visitor.py'), str(number), str(stay)]
        self.visitors.come(self._start('visitor', command), seconds, ending)

    def look(self) -> None:
        """Send visitors away whose time has come, and notice what has ended."""
        self.visitors.look()
        for name, process in self._running.items():
            if process.poll() is not None:
                raise RuntimeError(f'{name} ended by itself, with status {process.returncode}')

    def is_cut_off(self, name: str) -> bool:
        """Return whether Fast DDS takes what this process sends to a node elsewhere, for good.

        That happens in shared memory, after a process was killed (docs/operations.md).
        """
        return bool(lost_ports(os.getpid()) & own_ports(self._running[name].pid))

    def memory(self) -> dict[str, float]:
        """Return the resident memory of the constant processes in MB."""
        found = {}
        for name in CONSTANT:
            text = Path(f'/proc/{self._running[name].pid}/status').read_text()
            match = re.search(r'VmRSS:\s*(\d+)', text)
            assert match
            found[name] = int(match[1]) / 1024.0
        return found

    def end(self) -> None:
        """End everything."""
        self.visitors.end()
        for name in [*self._running]:
            self._end(name, signal.SIGINT)


def own_ports(pid: int) -> set[str]:
    """Return the ports in shared memory at which a process listens: those that it locks."""
    found = set()
    for file in Path(f'/proc/{pid}/fd').iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            found.update(re.findall(r'^/dev/shm/(fast\w+_port\d+)_el$', os.readlink(file)))
    return found


def lost_ports(pid: int) -> set[str]:
    """Return the ports to which a process still writes although they are gone."""
    maps = Path(f'/proc/{pid}/maps').read_text(encoding='utf-8', errors='replace')
    return set(re.findall(r' /dev/shm/(fast\w+_port\d+) \(deleted\)$', maps, re.MULTILINE))


def complaints(folder: Path) -> list[str]:
    """Return the lines of the nodes' logs that tell of a fault, each once for each node."""
    found: dict[str, None] = {}
    for file in sorted(folder.glob('*.log')):
        if file.stem in OTHERS:
            continue
        for line in file.read_text(errors='replace').splitlines():
            if WRONG.search(line):
                found[f'log of {file.stem}: {line.strip()[:300]}'] = None
    return [*found]
