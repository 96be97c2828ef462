"""The node in a stack: an arm from a parameter file, in a namespace of its own if need be.

Example:
    ros2 launch ik2d_ros ik2d.launch.py params_file:=/path/to/arm.yaml namespace:=left
"""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare


def generate_launch_description() -> LaunchDescription:
    """Describe the node and the arguments it is started with."""
    arguments = [
        DeclareLaunchArgument(
            'params_file',
            default_value=PathJoinSubstitution(
                [FindPackageShare('ik2d_ros'), 'config', 'two_bone.yaml']
            ),
            description='ROS parameter file that describes the arm',
        ),
        DeclareLaunchArgument(
            'namespace',
            default_value='',
            description='Namespace of the node and of its topics',
        ),
        DeclareLaunchArgument(
            'use_sim_time',
            default_value='false',
            choices=['true', 'false', 'True', 'False'],
            description='Take the time from /clock, as with a simulator or a bag',
        ),
        DeclareLaunchArgument(
            'log_level',
            default_value='info',
            choices=['debug', 'info', 'warn', 'error', 'fatal'],
            description='Least severe messages that are logged',
        ),
    ]
    node = Node(
        package='ik2d_ros',
        executable='ik2d_node',
        name='ik2d',
        namespace=LaunchConfiguration('namespace'),
        parameters=[
            LaunchConfiguration('params_file'),
            # Last, so that the argument holds whatever the file says.
            {'use_sim_time': ParameterValue(LaunchConfiguration('use_sim_time'), value_type=bool)},
        ],
        ros_arguments=['--log-level', LaunchConfiguration('log_level')],
        output='screen',
        emulate_tty=True,
    )
    return LaunchDescription([*arguments, node])
