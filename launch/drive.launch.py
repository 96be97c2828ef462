"""The arm's node for a robot under ros2_control.

The node starts from the pose that joint_state_broadcaster measures, and commands one controller,
whose type and joints it asks for as soon as it is there. The namespace also holds the robot's
controllers.

Example:
    ros2 launch ik2d_ros drive.launch.py params_file:=/path/to/arm.yaml controller:=arm_controller
"""

from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch_ros.actions import Node

from ik2d_ros.ros.launching import DRIVE_ARGUMENTS, read_arguments


def generate_launch_description() -> LaunchDescription:
    """Describe the node and its launch arguments."""
    rows = DRIVE_ARGUMENTS.items()
    declared = [DeclareLaunchArgument(name, **row._asdict()) for name, row in rows]
    return LaunchDescription([*declared, OpaqueFunction(function=driving_node)])


def driving_node(context: LaunchContext) -> list[Node]:
    """Build the node from the launch arguments."""
    return [Node(**read_arguments(context.launch_configurations, drives=True).node)]
