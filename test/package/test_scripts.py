"""The scripts behind `make`: each finds what it imports."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from harness import PROGRAM_TIMEOUT, ROOT

SCRIPTS = sorted((ROOT / 'scripts').glob('*.py'))


@pytest.mark.parametrize('script', SCRIPTS, ids=lambda script: script.stem)
def test_a_script_finds_what_it_imports(script: Path) -> None:
    """Without what pytest adds to the path."""
    if script.stem in ('arm_picture', 'screenshots'):
        pytest.importorskip('matplotlib')  # the pictures' extra, with Pillow
    environment = {name: value for name, value in os.environ.items() if name != 'PYTHONPATH'}
    done = subprocess.run(
        [sys.executable, '-c', f'import runpy; runpy.run_path({str(script)!r})'],
        env={**environment, 'PYTHONPATH': str(ROOT)},
        capture_output=True,
        text=True,
        timeout=PROGRAM_TIMEOUT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
