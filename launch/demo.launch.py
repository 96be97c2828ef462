"""The arm in RViz: the node, its transforms, and targets from a demo path until one is clicked.

Example:
    ros2 launch ik2d_ros demo.launch.py params_file:=/path/to/arm.yaml
"""

from pathlib import Path

from launch import LaunchContext, LaunchDescription
from launch.actions import (
    DeclareLaunchArgument,
    GroupAction,
    IncludeLaunchDescription,
    OpaqueFunction,
    Shutdown,
)
from launch.conditions import IfCondition
from launch.events.process import ProcessExited
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node, SetRemap
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

from ik2d_ros.arm.description import load_arm
from ik2d_ros.arm.urdf import urdf_of
from ik2d_ros.target.parameters import demo_parameters


def generate_launch_description() -> LaunchDescription:
    """Describe the node's own launch file, and around it what shows the arm."""
    arguments = [
        DeclareLaunchArgument(
            'use_rviz',
            default_value='true',
            choices=['true', 'false', 'True', 'False'],
            description='Open RViz; without it the demo needs no screen',
        ),
        DeclareLaunchArgument(
            'rviz_config_file',
            default_value=PathJoinSubstitution(
                [FindPackageShare('ik2d_ros'), 'config', 'ik2d.rviz']
            ),
            description="What RViz shows; its fixed frame becomes the arm's base frame",
        ),
        DeclareLaunchArgument(
            'target_topic',
            default_value='/clicked_point',
            description='Where targets come from: the demo path until the first click in RViz',
        ),
    ]
    beside_this = Path(__file__).with_name('ik2d.launch.py')
    return LaunchDescription(
        [
            *arguments,
            GroupAction(
                [
                    # For the node it is ~/target, and the demo targets publish on it.
                    SetRemap('ik2d/target', LaunchConfiguration('target_topic')),
                    IncludeLaunchDescription(PythonLaunchDescriptionSource(str(beside_this))),
                    OpaqueFunction(function=around_the_arm),
                ]
            ),
        ]
    )


def around_the_arm(context: LaunchContext) -> list[Node]:
    """What depends on the arm that the parameter file describes."""
    namespace = LaunchConfiguration('namespace').perform(context).strip('/')
    node_name = '/'.join(['', *filter(None, [namespace]), 'ik2d'])
    arm = load_arm(LaunchConfiguration('params_file').perform(context), node_name)
    use_sim_time = ParameterValue(LaunchConfiguration('use_sim_time'), value_type=bool)
    common = {
        'namespace': LaunchConfiguration('namespace'),
        'ros_arguments': ['--log-level', LaunchConfiguration('log_level')],
        'output': 'screen',
        'emulate_tty': True,
    }
    transforms = Node(
        package='robot_state_publisher',
        executable='robot_state_publisher',
        parameters=[
            {
                'robot_description': ParameterValue(urdf_of(arm), value_type=str),
                # A pose that is stamped sooner than this after the last one is dropped. The default
                # of 20 Hz would lose most poses that follow a target; at 1000 Hz, the most that is
                # allowed, one that comes within 1 ms is lost until the node repeats it.
                'publish_frequency': 1000.0,
                'use_sim_time': use_sim_time,
            }
        ],
        **common,
    )
    targets = Node(
        package='ik2d_ros',
        executable='ik2d_target',
        name='ik2d_target',
        # The first click ends the demo path.
        parameters=[{**demo_parameters(arm), 'yields': True, 'use_sim_time': use_sim_time}],
        **common,
    )
    rviz = Node(
        condition=IfCondition(LaunchConfiguration('use_rviz')),
        package='rviz2',
        executable='rviz2',
        name='rviz2',
        arguments=['-d', LaunchConfiguration('rviz_config_file'), '-f', arm.base_frame],
        parameters=[{'use_sim_time': use_sim_time}],
        # The file has absolute names, for use by hand; here they follow the namespace.
        remappings=[
            ('/robot_description', 'robot_description'),
            ('/ik2d/markers', 'ik2d/markers'),
            ('/clicked_point', LaunchConfiguration('target_topic')),
        ],
        on_exit=end_with_rviz,
        **common,
    )
    return [transforms, targets, rviz]


def end_with_rviz(_event: ProcessExited, context: LaunchContext) -> list[Shutdown]:
    """Closing the window ends the demo."""
    # A second shutdown would interrupt the others while they are still obeying the first.
    return [] if context.is_shutdown else [Shutdown(reason='RViz was closed')]
