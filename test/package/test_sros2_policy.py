"""The shipped SROS 2 policy grants exactly the rights that the nodes need."""

from __future__ import annotations

import importlib.util
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from harness import ROOT, runs_in_full
from transforms import with_tf

POLICY = ROOT / 'config/sros2/policy.xml'
CONFIG = ROOT / 'config/two_bone.yaml'
COMMANDS = (
    *('-p', 'command_out_type:=trajectory_msgs/JointTrajectory'),
    *('-p', 'command_out_topic:=arm_controller/joint_trajectory'),
)
POSE = 'rest'
DRIVING = ('-p', 'use_measured_state:=true', '-p', f'poses.{POSE}.elbow:=0.5', *COMMANDS)


class Rights(NamedTuple):
    """Full names of the topics and services that a node may use, or uses."""

    publish: frozenset[str]
    subscribe: frozenset[str]
    reply: frozenset[str]
    request: frozenset[str]


def allowed() -> dict[str, Rights]:
    """The rights in the policy by the name of the node."""
    from rclpy.expand_topic_name import expand_topic_name

    return {
        profile.attrib['node']: Rights(
            *(
                frozenset(
                    expand_topic_name(
                        str(element.text).replace('*', POSE), *map(profile.get, ('node', 'ns'))
                    )
                    for group in profile
                    if group.get(right) == 'ALLOW'
                    for element in group
                )
                for right in Rights._fields
            )
        )
        for profile in ET.parse(POLICY).getroot().iter('profile')
    }


def graph_rights(prober: Any, node: str) -> Rights:
    """The topics and services of a running node that are discovered by now."""
    queries = (
        prober.get_publisher_names_and_types_by_node,
        prober.get_subscriber_names_and_types_by_node,
        prober.get_service_names_and_types_by_node,
        prober.get_client_names_and_types_by_node,
    )
    if (node, '/') not in prober.get_node_names_and_namespaces():
        return Rights(*(frozenset() for _ in queries))
    return Rights(*(frozenset(name for name, _ in query(node, '/')) for query in queries))


def needed(rights: Rights) -> Rights:
    """The rights without services that this distribution lacks."""
    newer = {
        'rclpy.type_description_service': ('/get_type_description',),
        'rclpy.logging_service': ('/get_logger_levels', '/set_logger_levels'),
    }
    missing = tuple(
        name
        for module, names in newer.items()
        if not importlib.util.find_spec(module)
        for name in names
    )
    return rights._replace(
        reply=frozenset(name for name in rights.reply if not name.endswith(missing))
    )


def test_the_nodes_have_the_rights_they_need_and_no_others(
    ros_node: Any,
    spin_until: Callable[..., Any],
    start_process: Callable[..., Any],
) -> None:
    """With every part in use: simulated time, TF, a robot, demo targets that make way, a page.

    Requests to the controller end before the node itself starts.
    """
    from diagnostic_msgs.msg import DiagnosticArray
    from geometry_msgs.msg import PointStamped
    from rosgraph_msgs.msg import Clock
    from sensor_msgs.msg import JointState
    from trajectory_msgs.msg import JointTrajectory

    programs: dict[str, tuple[str | Path, ...]] = {
        'ik2d': ('node', '--ros-args', '--params-file', CONFIG, *DRIVING),
        'ik2d_teleop': ('teleop', '--ros-args'),
        'ik2d_target': ('target', '--ros-args', '-p', 'yields:=true', '-p', 'angle:=0.5'),
    }
    if not runs_in_full():  # what ROS adds to a node, it adds to each
        programs = {'ik2d': programs['ik2d'], 'ik2d_target': programs['ik2d_target']}
    elif importlib.util.find_spec('viser'):
        programs['ik2d_viewer'] = ('viewer', '--ros-args', '-p', 'port:=0')
    nodes = [*programs]
    if is_simulated := runs_in_full() and importlib.util.find_spec('mujoco') is not None:
        faster = ('-p', 'real_time_factor:=2.0')
        programs['ik2d_sim'] = ('sim', '--ros-args', '--params-file', CONFIG, *faster)
        nodes += ['ik2d_sim', 'arm_controller']
    processes = [
        start_process(
            '-m', f'ik2d_ros.{module}', *arguments, '-p', 'use_sim_time:=true', env=with_tf()
        )
        for module, *arguments in programs.values()
    ]
    heard: list[DiagnosticArray] = []
    ros_node.create_subscription(DiagnosticArray, 'ik2d/status', heard.append, 10)
    topic = 'arm_controller/joint_trajectory'
    ros_node.create_subscription(JointTrajectory, topic, lambda _: None, 10)
    ros_node.create_publisher(JointState, 'joint_states', 10)  # to which the node listens then
    clock, now = ros_node.create_publisher(Clock, '/clock', 10), Clock()
    queries = ros_node.create_publisher(PointStamped, 'ik2d/query', 10)
    in_another_frame = PointStamped()
    in_another_frame.header.frame_id = 'camera'

    def is_running() -> bool:
        now.clock.sec += 1
        if not is_simulated:
            clock.publish(now)
        queries.publish(in_another_frame)
        dead = [process.output for process in processes if not process.is_running()]
        assert not dead, dead
        return bool(heard)

    rights = allowed()
    expected = {node: needed(rights[node]) for node in nodes}
    expected['ik2d'] = expected['ik2d']._replace(request=frozenset())
    if 'ik2d_viewer' in expected:  # it asks for poses only when one is wanted
        request = expected['ik2d_viewer'].request - {f'/ik2d/poses/{POSE}'}
        expected['ik2d_viewer'] = expected['ik2d_viewer']._replace(request=request)

    def found() -> dict[str, Rights]:
        return {node: graph_rights(ros_node, node) for node in nodes}

    spin_until(ros_node, is_running, what='the status of a demo target')
    try:
        spin_until(ros_node, lambda: is_running() and found() == expected)
    except pytest.fail.Exception:
        assert found() == expected  # says what differs
        raise


def test_the_node_may_ask_its_controller_and_its_manager(ros_node: Any) -> None:
    from ik2d_ros.control.discovery import Controller
    from ik2d_ros.ros.remote_parameters import RemoteParameters

    controller = Controller('/arm_controller', 'commands')
    names = controller.name, controller.manager
    asking = [RemoteParameters(ros_node, name) for name in names]
    asked = ros_node.get_client_names_and_types_by_node(ros_node.get_name(), '/')
    asking.clear()
    assert allowed()['ik2d'].request == {name for name, _ in asked}


def test_a_node_without_keys_does_not_start_where_security_is_enforced(
    ros_environment: int, start_process: Callable[..., Any], tmp_path: Path
) -> None:
    """Without keys, and on a middleware that was built without security."""
    (tmp_path / 'enclaves/ik2d').mkdir(parents=True)
    enforced = {
        'ROS_SECURITY_ENABLE': 'true',
        'ROS_SECURITY_STRATEGY': 'Enforce',
        'ROS_SECURITY_KEYSTORE': str(tmp_path),
    }
    arguments = ('-m', 'ik2d_ros.node', '--ros-args', '--params-file', CONFIG)
    process = start_process(*arguments, '--enclave', '/ik2d', env=enforced)
    assert process.wait() == 1, process.output
    assert 'ready' not in process.output
    assert 'ROS cannot start' in process.stderr
    assert 'Traceback' not in process.output
