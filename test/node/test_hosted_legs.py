"""Legs of a hexapod in one process, whose commands leave in one message."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
from descriptions import PublicLimb
from driven_robot import FAULTS, Robot
from harness import once
from node_client import Client, new_context
from public_machines import MACHINES, file_of

from ik2d_ros.control.drive import TRAJECTORY
from ik2d_ros.robot.from_urdf import load_arm

HEXAPOD = file_of('pxmark4')
ARMS = {node: load_arm(HEXAPOD, node) for node in list(MACHINES['pxmark4'])[:2]}
# The controller also has a joint that is no leg's.
JOINTS = ('tail', *(name for arm in ARMS.values() for name in arm.names))


@once
def test_commands_of_several_legs_are_merged_into_one_message(
    ros_environment: int, start_process: Any, spin_until: Any
) -> None:
    namespaces = ', '.join(leg.removesuffix('/ik2d') for leg in ARMS)
    process = start_process(
        *('-m', 'ik2d_ros.node', '--ros-args', '--params-file', HEXAPOD),
        *('-p', f'arms:=[{namespaces}]', '-p', 'merge_commands:=true'),
        *('-p', f'ik2d_merge:command_joints:=[{", ".join(JOINTS)}]'),
        *('-r', 'measured_joint_states:=/measured_joint_states'),
    )
    rng = np.random.default_rng(1)
    goals = {
        leg: arm.kinematics.forward(rng.uniform(*np.array(arm.limits).T)).tolist()
        for leg, arm in ARMS.items()
    }
    with new_context() as context:
        measured = {**dict.fromkeys(JOINTS, 0.1), 'tail': 0.7}
        robot = Robot(context, spin_until, '/ik2d_merge', measured=measured)
        robot.obey(TRAJECTORY, JOINTS)
        legs = {leg: Client(context, spin_until, leg) for leg in ARMS}
        for client in legs.values():
            robot.executor.add_node(client.node)
            client.executor = robot.executor
        process.wait_for_output('ready')
        for client in legs.values():
            client.connect(poses=False)
        assert robot.commands == []
        for leg, goal in goals.items():
            legs[leg].send(goal)
        for leg, arm in ARMS.items():
            limb, sent = PublicLimb('pxmark4', leg), time.monotonic()

            def is_there(leg: str = leg, limb: Any = limb, names: Any = arm.names) -> bool:
                nonlocal sent
                said = legs[leg].status
                # On a busy machine, a fault may have ended the motion.
                if said['code'] in (*FAULTS, 'READY') and time.monotonic() - sent > 1.0:
                    sent = time.monotonic()
                    legs[leg].send(goals[leg])
                positions = {name: robot.measured[name] for name in names}
                is_reached = (said['code'], said['at_goal']) == ('REACHED', 'true')
                return is_reached and math.dist(limb.tip(positions), goals[leg]) < 2e-6

            robot.wait(is_there, f'{leg} at its target')
        assert all(command['tail'] == 0.7 for command in robot.commands)
        assert sum(robot.node.count_publishers(f'{leg}/command') for leg in ARMS) == 0
        for client in (*legs.values(), robot):
            client.close()
