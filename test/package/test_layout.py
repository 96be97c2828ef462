"""The layout that CONTRIBUTING describes: subpackages, and imports that go one way."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from harness import ROOT, run_program

PACKAGE = ROOT / 'ik2d_ros'
MODULES = [
    (path.relative_to(PACKAGE).parts[0].removesuffix('.py'), path)
    for path in sorted(PACKAGE.rglob('*.py'))
    if path != PACKAGE / '__init__.py'
]

# Each may import from itself and from earlier ones, in the order of CONTRIBUTING's table.
SUBPACKAGES = tuple(
    re.findall(
        r'^\| `(?:ik2d_ros/)?(\w+)(?:/|\.py)` \|',
        (ROOT / 'CONTRIBUTING.md').read_text(),
        flags=re.MULTILINE,
    )
)
# These work where no ROS is installed.
WITHOUT_ROS = {
    *('kinematics', 'parameters', 'arm', 'calibration', 'drawing', 'robot', 'motion', 'control'),
    *('planning', 'pilot', 'commands', 'cli'),
}
ROS = {
    *('action_msgs', 'ament_index_python', 'builtin_interfaces', 'diagnostic_msgs'),
    *('geometry_msgs', 'launch', 'launch_ros', 'nav_msgs', 'rcl_interfaces', 'rclpy'),
    *('rosgraph_msgs', 'sensor_msgs', 'std_msgs', 'std_srvs', 'tf2_ros', 'trajectory_msgs'),
    'visualization_msgs',
}
parsed = cache(lambda path: ast.parse(path.read_text(), path))


def imports(path: Path, everywhere: bool = True) -> Iterator[str]:
    """The full names of what a file imports, wherever in it that is or not inside of functions."""
    for node in ast.walk(parsed(path)) if everywhere else parsed(path).body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (f'{node.module}.{alias.name}' for alias in node.names)


def violations() -> list[str]:
    """The imports that the order forbids."""
    found = []
    for own, path in MODULES:
        allowed = SUBPACKAGES[: SUBPACKAGES.index(own) + 1]
        at_import = {*imports(path, everywhere=False)}
        for name in imports(path):
            top, *rest = name.split('.')
            if top == 'ik2d_ros' and rest[0] in SUBPACKAGES and rest[0] not in allowed:
                found.append(f'{path} imports {name}')
            # Inside of functions, and not those of the kinematics, it may.
            is_lazy = own != 'kinematics' and name not in at_import
            if top in ROS and own in WITHOUT_ROS and not is_lazy:
                found.append(f'{path} imports {name}, and ROS may not be there')
    return found


def test_every_module_is_in_a_subpackage_of_the_table() -> None:
    assert {own for own, _ in MODULES} == {*SUBPACKAGES}


def test_imports_go_one_way() -> None:
    assert violations() == []


@pytest.mark.parametrize('name', [name for name in SUBPACKAGES[1:] if (PACKAGE / name).is_dir()])
def test_importing_a_subpackage_imports_no_other(name: str) -> None:
    text = (PACKAGE / name / '__init__.py').read_text()
    assert all(isinstance(node, ast.Expr) for node in ast.parse(text).body)  # a docstring


def test_the_command_line_needs_no_ros_to_start() -> None:
    code = (
        f'import sys, ik2d_ros.cli, ik2d_ros.commands.parser\nprint(*{ROS!r} & sys.modules.keys())'
    )
    done = run_program(sys.executable, '-c', code, check=True, cwd=ROOT)
    assert done.stdout.split() == []
