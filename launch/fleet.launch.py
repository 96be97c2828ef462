"""Several arms in one process, each a node in its namespace; also the limbs of one robot.

Example:
    ros2 launch ik2d_ros fleet.launch.py arms:=left:two_bone,right:so101
    ros2 launch ik2d_ros fleet.launch.py params_file:=pxmark4 controller:=legs merge_commands:=true
"""

from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch_ros.actions import Node

from ik2d_ros.ros.launching_fleet import read_fleet_arguments


def generate_launch_description() -> LaunchDescription:
    """Describe the process and its launch arguments."""
    arguments = [
        DeclareLaunchArgument(
            'arms',
            default_value='',
            description='Namespaces of the arms with commas between them, each with a parameter '
            'file of its own after a colon, if it has one (left:two_bone,right:so101); default: '
            'the sections of params_file',
        ),
        DeclareLaunchArgument(
            'params_file',
            default_value='',
            description='ROS parameter file for all arms, or the name of a shipped one',
        ),
        DeclareLaunchArgument(
            'namespace',
            default_value='',
            description='Namespace above those of the arms, below a pushed one',
        ),
        DeclareLaunchArgument(
            'controller',
            default_value='',
            description='Name of the controller in the namespace of each arm or, with '
            'merge_commands, of all arms; default: what is commanded is in the parameter files',
        ),
        DeclareLaunchArgument(
            'merge_commands',
            default_value='false',
            choices=['true', 'false', 'True', 'False'],
            description='One controller moves all arms: their commands leave in one message',
        ),
        DeclareLaunchArgument(
            'joint_states_topic',
            default_value='',
            description='Topic of the measured joint states, if there is a controller; default: '
            'joint_states of each arm or, with merge_commands, that above all arms',
        ),
        DeclareLaunchArgument(
            'use_sim_time',
            default_value='',
            choices=['', 'true', 'false', 'True', 'False'],
            description='Use /clock, from a simulator or a bag; default: as in the parameter files '
            'or the including launch file',
        ),
        DeclareLaunchArgument(
            'log_level',
            default_value='info',
            choices=['debug', 'info', 'warn', 'error', 'fatal'],
            description='Log level of the loggers of the nodes',
        ),
    ]
    return LaunchDescription([*arguments, OpaqueFunction(function=fleet)])


def fleet(context: LaunchContext) -> list[Node]:
    """Build the process from the launch arguments."""
    return [Node(**read_fleet_arguments(context.launch_configurations).node)]
