"""Legs of a hexapod in one process, whose commands leave in one message."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
from harness import HAS_ROS
from node_client import values
from public_machines import MACHINES, PublicLimb, file_of
from strict import Stance, trajectory_fault

from ik2d_ros.robot.from_urdf import load_arm
from ik2d_ros.sim.controllers import read_trajectory

if HAS_ROS:
    from diagnostic_msgs.msg import DiagnosticArray
    from geometry_msgs.msg import PointStamped
    from rclpy.qos import DurabilityPolicy, QoSProfile
    from sensor_msgs.msg import JointState
    from trajectory_msgs.msg import JointTrajectory

HEXAPOD = file_of('pxmark4')
ARMS = {node: load_arm(HEXAPOD, node) for node in list(MACHINES['pxmark4'])[:2]}
# The controller also has a joint that is no leg's.
JOINTS = ('tail', *(name for arm in ARMS.values() for name in arm.names))
PERIOD = 0.02
LATEST = 5  # periods that a command may come late, on a busy machine


class Hexapod:
    """The servos behind one joint_trajectory_controller, and a client of the legs' nodes."""

    def __init__(self, node: Any) -> None:
        self.node = node
        self.measured = {**dict.fromkeys(JOINTS, 0.1), 'tail': 0.7}
        self.commands: list[dict[str, float]] = []
        self.faults: list[str] = []
        self.statuses: dict[str, dict[str, str]] = {}
        kept = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.targets = {
            leg: node.create_publisher(PointStamped, f'{leg}/target', 1) for leg in ARMS
        }
        for leg in ARMS:
            node.create_subscription(
                DiagnosticArray,
                f'{leg}/status',
                lambda message, leg=leg: self.statuses.update({leg: values(message)}),
                kept,
            )
        deep = QoSProfile(depth=1000)
        node.create_subscription(JointTrajectory, '/ik2d_merge/command', self._on_command, deep)
        self._states = node.create_publisher(JointState, '/joint_states', 10)
        node.create_timer(PERIOD, self._measure)

    def _measure(self) -> None:
        names, positions = zip(*self.measured.items(), strict=True)
        self._states.publish(JointState(name=names, position=positions))

    def _on_command(self, message: Any) -> None:
        trajectory = read_trajectory(message)
        limbs = ARMS.values()
        stance = Stance(
            joints=JOINTS,
            period=LATEST * PERIOD,
            limits={n: pair for a in limbs for n, pair in zip(a.names, a.limits, strict=True)},
            max_velocity={
                n: limit.velocity for a in limbs for n, limit in zip(a.names, a.motion, strict=True)
            },
            last=self.commands[-1] if self.commands else self.measured,
            measured=self.measured,
        )
        fault = trajectory_fault(trajectory, stance, self.node.get_clock().now().nanoseconds)
        self.faults += [fault] if fault else []
        last = trajectory.points[-1].positions
        self.measured = dict(zip(trajectory.joints, last, strict=True))
        self.commands.append(dict(self.measured))

    def is_at(self, leg: str, point: Any) -> bool:
        said = self.statuses.get(leg, {})
        if (said.get('code'), said.get('at_goal')) != ('REACHED', 'true'):
            return False
        tip = PublicLimb('pxmark4', leg).tip(
            {name: self.measured[name] for name in ARMS[leg].names}
        )
        return math.dist(tip, point) < 2e-6


def test_commands_of_several_legs_are_merged_into_one_message(
    ros_node: Any, start_process: Any, spin_until: Any
) -> None:
    namespaces = ', '.join(leg.removesuffix('/ik2d') for leg in ARMS)
    process = start_process(
        *('-m', 'ik2d_ros.node', '--ros-args', '--params-file', HEXAPOD),
        *('-p', f'arms:=[{namespaces}]', '-p', 'merge_commands:=true'),
        *('-p', f'ik2d_merge:command_joints:=[{", ".join(JOINTS)}]'),
        *('-r', 'measured_joint_states:=/joint_states'),
    )
    hexapod = Hexapod(ros_node)
    process.wait_for_output('ready')
    spin_until(ros_node, lambda: len(hexapod.statuses) == len(ARMS), what='the statuses')
    assert hexapod.commands == []
    rng = np.random.default_rng(1)
    goals = {
        leg: arm.kinematics.forward(rng.uniform(*np.array(arm.limits).T)).tolist()
        for leg, arm in ARMS.items()
    }
    sent = -math.inf

    def are_there() -> bool:
        nonlocal sent
        there = {leg: hexapod.is_at(leg, point) for leg, point in goals.items()}
        if time.monotonic() - sent > 1.0:  # again, for the first ones may be lost
            sent = time.monotonic()
            for leg in (leg for leg in goals if not there[leg]):
                target = PointStamped()
                target.point.x, target.point.y, target.point.z = goals[leg]
                hexapod.targets[leg].publish(target)
        return all(there.values())

    spin_until(ros_node, are_there, what=f'the legs at {goals}')
    assert all(command['tail'] == 0.7 for command in hexapod.commands)
    assert hexapod.faults == []
    assert sum(ros_node.count_publishers(f'{leg}/command') for leg in ARMS) == 0
