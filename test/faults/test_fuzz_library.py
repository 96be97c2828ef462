"""Whatever the library is called with: an answer that is right, or an Ik2dError; nothing else.

As in `test_fuzz`, with IK2D_FAULTS_FULL=1 the search goes on for IK2D_FUZZ_SECONDS.
"""

from __future__ import annotations

import math
import warnings
from array import array
from collections import Counter
from functools import partial
from typing import Any

import numpy as np
import pytest
from faults import for_a_while
from hostile import NO_NUMBERS, NUMBERS, PAIRS, no_numbers
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as np_st

from ik2d_ros.kinematics import (
    BENDS,
    SOLVERS,
    Chain,
    Ik2dError,
    Joint,
    Status,
    solve,
    solve_batch,
)
from ik2d_ros.node.parameters import Configuration, configuration_from_parameters
from ik2d_ros.parameters.wording import is_printable

EXAMPLES = 150  # at a time

# Hypothesis looks at what it draws, and some raise there; `test_library` has those.
drawable = [name for name in NO_NUMBERS if 'raises' not in name]
odd = st.sampled_from(drawable).map(lambda name: no_numbers()[name])
odd |= st.sampled_from([*NUMBERS, *PAIRS]).map(lambda name: (NUMBERS | PAIRS)[name])
scalar_types = st.one_of(
    np_st.floating_dtypes(), np_st.integer_dtypes(), np_st.unsigned_integer_dtypes()
)
any_array = np_st.arrays(
    scalar_types | np_st.boolean_dtypes() | np_st.complex_number_dtypes(),
    np_st.array_shapes(min_dims=0, max_dims=3, max_side=3),
)
anything = odd | any_array | st.none() | st.floats() | st.integers() | st.text(max_size=5)

angles = st.floats(-4.0, 4.0) | st.sampled_from([0.0, -0.0, math.pi, -math.pi, 1e6, -1e6, 5e-324])
lengths = st.floats(0.0, 2.0) | st.sampled_from([0.0, 1.0, 1e6, 5e-324, 1e-200, 1e-9, 0.5])
places = st.floats(-3.0, 3.0) | st.floats(allow_nan=False, allow_infinity=False)
starts = angles | st.floats(-1e9, 1e9)


def mostly(usual: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Nearly always what works, so that much else has a chance to go wrong."""
    return st.integers(0, 24).flatmap(lambda number: anything if number == 13 else usual)


@st.composite
def joints(draw: st.DrawFn, name: str) -> Joint:
    low = high = None
    if draw(st.booleans()):
        low = draw(mostly(angles))
        high = low if draw(st.booleans()) else draw(mostly(angles))
        if isinstance(low, float) and isinstance(high, float):
            low, high = min(low, high), max(low, high)
    link = draw(mostly(st.tuples(mostly(lengths), mostly(st.just(0.0) | lengths))))
    offset, axis = draw(mostly(st.just(0.0) | angles)), draw(mostly(st.sampled_from([1, -1])))
    return Joint(draw(mostly(st.just(name))), link, low, high, offset, axis)


@st.composite
def options(draw: st.DrawFn, number: int) -> dict[str, Any]:
    some = {
        'solver': st.sampled_from(SOLVERS if number == 2 else ('auto', 'ccd', 'hybrid')),
        'bend': st.sampled_from(BENDS),
        'tolerance': st.sampled_from([1e-6, 1e-9, 5e-324, 1.0, 1e308, np.float32(1e-3)]),
        'max_iterations': st.sampled_from([1, 2, 7, 100, np.int16(30), 10**30]),
        'start': st.lists(mostly(starts), min_size=number, max_size=number)
        | np_st.arrays(np.float64, number, elements=starts),
    }
    chosen = draw(st.lists(st.sampled_from(sorted(some)), unique=True))
    return {name: draw(mostly(some[name])) for name in chosen}


def judge(chain: Chain, target: Any, error: float, status: int, q: Any, tolerance: float) -> None:
    """What an answer promises, checked by what it says itself and by forward kinematics."""
    assert np.isfinite(q).all()
    assert (q >= chain.lower).all()
    assert (q <= chain.upper).all()
    x, y = map(float, target)
    tip_x, tip_y = chain.forward(q)[-1]
    away = math.hypot(x - tip_x, y - tip_y)
    # Angles of 1e9 are told apart by 1e-7; all of them add up.
    rounding = 1e-9 + 1e-15 * sum(map(abs, [*q, *chain.shifts]))
    assert away == error or abs(away - error) <= rounding * (chain.reach.outer + away)
    assert Status(status) is not Status.REACHED or error <= tolerance


@st.composite
def calls(draw: st.DrawFn) -> Any:
    """A call of the library, which gives the answer after a check of it."""
    number = draw(st.integers(1, 5))
    try:
        chain = Chain([draw(joints(f'j{k}')) for k in range(number)])
        if draw(st.integers(0, 9)) == 0:
            given_lengths = draw(mostly(st.lists(mostly(lengths), min_size=1, max_size=3)))
            chain = Chain.from_lengths(given_lengths, draw(mostly(st.none())))
    except Ik2dError as error:
        return error
    given_options = draw(options(len(chain)))
    tolerance = given_options.get('tolerance', 1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        try:
            target = draw(mostly(st.tuples(mostly(places), mostly(places))))
            answer = solve(draw(mostly(st.just(chain))), target, **given_options)
            judge(chain, target, answer.error, answer.status, answer.q, float(tolerance))
            targets = draw(mostly(st.lists(st.tuples(places, places), max_size=4)))
            batch = solve_batch(chain, targets, **given_options)
            for point, *row in zip(targets, batch.error, batch.status, batch.q, strict=True):
                judge(chain, point, *row, float(tolerance))
        except Ik2dError as error:
            return error
        try:
            assert np.isfinite(chain.forward(draw(anything))).all()
        except Ik2dError as error:
            check_refusal(error)
    return answer


def check_refusal(error: Ik2dError) -> None:
    assert str(error).isprintable()
    assert len(str(error)) < 1000


@pytest.mark.filterwarnings('error')
def test_any_call_gives_an_answer_or_a_refusal() -> None:
    counted: Counter[str] = Counter()

    def test(number: int) -> None:
        @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck), deadline=None)
        @seed(number)
        @given(outcome=calls())
        def run(outcome: Any) -> None:
            counted['refused' if isinstance(outcome, Ik2dError) else 'answered'] += 1
            if isinstance(outcome, Ik2dError):
                check_refusal(outcome)

        run()

    for_a_while(test)
    print(dict(counted))
    assert min(counted['answered'], counted['refused']) > EXAMPLES // 10


# --- parameters ----------------------------------------------------------------------------------

FIELDS = ('length', 'link', 'min_position', 'max_position', 'offset', 'axis', 'home', 'max_jerk')
one = st.floats() | st.integers() | st.booleans() | st.text() | st.none() | st.sampled_from('ab')
values = st.one_of(
    *(one, st.lists(one), st.lists(st.lists(one)), st.binary(), angles, lengths),
    *(st.lists(lengths, min_size=2, max_size=3), st.lists(st.floats()).map(partial(array, 'd'))),
    st.sampled_from([10**400, -(10**6000), '1e400', '\x1b[2J', 'x' * 10_000, 1e308, 5e-324]),
)
names = st.sampled_from(
    [
        *(f'chain.{joint}.{field}' for joint in 'ab' for field in FIELDS),
        *('solver', 'bend', 'tolerance', 'max_iterations', 'publish_rate', 'plane_tolerance'),
        *('base.xyz', 'base.rpy', 'base_frame', 'joints', 'chain', 'target_timeout'),
        *('unreachable', '', 'chain..', 'chain.c.length'),
    ]
)
WORKS = {'joints': ['a', 'b'], 'chain.a.length': 0.3, 'chain.b.length': 0.25}


def configured(parameters: dict[str, Any]) -> Configuration | Ik2dError:
    try:
        return configuration_from_parameters(WORKS | parameters)
    except Ik2dError as error:
        return error


@pytest.mark.filterwarnings('error')
def test_any_parameters_give_an_arm_or_a_refusal() -> None:
    counted: Counter[str] = Counter()

    def test(number: int) -> None:
        @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck), deadline=None)
        @seed(number)
        @given(parameters=st.dictionaries(names, values, max_size=3))
        def run(parameters: dict[str, Any]) -> None:
            found = configured(parameters)
            counted['refused' if isinstance(found, Ik2dError) else 'accepted'] += 1
            if isinstance(found, Ik2dError):
                assert is_printable(str(found))
                assert len(str(found)) < 4000
                return
            answer = solve(found.arm.chain, (0.3, 0.2), start=found.arm.home)
            assert np.isfinite(answer.q).all()

        run()

    for_a_while(test)
    print(dict(counted))
    assert min(counted['accepted'], counted['refused']) > 0
