"""Every call of the library gives an answer, or an Ik2dError with the reason."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ik2d_ros.kinematics import (
    Chain,
    ChainError,
    Ik2dError,
    Joint,
    solve,
    solve_batch,
)
from ik2d_ros.kinematics.arguments import MOST_JOINTS


def no_numbers() -> dict[str, Any]:
    """Return values that are no finite number; made anew, for some can be read only once."""
    return {
        'None': None,
        'true': True,
        'NaN': math.nan,
        'infinity': -math.inf,
        'a huge integer': 10**400,
        'complex': 1 + 0j,
        'digits': '1',
        'a text of a megabyte': 'x' * 1_000_000,
        'control characters': '\x1b[2J\n\u202e',
        'a mapping': {0: 0.1, 1: 0.2},
        'an empty list': [],
        'one': [0.1],
        'a nested list': [[0.1], [0.2]],
        'a ragged list': [[0.1, 0.2], [0.3]],
        'complex numbers': np.array([0.1, 0.2j]),
        'objects': np.array([0.1, None], dtype=object),
        'an endless generator': itertools.count(0.5),
        'a function': no_numbers,
    }


TWO = Chain.from_lengths([0.3, 0.25])
OPTIONS = ('chain', 'start', 'solver', 'bend', 'tolerance', 'max_iterations')

# Each function, its usual arguments, and those that are replaced.
CALLS: tuple[tuple[Callable[..., Any], dict[str, Any], tuple[str, ...]], ...] = (
    (solve, {'chain': TWO, 'target': (0.3, 0.2)}, ('target', *OPTIONS)),
    (solve_batch, {'chain': TWO, 'targets': [(0.3, 0.2), (0.1, 0.1)]}, ('targets', *OPTIONS)),
    (TWO.forward, {}, ('q',)),
    (Chain, {}, ('joints',)),
    (Chain.from_lengths, {'lengths': [1.0, 1.0]}, ('lengths', 'limits')),
    (
        Joint,
        {'name': 'elbow', 'link': (1.0, 0.0), 'lower': -9.0, 'upper': 9.0},
        ('name', 'link', 'lower', 'upper', 'offset', 'axis'),
    ),
)
NAMED = {'lengths': 'length|joint', 'joints': 'chain|joint', 'lower': 'lower|upper'}
NUMBERS = ('tolerance', 'offset', 'lower')  # that have to be finite


@pytest.mark.filterwarnings('error', 'ignore::ik2d_ros.kinematics.suspicion.UnitWarning')
@pytest.mark.parametrize(('call', 'usual', 'names'), CALLS)
def test_any_argument_gives_an_answer_or_an_error_that_names_it(
    call: Callable[..., Any], usual: dict[str, Any], names: tuple[str, ...]
) -> None:
    for name in names:
        for kind, value in no_numbers().items():
            try:
                answer = call(**{**usual, name: value})
            except Ik2dError as error:  # noqa: PERF203
                refused = str(error)
                assert refused.isprintable(), kind
                assert len(refused) < 700, kind
                assert re.search(NAMED.get(name, name), refused), (kind, refused)
            else:
                assert name not in NUMBERS, kind
                assert np.isfinite(getattr(answer, 'q', 0.0)).all(), kind


def test_more_joints_than_are_allowed_are_refused() -> None:
    assert len(Chain.from_lengths([1.0] * MOST_JOINTS)) == MOST_JOINTS
    with pytest.raises(ChainError, match=f'at most {MOST_JOINTS} joints'):
        Chain.from_lengths([1.0] * (MOST_JOINTS + 1))
