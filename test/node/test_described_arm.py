"""The node reads its arm from ``robot_description``."""

from __future__ import annotations

from typing import Any

import pytest
from descriptions import ARM, joint, robot

ROLL = joint('roll', 'tool', 'hand', axis='1 0 0', xyz=(0.1, 0.0, 0.0))


def test_the_node_reads_its_arm_from_robot_description(start: Any) -> None:
    pytest.importorskip('defusedxml', reason='defusedxml is not installed')
    given = {'robot_description': robot(*ARM, ROLL), 'base_frame': 'base', 'tip_frame': 'hand'}
    process, client = start(given)
    process.wait_for_output('ready: joints shoulder, elbow')
    assert "joint 'roll' is held where it stands" in process.output
    client.wait(lambda: client.joint_states, 'joint_states')
    assert list(client.joint_states[-1].name) == ['shoulder', 'elbow', 'roll']
