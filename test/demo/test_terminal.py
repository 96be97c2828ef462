"""The lines in the terminal while an arm is shown."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys

import pytest
from harness import PROGRAM_TIMEOUT
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ik2d_ros.demo import terminal
from ik2d_ros.pilot.outcome import Level
from ik2d_ros.pilot.report import Report


class Output(io.StringIO):
    def __init__(self, is_terminal):
        super().__init__()
        self.isatty = lambda: is_terminal


codes = st.lists(st.sampled_from(['REACHED', 'TOO_FAR']), min_size=1)


@given(codes, *[st.booleans()] * 3)
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_address_stays_in_a_terminal(monkeypatch, answers, is_terminal, has_display, opens):
    output, opened = Output(is_terminal), []
    monkeypatch.setattr(sys, 'stdout', output)
    monkeypatch.setattr(terminal.webbrowser, 'open', opened.append)
    monkeypatch.delenv('WAYLAND_DISPLAY', raising=False)
    monkeypatch.delenv('DISPLAY', raising=False)
    if has_display:
        monkeypatch.setenv('DISPLAY', ':0')
    address, shown = 'http://127.0.0.1:8080', terminal.Terminal()
    shown.show_page(address, opens)
    head = output.getvalue()
    for code in answers:
        report = Report(code, Level.OK, True, 'because' * 50, target=(0.1, 0.2, 0.3))
        shown.show(report)
    told = output.getvalue()[len(head) :]
    shown.end()
    assert head.count(address) == 1
    assert opened == [address] * (opens and is_terminal and has_display)
    changes = [a for a, b in zip(answers, [None, *answers], strict=False) if a != b]
    assert re.findall('REACHED|TOO_FAR', told) == changes
    assert told.count('\n') == (0 if is_terminal else len(changes))
    assert max(map(len, told.split('\r'))) < 100 or not is_terminal


def test_the_page_is_opened_from_a_terminal_which_shows_one_line(tmp_path):
    pytest.importorskip('viser', reason='viser is not installed')
    browser, opened = tmp_path / 'browser', tmp_path / 'opened'
    browser.write_text(f'#!/bin/sh\necho "$1" >> {opened}\n')
    browser.chmod(0o700)
    main, screen = pty.openpty()
    view = [sys.executable, '-m', 'ik2d_ros.cli', 'view', '--port', '0', '--duration', '0.5']
    display = {'DISPLAY': ':0', 'BROWSER': f'{browser} %s'}
    subprocess.run(
        view,
        **dict.fromkeys(('stdin', 'stdout', 'stderr'), screen),
        env={**os.environ, **display},
        timeout=PROGRAM_TIMEOUT,
        check=True,
    )
    told = os.read(main, 65536).decode()
    [address] = re.findall(r'http://\S+', told)
    line = told.partition('ends)\r\n\r\n')[2]
    assert line.count('\n') == 1  # at its end
    assert '\r' in line
    assert 'REACHED' in line
    assert opened.read_text().split() == [address]
