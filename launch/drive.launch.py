"""The arm's node for a robot under ros2_control.

The node starts from the pose that joint_state_broadcaster measures, and commands one controller,
whose type and joints it asks for as soon as it is there. A namespace is that of the robot's
controllers, too.

Example:
    ros2 launch ik2d_ros drive.launch.py params_file:=/path/to/arm.yaml controller:=arm_controller
"""

from pathlib import Path

from launch import LaunchDescription
from launch.actions import (
    DeclareLaunchArgument,
    GroupAction,
    IncludeLaunchDescription,
    SetLaunchConfiguration,
)
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration

from ik2d_ros.ros.launching import CONTROLLER, MEASURED_TOPIC


def generate_launch_description() -> LaunchDescription:
    """Include the node's launch file and connect the node to the controller."""
    arguments = [
        # No default: the limits of another arm are dangerous to a robot.
        DeclareLaunchArgument(
            'params_file',
            default_value='',
            description='ROS parameter file that describes the arm, or the name of a shipped one; '
            'this or urdf is required',
        ),
        DeclareLaunchArgument(
            'controller',
            default_value='joint_trajectory_controller',
            description='Name of the controller that moves the arm, below the namespace; empty: '
            'what the node commands is in the parameter file',
        ),
        DeclareLaunchArgument(
            'joint_states_topic',
            default_value='joint_states',
            description='Topic of the measured joint states',
        ),
    ]
    beside_this = Path(__file__).with_name('ik2d.launch.py')
    # In a group, so that none of it reaches what is launched after this file.
    node = GroupAction(
        [
            SetLaunchConfiguration(CONTROLLER, LaunchConfiguration('controller')),
            SetLaunchConfiguration(MEASURED_TOPIC, LaunchConfiguration('joint_states_topic')),
            IncludeLaunchDescription(PythonLaunchDescriptionSource(str(beside_this))),
        ]
    )
    return LaunchDescription([*arguments, node])
