"""Values that nobody means, to hand to the library wherever it takes one."""

from __future__ import annotations

import array
import decimal
import fractions
import itertools
import math
import sys
from collections.abc import Iterator
from typing import Any
from unittest.mock import Mock

import numpy as np

from ik2d_ros.kinematics import Chain, Joint

LOOKED_AT = (
    *('float', 'int', 'index', 'len', 'iter', 'getitem', 'next', 'eq', 'hash', 'bool', 'repr'),
    *('str', 'array', 'complex', 'lt', 'gt', 'le', 'ge', 'abs', 'contains', 'array_interface'),
    *('array_struct', 'buffer', 'array_ufunc', 'array_function', 'class', 'length_hint'),
)


def _raise(*_: object, **__: object) -> Any:
    raise RuntimeError('looked at')


def raising(*bases: type) -> type:
    """A class whose objects raise whatever is asked of them."""
    special = {f'__{name}__': _raise for name in LOOKED_AT if name != 'class'}
    return type('Raising', bases, special | {'__class__': property(_raise)})


class Lying:
    """Is equal to everything and has the hash of 1e-6; as long as you like, and a number, too."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return hash(1e-6)

    def __len__(self) -> int:
        return 2

    def __iter__(self) -> Iterator[float]:
        return itertools.repeat(0.1)

    def __getitem__(self, index: object) -> float:
        return 0.1

    def __float__(self) -> Any:
        return 'one'

    def __index__(self) -> Any:
        return 1.0  # noqa: PLE0305

    def __bool__(self) -> Any:
        return 3  # noqa: PLE0304

    def __repr__(self) -> Any:
        return 5


class Endless(Lying):
    __float__ = None
    __repr__ = object.__repr__

    def __len__(self) -> int:
        return sys.maxsize


class Huge(Endless):
    def __repr__(self) -> str:
        return '\x1b[2J\n' * 1_000_000


class Half(float):
    """A float that says it is another number."""

    def __float__(self) -> float:
        return 0.5


class Posing:
    """Says that it is of another class."""

    def __init__(self, kind: type) -> None:
        self.kind = kind

    @property
    def __class__(self) -> type:
        return self.kind


def itself() -> list[Any]:
    """A list in a list in a list ..."""
    inside: list[Any] = []
    inside.append(inside)
    return inside


def no_numbers() -> dict[str, Any]:
    """None of these is a finite number; made anew, for some can be read only once."""
    return {
        'None': None,
        'true': True,
        'a true of NumPy': np.True_,
        'NaN': math.nan,
        'infinity': -math.inf,
        'a NaN of NumPy': np.float32('nan'),
        'a decimal NaN': decimal.Decimal('sNaN'),
        'a huge integer': 10**400,
        'a longer integer': -(10**6000),
        'a huge fraction': fractions.Fraction(10**400, 3),
        'complex': 1 + 0j,
        'a complex of NumPy': np.complex64(1),
        'digits': '1',
        'digits of NumPy': np.str_('1'),
        'bytes': b'1',
        'a bytearray': bytearray(b'1'),
        'a view of bytes': memoryview(b'1'),
        'a text of a megabyte': 'x' * 1_000_000,
        'control characters': '\x1b[2J\n\u202e',
        'a mapping': {0: 0.1, 1: 0.2},
        'a set': {0.1, 0.2},
        'nothing': [],
        'one': [0.1],
        'three of them': [0.1, 0.2, 0.3],
        'in a list': [[0.1], [0.2]],
        'in an endless list': itself(),
        'a ragged list': [[0.1, 0.2], [0.3]],
        'an array of one': np.array([1.0]),
        'a column': np.array([[0.1], [0.2]]),
        'a row in a row': np.array([[[0.1, 0.2]]]),
        'no numbers': np.array([]),
        'truths': np.array([True, False]),
        'texts': np.array(['0.1', '0.2']),
        'times': np.array([1, 2], dtype='datetime64[ns]'),
        'a time': np.timedelta64(1, 's'),
        'complex numbers': np.array([0.1, 0.2j]),
        'records': np.zeros(2, dtype=[('x', float)]),
        'a record': np.array((0.1, 0.2), dtype=[('x', float), ('y', float)]),
        'an item of records': np.array([(0.1, 0.2)], dtype=[('x', float), ('y', float)])[0],
        'objects': np.array([0.1, None], dtype=object),
        'masked': np.ma.array([0.1, 0.2], mask=[False, True]),
        'a masked number': np.ma.masked,
        'a float of many digits': np.longdouble('1e4000'),
        'a generator': (x for x in (0.1, 0.2, 0.3)),
        'an endless generator': itertools.count(0.5),
        'an endless iterator of None': itertools.repeat(None),
        'many rows': range(50_000),
        'a function': _raise,
        'a class': float,
        'what raises': raising()(),
        'a text that raises': raising(str)('auto'),
        'what lies': Lying(),
        'what never ends': Endless(),
        'what is long to write': Huge(),
        'what says it is a chain': Posing(Chain),
        'a mock of a chain': Mock(spec=Chain),
        'a mock': Mock(),
        'a joint': Joint('a', (1.0, 0.0)),
    }


NO_NUMBERS = tuple(no_numbers())
NUMBERS: dict[str, Any] = {
    'a decimal': decimal.Decimal('0.5'),
    'a fraction': fractions.Fraction(1, 2),
    'a float that is another': Half(0.3),
    'an array of no dimension': np.array(0.5),
    'an object of no dimension': np.array(0.5, dtype=np.float16),
    **{f'a {name.__name__}': name(0.5) for name in (np.float16, np.float32, np.longdouble)},
}
"""Each is a half."""

PAIRS: dict[str, Any] = {
    'a tuple': (0.5, 0.25),
    'an array': np.array([0.5, 0.25]),
    'floats of two bytes': np.array([0.5, 0.25], dtype=np.float16),
    'long floats': np.array([0.5, 0.25], dtype=np.longdouble),
    'big-endian floats': np.array([0.5, 0.25], dtype='>f8'),
    'objects': np.array([0.5, fractions.Fraction(1, 4)], dtype=object),
    'not contiguous': np.array([0.5, 9.0, 0.25, 9.0])[::2],
    'backwards': np.array([0.25, 0.5])[::-1],
    'masked nowhere': np.ma.array([0.5, 0.25]),
    'a view': memoryview(array.array('d', [0.5, 0.25])),
    'an array of Python': array.array('f', [0.5, 0.25]),
    'decimals': (decimal.Decimal('0.5'), decimal.Decimal('0.25')),
    'arrays of no dimension': [np.array(0.5), np.array(0.25)],
}
"""Each is a half and a quarter."""
PAIRS['read-only'] = np.array([0.5, 0.25])
PAIRS['read-only'].setflags(write=False)
