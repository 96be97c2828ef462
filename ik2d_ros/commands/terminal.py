"""The lines in the terminal while an arm is shown; no ROS imports."""

from __future__ import annotations

import os
import shutil
import sys
import time
import webbrowser

from ik2d_ros.pilot.outcome import Code
from ik2d_ros.pilot.report import Report

LINE_PERIOD = 0.7  # s between two lines, unless the code changes
RENEWAL = 0.1  # s between two states of the line that renews itself
START, END = '\r', '\x1b[K'  # of such a line


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
