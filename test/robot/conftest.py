from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def libraries() -> None:
    """Skip the tests if the libraries that read robot descriptions are missing."""
    for module in ('defusedxml', 'xacro'):
        pytest.importorskip(module, reason=f'{module} is not installed')
