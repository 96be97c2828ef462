"""The package as it is shipped: declared, built by pip and by colcon, and run from there."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest
from harness import ROOT, copy_sources, run_program, without
from test_layout import imports

KERNEL = 'ik2d_ros/kinematics/kernel'

# Where the key of a dependency is not the name of the module.
ROSDEP_KEYS = {
    'defusedxml': 'python3-defusedxml',
    'matplotlib': 'python3-matplotlib',
    'numpy': 'python3-numpy',
    'scipy': 'python3-scipy',
    'tf2_ros': 'tf2_ros_py',
    'yaml': 'python3-yaml',
}
# Installed by pip only: they have no rosdep key, and a message names them if they are missing.
# Two come with viser, and Cython is not needed at run time.
WITHOUT_ROSDEP_KEY = {
    *('viser', 'msgspec', 'websockets', 'ruckig', 'mujoco', 'cython'),
}

ONLY_FOR_TESTS = {'pinocchio', 'coal', 'playwright', 'catkin_pkg', 'colcon_ros'}

EXECUTABLES = {'ik2d', 'ik2d_node', 'ik2d_sim', 'ik2d_target', 'ik2d_teleop', 'ik2d_viewer'}


def run(*command: str | Path, env: dict[str, str] | None = None, cwd: Path = ROOT) -> str:
    """Run a command to its end and give its standard output; the test fails if it does."""
    done = run_program(*command, env=env, cwd=cwd, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, f'{command} failed:\n{done.stdout}\n{done.stderr}'
    return done.stdout


def files_below(folder: Path) -> set[str]:
    """The names of the files below a folder, as seen from there."""
    files = {str(path.relative_to(folder)) for path in folder.rglob('*') if path.is_file()}
    return {name for name in files if '__pycache__' not in name}


def assert_is_shared(share: Path) -> None:
    """All data files are below the folder ``share`` of an installation, and nothing else is."""
    assert (share / 'ament_index/resource_index/packages/ik2d_ros').is_file()
    for folder in ('config', 'launch'):
        assert files_below(share / 'ik2d_ros' / folder) == files_below(ROOT / folder)


@pytest.fixture(scope='module')
def manifest() -> Any:
    """The package.xml, parsed and validated as the ROS build tools do."""
    catkin_pkg = pytest.importorskip('catkin_pkg.package', reason='catkin_pkg is not installed')
    warnings: list[str] = []
    package = catkin_pkg.parse_package(str(ROOT), warnings=warnings)
    package.validate(warnings=warnings)
    assert not warnings
    return package


def test_every_import_is_declared_in_package_xml(manifest: Any) -> None:
    imported = {
        module: path
        for folder in ('ik2d_ros', 'launch')
        for path in (ROOT / folder).rglob('*.py')
        for module in (name.partition('.')[0] for name in imports(path))
        if module not in {*sys.stdlib_module_names, *WITHOUT_ROSDEP_KEY, 'ik2d_ros'}
    }
    assert {'numpy', 'rclpy'} <= imported.keys()
    declared = {dependency.name for dependency in manifest.exec_depends}
    undeclared = {name for name in imported if ROSDEP_KEYS.get(name, name) not in declared}
    assert not undeclared, {name: imported[name] for name in undeclared}


FOR_THE_DEMO = {'robot_state_publisher', 'rviz2', 'rviz_common', 'rviz_default_plugins'}


@pytest.mark.parametrize(('asked', 'expected'), [({}, set()), ({'IK2D_DEMO': '1'}, FOR_THE_DEMO)])
def test_a_robot_does_without_what_only_the_demo_needs(
    manifest: Any, asked: dict[str, str], expected: set[str]
) -> None:
    """As bloom evaluates it for a release, and rosdep where it was asked for the demo."""
    manifest.evaluate_conditions({'ROS_VERSION': '2', 'ROS_DISTRO': 'jazzy', **asked})
    used = {
        dependency.name for dependency in manifest.exec_depends if dependency.evaluated_condition
    }
    assert used & FOR_THE_DEMO == expected
    assert {'rclpy', 'launch_ros', 'tf2_ros_py'} <= used
    assert 'tf2_ros' not in used  # the C++ part


def test_all_tests_are_collected_with_what_has_a_rosdep_key() -> None:
    hidden = without(' '.join(WITHOUT_ROSDEP_KEY | ONLY_FOR_TESTS))
    done = run_program(
        *(sys.executable, '-m', 'pytest', '--collect-only', '-qq', ROOT / 'test'),
        env={**os.environ, **hidden},
    )
    assert done.returncode == 0, done.stdout


def test_the_versions_agree(manifest: Any) -> None:
    for file in ('setup.py', 'ik2d_ros/__init__.py', 'CITATION.cff'):
        written = r"^ *(?:__)?version(?:__ = |=|: )'?([\d.]+)"
        (version,) = re.findall(written, (ROOT / file).read_text(), re.MULTILINE)
        assert version == manifest.version


@pytest.fixture(scope='module')
def foreign_environment() -> dict[str, str]:
    """The environment for another Python than this one: no trace of this one's ROS libraries."""
    # The ROS wheels start the interpreter anew with the first two set, and children inherit them.
    ours = {'_ROS_WHEELS_BOOTSTRAP_COMPLETE', 'LD_LIBRARY_PATH'}
    ours |= {'AMENT_PREFIX_PATH', 'PYTHONPATH', 'VIRTUAL_ENV'}
    return {name: value for name, value in os.environ.items() if name not in ours}


def test_an_old_cython_does_not_compile_the_kernel(
    tmp_path: Path, foreign_environment: dict[str, str]
) -> None:
    (tmp_path / 'Cython').mkdir()
    (tmp_path / 'Cython/__init__.py').write_text("__version__ = '0.29.37'")
    (tmp_path / 'Cython/Build.py').write_text('cythonize = None')
    said = run(
        *(sys.executable, 'setup.py', '--name', '--version', '-q', 'build_ext', '--dry-run'),
        env={**foreign_environment, 'PYTHONPATH': str(tmp_path)},
    )
    assert said == 'ik2d_ros\n0.1.0\n', 'colcon reads what it prints'


@pytest.mark.slow
def test_pip_installs_the_command_and_its_arms_without_ros_and_compiler(
    tmp_path: Path, foreign_environment: dict[str, str]
) -> None:
    environment = {**foreign_environment, 'CC': 'false'}
    python = tmp_path / 'venv/bin/python'
    run(sys.executable, '-m', 'venv', '--without-pip', tmp_path / 'venv', env=foreign_environment)
    (site,) = tmp_path.glob('venv/lib/*/site-packages')
    for name in ('numpy', 'PyYAML', 'setuptools', 'Cython'):
        installed = distribution(name)
        for top in {file.parts[0] for file in installed.files or ()} - {'..'}:
            (site / top).symlink_to(installed.locate_file(top))

    sources = copy_sources(tmp_path / 'sources')
    # They were translated by another environment, perhaps before Cython came here.
    for translated in sources.rglob('*.c'):
        translated.touch()

    def run_here(*command: str | Path) -> str:
        return run(*command, env=environment, cwd=tmp_path)

    run_here(
        *(sys.executable, '-m', 'pip', '--python', python, 'install', '--quiet', '--no-compile'),
        *('--no-index', '--no-build-isolation', sources),
    )
    ik2d = tmp_path / 'venv/bin/ik2d'
    answer = json.loads(run_here(ik2d, 'solve', 'two_bone', '0.3', '0.2', '--json'))
    assert answer['code'] == 'REACHED'
    assert Path(answer['config']).parts[-4:] == ('share', 'ik2d_ros', 'config', 'two_bone.yaml')
    assert str(ROOT) not in answer['config']
    assert_is_shared(tmp_path / 'venv/share')
    assert (site / 'ik2d_ros/py.typed').is_file()
    assert (site / KERNEL / 'solver.py').is_file()
    assert not [*site.glob(f'ik2d_ros/**/*{EXTENSION_SUFFIXES[0]}')]


@pytest.mark.slow
def test_colcon_installs_data_files_kernel_and_executables(colcon_prefix: Path) -> None:
    share = colcon_prefix / 'share'
    assert_is_shared(share)
    assert (share / 'ik2d_ros/package.xml').read_text() == (ROOT / 'package.xml').read_text()
    if shutil.which('cc'):
        built = {path.name for path in colcon_prefix.rglob(f'*{EXTENSION_SUFFIXES[0]}')}
        headers = (ROOT / KERNEL).glob('*.pxd')
        assert {f'{header.stem}{EXTENSION_SUFFIXES[0]}' for header in headers} <= built
    # Where `ros2 run` looks:
    executables = [*(colcon_prefix / 'lib/ik2d_ros').iterdir()]
    assert {path.name for path in executables if os.access(path, os.X_OK)} >= EXECUTABLES
