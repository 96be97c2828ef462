"""The list of licences: every installed package, and what it says of itself."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import distributions

from harness import PROGRAM_TIMEOUT, ROOT


def test_every_package_is_listed_with_its_version_and_a_licence() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / 'scripts/licences.py'],
        capture_output=True,
        text=True,
        timeout=PROGRAM_TIMEOUT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    head, *lines = done.stdout.splitlines()
    assert head.split() == ['package', 'version', 'licence']
    rows = [re.split(r'  +', line, maxsplit=2) for line in lines]
    assert all(len(row) == 3 and row[2].strip() for row in rows)
    installed = {(found.metadata['Name'].lower(), found.version) for found in distributions()}
    assert {(name, version) for name, version, _ in rows} == installed
