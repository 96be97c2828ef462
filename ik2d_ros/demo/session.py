"""One run of the demo: the real node and targets on the real middleware, and what is told."""

from __future__ import annotations

import contextlib
import itertools
import os
import tempfile
import time
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ik2d_ros.arm.description import arm_from_parameters
from ik2d_ros.control.drive import TRAJECTORY
from ik2d_ros.demo.children import Child, ended_after
from ik2d_ros.demo.telling import Teller, stop_signals
from ik2d_ros.parameters.file import as_file
from ik2d_ros.parameters.shipped import single_arms
from ik2d_ros.robot.from_urdf import load_completed
from ik2d_ros.ros.process import without_ros
from ik2d_ros.target.demo_path import demo_path
from ik2d_ros.viewer.parameters import HOST, free_port

if TYPE_CHECKING:
    from ik2d_ros.demo.listener import Listener

PATIENCE = 30.0  # s until the first answer; discovery may take long

# Limits of joints that have none, where an arm is driven.
VELOCITIES = {'rad': 2.0, 'm': 0.2}  # per s
RUN_UP = 0.25  # s to full speed


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


def nodes(parameters: Mapping[str, object], drives: bool, directory: Path) -> Iterator[Child]:
    """Start the nodes of an arm, or of one in physics; some of its targets are out of reach.

    Their parameters and output go to a directory.
    """
    # A copy: the node in the file may have another name than the demo's.
    copy = directory / 'parameters.yaml'
    copy.write_text(as_file(driving(parameters) if drives else parameters), encoding='utf-8')
    path = demo_path(arm_from_parameters(parameters))
    if drives:  # targets that leave time to arrive
        path = replace(path, path='random', period=12.0)
    file = ('--params-file', str(copy))
    yield child('node', directory, *file)
    given = (('-p', f'{name}:={value}') for name, value in path.parameters.items())
    yield child('target', directory, *itertools.chain(*given))
    if drives:
        yield child('sim', directory, *file, '-r', 'joint_states:=measured_joint_states')


def child(name: str, directory: Path, *arguments: str) -> Child:
    """Start a node of this package, with ROS arguments."""
    module = ['-m', f'ik2d_ros.{name}', '--ros-args', *arguments]
    return Child(f'ik2d_{name}', module, directory / name)


def run(
    name: str,
    parameters: Mapping[str, object],
    drives: bool,
    duration: float | None,
    port: int | None,
    opens: bool,
) -> str | None:
    """Run the demo for its duration or until a signal, and print a summary of each arm.

    Args:
        name: of the first arm that is shown; the page can choose others.
        parameters: of its node, by name.
        drives: whether the node drives an arm in physics.
        duration: running time from the first answer in s; None for no limit.
        port: port of the page, 0 for any free one; None to print lines alone.
        opens: whether to open a browser, where there is one.

    Returns:
        What went wrong, or None.

    Raises:
        ConfigError: no port is available.
    """
    in_browser = port is not None
    needed = {'viser': in_browser, 'mujoco': drives, 'ruckig': drives}
    missing = [name for name, is_needed in needed.items() if is_needed and not find_spec(name)]
    if missing:
        return (
            f'{" and ".join(missing)} cannot be imported: pip install {" ".join(missing)}\n'
            'or see the demo without: ik2d demo --view terminal --robot none'
        )
    keep_local(os.environ)
    with contextlib.ExitStack() as stack:
        stopping = stack.enter_context(stop_signals())
        try:
            import rclpy  # noqa: PLC0415
            from rclpy.signals import SignalHandlerOptions  # noqa: PLC0415
            from rclpy.utilities import try_shutdown  # noqa: PLC0415

            from ik2d_ros.demo.listener import Listener  # noqa: PLC0415
        except ImportError as error:
            return without_ros(error)
        arms, viewers = dict[str, Path](), list[Child]()
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        stack.enter_context(ended_after(viewers))
        if port is not None:
            arms = single_arms()
            port = free_port(HOST, port)
            viewers.append(child('viewer', directory, '-p', f'port:={port}'))
        teller = Teller(port, opens)
        rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
        stack.callback(try_shutdown)
        listener = Listener(name, [*arms], teller.hear)
        while True:
            shown, children = listener.wanted, list[Child]()
            with ended_after(children):
                given = parameters if shown == name else load_completed(arms[shown])
                children += nodes(given, drives, directory)
                problem = watch(listener, teller, children + viewers, stopping, duration)
            teller.sum_up(shown)
            if problem or listener.wanted == shown:
                return problem


def watch(
    listener: Listener,
    teller: Teller,
    children: Sequence[Child],
    stopping: Sequence[int],
    duration: float | None,
) -> str | None:
    """Tell what is answered, and return what went wrong, such as the end of a child; or None.

    It ends ``duration`` seconds after the first answer, for a signal in ``stopping``, or to show
    another arm.
    """
    name, began = listener.wanted, time.monotonic()
    while not stopping and listener.wanted == name:
        listener.hear(0.05)
        teller.look()
        now = time.monotonic()
        if failure := next(filter(None, (child.failure() for child in children)), None):
            return failure
        if teller.began is None and now - began > PATIENCE:
            logs = '\n'.join(f'{child.name}: {child.log or "no output"}' for child in children)
            return f'no answer to a target for {now - began:.0f} s\n{logs}'
        if teller.began is not None and duration is not None and now - teller.began >= duration:
            return None
    return None


def keep_local(environment: MutableMapping[str, str]) -> None:
    """Limit discovery to this machine, unless the user has set its range."""
    chosen = {'ROS_AUTOMATIC_DISCOVERY_RANGE', 'ROS_LOCALHOST_ONLY', 'ROS_STATIC_PEERS'}
    if chosen.isdisjoint(environment):
        environment['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
        if environment.get('ROS_DISTRO') == 'humble':  # supports only the older variable
            environment['ROS_LOCALHOST_ONLY'] = '1'
