from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def libraries() -> None:
    """What reads robot descriptions; the tests are skipped where it is not installed."""
    for module in ('defusedxml', 'xacro'):
        pytest.importorskip(module, reason=f'{module} is not installed')
