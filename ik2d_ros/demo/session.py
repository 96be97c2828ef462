"""One run of the demo: the real node and targets on the real middleware, monitored and checked."""

from __future__ import annotations

import contextlib
import os
import signal
import tempfile
import time
from collections.abc import Iterator, MutableMapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

from ik2d_ros.demo.children import Child, ended_after
from ik2d_ros.demo.monitor import ON_THE_WAY, Tally
from ik2d_ros.demo.parameters import HOPS, driving, unlimited
from ik2d_ros.demo.terminal import Show, lines
from ik2d_ros.node.outcome import length
from ik2d_ros.node.parameters import Configuration, load_configuration
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.file import as_file, nodes_in
from ik2d_ros.parameters.sanitize import printable
from ik2d_ros.parameters.shipped import find_examples, find_machines
from ik2d_ros.robot.from_urdf import load_completed
from ik2d_ros.target.demo_path import demo_parameters
from ik2d_ros.viewer.parameters import HOST, find_url, free_port

if TYPE_CHECKING:
    from ik2d_ros.demo.listener import Listener

START_PATIENCE = 30.0  # s until the first answer; discovery may take long
STALL_PATIENCE = 10.0  # s from the first target without an answer, later on
PAGE_PERIOD = 60.0  # s between two lines with the address of the page
ROUNDING = 1e-12  # m by which the independent kinematics may differ

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True)
class Subject:
    """An arm that is shown.

    Attributes:
        file: the parameter file.
        configuration: its content.
        node_name: node whose parameters in the file to use.
        drives: whether the node drives an arm in physics.
    """

    file: Path
    configuration: Configuration
    node_name: str = 'ik2d'
    drives: bool = False

    def nodes(self, directory: Path) -> Iterator[Child]:
        """Start the nodes; some of the targets are out of reach.

        Args:
            directory: where their parameters and output go.
        """
        # A copy: the node in the file may have another name than the demo's.
        given, arm = load_completed(self.file, self.node_name), self.configuration.arm
        content = driving(given, arm) if self.drives else unlimited(given)
        copy = directory / 'parameters.yaml'
        copy.write_text(as_file(content), encoding='utf-8')
        targets = {**demo_parameters(arm), **(HOPS if self.drives else {})}
        settings = [part for name, value in targets.items() for part in ('-p', f'{name}:={value}')]
        parameters = ['--params-file', str(copy)]
        nodes = [('node', parameters), ('target', settings)]
        if self.drives:
            nodes.append(('sim', [*parameters, '-r', 'joint_states:=measured_joint_states']))
        for name, arguments in nodes:
            module = ['-m', f'ik2d_ros.{name}', '--ros-args', *arguments]
            yield Child(f'ik2d_{name}', module, directory / name)


def run(subject: Subject, duration: float | None, port: int | None) -> str | None:
    """Run the demo for its duration or until a signal, and print a summary of each arm.

    Args:
        subject: the first arm that is shown; the page can choose others.
        duration: running time from the first answer in s; None for no limit.
        port: port of the page, 0 for any free one; None to print lines alone.

    Returns:
        What went wrong, or None.

    Raises:
        ConfigError: no port is available.
    """
    in_browser = port is not None
    for is_needed, packages, what in (
        (in_browser, ['viser'], 'the page'),
        (subject.drives, ['mujoco', 'ruckig'], 'the arm in physics'),
    ):
        missing = ' '.join(name for name in packages if is_needed and not find_spec(name))
        if missing:
            return (
                f'{what} needs the Python package {missing.replace(" ", " and ")}: pip install '
                f'{missing}\nor see the demo without: ik2d demo --view terminal'
            )
    port = free_port(HOST, port) if port is not None else 0
    keep_local(os.environ)
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
        viewers: list[Child] = []
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        stack.enter_context(ended_after(viewers))
        if in_browser:
            page = ['-m', 'ik2d_ros.viewer', '--ros-args', '-p', f'port:={port}']
            viewers.append(Child('ik2d_viewer', page, directory / 'ik2d_viewer'))
        rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
        stack.callback(try_shutdown)
        arms = single_arms() if in_browser else {}
        first = subject.file
        listener = Listener(first.stem, [*arms], lambda name: refusal(arms.get(name, first)))
        while True:
            name, children, tally = listener.wanted, list[Child](), Tally()
            listener.watch(subject.configuration.arm)
            with ended_after(children):
                children += subject.nodes(directory)
                settings = subject.configuration.settings
                show = lines(subject.configuration.arm, isfinite(settings.tip_angle))
                problem = watch(listener, tally, show, children + viewers, stopping, duration)
            print(summary(subject, tally, listener))
            problem = problem or wrong(subject, tally, listener)
            if problem or listener.wanted == name:
                break
            file = arms[listener.wanted]
            subject = Subject(file, load_configuration(file))
        if problem is not None and listener.is_disturbed(target_sources=1 + in_browser):
            problem += (
                '\nOther nodes publish on the same topics in this ROS domain; '
                'use another domain for the demo: ROS_DOMAIN_ID=77 ik2d demo'
            )
        return problem


def wrong(subject: Subject, tally: Tally, listener: Listener) -> str | None:
    """Return how an arm failed the checks, or None."""
    if subject.drives and not listener.lags.count:
        return 'the simulated arm has published no joint states'
    if tally.farthest_reached > subject.configuration.settings.tolerance + ROUNDING:
        farthest = length(tally.farthest_reached)
        return f'a target reported as reached was {farthest} from the tip'
    return None


def watch(
    listener: Listener,
    tally: Tally,
    show: Show,
    children: Sequence[Child],
    stopping: Sequence[int],
    duration: float | None,
) -> str | None:
    """Show and count samples until it is time to stop, or another arm is wanted.

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
    first, name = None, listener.wanted
    latest, printed = time.monotonic(), -PAGE_PERIOD
    viewers = [child for child in children if child.name == 'ik2d_viewer']
    while not stopping and listener.wanted == name:
        listener.listen(0.05)
        now = time.monotonic()
        for sample in listener.matcher.samples():
            if first is None:
                # Count from here on: until now discovery was still in progress.
                first, listener.poses, listener.matcher.unmatched = now, 0, 0
            latest = now
            tally.add(sample)
            tally.elapsed = now - first
            show(sample, tally.elapsed)
        if failure := next(filter(None, (child.failure() for child in children)), None):
            return failure
        if first is not None and not listener.matcher.is_waiting:
            latest = now
        if now - latest > (START_PATIENCE if first is None else STALL_PATIENCE):
            logs = '\n'.join(f'{child.name}: {child.log or "no output"}' for child in children)
            return f'no answer to a target for {now - latest:.0f} s\n{logs}'
        if first is None:
            continue
        if duration is not None and now - first >= duration:
            return None
        for viewer in viewers if now - printed >= PAGE_PERIOD else ():
            if address := find_url(viewer.log):
                printed = now
                print(f'\n  Drag the target at {address} (Ctrl-C ends)\n', flush=True)
    return None


def summary(subject: Subject, tally: Tally, listener: Listener) -> str:
    """Summarise the statistics in a few lines."""
    tolerance = subject.configuration.settings.tolerance
    rows = [
        f'{printable(subject.file.name)}: {tally.total} targets answered in {tally.elapsed:.1f} s'
    ]
    if tally.elapsed:
        rates = [count / tally.elapsed for count in (tally.total, listener.poses)]
        rows.append('  per second: {:.1f} answers, {:.1f} joint_states'.format(*rates))

    def add(name: str, count: int, words: str) -> None:
        if count:
            rows.append(f'  {name:<14}{count:6}   {words}')

    for (is_reached, code), distances in sorted(tally.books.items(), reverse=True):
        words = f'{length(distances.smallest)} to {length(distances.largest)} from the target'
        if code == ON_THE_WAY[1]:
            words = f'at most {length(distances.largest)} from the target'
        if is_reached:
            words = f'|tip - target| at most {distances.largest:.1e} m (allowed: {tolerance:.0e} m)'
        add(code, distances.count, words if isfinite(distances.smallest) else '')
    lags = listener.lags
    mean = length(lags.total / max(1, lags.count))
    behind = f'tip on average {mean}, at most {length(lags.largest)} behind'
    add('measured', lags.count, f'{behind} the commanded one')
    add('not shown', listener.matcher.unmatched, 'target or pose not received')
    return '\n'.join(rows)


def single_arms() -> dict[str, Path]:
    """Return the shipped parameter files of one arm each, by name."""
    shipped = find_examples() | find_machines()
    return {name: path for name, path in shipped.items() if len(nodes_in(path)) <= 1}


def refusal(config: Path) -> str:
    """Return why the arm of a file cannot be shown; empty if it can."""
    try:
        load_configuration(config)
    except ConfigError as error:
        return str(error)
    return ''


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
