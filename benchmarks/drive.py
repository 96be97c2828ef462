"""Drive an arm through a controller, let the faults of robots happen, and print the outcome.

    make bench-drive [ONLY=TEXT]

Faults that last begin in mid-motion, at rest and after ``~/stop``, each for six spans, and a target
comes during them; other cases are played once.

The real node drives an arm of two joints and a held roll behind ``ik2d_sim``. This script relays
the measured joint states to the node, and spoils them where a case says so.

A row has the largest move of a measured joint in one cycle of the controller, the statuses other
than READY and REACHED, and how far the arm moved without a target. Moves are multiples of the fair
one: ``max_velocity`` (for the roll ``hold_velocity``) divided by the controller's rate. Moves by
hand are ignored.
"""

from __future__ import annotations

import argparse
import math
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PointStamped
from processes import change, program, stamp, stay_local
from rcl_interfaces.srv import SetParameters
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

from ik2d_ros.kinematics import Chain
from ik2d_ros.ros import qos
from ik2d_ros.ros.stamps import nanoseconds

RATE = 100.0  # Hz, of the controller
SPEED, HOLD_SPEED = 1.5, 0.5  # rad/s
LIMIT, ROLL = 2.0, 0.9  # rad
JOINTS = ('shoulder', 'elbow', 'roll')
SPEEDS = np.array([SPEED, SPEED, HOLD_SPEED])
START, SAGGED = (0.3, 0.6, 0.2), (0.1, 1.1, 0.2)
HERE, THERE = (1.9, 1.5), (-1.0, 0.6)  # rad, the poses of the targets
PATIENCE = 30.0  # s
SPANS = (0.03, 0.1, 0.3, 1.0, 3.0, 15.0)  # s for which a fault lasts
STILL = 2e-3  # rad
ALLOWED = 0.005  # m; the servos of ik2d_sim hang 2 mm below their setpoints
CHAIN = Chain.from_lengths([0.3, 0.25])  # m
LIMITS = {'min_position': -LIMIT, 'max_position': LIMIT}
LIMITS |= {'max_velocity': SPEED, 'max_acceleration': 8.0}
FILE = Path(__file__).resolve().parent.parent / 'config' / 'two_bone.yaml'
ARM = {  # in addition to the file
    'base.rpy': f'[{0.5 * math.pi}, 0.0, 0.0]',
    'command_joints': f'[{", ".join(JOINTS)}]',
    **{f'chain.{joint}.{name}': limit for joint in JOINTS[:2] for name, limit in LIMITS.items()},
}

Spoil = Callable[[list[float]], 'list[float] | None']
"""Maps measured positions to the ones for the node; None drops the sample."""


class Bench:
    """Starts robot and node, relays measurements, and records the outcome.

    Attributes:
        robot: the process of ``ik2d_sim``.
        driver: the process of the node.
        spoil: changes the samples for the node.
        samples: (time, positions, whether hands moved the arm) of every measurement.
        told: codes of the statuses, with ``at_goal`` if it is true, without repetitions.
        moved: how far a joint moved without a target, in rad; NaN where that was not measured.
    """

    robot: subprocess.Popen[bytes]
    driver: subprocess.Popen[bytes]

    def __init__(self, folder: Path) -> None:
        self.fair = SPEEDS / RATE  # rad
        self.folder, self.log = folder, (folder / 'log').open('w+')
        self.processes: list[subprocess.Popen[bytes]] = []
        self.spoil: Spoil = list
        self.samples: list[tuple[float, Any, bool]] = []
        self.told: list[str] = []
        self.is_by_hand = False
        self.moved = math.nan
        self.clients: dict[str, Any] = {}
        self.node = rclpy.create_node('bench')
        subscribe = self.node.create_subscription
        subscribe(JointState, 'joint_states', self._on_measured, 1000)
        subscribe(DiagnosticArray, 'ik2d/status', self._on_status, qos.EACH_KEPT)
        self.relay = self.node.create_publisher(JointState, 'measured', 10)
        self.targets = self.node.create_publisher(PointStamped, 'ik2d/target', 1)
        self.executor = rclpy.executors.SingleThreadedExecutor()
        self.executor.add_node(self.node)
        self.thread = threading.Thread(target=self.executor.spin, daemon=True)
        self.thread.start()

    def close(self) -> None:
        """End all processes."""
        for process in self.processes:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.terminate()
        for process in self.processes:
            process.wait(10.0)
        self.executor.shutdown()
        self.thread.join()
        self.node.destroy_node()

    def run(self, command: Sequence[str]) -> subprocess.Popen[bytes]:
        """Start a process."""
        started = subprocess.Popen(command, stdout=self.log, stderr=subprocess.STDOUT)
        self.processes.append(started)
        return started

    def start_robot(self, at: Sequence[float]) -> None:
        """Start ``ik2d_sim``, with the joints at positions in rad."""
        own = {f'initial.{name}': q for name, q in zip(JOINTS, at, strict=True)}
        own['update_rate'] = RATE
        self.robot = self.run(program('sim', file=FILE, parameters={**ARM, **own}))
        self.set('ik2d_sim', 'active', value=True)  # finds the service

    def start_node(self) -> subprocess.Popen[bytes]:
        """Start a node, and wait until it takes targets."""
        self.until(lambda: self.samples, 'measurements')
        topic = 'ik2d/target'
        self.until(lambda: self.node.count_subscribers(topic) == 0, 'end of the node before')
        command = program(
            *('node', '--controller', 'arm_controller'),
            file=FILE,
            parameters={**ARM, 'use_measured_state': 'true', 'publish_joint_states': 'false'},
            remapped={'measured_joint_states': 'measured'},
        )
        node = self.run(command)
        self.until(lambda: self.node.count_subscribers(topic), 'node')
        time.sleep(2.0)
        return node

    def _on_measured(self, message: JointState) -> None:
        by_name = dict(zip(message.name, message.position, strict=True))
        positions = [by_name[name] for name in JOINTS]
        time = 1e-9 * nanoseconds(message.header.stamp)
        self.samples.append((time, np.array(positions), self.is_by_hand))
        spoilt = self.spoil(positions)
        if spoilt is not None:
            state = JointState(header=message.header, name=list(JOINTS), position=spoilt)
            self.relay.publish(state)

    def _on_status(self, message: DiagnosticArray) -> None:
        status = message.status[0]
        values = {each.key: each.value for each in status.values}
        said = values['code'] + (' at_goal' if values['at_goal'] == 'true' else '')
        if not self.told or self.told[-1] != said:
            self.told.append(said)

    def steps(self, begin: int = 0) -> Any:
        """Return (k,) the steps per cycle, as multiples of the fair one, without moves by hand."""
        samples = self.samples[begin:]
        times = np.array([time for time, _, _ in samples])
        q = np.array([positions for _, positions, _ in samples])
        hands = np.array([hand for _, _, hand in samples])
        cycles = np.maximum(1.0, np.round(np.diff(times) * RATE))
        steps = (np.abs(np.diff(q, axis=0)) / self.fair).max(axis=1) / cycles
        return steps[~(hands[1:] | hands[:-1])]

    # --- what it does ----------------------------------------------------------------------------

    def until(
        self, condition: Callable[[], Any], what: str = '', patience: float = PATIENCE
    ) -> bool:
        """Wait for a condition; it may fail to come true if it has no name."""
        deadline = time.monotonic() + patience
        while not condition():
            if time.monotonic() > deadline:
                if what:
                    raise TimeoutError(f'no {what}')
                return False
            time.sleep(0.01)
        return True

    def ask(self, kind: Any, name: str, request: Any, patience: float = PATIENCE) -> Any:
        """Call a service; None where there is none."""
        client = self.clients.get(name) or self.node.create_client(kind, name)
        self.clients[name] = client
        if not client.wait_for_service(patience):
            return None
        future = client.call_async(request)
        self.until(future.done, f'answer of {name}')
        return future.result()

    def set(self, node: str, name: str, value: Any) -> None:
        """Set a parameter of a node."""
        self.ask(SetParameters, f'{node}/set_parameters', change(name, value))

    def aim(self, pose: Sequence[float]) -> None:
        """Publish the target for a pose."""
        x, y = CHAIN.forward(pose)[-1]
        message = PointStamped()
        stamp(message)
        message.point.x, message.point.z = float(x), float(y)
        self.targets.publish(message)

    def is_at(self, pose: Sequence[float]) -> bool:
        """Whether the tip was measured at the tip of a pose."""
        return math.dist(self.tip, CHAIN.forward(pose)[-1]) < ALLOWED

    @property
    def tip(self) -> Any:
        """The measured tip, in m."""
        return CHAIN.forward(self.samples[-1][1][:2])[-1]

    def move(self, pose: Sequence[float], seconds: float = math.inf) -> None:
        """Send the target for a pose; return when the arm is there, or after some s of motion."""
        begin = self.samples[-1][1]
        self.aim(pose)
        if seconds < math.inf:
            self.until(lambda: np.abs(self.samples[-1][1] - begin).max() > 0.02, 'motion')
            time.sleep(seconds)
        else:
            self.until(lambda: self.is_at(pose), patience=8.0)
            time.sleep(0.3)

    def stay(self, seconds: float) -> None:
        """Record how far the joints move without a new target."""
        begin = len(self.samples)
        time.sleep(seconds)
        q = np.array([positions for _, positions, hand in self.samples[begin:] if not hand])
        moved = float(np.abs(q - q[0]).max()) if len(q) else 0.0
        self.moved = moved if math.isnan(self.moved) else max(moved, self.moved)


# --- the cases ------------------------------------------------------------------------------------


def lost(_: list[float]) -> None:
    """Lose a sample."""


def spoilt(spoil: Spoil) -> Callable[[Bench, bool], None]:
    """Return a fault of the measurements."""

    def switch(bench: Bench, begins: bool) -> None:
        bench.spoil = spoil if begins else list

    return switch


def inactive(bench: Bench, begins: bool) -> None:
    bench.set('ik2d_sim', 'active', value=not begins)


def stopped(process: Callable[[Bench], subprocess.Popen[bytes]]) -> Callable[[Bench, bool], None]:
    """Return a fault of a process that stands still."""

    def switch(bench: Bench, begins: bool) -> None:
        process(bench).send_signal(signal.SIGSTOP if begins else signal.SIGCONT)

    return switch


FAULTS: dict[str, Callable[[Bench, bool], None]] = {
    'no measurements': spoilt(lost),
    'measured as zeros': spoilt(lambda q: [0.0] * len(q)),
    'measured off by 0.5 rad': spoilt(lambda q: [each + 0.5 for each in q]),
    'measured with swapped joints': spoilt(lambda q: [q[1], q[0], *q[2:]]),
    'controller inactive': inactive,
    'controller manager stopped (SIGSTOP)': stopped(lambda bench: bench.robot),
    'node stopped (SIGSTOP)': stopped(lambda bench: bench.driver),
}
STATES = ('in motion', 'at rest', 'after `~/stop`', 'asked during it')


def last(bench: Bench, fault: Callable[[Bench, bool], None], state: str) -> str:
    """Let a fault last for each span; return the cells of its row."""
    steps = []
    for i, span in enumerate(SPANS):
        if bench.told[-1:] == ['NO_STATE']:
            halt(bench)  # which confirms where the arm is
        begin, codes = len(bench.samples), len(bench.told)
        bench.move((HERE, THERE)[i % 2], 0.5 if state == STATES[0] else math.inf)
        if state == STATES[2]:
            halt(bench)
        fault(bench, True)
        time.sleep(0.5 * span)
        if state == STATES[3]:
            bench.aim((THERE, HERE)[i % 2])
        time.sleep(0.5 * span)
        fault(bench, False)
        if state in STATES[1:3] or 'NO_STATE' in bench.told[codes:]:
            bench.stay(2.0)
        time.sleep(2.0)
        steps.append(f'{bench.steps(begin).max():.2f}')
    codes = {said.removesuffix(' at_goal') for said in bench.told} - {'READY', 'REACHED'}
    moved = 0.0 if math.isnan(bench.moved) else bench.moved * (bench.moved > STILL)
    return f'{" | ".join(steps)} | {moved:.2g} | {", ".join(sorted(codes)) or "REACHED"}'


def in_motion(bench: Bench, fault: Callable[[Bench], None], seconds: float = 2.0) -> None:
    """Play a fault in mid-motion, and record for some s how far the arm moves after it."""
    bench.move(HERE, 0.6)
    fault(bench)
    bench.stay(seconds)


def restarted(bench: Bench) -> None:
    """End the controller manager, and have it back with the arm sagged."""
    bench.is_by_hand = True
    bench.robot.terminate()
    bench.robot.wait()
    bench.start_robot(SAGGED)
    bench.until(lambda: np.allclose(bench.samples[-1][1], SAGGED, atol=0.02), 'restart')
    bench.is_by_hand = False


def held(bench: Bench, first: bool) -> None:
    if not first:
        bench.move(HERE)
    bench.set('ik2d', 'hold.roll', ROLL)
    bench.move(HERE)
    time.sleep(2.0)


def noise(bench: Bench, deviation: float) -> None:
    random = np.random.default_rng(1)
    bench.spoil = lambda q: np.add(q, random.normal(0.0, deviation, len(q))).tolist()
    time.sleep(1.0)
    bench.move(HERE)


def ended_by(bench: Bench, number: signal.Signals) -> None:
    bench.move(HERE, 0.6)
    bench.driver.send_signal(number)
    bench.driver.wait()
    time.sleep(0.2)
    bench.stay(1.0)
    bench.driver = bench.start_node()


def halt(bench: Bench) -> None:
    bench.ask(Trigger, 'ik2d/stop', Trigger.Request(), patience=2.0)
    time.sleep(0.5)


CASES: dict[str, tuple[Any, ...]] = {  # functions of a bench, and their further arguments
    'controller manager restarted, the arm sagged': (in_motion, restarted, 4.0),
    'roll held at 0.9 rad from the start on': (held, True),
    '`hold.roll` set to 0.9 rad': (held, False),
    'noise of 0.03 rad': (noise, 0.03),
    'node killed (kill -9), started again': (ended_by, signal.SIGKILL),
    'node ended by SIGINT, started again': (ended_by, signal.SIGINT),
    '`~/stop`': (in_motion, halt),
}


def play(bench: Bench, name: str) -> str:
    """Play a case, and then send a new target; return the cells of its row."""
    del bench.told[:-1]
    case, *given = CASES[name]
    case(bench, *given)
    bench.spoil = list
    bench.until(lambda: bench.told)
    if bench.told[-1] == 'NO_STATE':
        halt(bench)  # which confirms where the arm is
    codes = [said.removesuffix(' at_goal') for said in bench.told]
    told = ', '.join(code for code in codes if code not in ('READY', 'REACHED')) or 'REACHED'
    time.sleep(0.5)
    bench.move(THERE)
    if not bench.is_at(THERE):
        told += f' (a new target was not reached: {bench.told[-1]})'
    moved = '-' if math.isnan(bench.moved) else f'{bench.moved * (bench.moved > STILL):.2g}'
    return f'{bench.steps().max():.2f} | {told} | {moved}'


def attempt(name: str, do: Callable[[Bench], Any]) -> Any:
    """Start everything and do something; None if it failed to start twice."""
    for _ in range(2):
        with tempfile.TemporaryDirectory() as directory:
            bench = Bench(Path(directory))
            try:
                bench.start_robot(START)
                bench.driver = bench.start_node()
                return do(bench)
            except TimeoutError as error:
                print(f'{name}: {error}; {bench.told}', file=sys.stderr)
            finally:
                bench.close()
    return None


def head(*columns: str) -> None:
    """Print the head of a table."""
    print(f'\n| {" | ".join(columns)} |\n|{" --- |" * len(columns)}', flush=True)


def main() -> int:
    """Play the cases, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--only', default='', help='only cases with this text')
    given = parser.parse_args()
    stay_local(150)  # beyond the domains of the tests
    rclpy.init(args=[])
    head('what lasts', 'begins', *(f'{span:g} s' for span in SPANS), 'moved (rad)', 'told')
    for name, fault in FAULTS.items():
        for state in STATES:
            if given.only in f'{name}, {state}':
                played = attempt(name, lambda b, f=fault, s=state: last(b, f, s))
                print(f'| {name} | {state} | {played} |', flush=True)
    head('what happens', 'largest step', 'status', 'moved (rad)')
    for name in CASES:
        if given.only in name:
            played = attempt(name, lambda b, name=name: play(b, name))
            print(f'| {name} | {played} |', flush=True)
    rclpy.try_shutdown()
    return 0


if __name__ == '__main__':
    sys.exit(main())
