"""The kernel is loaded as it was asked for: compiled, or as plain Python."""

from __future__ import annotations

import importlib
import os
import shutil
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest
from harness import ROOT

HEADERS = sorted((ROOT / 'ik2d_ros/kinematics/kernel').glob('*.pxd'))


@pytest.mark.parametrize('header', HEADERS, ids=lambda header: header.stem)
def test_the_kernel_is_loaded_as_it_was_asked_for(header: Path) -> None:
    loaded = importlib.import_module(f'ik2d_ros.kinematics.kernel.{header.stem}').__file__
    assert loaded
    if os.environ.get('IK2D_UNCOMPILED'):
        assert Path(loaded).name == f'{header.stem}.py'
        return
    pytest.importorskip('Cython', minversion='3.0.8', reason='Cython 3 is not installed')
    if not shutil.which('cc'):
        pytest.skip('there is no C compiler')
    assert Path(loaded).name == header.stem + EXTENSION_SUFFIXES[0]
    beside = (Path(loaded).with_name(header.stem + suffix) for suffix in ('.pxd', '.py'))
    edited = max(path.stat().st_mtime for path in beside)
    assert Path(loaded).stat().st_mtime >= edited, 'out of date: run make environments'
