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
import os
import shutil
import signal
import sys
import threading
import time
import webbrowser

from ik2d_ros.commands.arguments import add, add_node, load, positive
from ik2d_ros.commands.output import complain
from ik2d_ros.pilot.clock import Now
from ik2d_ros.pilot.outcome import Code, Report
from ik2d_ros.viewer.parameters import PARAMETERS, ViewerSettings

DEFAULT = 'two_bone'
PORT = 8080
LINE_PERIOD = 0.7  # s between two lines, unless the code changes
RENEWAL = 0.1  # s between two states of the line that renews itself
START, END = '\r', '\x1b[K'  # of such a line


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


class Terminal:
    """Prints the statuses of an arm.

    In a terminal, below the address of a page, one line renews itself: the address stays in sight.
    Elsewhere lines follow each other.

    Attributes:
        began: when the first answer of the arm came, in s of the monotonic clock; None before.
    """

    def __init__(self) -> None:
        """Start without a page."""
        self.began: float | None = None
        self._renews = False
        self._code, self._printed = '', 0.0

    def show_page(self, address: str, opens: bool) -> None:
        """Print the address of a page, and open it if that is wanted and a person can see it."""
        self._renews = sys.stdout.isatty()
        print(f'\n  Drag the target at {address} (Ctrl-C ends)\n', flush=True)
        has_display = bool({'DISPLAY', 'WAYLAND_DISPLAY'} & os.environ.keys())
        if opens and self._renews and (has_display or sys.platform in ('darwin', 'win32')):
            webbrowser.open(address)

    def show(self, report: Report) -> None:
        """Print the status of a target."""
        if report.code == Code.READY.name:
            return
        now, code = time.monotonic(), report.code
        self.began = self.began or now
        if code == self._code and now - self._printed < (RENEWAL if self._renews else LINE_PERIOD):
            return
        self._code, self._printed = code, now
        place = ' '.join(f'{round(part, 3) + 0.0:6.3f}' for part in report.target)
        line = f'{now - self.began:7.1f} s  {code:<13} target {place} m  {report.message}'
        if self._renews:
            line = f'{START}{line[: shutil.get_terminal_size().columns - 1]}{END}'
        print(line, end='' if self._renews else '\n', flush=True)

    def end(self) -> None:
        """End a line that renews itself."""
        if self._renews:
            print()
