"""Tables of parameters: what every node does with its own."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from ik2d_ros.arm.fields import ARM_PARAMETERS
from ik2d_ros.node.parameters import PARAMETERS as NODE_PARAMETERS
from ik2d_ros.parameters.checks import Choice, ConfigError, Number, Text
from ik2d_ros.parameters.table import Effect, Family, Row, Table, by_name
from ik2d_ros.target.parameters import PARAMETERS as TARGET_PARAMETERS
from ik2d_ros.viewer.parameters import PARAMETERS as VIEWER_PARAMETERS

TABLES = {
    'arm': ARM_PARAMETERS,
    'node': NODE_PARAMETERS,
    'target': TARGET_PARAMETERS,
    'viewer': VIEWER_PARAMETERS,
}

RATE = Row(
    name='rate',
    default=5.0,
    unit='Hz',
    affects=Effect.PUBLISHING,
    check=Number(above=0.0),
    description='How often',
)
COLOUR = Row(
    name='paint.colour',
    default='red',
    affects=Effect.NOTHING,
    check=Choice(('red', 'blue')),
    description='What it looks like',
)
OWNER = Row(name='owner', check=Text(), description='Whose it is')
SIZE = Row(
    name='size', unit='m', affects=Effect.SOLVING, check=Number(), description='From side to side'
)
TABLE = Table(
    (RATE, COLOUR, OWNER),
    (Family(prefix='wheel', member='wheel', rows=by_name(SIZE)),),
)
CURRENT: Mapping[str, object] = {**TABLE.defaults, 'owner': 'me', 'wheel.left.size': 1.0}


@pytest.mark.parametrize('table', TABLES.values(), ids=TABLES)
def test_every_default_is_allowed_and_every_row_described(table: Table) -> None:
    for row in table.values():
        if row.default is not None:
            row.checked(row.default)
        assert row.summary.startswith(row.description)
        assert row.unit in row.summary
        assert row.allowed
    assert table.checked(table.defaults).keys() == {table[name].field for name in table.defaults}


def test_what_is_in_a_table() -> None:
    assert TABLE.defaults == {'rate': 5.0, 'paint.colour': 'red'}
    known = ['rate', 'paint.colour', 'owner', 'wheel.left.size', 'wheel.left.weight', 'wheel']
    assert all(map(TABLE.is_known, known))
    assert not any(map(TABLE.is_known, ['rat', 'paint', 'wheels', 'size', '']))
    assert TABLE.row('wheel.left.size') is SIZE
    assert TABLE.row('wheel.front.left.size') is SIZE
    assert TABLE.row('wheel.left.weight') is None
    assert [name for name, row in TABLE.items() if row.read_only] == ['owner']
    assert TABLE.unknown([*known, 'rats', 'zzz']) == ["'rats'; did you mean 'rate'?", "'zzz'"]
    many = TABLE.unknown([f'p{number}' for number in range(1000)])
    assert (len(many), many[-1]) == (21, '...')


def test_an_unknown_parameter_cannot_be_changed() -> None:
    for value in (1.0, None):
        with pytest.raises(ConfigError) as raised:
            TABLE.merged(CURRENT, {'rat': value})
        assert str(raised.value) == (
            f"parameter 'rat' cannot be set to {value}: there is no such parameter; did you mean "
            "'rate'?; valid are rate, paint.colour, owner, wheel.<wheel>.<field>"
        )
