"""The demo: the real node and demo targets on the real middleware, with a page or in physics."""

from __future__ import annotations

import math
import os
import sys
import tempfile
import time
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ik2d_ros.arm.description import arm_from_parameters
from ik2d_ros.control.drive import TRAJECTORY
from ik2d_ros.demo.terminal import Terminal
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.file import as_file
from ik2d_ros.ros import process
from ik2d_ros.target.demo_path import DemoGripper, demo_path

LOOK_PERIOD = 0.05  # s between looks at the time and the path

# Limits of joints that have none, where an arm is driven.
VELOCITIES = {'rad': 2.0, 'm': 0.2}  # per s
RUN_UP = 0.25  # s to full speed


def run(
    parameters: Mapping[str, object],
    drives: bool,
    duration: float | None,
    port: int | None,
    opens: bool,
) -> int:
    """Run the demo for its duration or until a signal, with all nodes in this process.

    Args:
        parameters: of the arm's node, by name.
        drives: whether the node drives an arm in physics.
        duration: running time from the first answer in s; None for no limit.
        port: port of the page, 0 for any free one; None to print lines alone.
        opens: whether to open a browser, where there is one.

    Returns:
        The exit status.

    Raises:
        ConfigError: a package is missing.
    """
    needed = {'viser': port is not None, 'mujoco': drives, 'ruckig': drives}
    missing = [name for name, is_needed in needed.items() if is_needed and not find_spec(name)]
    if missing:
        raise ConfigError(
            f'{" and ".join(missing)} cannot be imported: pip install {" ".join(missing)}; '
            'or see the demo without: ik2d demo --view terminal --robot none'
        )
    keep_local(os.environ)
    path, terminal = demo_path(arm_from_parameters(parameters)), Terminal()
    arguments = ['ik2d', '--ros-args', '--log-level', 'error']
    if drives:  # targets that leave time to arrive
        path = replace(path, path='random', period=12.0)
        parameters = driving(parameters)
        arguments += ['-r', 'ik2d_sim:joint_states:=measured_joint_states']
    given = {'/ik2d': parameters, '/ik2d_sim': parameters, '/ik2d_target': path.parameters}
    if port is not None:
        given['/ik2d_viewer'] = {'port': port}
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory, 'parameters.yaml')
        text = ''.join(as_file(each, node) for node, each in given.items())
        file.write_text(text, encoding='utf-8')
        arguments += ['--params-file', str(file)]

        def build() -> Sequence[Any]:
            return nodes(terminal, drives, duration, port is not None, opens)

        try:
            if port is None:
                sys.stdout.write('\n  The arm follows these targets (Ctrl-C ends)\n\n')
                sys.stdout.flush()
            status = process.run('ik2d demo', build, arguments)
            terminal.end()
        except BrokenPipeError:  # the reader of its lines (head, less) has exited
            return 0
    return status


def driving(parameters: Mapping[str, object]) -> dict[str, object]:
    """Return parameters of a node that drives its arm through a controller, with motion limits."""
    arm, given = arm_from_parameters(parameters), dict(parameters)
    given['use_measured_state'] = True
    given['command_out_type'] = TRAJECTORY
    given['command_out_topic'] = 'arm_controller/joint_trajectory'
    for prefix, motion, unit in zip(arm.prefixes, arm.motion, arm.units, strict=True):
        velocity = motion.velocity or VELOCITIES[unit]
        given[f'{prefix}.max_velocity'] = velocity
        given[f'{prefix}.max_acceleration'] = motion.acceleration or velocity / RUN_UP
    return given


def nodes(
    terminal: Terminal, drives: bool, duration: float | None, has_page: bool, opens: bool
) -> Sequence[Any]:
    """Build the nodes, whose statuses are printed in the terminal; arguments as of ``run``."""
    from diagnostic_msgs.msg import DiagnosticArray  # noqa: PLC0415
    from sensor_msgs.msg import JointState  # noqa: PLC0415

    from ik2d_ros.node.arm_node import ArmNode  # noqa: PLC0415
    from ik2d_ros.node.status import read  # noqa: PLC0415
    from ik2d_ros.ros import qos  # noqa: PLC0415
    from ik2d_ros.target.target_node import TargetNode  # noqa: PLC0415

    arm, target = ArmNode(), TargetNode()
    built: list[Any] = [arm, target]
    if drives:
        from ik2d_ros.sim.sim_node import SimNode  # noqa: PLC0415

        built.append(SimNode())
    if has_page:
        from ik2d_ros.viewer.viewer_node import ViewerNode  # noqa: PLC0415

        built.append(viewer := ViewerNode())
        terminal.show_page(viewer.address, opens)
    gripper = DemoGripper(arm.settings.drive.hold_limits)
    grips = target.create_publisher(JointState, 'ik2d/joint_target', qos.ALL)

    def hear(message: DiagnosticArray) -> None:
        try:
            terminal.show(read(message.status[0]))
        except BrokenPipeError:  # nobody reads on
            process.end()

    def go_on() -> None:
        for name, position in gripper.goals(target.laps).items():
            grips.publish(JointState(name=[name], position=[position]))
        began = terminal.began or math.inf
        if duration is not None and time.monotonic() - began >= duration:
            process.end()

    arm.create_subscription(DiagnosticArray, 'ik2d/status', hear, qos.ALL)
    arm.poll_every(LOOK_PERIOD, go_on)
    return [each for node in built for each in (node, *node.others)]


def keep_local(environment: MutableMapping[str, str]) -> None:
    """Limit discovery to this machine, unless the user has set its range."""
    chosen = {'ROS_AUTOMATIC_DISCOVERY_RANGE', 'ROS_LOCALHOST_ONLY', 'ROS_STATIC_PEERS'}
    if chosen.isdisjoint(environment):
        environment['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
        if environment.get('ROS_DISTRO') == 'humble':  # supports only the older variable
            environment['ROS_LOCALHOST_ONLY'] = '1'
