"""Drive the arms in physics, through both controllers, and print what came of it.

    make bench-sim [COUNT=200]

The real node and ``ik2d_sim`` run as processes, on simulated time. Every command is held to what a
strict sender must keep to (``ik2d_ros/control/strict.py``): inside the limits, and no step larger
than one period's. The first joint with limits starts 3 degrees outside of them; the arm is pushed
in mid-motion and while idle; and the node is killed and restarted in mid-motion.

The tip may be 2 mm from the target, beside the static error of the servos: they hold an effort by
standing effort / stiffness away from their setpoint.
"""

from __future__ import annotations

import argparse
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PointStamped, Vector3Stamped
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from strict import Stance, array_fault, trajectory_fault
from trajectory_msgs.msg import JointTrajectory

from ik2d_ros.arm.description import arm_from_parameters
from ik2d_ros.control.acceptance import TrajectoryController
from ik2d_ros.control.drive import ARRAY
from ik2d_ros.control.trajectory import read_trajectory
from ik2d_ros.demo.parameters import driving
from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.parameters.file import as_file, load_parameters
from ik2d_ros.sim.parameters import FORWARD
from ik2d_ros.sim.physics import Plant, servos_for

ROOT = Path(__file__).resolve().parent.parent
ARMS = {
    'two_bone': ROOT / 'config/two_bone.yaml',
    'three_link': ROOT / 'config/three_link.yaml',
    'seven_joint': ROOT / 'benchmarks/seven_joint.yaml',
}
CONTROLLERS = ('joint_trajectory_controller', 'forward_command_controller')

ALLOWED = 0.002  # m, beside the servos' static error
PATIENCE = 60.0  # s of wall time until a target counts as missed
SETTLED = 1e-3  # rad/s
OUTSIDE = math.radians(3.0)
PUSH = 0.5  # of what the servos can hold
RECENT = 200_000_000  # ns
RATE = 50.0  # Hz, of the commands
KEPT = 1000  # measurements


class _Sent(NamedTuple):
    """A command, or positions that were measured.

    Attributes:
        time: when the middleware sent it, in ns.
        content: of the message.
        now: time of the clock in ns, when it was received.
    """

    time: int
    content: Any
    now: int


@dataclass
class Outcome:
    """What came of driving one arm through one controller.

    Attributes:
        reached: number of targets within the allowed distance.
        missed: what happened to the others.
        errors: distances in m from the measured tips to the targets.
        excess: the same without the servos' static error.
        commands: number of commands.
        faults: what was wrong with commands.
    """

    reached: int = 0
    missed: list[str] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    excess: list[float] = field(default_factory=list)
    commands: int = 0
    faults: list[str] = field(default_factory=list)


class Driver:
    """Starts simulation and node, gives targets, and holds commands to the rules."""

    def __init__(self, file: Path, controller: str, directory: Path, factor: float) -> None:
        given = load_parameters(file)
        arm = arm_from_parameters(given)
        parameters = driving(given, arm)
        self.arm = arm_from_parameters(parameters)
        self._is_simulated = factor != 1.0
        self.is_array = controller == CONTROLLERS[1]
        topic = 'arm_controller/' + ('commands' if self.is_array else 'joint_trajectory')
        parameters |= {'command_out_topic': topic, 'publish_rate': RATE}
        if self.is_array:
            parameters['command_out_type'] = ARRAY
        self._file = directory / 'parameters.yaml'
        self._file.write_text(as_file(parameters))
        self._log = (directory / 'log').open('w+')
        self.outcome = Outcome()
        self.measured: JointState | None = None
        self._recent: deque[_Sent] = deque(maxlen=KEPT)
        self._waiting: deque[_Sent] = deque()
        self.status: Any = None
        self._last: dict[str, float] = {}
        self.servos = servos_for(Plant(arm, arm.home))
        self.stance = {
            'controller': TrajectoryController(arm.chain.names),
            'period': 1.0 / RATE,
            'limits': {
                joint.name: (joint.lower, joint.upper)
                for joint in arm.chain.joints
                if joint.lower is not None and joint.upper is not None
            },
            'max_velocity': {
                name: motion.velocity
                for name, motion in zip(arm.chain.names, self.arm.motion, strict=True)
                if motion.velocity is not None
            },
        }
        self._probe = rclpy.create_node(
            'probe', parameter_overrides=[Parameter('use_sim_time', value=self._is_simulated)]
        )
        self._executor = rclpy.executors.SingleThreadedExecutor()
        self._executor.add_node(self._probe)
        every = QoSProfile(depth=1000, reliability=ReliabilityPolicy.RELIABLE)
        kept = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        subscribe = self._probe.create_subscription
        subscribe(JointState, 'measured_joint_states', self._on_measured, every)
        subscribe(DiagnosticArray, 'ik2d/status', self._on_status, kept)
        kind = Float64MultiArray if self.is_array else JointTrajectory
        subscribe(kind, topic, self._on_command, every)
        self._targets = self._probe.create_publisher(PointStamped, 'ik2d/target', 1)
        self._pushes = self._probe.create_publisher(Vector3Stamped, 'ik2d_sim/push', 10)
        simulation = ['-r', 'joint_states:=measured_joint_states']
        simulation += ['-p', f'real_time_factor:={factor}']
        if self.is_array:
            simulation += ['-p', f'controller_type:={FORWARD}']
        outside = next((joint for joint in arm.chain.joints if joint.upper is not None), None)
        if outside is not None and outside.upper is not None:
            simulation += ['-p', f'initial.{outside.name}:={outside.upper + OUTSIDE}']
        self._sim = self._start('sim', *simulation)
        self._node = self._start_node()

    def _start(self, module: str, *arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, '-m', f'ik2d_ros.{module}', '--ros-args']
        command += ['--params-file', str(self._file), *arguments]
        return subprocess.Popen(command, stdout=self._log, stderr=subprocess.STDOUT)

    def _start_node(self) -> subprocess.Popen[bytes]:
        return self._start('node', '-p', f'use_sim_time:={self._is_simulated}')

    def close(self) -> None:
        """End the processes."""
        for process in (self._node, self._sim):
            process.send_signal(signal.SIGTERM)
            process.wait(10.0)
        self._executor.shutdown()
        self._probe.destroy_node()

    @property
    def log(self) -> str:
        """What the processes have said."""
        self._log.flush()
        self._log.seek(0)
        return self._log.read()

    # --- what is heard ---------------------------------------------------------------------------

    def _on_measured(self, message: JointState, info: Any) -> None:
        self.measured = message
        sent = info['source_timestamp']
        self._recent.append(_Sent(sent, message.position, sent))
        while self._waiting and self._waiting[0].time < sent:
            self._hold_to_rules(self._waiting.popleft())

    def _on_status(self, message: DiagnosticArray) -> None:
        self.status = message

    def _on_command(self, message: Any, info: Any) -> None:
        content = message.data if self.is_array else read_trajectory(message)
        now = self._probe.get_clock().now().nanoseconds
        self._waiting.append(_Sent(info['source_timestamp'], content, now))

    def _hold_to_rules(self, command: _Sent) -> None:
        """Note what is wrong with a command, once all that was measured before it is there.

        The middleware hands over the messages of two topics in any order, and late if this process
        has to wait for a processor.
        """
        fault, content = self._fault(command), command.content
        self.outcome.commands += 1
        if fault is not None:
            self.outcome.faults.append(fault)
        self._last = self._by_name(content if self.is_array else content.points[-1].positions)

    def _fault(self, command: _Sent) -> str | None:
        """Return what is wrong with a command; None for nothing."""
        before = [sent for sent in self._recent if sent.time <= command.time]
        fault = 'nothing was measured before'
        # The node may have started from a pose that was measured a little earlier.
        for sent in reversed(before):
            if before[-1].time - sent.time > RECENT:
                break
            stance = Stance(**self.stance, last=self._last, measured=self._by_name(sent.content))
            if self.is_array:
                found = array_fault(command.content, stance)
            else:
                found = trajectory_fault(command.content, stance, command.now)
            if found is None:
                return None
            fault = found
        return fault

    def _by_name(self, positions: Any) -> dict[str, float]:
        return dict(zip(self.arm.chain.names, map(float, positions), strict=True))

    # --- what is done ----------------------------------------------------------------------------

    def until(self, condition: Callable[[], Any], patience: float = PATIENCE) -> bool:
        """Spin until a condition holds; returns whether it did in so many s of wall time."""
        deadline = time.monotonic() + patience
        while not condition():
            if time.monotonic() > deadline:
                return False
            self._executor.spin_once(timeout_sec=0.05)
        return True

    def wait(self, seconds: float) -> None:
        """Spin for a time of the simulation, in s."""
        end = self._now() + seconds
        self.until(lambda: self._now() >= end)

    def _now(self) -> float:
        return float(self._probe.get_clock().now().nanoseconds * 1e-9)

    def is_ready(self) -> bool:
        """Whether everything is there and discovered."""
        return bool(
            self.measured is not None
            and self.status is not None
            and self._targets.get_subscription_count() == 1
            and self._pushes.get_subscription_count() == 1
        )

    def aim(self, place: tuple[float, float]) -> PointStamped:
        """Publish a target, (x, y) in m in the plane."""
        message = PointStamped()
        message.header.stamp = self._probe.get_clock().now().to_msg()
        point = Plane.from_pose(self.arm.base_xyz, self.arm.base_rpy).point(*place)
        message.point.x, message.point.y, message.point.z = point
        self._targets.publish(message)
        return message

    def push(self, newtons: float) -> None:
        """Push the tip, upwards and along the plane."""
        message = Vector3Stamped()
        message.vector.x, message.vector.z = newtons, newtons
        self._pushes.publish(message)

    def is_there(self, target: PointStamped) -> bool:
        """Whether the node says that the arm is at the goal of a target."""
        if self.status is None or self.status.header.stamp != target.header.stamp:
            return False
        values = {each.key: each.value for each in self.status.status[0].values}
        return values.get('at_goal') == 'true'

    def is_still(self, since: float) -> bool:
        """Whether the arm stands, as was measured at a time in s or later."""
        if self.measured is None or max(map(abs, self.measured.velocity)) >= SETTLED:
            return False
        stamp = self.measured.header.stamp
        return bool(stamp.sec + stamp.nanosec * 1e-9 >= since)

    def judge(self, place: tuple[float, float], target: PointStamped) -> None:
        """Wait until the arm is at a target and stands, and compare."""
        outcome = self.outcome
        if not self.until(lambda: self.is_there(target)):
            outcome.missed.append(f'no arrival at {place}: {self.status}')
            return
        since = self._now() + 0.1
        if not self.until(lambda: self.is_still(since)) or self.measured is None:
            outcome.missed.append(f'no rest at {place}')
            return
        q = np.array(self.measured.position)
        held = q + np.array(self.measured.effort) / self.servos.stiffness
        tip, setpoint = (self.arm.chain.forward(each)[-1] for each in (q, held))
        error, static = math.dist(tip, place), math.dist(tip, setpoint)
        outcome.errors.append(error)
        outcome.excess.append(max(0.0, error - static))
        if error <= ALLOWED + static:
            outcome.reached += 1
        else:
            commanded = self.arm.chain.forward([*self._last.values()])[-1]
            outcome.missed.append(
                f'target {len(outcome.errors)}: measured {error:.4f} m and commanded '
                f'{math.dist(commanded, place):.4f} m away; static error {static:.4f} m'
            )

    def restart(self) -> None:
        """Kill the node without warning, and start it again."""
        self._node.kill()
        self._node.wait()
        self.until(lambda: self._targets.get_subscription_count() == 0 and not self._waiting)
        self.status, self._last = None, {}
        self._node = self._start_node()
        self.until(self.is_ready)

    def run(self, count: int) -> Outcome:
        """Drive to so many targets; some of them with a push, or with a restart on the way."""
        if not self.until(self.is_ready):
            raise SystemExit(f'the processes do not start:\n{self.log}')
        rng = np.random.default_rng(7)
        reach = self.arm.chain.reach.outer
        force = PUSH * float(self.servos.efforts.min()) / reach
        for index in range(count):
            lower = [-3.0 if j.lower is None else j.lower for j in self.arm.chain.joints]
            upper = [3.0 if j.upper is None else j.upper for j in self.arm.chain.joints]
            x, y = self.arm.chain.forward(rng.uniform(lower, upper))[-1].tolist()
            if index % 10 == 3:  # while idle, and on into the next motion
                self.push(4.0 * force)
                self.wait(0.3)
            target = self.aim((x, y))
            if index % 10 in (3, 6):
                self.wait(0.2)
                self.push(4.0 * force)
                self.wait(0.3)
                self.push(0.0)
            elif index % 20 == 9:
                self.wait(0.2)
                self.restart()
                target = self.aim((x, y))
            self.judge((x, y), target)
        return self.outcome


@contextmanager
def driver(name: str, controller: str, factor: float) -> Iterator[Driver]:
    """Start everything for one arm and one controller."""
    with tempfile.TemporaryDirectory() as directory:
        made = Driver(ARMS[name], controller, Path(directory), factor)
        try:
            yield made
        finally:
            made.close()


def row(name: str, controller: str, outcome: Outcome) -> str:
    """Format one row of the table."""
    errors, excess = np.array(outcome.errors or [math.nan]), np.array(outcome.excess or [math.nan])
    total = outcome.reached + len(outcome.missed)
    return (
        f'| `{name}` | {controller} | {outcome.reached} of {total} | {1e3 * np.median(errors):.2f} '
        f'| {1e3 * errors.max():.2f} | {1e3 * excess.max():.2f} | {outcome.commands} '
        f'| {len(outcome.faults)} |'
    )


def main() -> int:
    """Run the whole, and print a table for docs/simulation.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--count', type=int, default=200, help='targets for each row')
    parser.add_argument('--factor', type=float, default=2.0, help='speed of simulated time')
    parser.add_argument('--only', default='', help='only rows with this text')
    arguments = parser.parse_args()
    os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    os.environ.setdefault('ROS_DOMAIN_ID', '150')  # beyond those of the tests
    rclpy.init(args=[])
    print('| arm | controller | reached | error, median (mm) | largest (mm) | beyond static (mm) '
          '| commands | refused |')  # fmt: skip
    print('| --- | --- | --- | --- | --- | --- | --- | --- |')
    is_good = True
    for name in ARMS:
        for controller in CONTROLLERS:
            if arguments.only not in f'{name} {controller}':
                continue
            with driver(name, controller, arguments.factor) as made:
                outcome = made.run(arguments.count)
                complaints = [line for line in made.log.splitlines() if '[ERROR]' in line]
            print(row(name, controller, outcome), flush=True)
            for text in (*outcome.missed[:5], *outcome.faults[:5], *complaints[:5]):
                print(f'    {text}', file=sys.stderr, flush=True)
            is_good = is_good and not (outcome.missed or outcome.faults or complaints)
    rclpy.try_shutdown()
    return 0 if is_good else 1


if __name__ == '__main__':
    sys.exit(main())
