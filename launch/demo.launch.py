"""The arm in RViz: the node, robot_state_publisher, and a demo path until a target is clicked.

Example:
    ros2 launch ik2d_ros demo.launch.py params_file:=/path/to/arm.yaml
"""

import os
from pathlib import Path

from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction, Shutdown
from launch.events.process import ProcessExited
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from ik2d_ros.arm.urdf import urdf_of
from ik2d_ros.ros.launching import (
    DEMO_ARGUMENTS,
    ArmLaunch,
    is_true,
    read_arguments,
    temporary_file,
)
from ik2d_ros.ros.rviz_config import fitted
from ik2d_ros.target.demo_path import demo_parameters

RVIZ_CONFIG = (Path(__file__).parents[1] / 'config' / 'ik2d.rviz').read_text('utf-8')


def generate_launch_description() -> LaunchDescription:
    """Describe the nodes and their launch arguments."""
    rows = DEMO_ARGUMENTS.items()
    declared = [DeclareLaunchArgument(name, **row._asdict()) for name, row in rows]
    return LaunchDescription([*declared, OpaqueFunction(function=demo)])


def check_packages(use_rviz: bool) -> None:
    """Check that the packages that only the demo needs are installed.

    Raises:
        RuntimeError: one is not installed; the message says how to install it.
    """
    needed = {'robot_state_publisher': 'it publishes the transforms'}
    if use_rviz:
        needed['rviz2'] = 'without it: use_rviz:=false'
    for package, hint in needed.items():
        try:
            get_package_prefix(package)
        except PackageNotFoundError:  # noqa: PERF203
            distribution = os.environ.get('ROS_DISTRO', '<distribution>')
            name = f'ros-{distribution}-{package.replace("_", "-")}'
            raise RuntimeError(
                f'the demo needs {package} ({hint}); install it with: sudo apt install {name}'
            ) from None


def demo(context: LaunchContext) -> list[Node]:
    """Build all nodes from the launch arguments: all of them, or none if anything is missing."""
    values = context.launch_configurations
    use_rviz = is_true(values['use_rviz'])
    check_packages(use_rviz)
    launched = read_arguments(values)
    arm = launched.arm
    transforms = Node(
        package='robot_state_publisher',
        executable='robot_state_publisher',
        parameters=[
            {
                # The prefix is part of the link names, so that every reader of the description
                # finds the frames.
                'robot_description': ParameterValue(
                    urdf_of(arm, prefix=launched.frame_prefix), value_type=str
                ),
                # Poses faster than this are dropped: at the default of 20 Hz most poses that
                # follow a target, at the maximum of 1000 Hz all but the first in a tick of
                # simulated time. With ignore_timestamp, none is dropped.
                'publish_frequency': 1000.0,
                'ignore_timestamp': True,
                **launched.clock,
            }
        ],
        **common(launched, 'robot_state_publisher'),
    )
    targets = Node(
        package='ik2d_ros',
        executable='ik2d_target',
        # The first click stops the demo path.
        parameters=[{**demo_parameters(arm), 'yields': True, **launched.clock}],
        remappings=[
            ('ik2d/target', launched.target_topic),
            ('ik2d/target_pose', f'{launched.node_name}/target_pose'),
        ],
        **common(launched, 'ik2d_target'),
    )
    nodes = [Node(**launched.node), transforms, targets]
    if not use_rviz:
        return nodes
    config = values['rviz_config_file'] or temporary_file('.rviz', fitted(RVIZ_CONFIG, arm))
    rviz = Node(
        package='rviz2',
        executable='rviz2',
        arguments=['-d', config, '-f', launched.base_frame],
        parameters=[*filter(None, [launched.clock])],
        # The file has absolute names, for use without launch; here they follow the namespace.
        remappings=[
            ('/robot_description', 'robot_description'),
            ('/ik2d/markers', f'{launched.node_name}/markers'),
            ('/clicked_point', launched.target_topic),
        ],
        on_exit=end_with_rviz,
        **common(launched, 'rviz2'),
    )
    return [*nodes, rviz]


def common(launched: ArmLaunch, name: str) -> dict[str, object]:
    """Return the arguments that all these nodes have in common."""
    return {
        'name': name,
        'namespace': launched.namespace,
        'ros_arguments': launched.log_arguments(name),
        'output': 'screen',
        'emulate_tty': True,
    }


def end_with_rviz(_event: ProcessExited, context: LaunchContext) -> list[Shutdown]:
    """End the demo when the RViz window is closed."""
    # A second shutdown would interrupt nodes that still handle the first.
    return [] if context.is_shutdown else [Shutdown(reason='RViz was closed')]
