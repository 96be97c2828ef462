"""Several arms in one process, each a node in its namespace; also the limbs of one robot.

Example:
    ros2 launch ik2d_ros fleet.launch.py arms:=left:two_bone,right:so101
    ros2 launch ik2d_ros fleet.launch.py params_file:=pxmark4 controller:=legs merge_commands:=true
"""

from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch_ros.actions import Node

from ik2d_ros.ros.launching import FLEET_ARGUMENTS, read_fleet_arguments


def generate_launch_description() -> LaunchDescription:
    """Describe the process and its launch arguments."""
    rows = FLEET_ARGUMENTS.items()
    declared = [DeclareLaunchArgument(name, **row._asdict()) for name, row in rows]
    return LaunchDescription([*declared, OpaqueFunction(function=fleet)])


def fleet(context: LaunchContext) -> list[Node]:
    """Build the process from the launch arguments."""
    return [Node(**read_fleet_arguments(context.launch_configurations))]
