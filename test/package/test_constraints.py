"""The pins in constraints/: complete, each with hashes, and within the bounds of setup.py."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest
from harness import ROOT

CONSTRAINTS = ROOT / 'constraints'
DISTRIBUTIONS = sorted(path.stem for path in CONSTRAINTS.glob('ros/*.txt'))
PYTHONS = ('3.10', '3.11', '3.12', '3.13', '3.14')
WITHOUT_HASHES = CONSTRAINTS / 'bench.txt'  # solvers to compare with, in no other environment

# The files that `make demo` and `make test` install, and the extras of the package.
DEMO = (('package', 'ros/{}', 'viewer'), ('ros', 'viewer'))
TEST = (
    ('package', 'ros/{}', 'viewer', 'urdf', 'motion', 'sim', 'test'),
    ('ros', 'viewer', 'plot', 'urdf', 'motion', 'sim', 'test'),
)


def pins(file: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the pins of a file, each a requirement and its hashes."""
    for line in (CONSTRAINTS / file).read_text().replace('\\\n', ' ').splitlines():
        if line and not line.startswith('#'):
            requirement, *options = line.split(' --hash=')
            yield requirement.strip(), [option.strip() for option in options]


def required(extras: tuple[str, ...]) -> list[str]:
    """Return the requirements of the package with some extras, and of its build."""
    (call,) = (
        node
        for node in ast.walk(ast.parse((ROOT / 'setup.py').read_text()))
        if isinstance(node, ast.Call) and getattr(node.func, 'id', '') == 'setup'
    )
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    by_extra = ast.literal_eval(given['extras_require'])
    build = re.search(r'(?m)^requires = (\[.*\])$', (ROOT / 'pyproject.toml').read_text())
    return [
        *ast.literal_eval(given['install_requires']),
        *(requirement for extra in extras for requirement in by_extra[extra]),
        *ast.literal_eval(build[1]),
    ]


@pytest.mark.parametrize('file', sorted({*CONSTRAINTS.rglob('*.txt')} - {WITHOUT_HASHES}))
def test_every_pin_is_exact_and_has_hashes(file: str) -> None:
    found = [*pins(file)]
    assert found
    marker = r' ; python_version [<>=]+ "3\.\d+"'
    for requirement, hashes in found:
        assert re.fullmatch(rf'[a-z0-9-]+==[\w.+!]+({marker})?', requirement)
        assert hashes, f'{requirement} has no hash'
        assert len(hashes) == len(set(hashes))
        assert all(re.fullmatch('sha256:[0-9a-f]{64}', value) for value in hashes), requirement


@pytest.mark.parametrize('target', [DEMO, TEST], ids=['demo', 'test'])
@pytest.mark.parametrize('distribution', DISTRIBUTIONS)
@pytest.mark.parametrize('python', PYTHONS)
def test_every_requirement_is_pinned_within_its_bounds(
    target: tuple[tuple[str, ...], tuple[str, ...]], distribution: str, python: str
) -> None:
    requirements = pytest.importorskip('packaging.requirements', reason='packaging is missing')
    from packaging.utils import canonicalize_name

    files, extras = target
    environment = {'python_version': python, 'python_full_version': f'{python}.0'}
    versions: dict[str, str] = {}
    for file in files:
        for text, _ in pins(f'{file.format(distribution)}.txt'):
            pin = requirements.Requirement(text)
            if pin.marker is None or pin.marker.evaluate(environment):
                (exact,) = pin.specifier
                assert versions.setdefault(pin.name, exact.version) == exact.version, pin.name
    for text in required(extras):
        wanted = requirements.Requirement(text)
        name = canonicalize_name(wanted.name)
        assert name in versions, f'{name} is not pinned for Python {python}'
        assert wanted.specifier.contains(versions[name]), f'{text}, but pinned to {versions[name]}'
