"""Writes the hashes of every pinned version into the files in constraints/, from the index of pip.

    make lock

Run it after a change of the pins. It needs nothing but pip. A hash is written for every wheel that
fits Linux on x86-64 and one of the Pythons; what has no such wheel has that of its source archive.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# pip has no public way to ask for a file's hash without downloading it; all of this has been in
# every pip from 23.0 on, and nothing but this script depends on it.
from pip._internal.commands import create_command
from pip._internal.index.collector import LinkCollector, parse_links
from pip._vendor.packaging.markers import Marker
from pip._vendor.packaging.tags import Tag, compatible_tags, cpython_tags
from pip._vendor.packaging.utils import parse_sdist_filename, parse_wheel_filename
from pip._vendor.packaging.version import Version

CONSTRAINTS = Path(__file__).resolve().parent.parent / 'constraints'
LOCKED = sorted({*CONSTRAINTS.rglob('*.txt')} - {CONSTRAINTS / 'bench.txt'})

PYTHONS = [(3, minor) for minor in range(10, 15)]
PLATFORMS = [
    *(f'manylinux_2_{minor}_x86_64' for minor in range(5, 51)),
    *(f'manylinux{name}_x86_64' for name in ('1', '2010', '2014')),
    'linux_x86_64',
]

PIN = re.compile(r'(?P<name>[\w.-]+)==(?P<version>[^\s;\\]+)( *; *(?P<marker>[^\\]+?))? *\\?')
HASH = re.compile(r' +--hash=sha256:[0-9a-f]{64}( \\)?')


class Index:
    """The files that pip would see, by its own configuration."""

    def __init__(self) -> None:
        command: Any = create_command('download')
        options, _ = command.parse_args([])
        options.extra_index_urls, options.find_links = [], []  # others' copies
        self._collector = LinkCollector.create(command._build_session(options), options)

    def files(self, name: str) -> Iterator[Any]:
        """Return the links of all files of a package."""
        sources = self._collector.collect_sources(name, candidates_from_page=lambda _: [])
        for source in sources.index_urls:
            page = source and self._collector.fetch_response(source.link)
            yield from parse_links(page) if page else ()


def suitable_tags(marker: str | None) -> set[Tag]:
    """Return the tags of wheels for every Python that a pin is for."""
    tags: set[Tag] = set()
    for version in PYTHONS:
        python = '.'.join(map(str, version))
        environment = {'python_version': python, 'python_full_version': f'{python}.0'}
        if marker is None or Marker(marker).evaluate(environment):
            interpreter = f'cp{version[0]}{version[1]}'
            tags |= {*cpython_tags(version, platforms=PLATFORMS)}
            tags |= {*compatible_tags(version, interpreter, PLATFORMS)}
    return tags


def hashes(files: list[Any], version: Version, tags: set[Tag]) -> list[str]:
    """Return the hashes of the wheels of a version that fit, or else of its source archive."""
    wheels, sources = set(), set()
    for link in files:
        # Names of long ago follow no rules, and are never pinned.
        with contextlib.suppress(ValueError):
            if not link.is_wheel:
                if parse_sdist_filename(link.filename)[1] == version:
                    sources.add(sha256(link))
                continue
            _, found, _, provided = parse_wheel_filename(link.filename)
            if found == version and provided & tags:
                wheels.add(sha256(link))
    return sorted(wheels or sources)


def sha256(link: Any) -> str:
    if link.hash_name != 'sha256':
        raise SystemExit(f'the index gives no SHA-256 for {link.filename}')
    return str(link.hash)


def locked(text: str, index: Index) -> Iterator[str]:
    """Yield the lines of a file with updated hashes."""
    for line in text.splitlines():
        if HASH.fullmatch(line):
            continue
        pin = PIN.fullmatch(line)
        if not pin:
            if line and not line.startswith('#'):
                raise SystemExit(f'neither a pin nor a comment: {line}')
            yield line
            continue
        name, version, marker = pin['name'], pin['version'], pin['marker']
        found = hashes([*index.files(name)], Version(version), suitable_tags(marker))
        if not found:
            raise SystemExit(f'there is no file for {name} {version}')
        yield ' \\\n'.join(
            [
                f'{name}=={version}' + (f' ; {marker}' if marker else ''),
                *(f'    --hash=sha256:{value}' for value in found),
            ]
        )


def main() -> None:
    index = Index()
    for file in LOCKED:
        file.write_text(''.join(f'{line}\n' for line in locked(file.read_text(), index)))
        print(f'{file.name}: {file.read_text().count("--hash")} hashes')


if __name__ == '__main__':
    main()
