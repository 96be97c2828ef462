"""The solver: plain Python with types for C beside it, compiled where that can be done."""

import sys
from importlib.machinery import EXTENSION_SUFFIXES, SOURCE_SUFFIXES, FileFinder, SourceFileLoader
from pathlib import Path

_FOLDER = Path(__path__[0])


def _is_compiled(header: Path) -> bool:
    return any(header.with_suffix(suffix).exists() for suffix in EXTENSION_SUFFIXES)


# Compiled modules work with none that is not: where one is missing, all are read as plain Python.
if not all(map(_is_compiled, _FOLDER.glob('*.pxd'))):
    sys.path_importer_cache[__path__[0]] = FileFinder(
        __path__[0], (SourceFileLoader, SOURCE_SUFFIXES)
    )


def kernel_name() -> str:
    """Return how the solver runs: ``compiled`` or ``plain Python``, some thirty times as slow."""
    from ik2d_ros.kinematics.kernel import linkage  # noqa: PLC0415

    return 'plain Python' if str(linkage.__file__).endswith('.py') else 'compiled'
