"""The node in a stack: an arm from a parameter file, in a namespace of its own if need be.

Example:
    ros2 launch ik2d_ros ik2d.launch.py params_file:=/path/to/arm.yaml namespace:=left
"""

from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare

from ik2d_ros.ros.launching import read_arguments


def generate_launch_description() -> LaunchDescription:
    """Describe the node and the arguments it is started with."""
    arguments = [
        DeclareLaunchArgument(
            'params_file',
            default_value=PathJoinSubstitution(
                [FindPackageShare('ik2d_ros'), 'config', 'two_bone.yaml']
            ),
            description='ROS parameter file that describes the arm, or the name of a shipped one',
        ),
        DeclareLaunchArgument(
            'namespace',
            default_value='',
            description='Namespace of the node and of its topics, below one that was pushed',
        ),
        DeclareLaunchArgument('node_name', default_value='ik2d', description='Name of the node'),
        DeclareLaunchArgument(
            'frame_prefix',
            default_value='',
            description='Stands before base_frame, as in robot_state_publisher: left/ for two arms',
        ),
        DeclareLaunchArgument(
            'target_topic',
            default_value='~/target',
            description='Where targets come from',
        ),
        DeclareLaunchArgument(
            'use_sim_time',
            default_value='',
            choices=['', 'true', 'false', 'True', 'False'],
            description='Take the time from /clock, as with a simulator or a bag; where it is not '
            'given, what the parameter file or the including launch file says holds',
        ),
        DeclareLaunchArgument(
            'log_level',
            default_value='info',
            choices=['debug', 'info', 'warn', 'error', 'fatal'],
            description="Least severe of the node's messages that are logged",
        ),
    ]
    return LaunchDescription([*arguments, OpaqueFunction(function=arm_node)])


def arm_node(context: LaunchContext) -> list[Node]:
    """The node that the arguments ask for."""
    arm = read_arguments(context.launch_configurations)
    return [
        Node(
            package='ik2d_ros',
            executable='ik2d_node',
            name=arm.node_name,
            namespace=arm.namespace,
            # What was given here holds whatever the file says.
            parameters=[str(arm.params_file), *filter(None, [arm.node_parameters])],
            remappings=[('~/target', arm.target_topic)],
            ros_arguments=arm.log_arguments(arm.node_name),
            output='screen',
            emulate_tty=True,
        )
    ]
