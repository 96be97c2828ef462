"""The page and its arm in one process, without ROS."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Mapping

from ik2d_ros.demo.telling import Teller, stop_signals
from ik2d_ros.pilot.clock import Now
from ik2d_ros.viewer.front import Front
from ik2d_ros.viewer.local import PERIOD, LocalArm
from ik2d_ros.viewer.parameters import ViewerSettings


def run(
    name: str,
    parameters: Mapping[str, object],
    port: int,
    duration: float | None = None,
    opens: bool = True,
) -> None:
    """Show an arm that moves as the page asks, for a duration or until a signal.

    Args:
        name: of the arm.
        parameters: of its node.
        port: port of the page; 0 for any free one.
        duration: in s; None for no limit.
        opens: whether to open a browser, where there is one.

    Raises:
        ConfigError: a parameter is refused, no port is available, or viser is not installed.
    """
    wake = threading.Event()

    def complain(error: str) -> None:
        sys.stderr.write(f'{error}\n')

    with stop_signals() as stopping:
        front = Front(ViewerSettings(port=port), name, wake.set, complain, can_design=True)
        teller = Teller(front.page.port, opens)
        try:
            arm = LocalArm(name, parameters, front.controller, teller.hear, Now.here())
            teller.look()
            begun = due = time.monotonic()
            while not stopping and (duration is None or due - begun < duration):
                wake.wait(max(due - time.monotonic(), 0.0))
                wake.clear()
                front.answer(lambda command: arm.carry_out(command, Now.here()))
                if (now := time.monotonic()) >= due:
                    arm.tick(Now.here())
                    front.show()
                    due = max(due + PERIOD, now)
            teller.end()
        finally:
            front.page.close()
