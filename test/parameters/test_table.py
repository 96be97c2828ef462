"""The parameter tables of all nodes."""

from __future__ import annotations

import pytest

from ik2d_ros.arm.fields import ARM_PARAMETERS
from ik2d_ros.node.parameters import PARAMETERS as NODE_PARAMETERS
from ik2d_ros.parameters.table import Table
from ik2d_ros.target.parameters import PARAMETERS as TARGET_PARAMETERS
from ik2d_ros.viewer.parameters import PARAMETERS as VIEWER_PARAMETERS

TABLES = {
    'arm': ARM_PARAMETERS,
    'node': NODE_PARAMETERS,
    'target': TARGET_PARAMETERS,
    'viewer': VIEWER_PARAMETERS,
}


@pytest.mark.parametrize('table', TABLES.values(), ids=TABLES)
def test_every_default_is_allowed_and_every_row_described(table: Table) -> None:
    for row in table.values():
        if row.default is not None:
            row.checked(row.default)
        assert row.summary.startswith(row.description)
        assert row.unit in row.summary
        assert row.allowed
    assert table.checked(table.defaults).keys() == {table[name].field for name in table.defaults}
