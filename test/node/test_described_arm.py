"""The node reads its arm from ``robot_description``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from descriptions import ARM, joint, robot

from ik2d_ros.parameters.file import as_file

ROLL = joint('roll', 'tool', 'hand', axis='1 0 0', xyz=(0.1, 0.0, 0.0))
TEXT = robot(*ARM, ROLL)


@pytest.fixture
def start_described(
    ros_environment: int, start_process: Callable[..., Any], tmp_path: Path
) -> Callable[..., Any]:
    """``start_described(text, **parameters)``: start the node with a robot description."""
    pytest.importorskip('defusedxml', reason='defusedxml is not installed')

    def start(text: str, **parameters: object) -> Any:
        path = tmp_path / 'parameters.yaml'
        path.write_text(as_file({'robot_description': text, **parameters}))
        return start_process('-m', 'ik2d_ros.node', '--ros-args', '--params-file', path)

    return start


def test_the_node_reads_its_arm_from_robot_description(
    start_described: Callable[..., Any], ros_node: Any, spin_until: Callable[..., Any]
) -> None:
    from sensor_msgs.msg import JointState

    heard: list[JointState] = []
    ros_node.create_subscription(JointState, 'joint_states', heard.append, 10)
    process = start_described(TEXT, base_frame='base', tip_frame='hand')
    process.wait_for_output('ready: joints shoulder, elbow')
    assert "joint 'roll' is held where it stands" in process.output
    spin_until(ros_node, lambda: heard, what='joint_states')
    assert list(heard[-1].name) == ['shoulder', 'elbow', 'roll']
