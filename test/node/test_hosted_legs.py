"""Legs of a hexapod in one process, whose commands leave in one message."""

from __future__ import annotations

from typing import Any

from hexapod import HEXAPOD, JOINTS, NODES, Hexapod, go, points

LEGS = NODES[:2]


def test_the_commands_of_legs_in_one_process_leave_in_one_message(
    ros_node: Any, start_process: Any, spin_until: Any
) -> None:
    namespaces = ', '.join(node.removesuffix('/ik2d') for node in LEGS)
    process = start_process(
        *('-m', 'ik2d_ros.node', '--ros-args', '--params-file', HEXAPOD),
        *('-p', f'arms:=[{namespaces}]', '-p', 'merge_commands:=true'),
        *('-p', f'ik2d_merge:command_joints:=[{", ".join(JOINTS)}]'),
        *('-r', 'measured_joint_states:=/joint_states'),
    )
    hexapod = Hexapod(ros_node)
    process.wait_for_output('ready')
    spin_until(ros_node, lambda: len(hexapod.statuses) == len(LEGS), what='the statuses')
    assert hexapod.commands == []
    go(hexapod, spin_until, points(1, LEGS))
    assert all(command['tail'] == 0.7 for command in hexapod.commands)
    assert hexapod.faults == []
    published = [f'{node}/command' for node in LEGS]
    assert sum(map(ros_node.count_publishers, published)) == 0
