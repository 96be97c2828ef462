"""The arm in RViz: the node, robot_state_publisher, and a demo path until a hand takes over.

Example:
    ros2 launch ik2d_ros demo.launch.py params_file:=/path/to/arm.yaml
"""

from collections.abc import Mapping
from pathlib import Path

from launch import LaunchDescription
from launch.actions import Shutdown
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from ik2d_ros.pilot.parameters import configuration_from_parameters
from ik2d_ros.robot.export import urdf_of
from ik2d_ros.robot.from_urdf import with_description
from ik2d_ros.ros.launching import (
    DEMO_ARGUMENTS,
    clock,
    common,
    described,
    fitted_rviz_config,
    read_arguments,
    temporary_file,
)
from ik2d_ros.target.demo_path import demo_parameters

HANDLE = [f'handle/{name}' for name in ('update', 'feedback', 'get_interactive_markers')]
RVIZ_CONFIG = (Path(__file__).parents[1] / 'config' / 'ik2d.rviz').read_text('utf-8')


def generate_launch_description() -> LaunchDescription:
    """Describe the nodes and their launch arguments."""
    return LaunchDescription(described(DEMO_ARGUMENTS, demo))


def demo(values: Mapping[str, str]) -> list[Node]:
    """Build all nodes from the launch arguments."""
    node, parameters = read_arguments(values)
    configuration = configuration_from_parameters(with_description(parameters)[0])
    arm = configuration.arm
    node_name, prefix = values['node_name'], values['frame_prefix']
    target_topic = values['target_topic']
    transforms = Node(
        package='robot_state_publisher',
        executable='robot_state_publisher',
        parameters=[
            {
                # The prefix is part of the link names, so that every reader of the description
                # finds the frames.
                'robot_description': ParameterValue(urdf_of(arm, prefix=prefix), value_type=str),
                # Poses faster than this are dropped: at the default of 20 Hz most poses that
                # follow a target, at the maximum of 1000 Hz all but the first in a tick of
                # simulated time. With ignore_timestamp, none is dropped.
                'publish_frequency': 1000.0,
                'ignore_timestamp': True,
                **clock(values),
            }
        ],
        **common(values),
    )
    targets = Node(
        package='ik2d_ros',
        executable='ik2d_target',
        parameters=[{**demo_parameters(configuration), **clock(values)}],
        remappings=[
            ('ik2d/target', target_topic),
            ('ik2d/joint_target', f'{node_name}/joint_target'),
            ('ik2d/handle/feedback', f'{node_name}/handle/feedback'),
        ],
        **common(values),
    )
    # First what may be missing: launch would leave behind what it has started before.
    nodes = [transforms, Node(**node), targets]
    if values['use_rviz'].lower() != 'true':
        return nodes
    config = values['rviz_config_file']
    config = config or temporary_file('.rviz', fitted_rviz_config(RVIZ_CONFIG, arm))
    rviz = Node(
        package='rviz2',
        executable='rviz2',
        arguments=['-d', config, '-f', f'{prefix}{arm.base_frame}'],
        parameters=[*filter(None, [clock(values)])],
        # The file has absolute names, for use without launch; here they follow the namespace.
        remappings=[
            ('/robot_description', 'robot_description'),
            ('/ik2d/markers', f'{node_name}/markers'),
            ('/clicked_point', target_topic),
            *((f'/ik2d/{topic}', f'{node_name}/{topic}') for topic in HANDLE),
        ],
        on_exit=Shutdown(reason='RViz was closed'),
        **common(values),
    )
    return [rviz, *nodes]
