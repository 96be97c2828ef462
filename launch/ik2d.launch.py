"""The arm's node, with a parameter file and an optional namespace.

Example:
    ros2 launch ik2d_ros ik2d.launch.py params_file:=/path/to/arm.yaml namespace:=left
    ros2 launch ik2d_ros ik2d.launch.py urdf:=/path/to/robot.urdf.xacro tip:=tool0
"""

from launch import LaunchDescription
from launch_ros.actions import Node

from ik2d_ros.ros.launching import ARM_ARGUMENTS, described, read_arguments


def generate_launch_description() -> LaunchDescription:
    """Describe the node and its launch arguments."""
    return LaunchDescription(
        described(ARM_ARGUMENTS, lambda values: [Node(**read_arguments(values)[0])])
    )
