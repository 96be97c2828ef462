"""The node drives the arm in physics, both real: a short form of benchmarks/drive.py."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from harness import CONFIG, once
from node_client import Client

from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.robot.from_urdf import load_arm
from ik2d_ros.sim.parameters import FORWARD

OUTSIDE = 1.9 + math.radians(3.0)  # of the shoulder's limits


@pytest.fixture
def start(
    start_process: Callable[..., Any], ros: int, spin_until: Callable[..., Any]
) -> Iterator[Callable[..., Client]]:
    """``start(file, sim, node) -> Client`` of a node that drives an arm in physics.

    Both end cleanly when they are told to.
    """
    processes: list[Any] = []
    pytest.importorskip('mujoco', reason='mujoco is not installed')
    client = Client(None, spin_until)

    def both(file: Path, sim: Sequence[str] = (), node: Sequence[str] = ()) -> Client:
        given = ('--ros-args', '--params-file', file)
        processes.append(start_process('-m', 'ik2d_ros.sim', *given, *sim))
        command = (
            *('-m', 'ik2d_ros.node', '--controller', 'arm_controller', *given, *node),
            *('-r', 'measured_joint_states:=joint_states', '-p', 'use_measured_state:=true'),
            # A simulation that gets no processor for 0.25 s is not what this is about.
            *('-p', 'publish_joint_states:=false', '-p', 'following_tolerance:=10.0'),
        )
        processes.append(start_process(*command))
        client.wait(lambda: client.joint_states and client.statuses, 'both')
        return client

    yield both
    client.close()
    assert [process.stop() for process in processes] == [0, 0]


@once
def test_the_node_drives_the_arm_in_physics(start: Callable[..., Client]) -> None:
    """From 3 degrees outside a limit."""
    file = CONFIG / 'three_link.yaml'
    arm = load_arm(file)
    sim = ('-p', f'controller_type:={FORWARD}', '-p', f'initial.shoulder:={OUTSIDE}')
    client = start(file, sim)
    measured = client.joint_states

    def is_there(place: tuple[float, float]) -> bool:
        """Whether the measured tip is as close as the servos, which sag, can hold it."""
        tip = arm.chain.forward(measured[-1].position)[-1]
        return max(map(abs, measured[-1].velocity)) < 1e-3 and math.dist(tip, place) <= 0.004

    for place in ((0.4, 0.3), (-0.3, 0.5)):
        point = Plane.from_pose(arm.base_xyz, arm.base_rpy).point(*place)
        # Again and again: a node that hears nothing for 0.5 s forgets its target.
        again = client.node.create_timer(10.0, lambda point=point: client.send(point))
        client.send(point)
        client.wait(lambda place=place: is_there(place), f'the tip at {place}')
        client.node.destroy_timer(again)


# "ik", without lifting the pen, in m.
_XS = (0.28, 0.28, 0.28, 0.32, 0.32, 0.32, 0.36, 0.33, 0.36)
_YS = (0.05, 0.12, 0.05, 0.05, 0.15, 0.09, 0.12, 0.0975, 0.05)
NAME = np.stack([_XS, _YS], axis=1)


@once
def test_a_name_is_written_in_physics(start: Callable[..., Client]) -> None:
    """Through a joint_trajectory_controller: the measured tip is within 1 mm of the lines."""
    file = CONFIG / 'two_bone.yaml'
    limits = [('-p', f'chain.{each}.max_acceleration:=5.0') for each in ('shoulder', 'elbow')]
    client = start(file, node=(*limits[0], *limits[1]))

    def progress(stamp: Any) -> float:
        return float((client.told(stamp) or [{'path_progress': 'nan'}])[-1]['path_progress'])

    for _ in range(4):  # on a busy machine measurements may be missed, which ends a path
        client.wait(lambda: client.status['code'] != 'NO_STATE', 'measurements')
        stamp = client.send_path((x, y, 0.0) for x, y in NAME)
        client.wait(
            lambda stamp=stamp: client.told(stamp) and progress(stamp) != 0.0, 'the beginning'
        )
        client.joint_states.clear()
        client.wait(lambda stamp=stamp: not progress(stamp) < 1.0, 'the end')
        if progress(stamp) == 1.0:
            break
    assert progress(stamp) == 1.0, client.status
    chain = load_arm(file).chain
    tips = np.array([chain.forward(pose.position)[-1] for pose in client.joint_states])
    lines = np.diff(NAME, axis=0)
    away = tips[:, None] - NAME[:-1]
    share = np.clip((away * lines).sum(axis=-1) / (lines**2).sum(axis=-1), 0.0, 1.0)
    distances = np.linalg.norm(away - share[..., None] * lines, axis=-1).min(axis=1)
    # On a busy machine the simulation may get no processor for a while.
    assert np.quantile(distances, 0.99) < 1e-3
