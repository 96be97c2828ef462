"""An arm in your own stack: /left/ik2d appears, with topics of yours.

Example:
    ros2 launch 07_your_stack.launch.py params_file:=/path/to/arm.yaml
"""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, GroupAction, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import SetRemap
from launch_ros.substitutions import FindPackageShare


def generate_launch_description() -> LaunchDescription:
    """Include the launch file of a driven arm."""
    drive = PathJoinSubstitution([FindPackageShare('ik2d_ros'), 'launch', 'drive.launch.py'])
    arguments = {
        'params_file': LaunchConfiguration('params_file'),
        'namespace': 'left',
        'controller': 'arm_controller',
        'target_topic': '/camera/picked',
    }
    return LaunchDescription(
        [
            DeclareLaunchArgument('params_file', default_value='two_bone'),
            GroupAction(
                [
                    SetRemap('~/status', '/diagnostics'),
                    IncludeLaunchDescription(
                        PythonLaunchDescriptionSource(drive), launch_arguments=arguments.items()
                    ),
                ]
            ),
        ]
    )
