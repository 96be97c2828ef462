"""Values to hand to the library wherever it takes a number or a list of numbers."""

from __future__ import annotations

import decimal
import fractions
import itertools
import math
from typing import Any

import numpy as np

from ik2d_ros.kinematics import Joint


def no_numbers() -> dict[str, Any]:
    """Return values that are no finite number; made anew, for some can be read only once."""
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
        'digits': '1',
        'bytes': b'1',
        'a text of a megabyte': 'x' * 1_000_000,
        'control characters': '\x1b[2J\n\u202e',
        'a mapping': {0: 0.1, 1: 0.2},
        'a set': {0.1, 0.2},
        'an empty list': [],
        'one': [0.1],
        'three': [0.1, 0.2, 0.3],
        'a nested list': [[0.1], [0.2]],
        'a ragged list': [[0.1, 0.2], [0.3]],
        'an array of one': np.array([1.0]),
        'a row in a row': np.array([[[0.1, 0.2]]]),
        'truths': np.array([True, False]),
        'texts': np.array(['0.1', '0.2']),
        'times': np.array([1, 2], dtype='datetime64[ns]'),
        'complex numbers': np.array([0.1, 0.2j]),
        'records': np.zeros(2, dtype=[('x', float)]),
        'objects': np.array([0.1, None], dtype=object),
        'masked': np.ma.array([0.1, 0.2], mask=[False, True]),
        'a float of many digits': np.longdouble('1e4000'),
        'an endless generator': itertools.count(0.5),
        'many rows': range(50_000),
        'a function': no_numbers,
        'a class': float,
        'a joint': Joint('a', (1.0, 0.0)),
    }
