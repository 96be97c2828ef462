"""What the node says of the motion: the commanded pose."""

from __future__ import annotations

from builtin_interfaces.msg import Time
from rclpy.node import Node
from sensor_msgs.msg import JointState

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.motion.state import MotionState
from ik2d_ros.ros import qos


class Outputs:
    """Publishes the commanded state of the arm.

    Attributes:
        arm: the arm; another one with the same joints may take its place.
    """

    def __init__(self, node: Node, arm: ArmDescription) -> None:
        """Create the publishers.

        Args:
            node: the node that publishes.
            arm: the arm.
        """
        self.arm = arm
        self._joint_states = node.create_publisher(JointState, 'joint_states', qos.EACH)

    def publish(self, state: MotionState, is_arrived: bool, stamp: Time) -> None:  # noqa: ARG002
        """Publish a commanded state.

        Args:
            state: the state.
            is_arrived: whether the arm is at its goal, at rest.
            stamp: the time of the state.
        """
        message = JointState()
        message.header.stamp = stamp
        message.name = list(self.arm.chain.names)
        message.position = state.positions
        if self.arm.has_motion_limits:
            message.velocity = state.velocities
        self._joint_states.publish(message)
