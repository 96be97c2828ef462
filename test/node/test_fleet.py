"""Several arms in one process: each answers for itself."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from harness import HAS_ROS, asking
from refusals import TWO

if HAS_ROS:
    from diagnostic_msgs.msg import DiagnosticArray
    from geometry_msgs.msg import PointStamped
    from rcl_interfaces.srv import GetParameters, SetParameters
    from rclpy.parameter import Parameter
    from rclpy.qos import DurabilityPolicy, QoSProfile
    from sensor_msgs.msg import JointState

ARMS = [f'arm{i}' for i in range(16)]
LENGTHS = {arm: round(0.2 + 0.01 * number, 2) for number, arm in enumerate(ARMS)}


def fleet_file(folder: Path, arms: Mapping[str, Mapping[str, object]]) -> Path:
    """One file for all arms: what they share, and a section for each."""
    sections = {'/**': {**TWO, 'arms': list(arms)}}
    sections.update({f'/{arm}/ik2d': parameters for arm, parameters in arms.items()})
    file = folder / 'fleet.yaml'
    file.write_text(
        yaml.safe_dump({name: {'ros__parameters': each} for name, each in sections.items()})
    )
    return file


class Client:
    """A client of one of the arms."""

    def __init__(self, node: Any, arm: str) -> None:
        kept = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.arm, self.statuses, self.poses = arm, [], []
        self._target = node.create_publisher(PointStamped, f'/{arm}/ik2d/target', 1)
        node.create_subscription(DiagnosticArray, f'/{arm}/ik2d/status', self._on_status, kept)
        node.create_subscription(JointState, f'/{arm}/joint_states', self._on_pose, 1)

    def _on_status(self, message: Any) -> None:
        (status,) = message.status
        self.statuses.append((status.hardware_id, {each.key: each.value for each in status.values}))

    def _on_pose(self, message: Any) -> None:
        self.poses.append(tuple(message.position))

    def send(self, x: float, y: float) -> None:
        message = PointStamped()
        message.point.x, message.point.y = x, y
        self._target.publish(message)

    @property
    def last(self) -> dict[str, str]:
        return self.statuses[-1][1] if self.statuses else {}

    def tip(self) -> tuple[float, float]:
        """Where the arm is commanded to have its tip."""
        if not self.poses:
            return math.nan, math.nan
        shoulder, elbow = self.poses[-1]
        upper, lower = LENGTHS[self.arm], TWO['chain.elbow.length']
        return (
            upper * math.cos(shoulder) + lower * math.cos(shoulder + elbow),
            upper * math.sin(shoulder) + lower * math.sin(shoulder + elbow),
        )


@pytest.fixture
def clients(ros_node: Any, start_process: Any, tmp_path: Path) -> list[Client]:
    """Of sixteen arms of different lengths in one process."""
    file = fleet_file(tmp_path, {arm: {'chain.shoulder.length': LENGTHS[arm]} for arm in ARMS})
    process = start_process('-m', 'ik2d_ros.node', '--ros-args', '--params-file', file)
    clients = [Client(ros_node, arm) for arm in ARMS]
    process.wait_for_output(f'[{ARMS[-1]}.ik2d]: ready')
    return clients


def test_each_arm_answers_its_own_target(
    clients: list[Client], ros_node: Any, spin_until: Any
) -> None:
    targets = {arm: (0.25, 0.1 + 0.01 * number) for number, arm in enumerate(ARMS)}

    def are_there() -> bool:
        there = [math.dist(client.tip(), targets[client.arm]) < 1e-5 for client in clients]
        for client, is_there in zip(clients, there, strict=True):
            if not is_there or client.last.get('code') != 'REACHED':
                client.send(*targets[client.arm])
        return all(there) and all(client.last.get('code') == 'REACHED' for client in clients)

    spin_until(ros_node, are_there, what='all arms at their targets')
    for client in clients:
        x, y = targets[client.arm]
        assert (float(client.last['x']), float(client.last['y'])) == pytest.approx((x, y))
        assert {name for name, _ in client.statuses} == {f'/{client.arm}/ik2d'}

    # A parameter of one arm, good or bad, is no other's.
    first, second = clients[:2]
    sets = ros_node.create_client(SetParameters, f'/{first.arm}/ik2d/set_parameters')
    values = {'chain.elbow.length': -1.0, 'plane_tolerance': 0.5}
    parameters = [Parameter(name, value=value).to_parameter_msg() for name, value in values.items()]
    answer = asking(sets, SetParameters.Request(parameters=parameters))
    bad, good = spin_until(ros_node, answer, what='an answer').results
    assert not bad.successful
    assert 'chain.elbow.length' in bad.reason
    assert good.successful
    found = {}
    for client in (first, second):
        gets = ros_node.create_client(GetParameters, f'/{client.arm}/ik2d/get_parameters')
        request = GetParameters.Request(names=['chain.elbow.length', 'plane_tolerance'])
        answered = spin_until(ros_node, asking(gets, request), what='the parameters')
        found[client] = [value.double_value for value in answered.values]
    assert found == {first: [0.25, 0.5], second: [0.25, math.inf]}

    # The services of the first arm are for the loggers of all.
    services = [name for name, _ in ros_node.get_service_names_and_types()]
    for_loggers = {name for name in services if name.endswith('/set_logger_levels')}
    assert for_loggers <= {f'/{first.arm}/ik2d/set_logger_levels'}

    # Nor is a target that is refused.
    def is_refused() -> bool:
        first.send(math.nan, 0.0)
        return first.last.get('code') == 'INVALID_TARGET'

    spin_until(ros_node, is_refused, what='the refusal')
    assert [client.last['code'] for client in clients[1:]] == ['REACHED'] * (len(ARMS) - 1)


def test_a_process_refuses_to_start_with_a_bad_arm_and_names_it(
    ros_environment: int, start_process: Any, tmp_path: Path
) -> None:
    arms = {'left': {'solver': 'auto'}, 'right': {'chain.elbow.length': -0.1}}
    file = fleet_file(tmp_path, arms)
    process = start_process('-m', 'ik2d_ros.node', '--ros-args', '--params-file', file)
    assert process.wait() == 1
    for text in ("arm '/right'", 'chain.elbow.length', '-0.1'):
        assert text in process.stderr
    assert 'Traceback' not in process.output


def test_an_arm_without_joints_is_named(ros_environment: int, start_process: Any) -> None:
    process = start_process('-m', 'ik2d_ros.node', '--ros-args', '-p', 'arms:=[left, right]')
    assert process.wait() == 1
    assert "no parameter file with an arm reached node '/left/ik2d'" in process.stderr


def test_a_file_for_several_arms_is_no_surprise_to_other_nodes(
    ros_environment: int, start_process: Any, tmp_path: Path
) -> None:
    file = fleet_file(tmp_path, {'left': {'solver': 'auto'}})
    process = start_process('-m', 'ik2d_ros.target', '--ros-args', '--params-file', file)
    process.wait_for_output('publishing')
    assert 'unknown parameters' not in process.output
