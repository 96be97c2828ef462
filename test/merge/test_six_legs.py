"""A hexapod: six real nodes from one file, and one message for the controller of all joints."""

from __future__ import annotations

from typing import Any

import pytest
from hexapod import HEXAPOD, JOINTS, NODES, STILL, Hexapod, go, points


@pytest.fixture
def hexapod(ros_node: Any, start_process: Any) -> Hexapod:
    """With the nodes of its six legs, and the one that merges their commands."""
    measuring = ('-r', 'measured_joint_states:=/joint_states')
    processes = [
        start_process(
            *('-m', 'ik2d_ros.node', '--ros-args', '--params-file', HEXAPOD),
            *('-r', f'__ns:={node.removesuffix("/ik2d")}', *measuring),
            *('-p', 'use_measured_state:=true', '-p', 'publish_joint_states:=false'),
            *('-p', 'command_out_type:=trajectory_msgs/JointTrajectory'),
            *('-p', 'command_out_topic:=/limb_commands'),
        )
        for node in NODES
    ]
    processes.append(
        start_process(
            *('-m', 'ik2d_ros.merge', '--ros-args', *measuring),
            *('-p', f'command_joints:=[{", ".join(JOINTS)}]'),
        )
    )
    hexapod = Hexapod(ros_node)
    for process in processes:
        process.wait_for_output('ready')
    hexapod.processes = dict(zip(NODES, processes, strict=False))
    return hexapod


def test_six_legs_one_controller(hexapod: Hexapod, spin_until: Any) -> None:
    spin_until(hexapod.node, lambda: len(hexapod.statuses) == len(NODES), what='the statuses')
    assert hexapod.commands == []

    go(hexapod, spin_until, points(1, NODES))
    assert all(command['tail'] == 0.7 for command in hexapod.commands)

    # Every other leg swings while the rest stand.
    count = len(hexapod.commands)
    go(hexapod, spin_until, points(2, NODES[::2]))
    assert all(hexapod.moved_since(count, node) < STILL for node in NODES[1::2])
    assert all(hexapod.moved_since(count, node) > STILL for node in NODES[::2])

    # A leg whose node died stands, and the others go on.
    hexapod.processes[NODES[0]].end()
    count = len(hexapod.commands)
    go(hexapod, spin_until, points(3, NODES[1:]))
    assert hexapod.moved_since(count, NODES[0]) < STILL
    assert hexapod.faults == []
