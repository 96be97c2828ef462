"""Commands to suggest to the user that work in this environment; no ROS imports.

After ``pip install`` the programs are on the path. In a ROS workspace ``ros2 run`` finds them, and
pip may not install into the system's Python.
"""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from pathlib import Path

import numpy as np

PACKAGE = 'ik2d_ros'


def command(program: str) -> str:
    """Return the command that starts a program of this package.

    Args:
        program: its name, such as ``ik2d_node``.

    Returns:
        The name if it is on the path, else ``ros2 run ...`` if that finds it, else its path.
    """
    if shutil.which(program):
        return program
    for prefix in filter(None, os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep)):
        if Path(prefix, 'lib', PACKAGE, program).is_file():
            return f'ros2 run {PACKAGE} {program}'
    beside_python = Path(sys.executable).with_name(program)
    return str(beside_python) if beside_python.is_file() else program


def how_to_install(requirement: str, module: str) -> str:
    """Return instructions to install a Python package that has no ROS package.

    Args:
        requirement: requirement for pip.
        module: module that needs it, as after ``python -m``.
    """
    is_venv = sys.prefix != sys.base_prefix
    if is_venv or not Path(sysconfig.get_path('stdlib'), 'EXTERNALLY-MANAGED').is_file():
        return f'pip install {requirement}'
    # The ROS messages are built for this NumPy, and do not load with a later major version.
    limit = f"'numpy<{int(np.__version__.partition('.')[0]) + 1}'"
    return (
        "pip may not install into the system's Python here; use a virtual environment:\n"
        '  python3 -m venv --system-site-packages ~/ik2d_venv\n'
        f'  ~/ik2d_venv/bin/pip install {requirement} {limit}\n'
        f'  ~/ik2d_venv/bin/python -m {module}'
    )
