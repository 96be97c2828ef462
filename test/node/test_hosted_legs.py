"""Legs of a hexapod in one process, whose commands leave in one message."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
from driven_robot import Robot
from node_client import Client, new_context
from public_machines import MACHINES, PublicLimb, file_of

from ik2d_ros.control.drive import TRAJECTORY
from ik2d_ros.robot.from_urdf import load_arm

HEXAPOD = file_of('pxmark4')
ARMS = {node: load_arm(HEXAPOD, node) for node in list(MACHINES['pxmark4'])[:2]}
# The controller also has a joint that is no leg's.
JOINTS = ('tail', *(name for arm in ARMS.values() for name in arm.names))


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
    arms = ARMS.values()
    limits = {n: ends for arm in arms for n, ends in zip(arm.names, arm.limits, strict=True)}
    speeds = {n: m.velocity for arm in arms for n, m in zip(arm.names, arm.motion, strict=True)}
    rng = np.random.default_rng(1)
    goals = {
        leg: arm.kinematics.forward(rng.uniform(*np.array(arm.limits).T)).tolist()
        for leg, arm in ARMS.items()
    }
    with new_context() as context:
        measured = {**dict.fromkeys(JOINTS, 0.1), 'tail': 0.7}
        robot = Robot(
            *(context, spin_until, '/ik2d_merge'), measured=measured, limits=limits, speeds=speeds
        )
        robot.obey(TRAJECTORY, JOINTS)
        legs = {leg: Client(context, spin_until, leg) for leg in ARMS}
        for client in legs.values():
            robot.executor.add_node(client.node)
        process.wait_for_output('ready')
        robot.wait(lambda: all(client.statuses for client in legs.values()), 'the statuses')
        assert robot.commands == []
        sent = -math.inf

        def is_at(leg: str) -> bool:
            said = legs[leg].status
            positions = {name: robot.measured[name] for name in ARMS[leg].names}
            is_told = (said['code'], said['at_goal']) == ('REACHED', 'true')
            return (
                is_told and math.dist(PublicLimb('pxmark4', leg).tip(positions), goals[leg]) < 2e-6
            )

        def are_there() -> bool:
            nonlocal sent
            there = {leg: is_at(leg) for leg in goals}
            if time.monotonic() - sent > 1.0:  # again, for the first ones may be lost
                sent = time.monotonic()
                for leg in (leg for leg in goals if not there[leg]):
                    legs[leg].send(goals[leg])
            return all(there.values())

        robot.wait(are_there, f'the legs at {goals}')
        assert all(command['tail'] == 0.7 for command in robot.commands)
        assert robot.faults == []
        assert sum(robot.node.count_publishers(f'{leg}/command') for leg in ARMS) == 0
        for client in (*legs.values(), robot):
            client.close()
