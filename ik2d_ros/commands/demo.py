"""Watch an arm follow targets, with the real node and the real middleware.

Start the node, demo targets and the page. In the browser, the arm follows a path until you drag the
target with the mouse. The terminal shows the targets and their statuses; some are out of reach.
The demo ends after the duration or on Ctrl-C. Where ROS is missing, it is `ik2d view`.

With --robot sim, the node drives an arm in physics (ik2d_sim) through a joint trajectory
controller, from the measured pose; the page also shows the measured arm.

ROS discovery is limited to this machine unless ROS_AUTOMATIC_DISCOVERY_RANGE is set. ROS_DOMAIN_ID
is respected: `ros2 topic echo /joint_states sensor_msgs/msg/JointState` in another terminal shows
the same arm.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Mapping, MutableMapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.commands import view
from ik2d_ros.commands.arguments import load
from ik2d_ros.commands.output import complain
from ik2d_ros.commands.view import Terminal
from ik2d_ros.control.settings import TRAJECTORY
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.file import as_file
from ik2d_ros.ros import process
from ik2d_ros.target.demo_path import demo_parameters
from ik2d_ros.viewer.parameters import PARAMETERS

NO_ROS = 'ROS 2 is not installed: this is `ik2d view`, the same page with an arm in this process'

LOOK_PERIOD = 0.05  # s between looks at the time

# Limits of joints that have none, where an arm is driven.
VELOCITIES = {'rad': 2.0, 'm': 0.2}  # per s
RUN_UP = 0.25  # s to full speed


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``ik2d demo``."""
    view.add_arguments(parser)
    parser.add_argument(
        '--view',
        choices=('browser', 'terminal'),
        default='browser',
        help='where to show the arm (default: browser); terminal: without a page',
    )
    parser.add_argument(
        '--robot',
        choices=('none', 'sim'),
        default='none',
        help='sim: drive an arm in physics, through a controller (needs mujoco and ruckig); '
        'default: none, only the commanded pose',
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the demo, with all nodes in this process, and return the exit status."""
    port = PARAMETERS['port'].checked(arguments.port, '--port')
    has_page, drives = arguments.view == 'browser', arguments.robot == 'sim'
    if not find_spec('rclpy') and has_page and not drives:
        complain(f'ik2d demo: {NO_ROS}')
        return view.run(arguments)
    _, parameters, configuration = load(arguments)
    needed = {'viser': has_page, 'mujoco': drives, 'ruckig': drives}
    missing = [name for name, is_needed in needed.items() if is_needed and not find_spec(name)]
    if missing:
        raise ConfigError(
            f'{" and ".join(missing)} cannot be imported: pip install {" ".join(missing)}; '
            'or see the demo without: ik2d demo --view terminal --robot none'
        )
    keep_local(os.environ)
    targets = demo_parameters(configuration)
    ros_arguments = ['ik2d', '--ros-args', '--log-level', 'error']
    if drives:  # targets that leave time to arrive
        targets |= {'path': 'random', 'period': 12.0}
        parameters |= driving(configuration.arm)
        ros_arguments += ['-r', 'ik2d_sim:joint_states:=measured_joint_states']
    given: dict[str, Mapping[str, object]] = {
        '/ik2d': parameters,
        '/ik2d_sim': parameters,
        '/ik2d_target': targets,
        '/ik2d_viewer': {'port': port},
    }
    terminal = Terminal()
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory, 'parameters.yaml')
        text = ''.join(as_file(each, node) for node, each in given.items())
        file.write_text(text, encoding='utf-8')
        try:
            if not has_page:
                print('\n  The arm follows these targets (Ctrl-C ends)\n', flush=True)
            status = process.run(
                'ik2d demo',
                lambda: nodes(terminal, arguments),
                [*ros_arguments, '--params-file', str(file)],
            )
            terminal.end()
        except BrokenPipeError:  # the reader of its lines (head, less) has exited
            return 0
    return status


def driving(arm: ArmDescription) -> dict[str, object]:
    """Return parameters of a node that drives its arm through a controller, with motion limits."""
    given: dict[str, object] = {
        'use_measured_state': True,
        'command_out_type': TRAJECTORY,
        'command_out_topic': 'arm_controller/joint_trajectory',
    }
    for prefix, motion, unit in zip(arm.prefixes, arm.motion, arm.units, strict=True):
        velocity = motion.velocity or VELOCITIES[unit]
        given[f'{prefix}.max_velocity'] = velocity
        given[f'{prefix}.max_acceleration'] = motion.acceleration or velocity / RUN_UP
    return given


def nodes(terminal: Terminal, arguments: argparse.Namespace) -> Sequence[Any]:
    """Build the nodes, whose statuses are printed in the terminal."""
    from diagnostic_msgs.msg import DiagnosticArray  # noqa: PLC0415

    from ik2d_ros.node.arm_node import ArmNode  # noqa: PLC0415
    from ik2d_ros.node.status import read  # noqa: PLC0415
    from ik2d_ros.ros import qos  # noqa: PLC0415
    from ik2d_ros.target.target_node import TargetNode  # noqa: PLC0415

    arm = ArmNode()
    built: list[Any] = [arm, TargetNode()]
    if arguments.robot == 'sim':
        from ik2d_ros.sim.sim_node import SimNode  # noqa: PLC0415

        built.append(SimNode())
    if arguments.view == 'browser':
        from ik2d_ros.viewer.viewer_node import ViewerNode  # noqa: PLC0415

        built.append(viewer := ViewerNode())
        terminal.show_page(viewer.address, opens=not arguments.no_browser)

    def hear(message: DiagnosticArray) -> None:
        try:
            terminal.show(read(message.status[0]))
        except BrokenPipeError:  # nobody reads on
            process.end()

    def end_in_time() -> None:
        if terminal.began and time.monotonic() - terminal.began >= arguments.duration:
            process.end()

    arm.create_subscription(DiagnosticArray, 'ik2d/status', hear, qos.ALL)
    if arguments.duration is not None:
        arm.poll_every(LOOK_PERIOD, end_in_time)
    return [each for node in built for each in (node, *node.others)]


def keep_local(environment: MutableMapping[str, str]) -> None:
    """Limit discovery to this machine, unless the user has set its range."""
    chosen = {'ROS_AUTOMATIC_DISCOVERY_RANGE', 'ROS_LOCALHOST_ONLY', 'ROS_STATIC_PEERS'}
    if chosen.isdisjoint(environment):
        environment['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
        if environment.get('ROS_DISTRO') == 'humble':  # supports only the older variable
            environment['ROS_LOCALHOST_ONLY'] = '1'
