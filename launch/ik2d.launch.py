"""The arm's node, with a parameter file and an optional namespace.

Example:
    ros2 launch ik2d_ros ik2d.launch.py params_file:=/path/to/arm.yaml namespace:=left
    ros2 launch ik2d_ros ik2d.launch.py urdf:=/path/to/robot.urdf.xacro tip:=tool0
"""

from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare

from ik2d_ros.ros.launching import read_arguments


def generate_launch_description() -> LaunchDescription:
    """Describe the node and its launch arguments."""
    arguments = [
        DeclareLaunchArgument(
            'params_file',
            default_value=PathJoinSubstitution(
                [FindPackageShare('ik2d_ros'), 'config', 'two_bone.yaml']
            ),
            description='ROS parameter file that describes the arm, or the name of a shipped one',
        ),
        DeclareLaunchArgument(
            'urdf',
            default_value='',
            description='URDF of the robot, or xacro, which is a program that is run; the arm is '
            'read from it, unless params_file has joints (the default one is replaced)',
        ),
        DeclareLaunchArgument(
            'base',
            default_value='',
            description='Link of urdf in whose frame targets are; default: base_link, or the root',
        ),
        DeclareLaunchArgument(
            'tip',
            default_value='',
            description='Link of urdf to bring to the target; default: the only one possible',
        ),
        DeclareLaunchArgument(
            'namespace',
            default_value='',
            description='Namespace of the node and its topics, below a pushed one',
        ),
        DeclareLaunchArgument('node_name', default_value='ik2d', description='Name of the node'),
        DeclareLaunchArgument(
            'frame_prefix',
            default_value='',
            description='Prefix of base_frame, as in robot_state_publisher, such as left/',
        ),
        DeclareLaunchArgument(
            'target_topic',
            default_value='~/target',
            description='Topic of the targets',
        ),
        DeclareLaunchArgument(
            'use_sim_time',
            default_value='',
            choices=['', 'true', 'false', 'True', 'False'],
            description='Use /clock, from a simulator or a bag; default: as in the parameter file '
            'or the including launch file',
        ),
        DeclareLaunchArgument(
            'log_level',
            default_value='info',
            choices=['debug', 'info', 'warn', 'error', 'fatal'],
            description="Log level of the node's logger",
        ),
    ]
    return LaunchDescription([*arguments, OpaqueFunction(function=arm_node)])


def arm_node(context: LaunchContext) -> list[Node]:
    """Build the node from the launch arguments."""
    return [Node(**read_arguments(context.launch_configurations).node)]
