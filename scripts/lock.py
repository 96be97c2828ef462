"""Writes the hashes of the pinned versions, as pip reports them, into the files in constraints/.

    make lock

Run it after a change of the pins. It needs nothing but pip, and takes some minutes. A pin gets the
hash of each file that pip chooses on Linux on x86-64 for one of the Pythons and C libraries below.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CONSTRAINTS = Path(__file__).resolve().parent.parent / 'constraints'
LOCKED = sorted({*CONSTRAINTS.rglob('*.txt')} - {CONSTRAINTS / 'bench.txt'})

PYTHONS = range(10, 15)  # 3.10 to 3.14
LIBRARIES = (28, 35, 42)  # glibc 2.28 to 2.42
OLD_NAMES = ('manylinux2014', 'manylinux2010', 'manylinux1', 'linux')

PIN = re.compile(
    r'(?P<pin>(?P<name>[\w.-]+)==[^\s;\\]+)'
    r'(?: *; *python_version *(?P<sign><|>=) *"3\.(?P<minor>\d+)")? *\\?'
)
HASH = re.compile(r' +--hash=sha256:[0-9a-f]{64}(?: \\)?')

# Only the index itself: other sources may have builds of their own.
ENVIRONMENT = {
    **{
        name: value
        for name, value in os.environ.items()
        if name not in ('PIP_FIND_LINKS', 'PIP_EXTRA_INDEX_URL')
    },
    'PIP_CONFIG_FILE': os.devnull,
}


def is_for(pin: re.Match[str], python: int) -> bool:
    """Return whether a pin is for Python 3.``python``."""
    if pin['sign'] is None:
        return True
    return (python < int(pin['minor'])) == (pin['sign'] == '<')


def chosen(pins: list[str], python: int, library: int) -> dict[str, str]:
    """Return the hash of the file that pip chooses for each of some pins, by pin."""
    platforms = [f'manylinux_2_{minor}' for minor in range(library, 4, -1)]
    command = ['install', '--quiet', '--dry-run', '--ignore-installed', '--no-deps', '--report=-']
    command += ['--ignore-requires-python']  # that of this Python
    command += [f'--python-version=3.{python}', '--target=build/never_made']
    command += [f'--platform={platform}_x86_64' for platform in (*platforms, *OLD_NAMES)]
    done = subprocess.run(
        [sys.executable, '-m', 'pip', '--disable-pip-version-check', *command, *pins],
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return {
        f'{named(item["metadata"]["name"])}=={item["metadata"]["version"]}': item['download_info'][
            'archive_info'
        ]['hashes']['sha256']
        for item in json.loads(done.stdout)['install']
    }


def named(name: str) -> str:
    """Return the normalised name of a package."""
    return re.sub(r'[-_.]+', '-', name).lower()


def locked(text: str) -> str:
    """Return the text of a file with updated hashes."""
    lines = [line for line in text.splitlines() if not HASH.fullmatch(line)]
    found = [PIN.fullmatch(line) for line in lines]
    hashes = defaultdict[str, set[str]](set)
    pins = {n: [pin['pin'] for pin in found if pin and is_for(pin, n)] for n in PYTHONS}
    with ThreadPoolExecutor(4) as pool:
        runs = (pool.submit(chosen, pins[n], n, library) for n in PYTHONS for library in LIBRARIES)
        for run in [*runs]:
            for pin, value in run.result().items():
                hashes[pin].add(value)
    result = []
    for line, pin in zip(lines, found, strict=True):
        if pin is None and line and not line.startswith('#'):
            raise SystemExit(f'neither a pin nor a comment: {line}')
        values = sorted(hashes[pin['pin']]) if pin else []
        if pin and not values:
            raise SystemExit(f'there is no file for {pin["pin"]}')
        result.append(
            ' \\\n'.join([line.rstrip(' \\'), *(f'    --hash=sha256:{value}' for value in values)])
        )
    return '\n'.join([*result, ''])


def main() -> None:
    for file in LOCKED:
        text = locked(file.read_text())
        file.write_text(text)
        print(f'{file.name}: {text.count("--hash")} hashes')


if __name__ == '__main__':
    main()
