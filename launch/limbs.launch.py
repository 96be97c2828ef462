"""The limbs of one robot, with one controller of ros2_control for all their joints.

The parameter file has a section for each limb, such as '/left_front/ik2d'. Each gets a node in its
namespace, and ik2d_merge makes their commands into one message for the controller.

Example:
    ros2 launch ik2d_ros limbs.launch.py params_file:=pxmark4 controller:=legs_controller
"""

from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch_ros.actions import Node

from ik2d_ros.control.drive import TRAJECTORY
from ik2d_ros.ros.launching import MEASURED_TOPIC, limb_namespaces, read_arguments

COMMANDS = '/limb_commands'


def generate_launch_description() -> LaunchDescription:
    """Describe the nodes and their launch arguments."""
    arguments = [
        DeclareLaunchArgument(
            'params_file',
            description='ROS parameter file with a section for each limb, or the name of a shipped '
            'one',
        ),
        DeclareLaunchArgument(
            'controller',
            default_value='joint_trajectory_controller',
            description='Name of the controller that moves all limbs',
        ),
        DeclareLaunchArgument(
            'joint_states_topic',
            default_value='/joint_states',
            description='Topic of the measured joint states',
        ),
        DeclareLaunchArgument(
            'use_sim_time',
            default_value='',
            choices=['', 'true', 'false', 'True', 'False'],
            description='Use /clock, from a simulator or a bag; default: as in the parameter file',
        ),
        DeclareLaunchArgument(
            'log_level',
            default_value='info',
            choices=['debug', 'info', 'warn', 'error', 'fatal'],
            description='Log level of the loggers of the nodes',
        ),
    ]
    return LaunchDescription([*arguments, OpaqueFunction(function=limbs)])


def limbs(context: LaunchContext) -> list[Node]:
    """Build a node for each limb, and the one that merges their commands."""
    values = context.launch_configurations
    measured = values['joint_states_topic']
    fixed = {'node_name': 'ik2d', 'frame_prefix': '', 'target_topic': '~/target'}
    nodes = []
    for namespace in limb_namespaces(values['params_file']):
        arm = read_arguments({**values, **fixed, MEASURED_TOPIC: measured, 'namespace': namespace})
        commands = {'command_out_type': TRAJECTORY, 'command_out_topic': COMMANDS}
        nodes.append(
            Node(
                package='ik2d_ros',
                executable='ik2d_node',
                name=arm.node_name,
                namespace=arm.namespace,
                parameters=[
                    {**arm.presets, **commands},
                    *arm.files,
                    *filter(None, [arm.node_parameters]),
                ],
                remappings=arm.remappings,
                ros_arguments=arm.log_arguments(arm.node_name),
                output='screen',
                emulate_tty=True,
            )
        )
    merge = Node(
        package='ik2d_ros',
        executable='ik2d_merge',
        name='ik2d_merge',
        arguments=['--controller', values['controller']],
        remappings=[('limb_commands', COMMANDS), ('measured_joint_states', measured)],
        ros_arguments=['--log-level', f'ik2d_merge:={values["log_level"]}'],
        output='screen',
        emulate_tty=True,
    )
    return [*nodes, merge]
