"""The messages for controllers, and who publishes them."""

from __future__ import annotations

from collections.abc import Sequence

from builtin_interfaces.msg import Duration
from rclpy.exceptions import InvalidTopicNameException
from rclpy.node import Node
from rclpy.publisher import Publisher
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from ik2d_ros.control.commands import BILLION, Trajectory
from ik2d_ros.control.drive import ARRAY, TRAJECTORY, Drive
from ik2d_ros.parameters.checks import refuse
from ik2d_ros.ros import qos

TYPES = {TRAJECTORY: JointTrajectory, ARRAY: Float64MultiArray}


def command_publisher(node: Node, drive: Drive) -> Publisher:
    """Create the publisher of the commands.

    Raises:
        ConfigError: the topic is not a valid name.
    """
    kind, topic = TYPES[drive.command_out_type], drive.command_out_topic
    try:
        return node.create_publisher(kind, topic, qos.EACH)
    except InvalidTopicNameException as error:
        problem = str(error).replace('\n', ' ')
        refuse('command_out_topic', topic, f'a valid topic name ({problem})')


def array_message(positions: Sequence[float]) -> Float64MultiArray:
    """Return the message for a controller that takes plain positions."""
    return Float64MultiArray(data=positions)


def trajectory_message(trajectory: Trajectory) -> JointTrajectory:
    """Return the message for a controller that takes trajectories."""
    message = JointTrajectory(joint_names=list(trajectory.joints))
    stamp = message.header.stamp
    stamp.sec, stamp.nanosec = divmod(trajectory.stamp, BILLION)
    for point in trajectory.points:
        seconds, rest = divmod(point.time, BILLION)
        time = Duration(sec=seconds, nanosec=rest)
        message.points.append(JointTrajectoryPoint(positions=point.positions, time_from_start=time))
    return message
