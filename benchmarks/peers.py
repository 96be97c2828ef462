"""The solvers of others: a virtual environment and a process for each.

The package needs none of them. The benchmark reports why a peer cannot be installed, and goes on
without it.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
VENVS = ROOT / '.venv'
CONSTRAINTS = ROOT / 'constraints' / 'bench.txt'
WORKER = Path(__file__).resolve().parent / 'worker.py'

# The packages for pip; the versions are in the constraints. All need NumPy 1, for which the C++ of
# roboticstoolbox and KDL was built, and which does not support Python 3.13.
REQUIREMENTS = {
    'ikpy': ('ikpy', 'numpy'),
    'tinyik': ('tinyik', 'numpy'),
    'roboticstoolbox': ('roboticstoolbox-python', 'numpy'),
    'kdl': ('numpy',),
}
PYTHONS = ('python3.12', 'python3.11', 'python3.10', sys.executable)
DEBIAN_PYTHON = '/usr/bin/python3'  # Debian's PyKDL is built for this one.


class MissingError(Exception):
    """A peer is not available here; the message says why."""


def set_up(peer: str) -> tuple[Path, Mapping[str, str]]:
    """Install a peer below ``.venv/``, unless it is there.

    Returns:
        Its Python, and the environment variables that it needs.

    Raises:
        MissingError: it cannot be installed.
    """
    venv = VENVS / f'bench-{peer}'
    python = venv / 'bin' / 'python'
    wanted = hashlib.sha256(f'{REQUIREMENTS[peer]}'.encode() + CONSTRAINTS.read_bytes()).hexdigest()
    ready = venv / '.ready'
    if not ready.is_file() or ready.read_text() != wanted:
        print(f'--- installing {peer} into {venv.relative_to(ROOT)}', file=sys.stderr, flush=True)
        shutil.rmtree(venv, ignore_errors=True)
        _run([_python_for(peer), '-m', 'venv', str(venv)], 'no virtual environment')
        pip = [str(python), '-m', 'pip', 'install', '-qq', '--only-binary', ':all:']
        _run([*pip, '-c', str(CONSTRAINTS), *REQUIREMENTS[peer]], 'pip could not install it')
        if peer == 'kdl':
            _unpack_kdl(venv / 'debian')
        ready.write_text(wanted)
    return python, _kdl_paths(venv / 'debian') if peer == 'kdl' else {}


def _python_for(peer: str) -> str:
    suits = '(3, 10) <= sys.version_info < (3, 13)'
    if peer == 'kdl':  # Built for Debian's own Python; another of the same version will do.
        asked = _asked([DEBIAN_PYTHON, '-c', 'import sys; print(tuple(sys.version_info[:2]))'])
        suits += f' and sys.version_info[:2] == {asked.stdout.strip() or None}'
    for python in (DEBIAN_PYTHON, *PYTHONS):
        found = shutil.which(python)
        question = f'import ensurepip, sys, venv; sys.exit(not ({suits}))'
        if found and _asked([found, '-c', question]).returncode == 0:
            return found
    raise MissingError(f'no Python with its venv module and {suits}')


def _asked(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _unpack_kdl(into: Path) -> None:
    """Unpack Debian's PyKDL instead of installing it, so that nobody has to be root."""
    if not shutil.which('apt-get') or not shutil.which('dpkg-deb'):
        raise MissingError('PyKDL comes from Debian or Ubuntu, and this is neither')
    into.mkdir(parents=True)
    asked = _asked(['apt-cache', 'depends', 'python3-pykdl'])
    library = next((word for word in asked.stdout.split() if 'orocos-kdl' in word), None)
    if library is None:
        raise MissingError('apt-cache knows no python3-pykdl; try apt-get update')
    _run(['apt-get', '-qq', 'download', 'python3-pykdl', library], 'no download', into)
    for package in sorted(into.glob('*.deb')):
        _run(['dpkg-deb', '-x', str(package), str(into)], 'could not be unpacked')


def _kdl_paths(unpacked: Path) -> dict[str, str]:
    libraries = ':'.join(
        str(found.parent) for found in unpacked.glob('usr/lib/*/liborocos-kdl.so.*')
    )
    modules = unpacked / 'usr/lib/python3/dist-packages'
    return {'PYTHONPATH': str(modules), 'LD_LIBRARY_PATH': libraries}


def _run(command: list[str], else_say: str, directory: Path | None = None) -> None:
    try:
        subprocess.run(
            command, check=True, cwd=directory, text=True, stderr=subprocess.PIPE, timeout=600
        )
    except (OSError, subprocess.TimeoutExpired) as failure:
        raise MissingError(f'{else_say}: {failure}') from failure
    except subprocess.CalledProcessError as failure:
        lines = [line for line in failure.stderr.splitlines() if 'ERROR' in line or 'E:' in line]
        raise MissingError(f'{else_say}: {(lines or ["no reason given"])[0][:120]}') from failure


def ask_worker(python: Path, variables: Mapping[str, str], request: object) -> Any:
    """Run a worker in a Python, and return its answer to a request.

    Raises:
        MissingError: it failed; the message says how.
    """
    mixing = ('PYTHONPATH', 'PYTHONHOME', 'LD_LIBRARY_PATH')
    environment = {name: value for name, value in os.environ.items() if name not in mixing}
    # One thread, so that its processor time is all of it.
    single = {f'{library}_NUM_THREADS': '1' for library in ('OMP', 'OPENBLAS', 'MKL')}
    done = subprocess.run(
        [str(python), str(WORKER)],
        input=json.dumps(request),
        env={**environment, **single, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise MissingError((done.stderr.splitlines() or ['no reason given'])[-1])
    return json.loads(done.stdout)
