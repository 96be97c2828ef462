"""docs/solvers.md: its pictures can be drawn anew, and what it names exists."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from harness import PROGRAM_TIMEOUT, ROOT

DERIVATIONS = ROOT / 'docs' / 'solvers.md'


@pytest.fixture(scope='module')
def drawn_anew(tmp_path_factory):
    pytest.importorskip('matplotlib')
    folder = tmp_path_factory.mktemp('pictures')
    script = ROOT / 'scripts' / 'solver_pictures.py'
    subprocess.run(
        [sys.executable, script, folder], check=True, timeout=PROGRAM_TIMEOUT, capture_output=True
    )
    return {file.name for file in folder.iterdir()}


def test_the_pictures_of_the_derivations_can_be_drawn_anew(drawn_anew):
    shown = set(re.findall(r'\]\(images/([\w.]+)\)', DERIVATIONS.read_text(encoding='utf-8')))
    assert shown == drawn_anew
    assert all((DERIVATIONS.parent / 'images' / name).is_file() for name in shown)


def test_the_derivations_name_code_that_exists():
    text = DERIVATIONS.read_text(encoding='utf-8')
    sources = [*(ROOT / 'ik2d_ros' / 'kinematics').rglob('*.py'), *(ROOT / 'test').rglob('*.py')]
    code = '\n'.join(file.read_text(encoding='utf-8') for file in sources)
    named = set(re.findall(r'`([A-Za-z_]+\w*)`', text))
    assert len(named) > 20
    assert not {name for name in named if not re.search(rf'\b{name}\b', code)}
    files = set(re.findall(r'`((?:\w+/)*\w+\.py)`', text))
    known = {file.name for file in [*sources, *(ROOT / 'scripts').glob('*.py')]}
    assert {Path(file).name for file in files} <= known


def test_the_derivations_can_be_navigated():
    text = DERIVATIONS.read_text(encoding='utf-8')
    headings = re.findall(r'^#+ (.+)$', text, flags=re.MULTILINE)
    anchors = {re.sub(r'[^\w\- ]', '', heading.lower()).replace(' ', '-') for heading in headings}
    assert set(re.findall(r'\]\(#([^)]+)\)', text)) <= anchors
    for file in re.findall(r'\]\((?!#|https?:)([^)#]+)\)', text):
        assert (DERIVATIONS.parent / file).is_file(), file
