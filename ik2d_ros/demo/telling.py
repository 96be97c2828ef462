"""What is told in the terminal while an arm is shown, and how that is stopped; no ROS imports."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import time
import webbrowser
from collections.abc import Iterator

from ik2d_ros.pilot.outcome import Code
from ik2d_ros.pilot.report import Report
from ik2d_ros.viewer.parameters import HOST, is_served, url

LINE_PERIOD = 0.7  # s between two lines, unless the code changes
RENEWAL = 0.1  # s between two states of the line that renews itself
START, END = '\r', '\x1b[K'  # of such a line


class Teller:
    """Tells where the page is, and what an arm answers.

    In a terminal beside a page, one line renews itself: the address stays in sight. Elsewhere lines
    follow each other.

    Attributes:
        began: when the first answer of the arm came, in s of the monotonic clock; None before.
    """

    def __init__(self, port: int | None, opens: bool) -> None:
        """Start with nothing to tell; open the page at a port if a person can see it."""
        self.began: float | None = None
        self._waits_for, self._opens = port, opens
        self._renews = False
        self._code, self._told = '', 0.0

    def look(self) -> None:
        """Tell where the page is, once it is there; call this now and then."""
        port = self._waits_for
        if port is None or not is_served(HOST, port):
            return
        self._waits_for, self._renews = None, sys.stdout.isatty()
        print(f'\n  Drag the target at {url(HOST, port)} (Ctrl-C ends)\n', flush=True)
        has_display = bool({'DISPLAY', 'WAYLAND_DISPLAY'} & os.environ.keys())
        if self._opens and self._renews and (has_display or sys.platform in ('darwin', 'win32')):
            webbrowser.open(url(HOST, port))

    def hear(self, report: Report) -> None:
        """Take the status of a target."""
        if report.code == Code.READY.name:
            return
        now, code = time.monotonic(), report.code
        self.began = self.began or now
        if code == self._code and now - self._told < (RENEWAL if self._renews else LINE_PERIOD):
            return
        self._code, self._told = code, now
        place = ' '.join(f'{part:6.3f}' for part in report.target)
        line = f'{now - self.began:7.1f} s  {code:<13} target {place} m  {report.message}'
        if self._renews:
            line = f'{START}{line[: shutil.get_terminal_size().columns - 1]}{END}'
        print(line, end='' if self._renews else '\n', flush=True)

    def end(self) -> None:
        """End a line that renews itself."""
        if self._renews:
            print()


@contextlib.contextmanager
def stop_signals() -> Iterator[list[int]]:
    """Collect the signals that are to end the process in a list, instead of being ended."""
    heard: list[int] = []
    with contextlib.ExitStack() as stack:
        numbers = [signal.SIGINT, signal.SIGTERM]
        if sys.platform != 'win32' and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            numbers.append(signal.SIGHUP)  # nohup ignores it
        for each in numbers:
            before = signal.signal(each, lambda number, _frame: heard.append(number))
            stack.callback(signal.signal, each, before)
        yield heard
