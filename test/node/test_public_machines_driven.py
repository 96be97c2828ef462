"""Shipped machines through the real node: targets in space in, joint positions out.

The tip of the commanded positions is judged by Pinocchio, on the joints of the public robot
descriptions.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from harness import HAS_ROS, runs_in_full
from public_machines import LEAN, MACHINES, PublicLimb, file_of

from ik2d_ros.arm.description import arm_from_parameters
from ik2d_ros.parameters.file import load_parameters

if HAS_ROS:
    import rclpy
    from diagnostic_msgs.msg import DiagnosticArray
    from geometry_msgs.msg import PointStamped
    from rclpy.executors import SingleThreadedExecutor
    from rclpy.qos import DurabilityPolicy, QoSProfile
    from sensor_msgs.msg import JointState

    from ik2d_ros.node.arm_node import ArmNode


TARGETS = 200 if runs_in_full() else 20  # for each machine
TOLERANCE = 1e-6  # m, that of the node
MOTION = ('max_velocity', 'max_acceleration', 'max_jerk')


class Client:
    """Sends targets to the one node in its executor, one after the other."""

    def __init__(self, spin_until: Any) -> None:
        self.executor = SingleThreadedExecutor()
        self._node = rclpy.create_node('client', start_parameter_services=False)
        self.executor.add_node(self._node)
        self._spin_until = spin_until
        self._target = self._node.create_publisher(PointStamped, 'ik2d/target', 1)
        kept = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        subscribe = self._node.create_subscription
        subscribe(DiagnosticArray, 'ik2d/status', self._on_status, kept)
        subscribe(JointState, 'joint_states', self._on_state, 10)
        self._answers: dict[int, dict[str, str]] = {}
        self._positions: dict[str, float] = {}

    def _on_status(self, message: Any) -> None:
        code = {pair.key: pair.value for pair in message.status[0].values}
        self._answers[message.header.stamp.nanosec] = code

    def _on_state(self, message: Any) -> None:
        self._positions = dict(zip(message.name, message.position, strict=True))

    def connect(self) -> None:
        """Wait until the node hears the client, and the client the node."""
        self._positions = {}
        self._spin_until(
            self.executor,
            lambda: self._positions and self._target.get_subscription_count() == 1,
            what='the node',
        )

    def command(self, number: int, point: Any, frame: str, limb: PublicLimb, near: float) -> str:
        """Send a target, and wait until it is answered and the tip commanded there.

        Returns:
            The code of the answer.
        """
        message = PointStamped()
        message.header.frame_id = frame
        message.header.stamp.sec, message.header.stamp.nanosec = 1, number
        message.point.x, message.point.y, message.point.z = map(float, point)
        self._target.publish(message)
        self._spin_until(self.executor, lambda: number in self._answers, what='an answer')
        answer = self._answers[number]
        if answer['code'] == 'REACHED':
            self._spin_until(
                self.executor,
                lambda: math.dist(limb.tip(self._positions), point) <= near,
                what='positions that bring the tip to the target',
            )
        return answer['code']


def without_motion_limits(name: str, node: str) -> dict[str, Any]:
    """The parameters of a shipped limb, which is then where it is told at once."""
    given = load_parameters(file_of(name), node)
    kept = {key: value for key, value in given.items() if not key.endswith(MOTION)}
    return {**kept, 'publish_rate': 5.0}


# A waist, a lift, legs, a slide, and a plane alone: the others differ in numbers.
@pytest.mark.parametrize('name', ['so101', 'scara_icube', 'go2', 'zx200', 'rrbot'])
def test_a_machine_reaches_every_target_that_it_can(name, ros, spin_until):
    client = Client(spin_until)
    limbs = MACHINES[name]
    rng = np.random.default_rng(0)
    codes = []
    for node_name in limbs:
        limb, parameters = PublicLimb(name, node_name), without_motion_limits(name, node_name)
        arm = arm_from_parameters(parameters)
        lower, upper = np.clip(np.array(arm.limits).T, -math.pi, math.pi)
        node = ArmNode(parameters)
        client.executor.add_node(node)
        client.connect()
        for q in rng.uniform(lower, upper, (math.ceil(TARGETS / len(limbs)), len(lower))):
            point = limb.tip(dict(zip(arm.names, q, strict=True)))
            near = TOLERANCE + 1e-9 + LEAN.get(name, 0.0)
            codes.append(client.command(len(codes), point, limb.base, limb, near))
        client.executor.remove_node(node)
        node.destroy_node()
    assert codes == ['REACHED'] * len(codes)
    assert len(codes) >= TARGETS
