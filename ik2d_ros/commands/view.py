"""Move an arm on a page in the browser, without ROS.

The page is that of ik2d_viewer, for an arm in this process: drag the target, draw a path, move the
joints. The arm follows a path until you do. The list on the page has all shipped files of one arm;
of several, such as legs, --node chooses. It ends on Ctrl-C.

Examples:
  ik2d view so101
  ik2d view my_arm.yaml
"""

from __future__ import annotations

import argparse
import math
import signal
import threading
import time

from ik2d_ros.commands.arguments import add, add_node, load, positive
from ik2d_ros.commands.output import complain
from ik2d_ros.commands.terminal import Terminal
from ik2d_ros.pilot.clock import Now
from ik2d_ros.viewer.parameters import PARAMETERS, ViewerSettings

DEFAULT = 'two_bone'
PORT = 8080


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``ik2d view``: an arm, and for how long it is shown where."""
    words = f'ROS parameter file, or the name of a shipped one (default: {DEFAULT})'
    parser.add_argument('config', metavar='CONFIG', nargs='?', default=DEFAULT, help=words)
    add_node(parser)
    parser.set_defaults(overrides=())
    words = 'end after S seconds (default: on Ctrl-C)'
    add(parser, '--duration', 'S', positive('seconds'), words)
    words = f'port of the page on this machine; if taken, the next free one (default: {PORT})'
    add(parser, '--port', 'N', int, words, PORT)
    words = 'do not open a browser, even where there is a display'
    parser.add_argument('--no-browser', action='store_true', help=words)


def run(arguments: argparse.Namespace) -> int:
    """Show an arm that moves as the page asks, for a duration or until a signal."""
    path, parameters, _ = load(arguments)
    port = PARAMETERS['port'].checked(arguments.port, '--port')
    # Slow to import.
    from ik2d_ros.viewer.local import PERIOD, LocalArm  # noqa: PLC0415
    from ik2d_ros.viewer.page import Front  # noqa: PLC0415

    wake, stopping, terminal = threading.Event(), threading.Event(), Terminal()
    front = Front(ViewerSettings(port=port), path.stem, wake.set, complain, can_design=True)
    try:
        arm = LocalArm(
            path, arguments.node, parameters, front.controller, terminal.show, Now.here()
        )
        # Until now a signal ends the process at once.
        for number in {'SIGINT', 'SIGTERM', 'SIGHUP'} & {*signal.__dict__}:
            if signal.getsignal(getattr(signal, number)) is not signal.SIG_IGN:  # as nohup does
                signal.signal(getattr(signal, number), lambda *_: stopping.set())
        terminal.show_page(front.page.address, opens=not arguments.no_browser)
        begun = due = time.monotonic()
        while not stopping.is_set() and due - begun < (arguments.duration or math.inf):
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
    return 0
