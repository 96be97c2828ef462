"""Nodes in use for an hour: ``make soak``.

Five arms in four processes get targets, queries, parameters and measured states all the time;
clients come and go, and one node is ended in mid-motion again and again. The status is 1 if memory
has grown, a target was not answered, or a log has an exception.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import itertools
import math
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PointStamped, PoseStamped
from processes import change, program, stamp, stay_local
from rcl_interfaces.srv import GetParameters, SetParameters
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from tables import Bar, Table, number, show
from trajectory_msgs.msg import JointTrajectory
from visualization_msgs.msg import MarkerArray

from ik2d_ros.ros.parameter_node import create_executor
from ik2d_ros.ros.qos import LATEST_KEPT
from ik2d_ros.ros.stamps import nanoseconds

HERE = Path(__file__).resolve().parent
CONFIG = HERE.parent / 'config'
SO101 = CONFIG / 'machines' / 'so101.yaml'
JOINTS = ('shoulder_pan', 'shoulder_lift', 'elbow_flex', 'wrist_flex', 'wrist_roll')
ARMS = ('plane', 'turntable', 'left', 'right', 'mortal')
MORTAL = 'mortal'
RATE = 50.0  # Hz
SAMPLES = 120
OVERTAKEN = 3.0  # s without an answer, after which the next target is sent
PATIENCE = 60.0  # s for an answer, or an end; machines are slow at times
STARTING = 120.0  # s
PAUSE = 0.1  # s from an answer to the next target
BURST = 50  # targets at once
LIFE, VISIT, BETWEEN_ABSENCES, ABSENCE = 15.0, 4.0, 20.0, 4.0  # s
KINDS = 10  # of messages to an arm, some of them the same
DEEP = QoSProfile(depth=2000)
DOMAIN = 230  # none of those of the tests, which may run beside it
WRONG = re.compile(r'Traceback|internal error|\[ERROR\]|\[FATAL\]|Segmentation|terminate called')
ENDINGS = (signal.SIGINT, signal.SIGTERM)

# This node must answer every message, whoever sends it and how fast.
EVERY = {
    'qos_overrides./plane/ik2d/target.subscription.depth': 1000,
    'qos_overrides./plane/ik2d/target_pose.subscription.depth': 1000,
}
DRIVEN = {'use_measured_state': 'true', 'command_out_type': 'trajectory_msgs/JointTrajectory'}

# Arm, parameter, value, and whether it is to be accepted.
CHANGES: list[tuple[str, str, Any, bool]] = [
    *((arm, 'solver', solver, True) for arm in ARMS[:4] for solver in ('ccd', 'hybrid', 'auto')),
    *((arm, 'tolerance', -1.0, False) for arm in ARMS[:4]),
    *(('plane', 'chain.wrist.length', length, True) for length in (0.15, 0.12)),
    ('plane', 'chain.elbow.min_position', 9.0, False),
    *(('plane', 'tip_angle', angle, True) for angle in (0.5, math.nan)),
    *(('right', 'base.xyz', [0.0, y, 0.0], True) for y in (0.1, 0.0)),
    *(('left', 'publish_rate', rate, True) for rate in (20.0, 100.0, 50.0)),
    ('turntable', 'base_frame', 'elsewhere', False),
]


Sample = tuple[float, dict[str, float]]
"""A moment of the run: s since everything was done once, and MB of resident memory by process."""


def judge(samples: Sequence[Sample]) -> list[Bar]:
    """Return the demands on memory, with the growth from the first to the last quarter."""
    if len(samples) < 8:
        return [Bar('the run is long enough to judge', f'{len(samples)} samples', False)]
    # In a short run, the middleware has hardly warmed up.
    most = 5.0 if samples[-1][0] < 600.0 else 1.0
    count, bars = len(samples) // 4, []
    for name in sorted(samples[0][1]):
        values = [memory[name] for _, memory in samples]
        first, last = statistics.median(values[:count]), statistics.median(values[-count:])
        said = f'{last - first:+.2f} MB, from {first:.1f} MB'
        bars.append(Bar(f'{name}: memory grows by at most {most:g} MB', said, last - first <= most))
    return bars


class Line:
    """Sends an arm targets and queries, one after the other, and waits for the answers.

    Attributes:
        codes: the answers, counted.
        is_served: whether the node has ever answered, since it was last started.
        is_drawn: whether it has ever drawn itself, which takes memory for its area.
    """

    def __init__(self, node: Node, arm: str, failures: list[str]) -> None:
        """Start; a missing answer is added to the failures."""
        self._node, self._arm, self._failures, self._rng = node, arm, failures, random.Random(arm)
        self.codes: collections.Counter[str] = collections.Counter()
        self._targets = node.create_publisher(PointStamped, f'/{arm}/ik2d/target', 1)
        self._poses = node.create_publisher(PoseStamped, f'/{arm}/ik2d/target_pose', 1)
        self._queries = node.create_publisher(PointStamped, f'/{arm}/ik2d/query', 10)
        for topic in ('status', 'query_status'):
            node.create_subscription(DiagnosticArray, f'/{arm}/ik2d/{topic}', self._on_status, DEEP)
        self._number, self._next_at = 0, 0.0
        self.restart()
        self.is_drawn = False
        drawn = (MarkerArray, f'/{arm}/ik2d/markers', self._on_markers, LATEST_KEPT)
        self._drawings = node.create_subscription(*drawn)
        node.create_timer(0.01, self._go_on)

    def restart(self) -> None:
        """Wait for a node that was just started."""
        self.is_served, self._waits_for = False, 0
        self._sent_at = self._asked_at = time.monotonic()

    def _go_on(self) -> None:
        """Send the next target if it is time."""
        now = time.monotonic()
        if self._waits_for:
            if self.is_served and now - self._asked_at > PATIENCE:
                self._waits_for = 0
                self._failures.append(f'{self._arm} did not answer target {self._number}')
            # A target is lost before both sides have found each other; if another client's target
            # comes first, that one is answered in its place.
            elif now - self._sent_at < (OVERTAKEN if self.is_served else 1.0):
                return
        else:
            self._asked_at = now
        if now < self._next_at:
            return
        self._number, self._sent_at = self._number + 1, now
        kind = self._number % KINDS
        if not self.is_served or kind < 4:
            self._targets.publish(self._message(PointStamped))
        elif kind < 6:
            self._poses.publish(self._message(PoseStamped))
        elif kind < 9:
            self._queries.publish(self._message(PointStamped))
        else:  # the last one of them is answered in any case
            for _ in range(BURST):
                self._targets.publish(self._message(PointStamped))

    def send_far(self) -> None:
        """Send a target apart from the others, to set the arm in motion."""
        message = self._message(PointStamped)
        message.header.frame_id = ''
        message.point.x, message.point.z = 0.1, 0.15
        message.point.y = self._rng.choice((-0.25, 0.25))
        self._targets.publish(message)
        self._sent_at = time.monotonic()

    def _message(self, kind: Any) -> Any:
        rng, message = self._rng, kind()
        place = message.point if kind is PointStamped else message.pose.position
        place.x, place.y, place.z = (rng.uniform(-0.5, 0.5) for _ in range(3))
        if rng.random() < 0.02:
            place.x = math.nan
        if kind is PoseStamped:
            half = rng.uniform(-math.pi, math.pi)
            message.pose.orientation.w, message.pose.orientation.y = math.cos(half), math.sin(half)
        message.header.frame_id = rng.choice(('', '', 'base_link', 'base_link', 'nowhere'))
        self._waits_for = stamp(message)
        return message

    def is_warm(self) -> bool:
        """Return whether the node has answered each kind of message, and drawn itself."""
        return self.is_drawn and self.codes.total() >= KINDS

    def _on_markers(self, _: MarkerArray) -> None:
        self.is_drawn = True
        self._node.destroy_subscription(self._drawings)

    def _on_status(self, message: DiagnosticArray) -> None:
        if self._waits_for and nanoseconds(message.header.stamp) == self._waits_for:
            self._waits_for, self.is_served = 0, True
            self._next_at = time.monotonic() + PAUSE
            self.codes[message.status[0].values[0].value] += 1


class Changes:
    """Changes parameters, some of them to values that must be refused.

    Attributes:
        made: how many were answered.
    """

    def __init__(self, node: Node, failures: list[str]) -> None:
        """Start; a wrong or missing answer is added to the failures."""
        self.made, self._failures = 0, failures
        self._clients = {
            arm: node.create_client(SetParameters, f'/{arm}/ik2d/set_parameters')
            for arm in ARMS[:4]
        }
        self._changes = itertools.cycle(CHANGES)
        self._asked: tuple[str, bool, float, Any] | None = None
        node.create_timer(5.0 * PAUSE, self._go_on)

    def _go_on(self) -> None:
        if self._asked is not None:
            what, is_right, at, future = self._asked
            if future.done():
                result, self._asked, self.made = future.result().results[0], None, self.made + 1
                if result.successful != is_right:
                    self._failures.append(f'{what}: {result}')
            elif time.monotonic() - at > PATIENCE:
                self._failures.append(f'{what} was not answered')
                self._asked = None
        are_there = all(client.service_is_ready() for client in self._clients.values())
        if self._asked is None and are_there:
            arm, name, value, is_right = next(self._changes)
            future = self._clients[arm].call_async(change(name, value))
            self._asked = f'{arm}: {name} = {value}', is_right, time.monotonic(), future


class Robot:
    """A controller whose joints follow at once, and the source of their measurements.

    Attributes:
        moved: whether a command has moved the joints since it was last set to False.
    """

    def __init__(self, node: Node, arm: str) -> None:
        """Start."""
        self._node, self._topic = node, f'/{arm}/ik2d/command'
        self._positions = dict.fromkeys(JOINTS, 0.0)
        self._publisher = node.create_publisher(JointState, f'/{arm}/measured_joint_states', 10)
        self._subscription: Any = None
        self.moved = False
        self.switch()
        node.create_timer(0.05, self._measure)

    def switch(self) -> None:
        """Stop listening and measuring, or begin again."""
        if self._subscription is not None:
            self._node.destroy_subscription(self._subscription)
            self._subscription = None
            return
        subscribe = self._node.create_subscription
        self._subscription = subscribe(JointTrajectory, self._topic, self._on_command, 10)

    def _measure(self) -> None:
        if self._subscription is not None:
            message = JointState(name=[*JOINTS], position=[*self._positions.values()])
            stamp(message)
            self._publisher.publish(message)

    def _on_command(self, message: JointTrajectory) -> None:
        told = dict(zip(message.joint_names, message.points[-1].positions, strict=True))
        self.moved = self.moved or told != self._positions
        self._positions.update(told)


def visit(number: int, seconds: float) -> None:
    """Be a client for a while: subscribe, ask, and send targets, with a random mix of QoS."""
    rng = random.Random(number)
    rclpy.init(args=[])
    node = rclpy.create_node(f'visitor_{number}')

    def profile() -> QoSProfile:
        return QoSProfile(
            depth=rng.choice((1, 10, 100)),
            reliability=rng.choice((ReliabilityPolicy.RELIABLE, ReliabilityPolicy.BEST_EFFORT)),
            durability=rng.choice((DurabilityPolicy.VOLATILE, DurabilityPolicy.TRANSIENT_LOCAL)),
        )

    kinds = (JointState, DiagnosticArray, MarkerArray)
    for arm in ARMS[:4]:
        for topic, kind in zip(('joint_states', 'ik2d/status', 'ik2d/markers'), kinds, strict=True):
            node.create_subscription(kind, f'/{arm}/{topic}', lambda _: None, profile())
    # Only to the node that answers all targets of all clients.
    targets = node.create_publisher(PointStamped, '/plane/ik2d/target', profile())
    client = node.create_client(GetParameters, f'/{rng.choice(ARMS[:4])}/ik2d/get_parameters')
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        rclpy.spin_once(node, timeout_sec=PAUSE)
        message = PointStamped()
        message.point.x, message.point.z = rng.uniform(-0.7, 0.9), rng.uniform(-0.5, 1.0)
        targets.publish(message)
        if client.service_is_ready():
            client.call_async(GetParameters.Request(names=['solver', 'publish_rate']))
    rclpy.try_shutdown()


def node_command(name: str, file: Path, **parameters: object) -> list[str]:
    """Return the command line of a node in a namespace."""
    place = {} if name == 'fleet' else {'__ns': f'/{name}'}
    options = {'file': file, 'parameters': parameters, 'remapped': place}
    return program('node', **options)


class Soak:
    """A run: the processes, their client, and the record.

    Attributes:
        samples: the record.
        failures: what went wrong, in words.
        counts: how many clients came, and nodes were ended and started again.
    """

    def __init__(self, folder: Path) -> None:
        """Start everything, with logs in a folder."""
        self._folder = folder
        self.samples: list[Sample] = []
        self.failures: list[str] = []
        self.counts: collections.Counter[str] = collections.Counter()
        self._visitors: list[subprocess.Popen[bytes]] = []
        commands = {
            'plane': node_command('plane', CONFIG / 'three_link.yaml', **EVERY),
            'turntable': node_command('turntable', SO101, publish_rate=RATE, **DRIVEN),
            'fleet': node_command('fleet', CONFIG / 'two_bone.yaml', arms='[left, right]'),
        }
        self._constant = [*commands]
        self._running = {name: self._start(name, line) for name, line in commands.items()}
        self._node = node = rclpy.create_node('soak', start_parameter_services=False)
        self._executor = create_executor()
        self._executor.add_node(node)
        self.lines = {arm: Line(node, arm, self.failures) for arm in ARMS}
        self.changes = Changes(node, self.failures)
        self._robots = {arm: Robot(node, arm) for arm in ('turntable', MORTAL)}
        self._revive()

    def run(self, seconds: float) -> None:
        """Run for a while, after everything was done once: what is kept of that is no leak.

        Raises:
            RuntimeError: something ended by itself, or was not done.
        """
        deadline = time.monotonic() + STARTING
        while self.changes.made < len(CHANGES) or not all(map(Line.is_warm, self.lines.values())):
            if time.monotonic() > deadline:
                raise RuntimeError(f'not everything was answered and drawn within {STARTING:g} s')
            self._turn()
        began = time.monotonic()
        absence = itertools.cycle((ABSENCE, BETWEEN_ABSENCES))
        switch_at = began + BETWEEN_ABSENCES
        self._node.create_timer(max(seconds / SAMPLES, 1.0), lambda: self._sample(began))
        self._node.create_timer(VISIT, self._visit)
        while (now := time.monotonic()) < began + seconds:
            self._turn()
            if now >= switch_at:
                self._robots['turntable'].switch()
                switch_at = now + next(absence)
            self._end_mortal(now)

    def end(self) -> None:
        """End everything."""
        for visitor in self._visitors:
            visitor.terminate()
            visitor.wait()
        for name in [*self._running]:
            self._end(name, signal.SIGINT)
        self._executor.shutdown()
        self._node.destroy_node()

    def _turn(self) -> None:
        self._executor.spin_once(timeout_sec=0.05)
        self._visitors = [each for each in self._visitors if each.poll() is None]
        for name, process in self._running.items():
            if process.poll() is not None:
                raise RuntimeError(f'{name} ended by itself, with status {process.returncode}')

    def _start(self, name: str, command: Sequence[str]) -> subprocess.Popen[bytes]:
        with (self._folder / f'{name}.log').open('ab') as log:
            return subprocess.Popen(command, stdout=log, stderr=log)

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
        if status != 0:
            self.failures.append(f'{name} ended with status {status} after {by.name}')

    def _visit(self) -> None:
        """Start a visitor; it leaves by itself, or is killed if it does not."""
        number = self.counts['clients that came and went']
        visitor = [sys.executable, __file__, '--visit', str(number), str(2.0 + number % 7)]
        command = ['timeout', '--signal=KILL', f'{PATIENCE:g}', *visitor]
        self._visitors.append(self._start('visitor', command))
        self.counts['clients that came and went'] += 1

    def _revive(self) -> None:
        self._running[MORTAL] = self._start(MORTAL, node_command(MORTAL, SO101, **DRIVEN))
        self._born_at, self._is_sent_far = time.monotonic(), False
        self.lines[MORTAL].restart()

    def _end_mortal(self, now: float) -> None:
        """End the mortal node in mid-motion, by one signal or the other, and start it again."""
        line, robot, age = self.lines[MORTAL], self._robots[MORTAL], now - self._born_at
        if age < LIFE or (not line.is_served and age < STARTING):
            return
        if line.is_served and not self._is_sent_far:
            self._is_sent_far, robot.moved = True, False
            line.send_far()
        if not line.is_served:
            self.failures.append(f'{MORTAL} did not answer within {STARTING:g} s of its start')
        elif not robot.moved and age < LIFE + 5.0:
            return
        self.counts['of them in mid-motion'] += robot.moved
        turn = ENDINGS[self.counts['nodes ended and started again'] % len(ENDINGS)]
        self._end(MORTAL, turn)
        self.counts['nodes ended and started again'] += 1
        self._revive()

    def _sample(self, began: float) -> None:
        memory = {}
        for name in self._constant:
            text = Path(f'/proc/{self._running[name].pid}/status').read_text()
            memory[name] = int(text.partition('VmRSS:')[2].split()[0]) / 1024.0
        self.samples.append((time.monotonic() - began, memory))


def complaints(folder: Path) -> Iterator[str]:
    """Yield the lines of the nodes' logs that show a fault."""
    for file in sorted(folder.glob('*.log')):
        if file.stem != 'visitor':
            for line in file.read_text(errors='replace').splitlines():
                if WRONG.search(line):
                    yield f'log of {file.stem}: {line.strip()[:300]}'


def soak(seconds: float, folder: Path) -> int:
    """Run, judge, and print the outcome; the process status."""
    run = Soak(folder)
    try:
        run.run(seconds)
    except RuntimeError as error:
        run.failures.append(str(error))
    finally:
        run.end()
    said = [*dict.fromkeys(complaints(folder))]
    codes = sum((line.codes for line in run.lines.values()), collections.Counter[str]())
    counts = {
        'targets and queries answered': codes.total(),
        **{f'of them {code}': count for code, count in sorted(codes.items())},
        'parameters changed, or refused': run.changes.made,
        **run.counts,
    }
    rows = [(what, f'{count:,}') for what, count in counts.items()]
    for _, memory in run.samples[-1:]:
        rows += [(f'memory of {name}, MB', number(used)) for name, used in memory.items()]
    answered = 'everything is answered, and every node ends when told'
    bars = [
        *judge(run.samples),
        Bar(answered, f'{len(run.failures)} failures', not run.failures),
        Bar('no log has an exception', f'{len(said)} lines', not said),
    ]
    table = Table('The run', f'{seconds:.0f} s.', ('what', 'how many'), rows)
    return show([table], bars, [*run.failures, *said])


def main() -> int:
    """Run everything; the process status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--seconds', type=float, default=3600.0, help='30 or more')
    parser.add_argument('--visit', nargs=2, metavar=('NUMBER', 'SECONDS'), help='be a client')
    options = parser.parse_args()
    if options.visit:
        with contextlib.suppress(ExternalShutdownException, KeyboardInterrupt):
            visit(int(options.visit[0]), float(options.visit[1]))
        return 0
    stay_local(DOMAIN)
    os.environ['PYTHONUNBUFFERED'] = os.environ['PYTHONFAULTHANDLER'] = '1'
    rclpy.init(args=[])
    logs = Path(tempfile.mkdtemp(prefix='ik2d_soak_'))
    status = soak(options.seconds, logs)
    rclpy.try_shutdown()
    if status == 0:
        shutil.rmtree(logs)
    else:
        print(f'The logs are in {logs}.', file=sys.stderr)
    return status


if __name__ == '__main__':
    sys.exit(main())
