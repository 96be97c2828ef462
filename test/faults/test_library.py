"""Every call of the library gives an answer, or an Ik2dError with the reason."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.kinematics import (
    SOLVERS,
    ArgumentError,
    Chain,
    ChainError,
    Ik2dError,
    Joint,
    solve,
    solve_batch,
)
from ik2d_ros.kinematics.bounds import (
    LARGEST_ANGLE,
    LARGEST_LENGTH,
    LARGEST_POSITION,
    MOST_JOINTS,
)


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
GENERAL = [solver for solver in SOLVERS if solver != 'two_bone']
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


@pytest.mark.filterwarnings('error')
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


ends = st.sampled_from([LARGEST_ANGLE, -LARGEST_ANGLE, 0.0, -0.0, 5e-324, 1.0, 3e5])
sizes = st.sampled_from([LARGEST_LENGTH, -LARGEST_LENGTH, 0.0, -0.0, 5e-324, 1e-300, 1.0])
places = st.sampled_from([0.0, 5e-324, 1.0, -1e6, 1e9, 1e154, -1e300, 1.7e308])
positions = st.sampled_from([LARGEST_POSITION, -LARGEST_POSITION, 0.0, 1.0, 1e308, -1e308])
tolerances = st.sampled_from([5e-324, 1e-300, 1e-6, 1e308])


@st.composite
def joints_at_the_bounds(draw: st.DrawFn, name: str) -> Joint:
    low, high = sorted((draw(ends), draw(ends))) if draw(st.booleans()) else (None, None)
    link = draw(sizes), draw(sizes)
    return Joint(name, link, low, high, draw(ends), draw(st.sampled_from([1, -1])))


@pytest.mark.filterwarnings('error')
@given(st.data())
def test_at_the_bounds_every_answer_is_finite_and_inside_the_limits(data: st.DataObject) -> None:
    number = data.draw(st.integers(1, 5))
    chain = Chain([data.draw(joints_at_the_bounds(f'j{k}')) for k in range(number)])
    target = data.draw(places), data.draw(places)
    start = [data.draw(positions) for _ in range(number)]
    options = {'tolerance': data.draw(tolerances), 'start': start}
    options['solver'] = data.draw(st.sampled_from(SOLVERS if number == 2 else GENERAL))
    allowed = all(
        abs(q) <= LARGEST_POSITION or not joint.continuous
        for q, joint in zip(start, chain.joints, strict=True)
    )
    for function, aim in ((solve, target), (solve_batch, [target, (0.3, 0.2)])):
        if not allowed:
            with pytest.raises(ArgumentError, match=r'joint .*from -1000000000 to 1000000000 rad'):
                function(chain, aim, **options)
            continue
        answer = function(chain, aim, **options)
        assert np.isfinite(answer.q).all()
        assert (answer.q >= chain.lower).all()
        assert (answer.q <= chain.upper).all()
    if allowed and max(map(abs, target)) < 1e300:
        assert np.isfinite(solve(chain, target, **options).error)


def test_more_joints_than_are_allowed_are_refused() -> None:
    assert len(Chain.from_lengths([1.0] * MOST_JOINTS)) == MOST_JOINTS
    with pytest.raises(ChainError, match=f'at most {MOST_JOINTS} joints'):
        Chain.from_lengths([1.0] * (MOST_JOINTS + 1))
