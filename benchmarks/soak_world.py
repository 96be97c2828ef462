"""The processes of a soak: nodes that run all the time, one that is restarted, and visitors."""

from __future__ import annotations

import itertools
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


class Processes:
    """Everything that runs, with a log each.

    Attributes:
        failures: what went wrong with them, in words.
        restarts: how many times the mortal node was ended and started again.
        visits: how many visitors have come.
    """

    def __init__(self, folder: Path) -> None:
        """Start all but the visitors.

        Args:
            folder: for the logs.
        """
        self._folder = folder
        self.failures: list[str] = []
        self.restarts = self.visits = 0
        self._running = {name: self._start(name, line) for name, line in commands().items()}
        self._visitors: list[tuple[subprocess.Popen[bytes], signal.Signals | None, float]] = []
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
        self._end(MORTAL, ENDINGS[self.restarts % len(ENDINGS)])
        self.restarts += 1
        self._revive()

    def _end(self, name: str, by: signal.Signals) -> None:
        process = self._running.pop(name)
        process.send_signal(by)
        try:
            status = process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.failures.append(f'{name} did not end within {PATIENCE:g} s of {by.name}')
            process.kill()
            process.wait()
            return
        expected = -signal.SIGKILL if by is signal.SIGKILL else 0
        if status != expected:
            self.failures.append(f'{name} ended with status {status} after {by.name}')

    def visit(self, seconds: float, ending: signal.Signals | None) -> None:
        """Start a visitor.

        Args:
            seconds: how long it stays.
            ending: the signal that ends it then; None if it leaves by itself.
        """
        stay = str(seconds if ending is None else 10.0 * seconds)
        command = [sys.executable, str(HERE / 'soak_visitor.py'), str(self.visits), stay]
        self.visits += 1
        due = time.monotonic() + seconds
        self._visitors.append((self._start('visitor', command), ending, due))

    def look(self) -> None:
        """Send visitors away whose time has come, and notice what has ended."""
        now, staying = time.monotonic(), []
        for visitor, ending, due in self._visitors:
            if ending is not None and now >= due and visitor.poll() is None:
                visitor.send_signal(ending)
            elif now >= due + PATIENCE and visitor.poll() is None:
                self.failures.append('a visitor did not leave')
                visitor.kill()
            if visitor.poll() is None:
                staying.append((visitor, ending, due))
        self._visitors = staying
        for name, process in self._running.items():
            if process.poll() is not None:
                raise RuntimeError(f'{name} ended by itself, with status {process.returncode}')

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
        for visitor, _, _ in self._visitors:
            visitor.kill()
            visitor.wait()
        self._visitors = []
        for name in [*self._running]:
            self._end(name, signal.SIGINT)


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
