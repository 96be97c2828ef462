"""The pins in constraints/: complete, exact, and within the bounds of setup.py."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest
from harness import ROOT
from sources import setup_arguments

CONSTRAINTS = ROOT / 'constraints'
DISTRIBUTIONS = sorted(path.stem for path in CONSTRAINTS.glob('ros/*.txt'))
PYTHONS = ('3.10', '3.11', '3.12', '3.13', '3.14')

# The files that `make demo` and `make test` install, and the extras of the package.
DEMO = (('package', 'ros/{}', 'viewer'), ('ros', 'viewer'))
TEST = (
    ('package', 'ros/{}', 'viewer', 'urdf', 'motion', 'sim', 'test'),
    ('ros', 'viewer', 'plot', 'urdf', 'motion', 'sim', 'test'),
)


def pins(file: str) -> Iterator[str]:
    """Yield the requirements of a file, without their hashes, which pip demands and checks."""
    for line in (CONSTRAINTS / file).read_text().replace('\\\n', ' ').splitlines():
        if line and not line.startswith('#'):
            yield line.partition(' --hash=')[0].strip()


def required(extras: tuple[str, ...]) -> list[str]:
    """Return the requirements of the package with some extras, and of its build."""
    given = setup_arguments()
    build = re.search(r'(?m)^requires = (\[.*\])$', (ROOT / 'pyproject.toml').read_text())
    return [
        *given['install_requires'],
        *(requirement for extra in extras for requirement in given['extras_require'][extra]),
        *ast.literal_eval(build[1]),
    ]


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
        for text in pins(f'{file.format(distribution)}.txt'):
            pin = requirements.Requirement(text)
            if pin.marker is None or pin.marker.evaluate(environment):
                (exact,) = pin.specifier
                assert versions.setdefault(pin.name, exact.version) == exact.version, pin.name
    for text in required(extras):
        wanted = requirements.Requirement(text)
        name = canonicalize_name(wanted.name)
        assert name in versions, f'{name} is not pinned for Python {python}'
        assert wanted.specifier.contains(versions[name]), f'{text}, but pinned to {versions[name]}'
