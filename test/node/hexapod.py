"""The servos of a hexapod behind one controller, and a client of the nodes of its legs."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from harness import HAS_ROS, runs_in_full
from public_machines import MACHINES, PublicLimb, file_of
from strict import Stance, trajectory_fault

from ik2d_ros.arm.description import load_arm
from ik2d_ros.control.acceptance import TrajectoryController
from ik2d_ros.control.trajectory import read_trajectory

if HAS_ROS:
    from diagnostic_msgs.msg import DiagnosticArray
    from geometry_msgs.msg import PointStamped
    from rclpy.qos import DurabilityPolicy, QoSProfile
    from sensor_msgs.msg import JointState
    from trajectory_msgs.msg import JointTrajectory

HEXAPOD = file_of('pxmark4')
NODES = list(MACHINES['pxmark4'])[: 6 if runs_in_full() else 2]
ARMS = {node: load_arm(HEXAPOD, node) for node in NODES}
NEAR = 2e-6  # m
STILL = 1e-4  # rad; a leg that is that near may still take its last step
# The controller also has a joint that is no leg's.
JOINTS = ('tail', *(name for node in reversed(NODES) for name in ARMS[node].names))
LIMITS = {
    name: pair for arm in ARMS.values() for name, pair in zip(arm.names, arm.limits, strict=True)
}
SPEEDS = {
    name: limits.velocity
    for arm in ARMS.values()
    for name, limits in zip(arm.names, arm.motion, strict=True)
}
PERIOD = 0.02
LATEST = 5  # periods that a command may come late, on a busy machine


class Hexapod:
    """The servos behind one joint_trajectory_controller, and a client of the six nodes."""

    def __init__(self, node: Any) -> None:
        self.node = node
        self.legs = {name: PublicLimb('pxmark4', name) for name in NODES}
        self.measured = {**dict.fromkeys(JOINTS, 0.1), 'tail': 0.7}
        self.commands: list[dict[str, float]] = []
        self.faults: list[str] = []
        self.statuses: dict[str, dict[str, str]] = {}
        self.targets: dict[str, Any] = {}
        self.processes: dict[str, Any] = {}
        kept = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        for name in NODES:
            self.targets[name] = node.create_publisher(PointStamped, f'{name}/target', 1)
            listener = self._listener(name)
            node.create_subscription(DiagnosticArray, f'{name}/status', listener, kept)
        deep = QoSProfile(depth=1000)
        node.create_subscription(JointTrajectory, '/ik2d_merge/command', self._on_command, deep)
        self._states = node.create_publisher(JointState, '/joint_states', 10)
        node.create_timer(PERIOD, self._measure)

    def _listener(self, name: str) -> Callable[[Any], None]:
        def listen(message: Any) -> None:
            self.statuses[name] = {pair.key: pair.value for pair in message.status[0].values}

        return listen

    def _measure(self) -> None:
        names = list(self.measured)
        self._states.publish(JointState(name=names, position=list(self.measured.values())))

    def _on_command(self, message: Any) -> None:
        trajectory = read_trajectory(message)
        stance = Stance(
            controller=TrajectoryController(JOINTS),
            period=LATEST * PERIOD,
            limits=LIMITS,
            max_velocity=SPEEDS,
            last=self.commands[-1] if self.commands else self.measured,
            measured=self.measured,
        )
        now = self.node.get_clock().now().nanoseconds
        fault = trajectory_fault(trajectory, stance, now)
        self.faults += [fault] if fault else []
        self.commands.append(
            dict(zip(trajectory.joints, trajectory.points[-1].positions, strict=True))
        )
        self.measured = dict(self.commands[-1])

    def send(self, node: str, point: Any) -> None:
        message = PointStamped()
        message.point.x, message.point.y, message.point.z = map(float, point)
        self.targets[node].publish(message)

    def is_at(self, node: str, point: Any) -> bool:
        said = self.statuses.get(node, {})
        if (said.get('code'), said.get('at_goal')) != ('REACHED', 'true'):
            return False
        tip = self.legs[node].tip({name: self.measured[name] for name in ARMS[node].names})
        return math.dist(tip, point) < NEAR

    def moved_since(self, count: int, node: str) -> float:
        """How far in rad a leg was commanded to move since so many commands."""
        commands = self.commands[count - 1 :]
        return max(
            abs(command[name] - commands[0][name])
            for name in ARMS[node].names
            for command in commands
        )


def points(seed: int, nodes: list[str]) -> dict[str, Any]:
    """A point that each leg can reach."""
    rng = np.random.default_rng(seed)
    return {
        node: ARMS[node].kinematics.forward(rng.uniform(*np.array(ARMS[node].limits).T))
        for node in nodes
    }


def go(hexapod: Hexapod, spin_until: Any, goals: dict[str, Any]) -> None:
    """Send targets until they are heard, and wait until the legs stand there."""
    sent = -math.inf

    def are_there() -> bool:
        nonlocal sent
        there = [hexapod.is_at(node, point) for node, point in goals.items()]
        if time.monotonic() - sent > 1.0:
            sent = time.monotonic()
            for (node, point), is_there in zip(goals.items(), there, strict=True):
                if not is_there:
                    hexapod.send(node, point)
        return all(there)

    spin_until(hexapod.node, are_there, what=f'the legs at {goals}')
