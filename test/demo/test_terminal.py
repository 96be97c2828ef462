"""The lines in the terminal while an arm is shown."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys

import pytest
from harness import PROGRAM_TIMEOUT


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
