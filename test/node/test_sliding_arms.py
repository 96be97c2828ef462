"""The shipped arms with joints that slide, through the real node.

The tip of the commanded positions is judged by the demo's own forward kinematics.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from harness import HAS_ROS, ROOT

from ik2d_ros.arm.description import arm_from_parameters
from ik2d_ros.demo.monitor import tip_place
from ik2d_ros.parameters.file import load_parameters

if HAS_ROS:
    import rclpy
    from diagnostic_msgs.msg import DiagnosticArray
    from geometry_msgs.msg import PointStamped
    from rclpy.executors import SingleThreadedExecutor
    from rclpy.parameter import Parameter
    from rclpy.qos import DurabilityPolicy, QoSProfile
    from sensor_msgs.msg import JointState

    from ik2d_ros.node.arm_node import ArmNode

NAMES = ('rail', 'telescope', 'excavator')
TARGETS = 10  # for each arm


class Client:
    """Sends targets to the one node in its executor, one after the other."""

    def __init__(self, spin_until: Any) -> None:
        self.executor = SingleThreadedExecutor()
        self.node = rclpy.create_node('client', start_parameter_services=False)
        self.executor.add_node(self.node)
        self._spin_until = spin_until
        self._target = self.node.create_publisher(PointStamped, 'ik2d/target', 1)
        kept = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.node.create_subscription(DiagnosticArray, 'ik2d/status', self._on_status, kept)
        self.node.create_subscription(JointState, 'joint_states', self._on_state, 10)
        self._answers: dict[int, tuple[str, str]] = {}
        self._count = 0
        self.positions: dict[str, float] = {}

    def _on_status(self, message: Any) -> None:
        (status,) = message.status
        code = {pair.key: pair.value for pair in status.values}['code']
        self._answers[message.header.stamp.nanosec] = code, status.message

    def _on_state(self, message: Any) -> None:
        self.positions = dict(zip(message.name, message.position, strict=True))

    def connect(self) -> None:
        """Wait until the node hears the client, and the client the node."""
        self.positions = {}
        self.wait(lambda: self.positions and self._target.get_subscription_count() == 1, 'the node')

    def wait(self, predicate: Any, what: str) -> None:
        self._spin_until(self.executor, predicate, what=what)

    def ask(self, point: Any) -> tuple[str, str]:
        """The code and the sentence for a target in the node's base frame."""
        self._count += 1
        message = PointStamped()
        message.header.stamp.sec, message.header.stamp.nanosec = 1, self._count
        message.point.x, message.point.y, message.point.z = map(float, point)
        self._target.publish(message)
        self.wait(lambda: self._count in self._answers, 'an answer')
        return self._answers[self._count]


@pytest.mark.parametrize('name', NAMES)
def test_an_arm_that_slides_goes_where_it_is_told_and_changes_as_a_whole(
    name: str, ros: Any, spin_until: Any
) -> None:
    given = load_parameters(ROOT / f'config/{name}.yaml')
    parameters = {key: v for key, v in given.items() if not key.endswith('max_velocity')}
    arm = arm_from_parameters(parameters)
    (slide,) = [joint for joint in arm.chain.joints if joint.slides]
    node, client = ArmNode(parameters), Client(spin_until)
    client.executor.add_node(node)
    client.connect()
    assert tuple(client.positions.values()) == arm.home

    def is_there(point: Any, near: float) -> bool:
        q = [client.positions[one] for one in arm.names]
        return math.dist(tip_place(arm, q), point) <= near

    rng = np.random.default_rng(2)
    lower, upper = np.clip(np.array(arm.limits).T, -3.0, 3.0)
    for q in rng.uniform(lower, upper, (TARGETS, len(arm.names))):
        point = tip_place(arm, q)
        code, words = client.ask(point)
        assert code == 'REACHED', words
        near = parameters['tolerance'] + 1e-9
        client.wait(lambda point=point, near=near: is_there(point, near), 'the tip at the target')

    code, _ = client.ask((100.0, 0.0, 0.0))
    assert code == 'TOO_FAR'
    client.wait(
        lambda: client.positions[slide.name] == pytest.approx(slide.upper, abs=1e-6),
        'the joint slid out as far as it goes',
    )

    # As a whole or not at all: a joint that slides must keep its limits.
    prefix = f'chain.{slide.name}'
    refused = node.set_parameters_atomically([Parameter(f'{prefix}.max_position')])
    assert not refused.successful
    assert f'{prefix}.max_position' in refused.reason
    shorter = [Parameter(f'{prefix}.max_position', value=0.5 * (slide.lower + slide.upper))]
    assert node.set_parameters_atomically(shorter).successful
    client.wait(
        lambda: client.positions[slide.name] <= shorter[0].value + 1e-9, 'the arm within its limits'
    )
    node.destroy_node()
    client.node.destroy_node()
