"""Several arms in one process, each a node in its namespace; also the limbs of one robot.

Example:
    ros2 launch ik2d_ros fleet.launch.py params_file:=/path/to/arms.yaml controller:=arm_controller
    ros2 launch ik2d_ros fleet.launch.py params_file:=pxmark4
"""

from launch import LaunchDescription
from launch_ros.actions import Node

from ik2d_ros.ros.launching import FLEET_ARGUMENTS, described, read_fleet_arguments


def generate_launch_description() -> LaunchDescription:
    """Describe the process and its launch arguments."""
    return LaunchDescription(
        described(FLEET_ARGUMENTS, lambda values: [Node(**read_fleet_arguments(values))])
    )
