"""One run of the demo: the real node and targets on the real middleware, monitored and checked."""

from __future__ import annotations

import contextlib
import os
import signal
import tempfile
import time
from collections.abc import Iterator, MutableMapping, Sequence
from importlib.util import find_spec
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.demo.children import Child, ended_after
from ik2d_ros.demo.monitor import Sample, Tally
from ik2d_ros.demo.parameters import HOPS, driving, unlimited
from ik2d_ros.demo.terminal import Show, length, lines, view
from ik2d_ros.parameters.file import as_file
from ik2d_ros.parameters.wording import printable
from ik2d_ros.robot.described import load_completed
from ik2d_ros.ros.advice import command, how_to_install
from ik2d_ros.ros.environment import check_environment
from ik2d_ros.target.demo_path import demo_parameters
from ik2d_ros.viewer.parameters import HOST, find_url, free_port

if TYPE_CHECKING:
    from ik2d_ros.demo.listener import Listener
    from ik2d_ros.node.parameters import Configuration

START_PATIENCE = 30.0  # s until the first answer; discovery may take long
STALL_PATIENCE = 10.0  # s from the first target without an answer, later on
PAGE_PERIOD = 60.0  # s between two lines with the address of the page
ROUNDING = 1e-12  # m by which the independent kinematics may differ

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run(
    config: Path,
    configuration: Configuration,
    duration: float | None,
    port: int | None,
    node_name: str = 'ik2d',
    drives: bool = False,
) -> str | None:
    """Run the demo for its duration or until a signal, and print a summary.

    Args:
        config: the parameter file.
        configuration: its content.
        duration: running time from the first answer in s; None for no limit.
        port: port of the page, 0 for any free one; None to show the arm in the terminal.
        node_name: node whose parameters in the file to use.
        drives: whether the node drives an arm in physics.

    Returns:
        What went wrong, or None.

    Raises:
        ConfigError: no port is available.
    """
    arm, tolerance = configuration.arm, configuration.settings.tolerance
    in_browser = port is not None
    if in_browser and find_spec('viser') is None:
        return (
            'the page needs the Python package viser: '
            f'{how_to_install("viser", "ik2d_ros.cli demo")}\n'
            f'or see the demo in the terminal: {command("ik2d")} demo --view terminal'
        )
    missing = [name for name in ('mujoco', 'ruckig') if drives and not find_spec(name)]
    if missing:
        return (
            f'the arm in physics needs the Python package {" and ".join(missing)}: '
            f'{how_to_install(" ".join(missing), "ik2d_ros.cli demo --robot sim")}'
        )
    check_environment(os.environ)
    port = free_port(HOST, port) if port is not None else 0
    keep_local(os.environ)
    tally = Tally()
    with contextlib.ExitStack() as stack:
        stopping = stack.enter_context(stop_requests())
        try:
            import rclpy  # noqa: PLC0415
            from rclpy.signals import SignalHandlerOptions  # noqa: PLC0415
            from rclpy.utilities import try_shutdown  # noqa: PLC0415

            from ik2d_ros.demo.listener import Listener  # noqa: PLC0415
        except ImportError as error:
            return (
                f'ROS 2 is not available ({error}): source a ROS installation, '
                "or install it with: pip install 'ik2d_ros[ros]'"
            )
        children: list[Child] = []
        stack.enter_context(ended_after(children))
        directory = stack.enter_context(tempfile.TemporaryDirectory())
        # A copy: the node in the file may have another name than the demo's, and the file may be a
        # pipe.
        parameters = Path(directory, 'parameters.yaml')
        given = load_completed(config, node_name)
        content = driving(given, arm) if drives else unlimited(given)
        parameters.write_text(as_file(content), encoding='utf-8')
        children += start(arm, parameters, directory, port, drives)
        rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
        stack.callback(try_shutdown)
        listener = Listener(arm, isfinite(configuration.settings.tip_angle))
        with on_page(arm, children[-1]) if in_browser else view(arm) as show:
            problem = watch(listener, tally, show, children, stopping, duration)
        print(summary(config, tally, listener, tolerance))
        if problem is None and drives and not listener.lags.count:
            problem = 'nothing was measured: no joint_states of the arm in physics'
        if problem is None and tally.farthest_reached > tolerance + ROUNDING:
            farthest = length(tally.farthest_reached)
            problem = f'a target reported as reached was {farthest} from the tip'
        if problem is not None and listener.is_disturbed(target_sources=2 if in_browser else 1):
            problem += (
                '\nOther nodes publish on the same topics in this ROS domain; '
                f'use another domain for the demo: ROS_DOMAIN_ID=77 {command("ik2d")} demo'
            )
        return problem


def watch(
    listener: Listener,
    tally: Tally,
    show: Show,
    children: Sequence[Child],
    stopping: Sequence[int],
    duration: float | None,
) -> str | None:
    """Show and count samples until it is time to stop.

    Args:
        listener: source of the messages.
        tally: the statistics.
        show: the view.
        children: processes that must stay alive.
        stopping: becomes non-empty when the demo is asked to stop.
        duration: running time from the first answer in s; None for no limit.

    Returns:
        What went wrong, or None.
    """
    first: float | None = None
    latest = time.monotonic()
    while not stopping:
        listener.listen(0.05)
        now = time.monotonic()
        for sample in listener.matcher.samples():
            if first is None:
                # Count from here on: until now discovery was still in progress.
                first, listener.poses, listener.matcher.unmatched = now, 0, 0
            latest = now
            tally.add(sample)
            tally.elapsed = now - first
            show(sample, tally, tally.elapsed)
        for child in children:
            if failure := child.failure():
                return failure
        if first is not None and not listener.matcher.is_waiting:
            latest = now
        if now - latest > (START_PATIENCE if first is None else STALL_PATIENCE):
            logs = '\n'.join(f'{child.name}: {child.log or "no output"}' for child in children)
            return f'no answer to a target for {now - latest:.0f} s\n{logs}'
        if first is not None and duration is not None and now - first >= duration:
            return None
    return None


def summary(config: Path, tally: Tally, listener: Listener, tolerance: float) -> str:
    """Summarise the statistics in a few lines."""
    lines = [f'{printable(config.name)}: {tally.total} targets answered in {tally.elapsed:.1f} s']
    if tally.elapsed:
        rates = [count / tally.elapsed for count in (tally.total, listener.poses)]
        lines.append('  per second: {:.1f} answers, {:.1f} joint_states'.format(*rates))
    for code, distances in sorted(tally.reached.items()):
        lines.append(
            f'  {code:<14}{distances.count:6}   |tip - target| at most '
            f'{distances.largest:.1e} m (allowed: {tolerance:.0e} m)'
        )
    for code, distances in sorted(tally.missed.items()):
        span = f'{length(distances.smallest)} to {length(distances.largest)} from the target'
        lines.append(
            f'  {code:<14}{distances.count:6}   {span if isfinite(distances.smallest) else ""}'
        )
    if tally.under_way.count:
        lines.append(
            f'  {"on the way":<14}{tally.under_way.count:6}   at most '
            f'{length(tally.under_way.largest)} from the target'
        )
    if listener.lags.count:
        lines.append(
            f'  {"measured":<14}{listener.lags.count:6}   tip on average '
            f'{length(listener.lags.mean)}, at most {length(listener.lags.largest)} behind the '
            'commanded one'
        )
    if listener.matcher.unmatched:
        lines.append(
            f'  {"not shown":<14}{listener.matcher.unmatched:6}   target or pose not received'
        )
    return '\n'.join(lines)


def start(
    arm: ArmDescription, file: Path, directory: str, port: int, drives: bool = False
) -> Iterator[Child]:
    """Start the nodes; some of the targets are out of reach.

    Args:
        arm: the arm.
        file: its parameter file.
        directory: where their output goes.
        port: of the viewer, which is the last one; 0 for none.
        drives: whether there is an arm in physics to drive.
    """
    parameters = demo_parameters(arm)
    if drives:
        parameters |= HOPS
    settings = [part for name, value in parameters.items() for part in ('-p', f'{name}:={value}')]
    simulation = ['-m', 'ik2d_ros.sim', '--ros-args', '--params-file', str(file)]
    simulation += ['-r', 'joint_states:=measured_joint_states']
    nodes = [
        ('ik2d_sim', simulation),
        ('ik2d_node', ['-m', 'ik2d_ros.node', '--ros-args', '--params-file', str(file)]),
        ('ik2d_target', ['-m', 'ik2d_ros.target', '--ros-args', *settings]),
        ('ik2d_viewer', ['-m', 'ik2d_ros.viewer', '--ros-args', '-p', f'port:={port}']),
    ][0 if drives else 1 : 4 if port else 3]
    for name, arguments in nodes:
        yield Child(name, arguments, Path(directory, name))


@contextlib.contextmanager
def on_page(arm: ArmDescription, viewer: Child) -> Iterator[Show]:
    """Open the view that prints the address of the viewer's page and a line per sample."""
    with lines(arm) as show_lines:
        printed_at = -PAGE_PERIOD

        def show(sample: Sample, tally: Tally, elapsed: float) -> None:
            nonlocal printed_at
            if elapsed - printed_at >= PAGE_PERIOD and (address := find_url(viewer.log)):
                printed_at = elapsed
                print(f'\n  Drag the target at {address} (Ctrl-C ends)\n', flush=True)
            show_lines(sample, tally, elapsed)

        yield show


def keep_local(environment: MutableMapping[str, str]) -> None:
    """Limit discovery to this machine, unless the user has set its range."""
    chosen = {'ROS_AUTOMATIC_DISCOVERY_RANGE', 'ROS_LOCALHOST_ONLY', 'ROS_STATIC_PEERS'}
    if chosen.isdisjoint(environment):
        environment['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
        if environment.get('ROS_DISTRO') == 'humble':  # supports only the older variable
            environment['ROS_LOCALHOST_ONLY'] = '1'


@contextlib.contextmanager
def stop_requests() -> Iterator[list[int]]:
    """Collect stop signals instead of ending immediately."""
    received: list[int] = []
    before = {
        number: signal.signal(number, lambda number, _frame: received.append(number))
        for number in STOP_SIGNALS
        # Respect nohup, which ignores SIGHUP.
        if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN
    }
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
