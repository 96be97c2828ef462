"""The arm's node for a robot under ros2_control.

The node starts from the pose that joint_state_broadcaster measures, and commands one controller,
whose type and joints it asks for as soon as it is there. The namespace also holds the robot's
controllers.

Example:
    ros2 launch ik2d_ros drive.launch.py params_file:=/path/to/arm.yaml controller:=arm_controller
"""

from launch import LaunchDescription
from launch_ros.actions import Node

from ik2d_ros.ros.launching import DRIVE_ARGUMENTS, described, read_arguments


def generate_launch_description() -> LaunchDescription:
    """Describe the node and its launch arguments."""
    return LaunchDescription(
        described(DRIVE_ARGUMENTS, lambda values: [Node(**read_arguments(values, True)[0])])
    )
