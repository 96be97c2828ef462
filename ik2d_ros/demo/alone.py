"""The page and its arm in one process, without ROS."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path

from ik2d_ros.demo.terminal import Terminal
from ik2d_ros.pilot.clock import Now
from ik2d_ros.viewer.front import Front
from ik2d_ros.viewer.local import PERIOD, LocalArm
from ik2d_ros.viewer.parameters import ViewerSettings


def run(
    path: Path,
    node: str,
    parameters: Mapping[str, object],
    port: int,
    duration: float | None,
    opens: bool,
) -> None:
    """Show an arm that moves as the page asks, for a duration or until a signal.

    Args:
        path: the parameter file of the arm.
        node: its node.
        parameters: those of it.
        port: port of the page; 0 for any free one.
        duration: in s; None for no limit.
        opens: whether to open a browser, where there is one.

    Raises:
        ConfigError: a parameter is refused, no port is available, or viser is not installed.
    """
    wake, stopping, terminal = threading.Event(), threading.Event(), Terminal()

    def complain(error: str) -> None:
        sys.stderr.write(f'{error}\n')

    front = Front(ViewerSettings(port=port), path.stem, wake.set, complain, can_design=True)
    try:
        arm = LocalArm(path, node, parameters, front.controller, terminal.show, Now.here())
        # Until now a signal ends the process at once.
        for number in {'SIGINT', 'SIGTERM', 'SIGHUP'} & {*signal.__dict__}:
            if signal.getsignal(getattr(signal, number)) is not signal.SIG_IGN:  # as nohup does
                signal.signal(getattr(signal, number), lambda *_: stopping.set())
        terminal.show_page(front.page.address, opens)
        begun = due = time.monotonic()
        while not stopping.is_set() and (duration is None or due - begun < duration):
            wake.wait(max(due - time.monotonic(), 0.0))
            wake.clear()
            front.answer(lambda command: arm.carry_out(command, Now.here()))
            if (now := time.monotonic()) >= due:
                arm.tick(Now.here())
                front.show()
                due = max(due + PERIOD, now)
        terminal.end()
    finally:
        front.page.close()
