"""Every call of the library gives an answer, or an Ik2dError with the reason."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ik2d_ros.kinematics import Chain, Ik2dError, Joint, solve, solve_batch
from ik2d_ros.kinematics.arguments import MOST_JOINTS

SCALARS = st.one_of(
    *(st.none(), st.booleans(), st.integers(), st.floats(), st.complex_numbers()),
    *(st.text(max_size=5), st.binary(max_size=3), st.just(10**400), st.functions()),
)
ANYTHING = st.recursive(
    SCALARS, lambda few: st.lists(few, max_size=3) | st.dictionaries(st.integers(), few, max_size=2)
)
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
NAMED = {
    'lengths': 'length|joint',
    'joints': 'chain|joint',
    'lower': 'lower|upper',
    'limits': 'limits|lower|upper',
}


@pytest.mark.filterwarnings('error', 'ignore::ik2d_ros.kinematics.arguments.UnitWarning')
@pytest.mark.parametrize(
    ('call', 'usual', 'name'),
    [(call, usual, name) for call, usual, names in CALLS for name in names],
)
@settings(suppress_health_check=[*HealthCheck], max_examples=15)
@given(value=ANYTHING)
@example(value='x' * 1_000_000)
@example(value='\x1b[2J\n\u202e')
@example(value=np.array([0.1, None], dtype=object))
@example(value=itertools.count(0.5))
@example(value=[1.0] * (MOST_JOINTS + 1))
def test_any_argument_gives_an_answer_or_an_error_that_names_it(
    call: Callable[..., Any], usual: dict[str, Any], name: str, value: Any
) -> None:
    try:
        answer = call(**{**usual, name: value})
    except Ik2dError as error:
        refused = str(error)
        assert refused.isprintable()
        assert len(refused) < 700
        assert re.search(NAMED.get(name, name), refused), refused
    else:
        assert np.isfinite(getattr(answer, 'q', 0.0)).all()
        if name in ('tolerance', 'offset', 'lower') and isinstance(value, (int, float)):
            assert math.isfinite(value)
