"""Every call of the library gives an answer, or an Ik2dError with the reason."""

from __future__ import annotations

import decimal
import fractions
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


TWO = Chain.from_lengths([0.3, 0.25])
THREE = Chain.from_lengths([0.3, 0.25, 0.2], [(-1.0, 1.0), None, (-0.5, 2.0)])
GENERAL = [solver for solver in SOLVERS if solver != 'two_bone']

# Each function with one free argument, and a pattern of the message that refuses it.
CALLS: dict[str, tuple[Callable[[Any], Any], str]] = {
    **{
        f'{function.__name__} {name}': (
            lambda value, function=function, usual={'chain': TWO, target: usual}, name=name: (
                function(**{**usual, name: value})
            ),
            name,
        )
        for function, target, usual in (
            (solve, 'target', (0.3, 0.2)),
            (solve_batch, 'targets', [(0.3, 0.2), (0.1, 0.1)]),
        )
        for name in ('chain', target, 'start', 'solver', 'bend', 'tolerance', 'max_iterations')
    },
    'solve x': (lambda value: solve(TWO, (value, 0.2)), 'target'),
    'solve start[1]': (lambda value: solve(TWO, (0.3, 0.2), start=[0.0, value]), 'joint2'),
    'solve start[1] within limits': (
        lambda value: solve(THREE, (0.3, 0.2), start=[0.0, 0.0, value]),
        'joint3',
    ),
    'batch y': (lambda value: solve_batch(TWO, [(0.1, 0.2), (0.1, value)]), 'targets'),
    'batch row': (lambda value: solve_batch(TWO, [(0.1, 0.2), value]), 'targets'),
    'batch start[0, 1]': (
        lambda value: solve_batch(TWO, [(0.1, 0.2)], start=[(0.1, value)]),
        'start',
    ),
    'forward': (TWO.forward, 'q'),
    'forward q[1]': (lambda value: TWO.forward([0.0, value]), 'q'),
    'name': (lambda value: Joint(value, (1.0, 0.0)), 'name'),
    'link': (lambda value: Joint('elbow', value), "'elbow': link"),
    'link x': (lambda value: Joint('elbow', (value, 0.0)), "'elbow': link"),
    'lower': (lambda value: Joint('elbow', (1.0, 0.0), value, 9.0), "'elbow': (lower|upper)"),
    'upper': (lambda value: Joint('elbow', (1.0, 0.0), -9.0, value), "'elbow': (upper|lower)"),
    'offset': (lambda value: Joint('elbow', (1.0, 0.0), offset=value), "'elbow': offset"),
    'axis': (lambda value: Joint('elbow', (1.0, 0.0), axis=value), "'elbow': axis"),
    'joints': (Chain, 'chain (is made of|needs)'),
    'joint': (lambda value: Chain([Joint('elbow', (1.0, 0.0)), value]), 'made of joints|unique'),
    'lengths': (Chain.from_lengths, 'length|joint'),
    'length': (lambda value: Chain.from_lengths([1.0, value]), "'joint2': length"),
    'limits': (lambda value: Chain.from_lengths([1.0, 1.0], value), 'limits'),
    'pair': (lambda value: Chain.from_lengths([1.0, 1.0], [None, value]), "'joint2': (limits|low)"),
    'limit': (lambda value: Chain.from_lengths([1.0, 1.0], [None, (0.0, value)]), "'joint2'"),
}


SCALARS = [place for place in CALLS if '[' in place or place.endswith((' x', ' y'))]
SCALARS += ['length', 'offset', 'lower', 'axis', 'solve tolerance', 'solve_batch tolerance']


@pytest.mark.filterwarnings('error')
@pytest.mark.parametrize('place', CALLS)
def test_any_argument_gives_an_answer_or_an_error_that_names_it(place: str) -> None:
    call, words = CALLS[place]
    for name, value in no_numbers().items():
        try:
            answer = call(value)
        except Ik2dError as error:  # noqa: PERF203
            refused = str(error)
            assert refused.isprintable(), name
            assert len(refused) < 700, name
            assert re.search(words, refused), (name, refused)
        else:
            assert place not in SCALARS, name
            assert np.isfinite(getattr(answer, 'q', 0.0)).all(), name


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
