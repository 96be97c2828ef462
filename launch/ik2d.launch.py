"""The arm's node, with a parameter file and an optional namespace.

Example:
    ros2 launch ik2d_ros ik2d.launch.py params_file:=/path/to/arm.yaml namespace:=left
    ros2 launch ik2d_ros ik2d.launch.py urdf:=/path/to/robot.urdf.xacro tip:=tool0
"""

from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch_ros.actions import Node

from ik2d_ros.ros.launching import ARM_ARGUMENTS, read_arguments


def generate_launch_description() -> LaunchDescription:
    """Describe the node and its launch arguments."""
    declared = [DeclareLaunchArgument(name, **row._asdict()) for name, row in ARM_ARGUMENTS.items()]
    return LaunchDescription([*declared, OpaqueFunction(function=arm_node)])


def arm_node(context: LaunchContext) -> list[Node]:
    """Build the node from the launch arguments."""
    return [Node(**read_arguments(context.launch_configurations).node)]
