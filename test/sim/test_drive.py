"""The node drives the arm in physics, both real: a short form of benchmarks/drive.py."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from harness import HAS_ROS, ROOT
from strict import Stance, array_fault

from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.robot.from_urdf import load_arm
from ik2d_ros.sim.parameters import FORWARD
from ik2d_ros.sim.physics import Physics

if HAS_ROS:
    from diagnostic_msgs.msg import DiagnosticArray
    from geometry_msgs.msg import Point, PointStamped, Pose, PoseStamped
    from nav_msgs.msg import Path
    from rclpy.qos import QoSProfile
    from sensor_msgs.msg import JointState
    from std_msgs.msg import Float64MultiArray

FILE = ROOT / 'config/three_link.yaml'
ARM = load_arm(FILE)
NAMES = ARM.chain.names
OUTSIDE = 1.9 + math.radians(3.0)  # of the shoulder's limits
# The node may have started from any of the newest measured poses.
RECENT = 40

TARGETS = [(0.4, 0.3), (-0.3, 0.5)]


def test_the_node_drives_the_arm_in_physics(
    start_process: Callable[..., Any], ros_node: Any, spin_until: Callable[..., Any]
) -> None:
    """From 3 degrees outside a limit, without a step that is larger than one period's."""
    pytest.importorskip('mujoco', reason='mujoco is not installed')
    start_process(
        *('-m', 'ik2d_ros.sim', '--ros-args', '--params-file', FILE),
        *('-p', f'controller_type:={FORWARD}', '-p', f'initial.shoulder:={OUTSIDE}'),
    )
    node = start_process(
        *('-m', 'ik2d_ros.node', '--controller', 'arm_controller'),
        *('--ros-args', '--params-file', FILE, '-r', 'measured_joint_states:=joint_states'),
        *('-p', 'use_measured_state:=true', '-p', 'publish_joint_states:=false'),
        # A simulation that gets no processor for 0.25 s is not what this is about.
        *('-p', 'following_tolerance:=10.0'),
    )
    measured: list[Any] = []
    commands: list[tuple[dict[str, float], str | None]] = []
    limits = {j.name: (j.lower, j.upper) for j in ARM.chain.joints}
    speeds = {name: each.velocity for name, each in zip(NAMES, ARM.motion, strict=True)}

    def check(message: Any) -> None:
        sent = dict(zip(NAMES, message.data, strict=True))
        faults = [array_fault(message.data, stance(pose)) for pose in measured[-RECENT:]]
        commands.append((sent, None if None in faults else faults[-1]))

    def stance(pose: Any) -> Stance:
        return Stance(
            NAMES,
            period=1.0 / 50.0,
            limits=limits,
            max_velocity=speeds,
            last=commands[-1][0] if commands else {},
            measured=dict(zip(NAMES, pose.position, strict=True)),
        )

    ros_node.create_subscription(JointState, 'joint_states', measured.append, 1)
    ros_node.create_subscription(
        Float64MultiArray, 'arm_controller/commands', check, QoSProfile(depth=500)
    )
    targets = ros_node.create_publisher(PointStamped, 'ik2d/target', 1)
    spin_until(ros_node, lambda: measured and targets.get_subscription_count(), what=node.output)
    servos = Physics(ARM, ARM.home).servos

    def is_there(place: tuple[float, float]) -> bool:
        """Whether the measured tip is as close as the static error of the servos allows."""
        q = np.array(measured[-1].position)
        held = q + np.array(measured[-1].effort) / servos.stiffness
        tip, setpoint = (ARM.chain.forward(each)[-1] for each in (q, held))
        is_still = max(map(abs, measured[-1].velocity)) < 1e-3
        return is_still and math.dist(tip, place) <= 0.002 + math.dist(tip, setpoint)

    for x, y in TARGETS:
        message = PointStamped()
        point = Plane.from_pose(ARM.base_xyz, ARM.base_rpy).point(x, y)
        message.point.x, message.point.y, message.point.z = point
        # Again and again: a node that hears nothing for 0.5 s forgets its target.
        again = ros_node.create_timer(10.0, lambda said=message: targets.publish(said))
        targets.publish(message)
        spin_until(ros_node, lambda place=(x, y): is_there(place), what=f'the tip at {x}, {y}')
        ros_node.destroy_timer(again)
    assert len(commands) > 20
    assert [fault for _, fault in commands if fault is not None] == []


# "ik", without lifting the pen, in m.
_XS = (0.28, 0.28, 0.28, 0.32, 0.32, 0.32, 0.36, 0.33, 0.36)
_YS = (0.05, 0.12, 0.05, 0.05, 0.15, 0.09, 0.12, 0.0975, 0.05)
NAME = np.stack([_XS, _YS], axis=1)


def test_a_name_is_written_in_physics(
    start_process: Callable[..., Any], ros_node: Any, spin_until: Callable[..., Any]
) -> None:
    """Through a joint_trajectory_controller: the measured tip is within 1 mm of the lines."""
    pytest.importorskip('mujoco', reason='mujoco is not installed')
    file = ROOT / 'config/two_bone.yaml'
    chain = load_arm(file).chain
    start_process('-m', 'ik2d_ros.sim', '--ros-args', '--params-file', file)
    node = start_process(
        *('-m', 'ik2d_ros.node', '--controller', 'arm_controller'),
        *('--ros-args', '--params-file', file, '-r', 'measured_joint_states:=joint_states'),
        *('-p', 'use_measured_state:=true', '-p', 'publish_joint_states:=false'),
        *('-p', 'following_tolerance:=10.0'),
        *('-p', 'chain.shoulder.max_acceleration:=5.0', '-p', 'chain.elbow.max_acceleration:=5.0'),
    )
    poses: list[Any] = []
    progress: list[float] = [math.nan]
    ros_node.create_subscription(JointState, 'joint_states', poses.append, 100)

    def hear(message: Any) -> None:
        values = {pair.key: pair.value for pair in message.status[0].values}
        progress.append(float(values['path_progress']))

    ros_node.create_subscription(DiagnosticArray, 'ik2d/status', hear, 10)
    paths = ros_node.create_publisher(Path, 'ik2d/path', 1)
    spin_until(ros_node, lambda: poses and paths.get_subscription_count(), what=node.output)
    points = [Point(x=x, y=y) for x, y in NAME.tolist()]
    path = Path(poses=[PoseStamped(pose=Pose(position=point)) for point in points])
    for _ in range(4):  # on a busy machine measurements may be missed, which ends a path
        paths.publish(path)
        spin_until(ros_node, lambda: progress[-1] > 0.0, what='the beginning')
        poses.clear()
        spin_until(ros_node, lambda: not progress[-1] < 1.0, what='the end')
        if progress[-1] == 1.0:
            break
    assert progress[-1] == 1.0, node.output
    tips = np.array([chain.forward(pose.position)[-1] for pose in poses])
    lines = np.diff(NAME, axis=0)
    away = tips[:, None] - NAME[:-1]
    share = np.clip((away * lines).sum(axis=-1) / (lines**2).sum(axis=-1), 0.0, 1.0)
    distances = np.linalg.norm(away - share[..., None] * lines, axis=-1).min(axis=1)
    # On a busy machine the simulation may get no processor for a while.
    assert np.quantile(distances, 0.99) < 1e-3
