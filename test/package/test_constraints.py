"""The pins in constraints/: complete, each with hashes, and within the bounds of setup.py."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

import pytest
from harness import ROOT

CONSTRAINTS = ROOT / 'constraints'
DISTRIBUTIONS = tuple(sorted(path.stem for path in CONSTRAINTS.glob('ros/*.txt')))
PYTHONS = ('3.10', '3.11', '3.12', '3.13', '3.14')
WITHOUT_HASHES = {'bench.txt'}  # the benchmarks' peers, which neither make test nor make demo has

LOCKED = sorted(
    {str(path.relative_to(CONSTRAINTS)) for path in CONSTRAINTS.rglob('*.txt')} - WITHOUT_HASHES
)

# What the files hold, by the targets of the Makefile: pins and extras of the package.
FILES = {
    'bench': (('package.txt',), ()),
    'demo': (('package.txt', 'ros/{}.txt', 'viewer.txt'), ('ros', 'viewer')),
    'test': (
        (
            'package.txt',
            'ros/{}.txt',
            'viewer.txt',
            'urdf.txt',
            'motion.txt',
            'sim.txt',
            'test.txt',
        ),
        ('ros', 'viewer', 'plot', 'urdf', 'motion', 'sim', 'test'),
    ),
}


@pytest.fixture
def packaging() -> Any:
    """The library for versions, markers and requirements; skips where it is not installed."""
    pytest.importorskip('packaging.requirements', reason='packaging is not installed')
    import packaging

    return packaging


def pins(file: str) -> Iterator[tuple[str, list[str]]]:
    """The pins of a file, each a requirement and its hashes."""
    text = (CONSTRAINTS / file).read_text().replace('\\\n', ' ')
    for line in text.splitlines():
        if line and not line.startswith('#'):
            requirement, *options = line.split(' --hash=')
            yield requirement.strip(), [option.strip() for option in options]


def setup_requirements(extras: tuple[str, ...]) -> list[str]:
    """What setup.py asks for, with the given extras, and what builds it."""
    tree = ast.parse((ROOT / 'setup.py').read_text())
    call = next(
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, 'id', '') == 'setup'
    )
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    by_extra = ast.literal_eval(given['extras_require'])
    return [
        *ast.literal_eval(given['install_requires']),
        *(requirement for extra in extras for requirement in by_extra[extra]),
        *re.search(r'(?m)^requires = \["(.*)"\]$', (ROOT / 'pyproject.toml').read_text())[1].split(
            '", "'
        ),
    ]


@pytest.mark.parametrize('file', LOCKED)
def test_every_pin_is_exact_and_has_hashes(file: str) -> None:
    found = [*pins(file)]
    assert found
    for requirement, hashes in found:
        assert re.fullmatch(
            r'[a-z0-9-]+==[\w.+!]+( ; python_version [<>=]+ "3\.\d+")?', requirement
        )
        assert hashes, f'{requirement} has no hash'
        assert len(hashes) == len(set(hashes))
        for value in hashes:
            assert re.fullmatch('sha256:[0-9a-f]{64}', value), requirement


@pytest.mark.parametrize('target', FILES)
@pytest.mark.parametrize('distribution', DISTRIBUTIONS)
@pytest.mark.parametrize('python', PYTHONS)
def test_what_the_package_asks_for_is_pinned_within_its_bounds(
    packaging: Any, target: str, distribution: str, python: str
) -> None:
    files, extras = FILES[target]
    environment = {'python_version': python, 'python_full_version': f'{python}.0'}
    versions: dict[str, str] = {}
    for file in files:
        for text, _ in pins(file.format(distribution)):
            pin = packaging.requirements.Requirement(text)
            if pin.marker is None or pin.marker.evaluate(environment):
                (exact,) = pin.specifier
                assert versions.setdefault(pin.name, exact.version) == exact.version, pin.name
    for text in setup_requirements(extras):
        wanted = packaging.requirements.Requirement(text)
        name = packaging.utils.canonicalize_name(wanted.name)
        assert name in versions, f'{name} is not pinned for Python {python}'
        assert wanted.specifier.contains(versions[name]), f'{text}, but pinned to {versions[name]}'
