"""No call of the library gets anything down: an answer, or an Ik2dError that says what is wrong."""

from __future__ import annotations

import gc
import math
import re
import time
import tracemalloc
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any

import numpy as np
import pytest
from arms import random_chain, random_limits
from faults import FULL
from hostile import NUMBERS, PAIRS, no_numbers
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.kinematics import (
    SOLVERS,
    ArgumentError,
    Chain,
    ChainError,
    Ik2dError,
    Joint,
    Status,
    solve,
    solve_batch,
)
from ik2d_ros.kinematics.bounds import (
    LARGEST_ANGLE,
    LARGEST_LENGTH,
    LARGEST_POSITION,
    MOST_JOINTS,
    MOST_LIMITED_JOINTS,
)

TWO = Chain.from_lengths([0.3, 0.25])
THREE = Chain.from_lengths([0.3, 0.25, 0.2], [(-1.0, 1.0), None, (-0.5, 2.0)])
GENERAL = [solver for solver in SOLVERS if solver != 'two_bone']

# --- what is no number, no list, no chain, in every place ----------------------------------------

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


def check_answer(answer: Any) -> None:
    """Anything that is answered is made of finite numbers, and of the types that are promised."""
    if hasattr(answer, 'q'):
        assert answer.q.dtype == np.float64
        assert np.isfinite(answer.q).all()


def refusal(call: Callable[[], Any]) -> str | None:
    """The words of a refusal, or None where there is an answer; anything else is an error."""
    try:
        check_answer(call())
    except Ik2dError as error:
        words = str(error)
        assert words.isprintable()
        assert len(words) < 700
        return words
    return None


@pytest.mark.filterwarnings('error')
@pytest.mark.parametrize('place', CALLS)
def test_any_object_anywhere_gets_an_answer_or_a_refusal_that_names_it(place: str) -> None:
    call, words = CALLS[place]
    for name, value in no_numbers().items():
        refused = refusal(lambda value=value: call(value))
        assert refused is None or re.search(words, refused), (name, refused)


SCALARS = [place for place in CALLS if '[' in place or place.endswith((' x', ' y'))]
SCALARS += ['length', 'offset', 'lower', 'axis', 'solve tolerance', 'solve_batch tolerance']


@pytest.mark.parametrize('place', SCALARS)
def test_what_is_no_finite_number_is_none_anywhere(place: str) -> None:
    call, _ = CALLS[place]
    answered = [
        name for name, value in no_numbers().items() if refusal(lambda v=value: call(v)) is None
    ]
    assert answered == []


@pytest.mark.parametrize('half', NUMBERS.values(), ids=NUMBERS)
def test_any_real_number_is_one(half: Any) -> None:
    assert Joint('a', (half, half), -half if half > 0 else 0, half, half) is not None
    assert Joint('a', (half, 0), offset=half).offset == 0.5
    assert Chain.from_lengths([half, 1]) == Chain.from_lengths([0.5, 1.0])
    usual = solve(TWO, (0.5, 0.0), start=(0.5, 0.25), tolerance=0.5)
    unusual = solve(TWO, (half, 0), start=(half, 0.25), tolerance=half)
    assert unusual.q.tobytes() == usual.q.tobytes()
    many = solve_batch(TWO, [(half, 0)], start=(half, 0.25), tolerance=half)
    assert many.q.tobytes() == solve_batch(TWO, [(0.5, 0)], start=(0.5, 0.25)).q.tobytes()
    assert TWO.forward([half, 0.25]).tobytes() == TWO.forward([0.5, 0.25]).tobytes()


@pytest.mark.parametrize('pair', PAIRS.values(), ids=PAIRS)
def test_any_sequence_of_numbers_is_one(pair: Any) -> None:
    usual = solve(TWO, (0.5, 0.25), start=(0.5, 0.25))
    assert solve(TWO, pair, start=pair).q.tobytes() == usual.q.tobytes()
    many = solve_batch(TWO, [pair, pair], start=pair).q
    assert many.tobytes() == solve_batch(TWO, [(0.5, 0.25)] * 2, start=(0.5, 0.25)).q.tobytes()
    assert TWO.forward(pair).tobytes() == TWO.forward([0.5, 0.25]).tobytes()
    assert Chain.from_lengths(pair) == Chain.from_lengths([0.5, 0.25])
    assert Joint('a', pair).link == (0.5, 0.25)


@pytest.mark.parametrize('number', [np.int8(7), np.uint64(7), np.array(7)])
def test_any_whole_number_of_passes_will_do(number: Any) -> None:
    few = solve(THREE, (0.3, 0.2), max_iterations=7)
    assert solve(THREE, (0.3, 0.2), max_iterations=number).q.tobytes() == few.q.tobytes()
    assert solve_batch(THREE, [(0.3, 0.2)], max_iterations=number).status[0] == Status.REACHED


@pytest.mark.parametrize('solver', GENERAL)
def test_passes_without_end_end(solver: str) -> None:
    for point in ((-0.3, -0.3), (0.1, 0.0), (0.3, 0.2)):
        one = solve(THREE, point, solver, tolerance=5e-324, max_iterations=10**400)
        assert np.isfinite(one.q).all()
        many = solve_batch(THREE, [point], solver, tolerance=5e-324, max_iterations=10**400)
        assert np.isfinite(many.q).all()


def test_what_never_ends_is_not_read_to_its_end() -> None:
    endless = (Joint(f'j{number}', (1.0, 0.0)) for number in count())
    with pytest.raises(ChainError, match=f'at most {MOST_JOINTS}'):
        Chain(endless)
    with pytest.raises(ChainError, match=f'at most {MOST_JOINTS}'):
        Chain.from_lengths(1.0 for _ in count())
    with pytest.raises(ArgumentError, match='start'):
        solve(TWO, (0.3, 0.2), start=(0.0 for _ in count()))


def limits_of(kind: str | None, joints: int, rng: np.random.Generator) -> Any:
    return None if kind is None else random_limits(kind, joints, rng)


@pytest.mark.filterwarnings('error')
def test_settings_of_numpy_and_warnings_do_not_matter() -> None:
    rng = np.random.default_rng(1)
    with np.errstate(all='raise'), warnings.catch_warnings():
        warnings.simplefilter('error')
        for joints, kind in ((2, None), (2, 'mixed'), (3, None), (3, 'narrow'), (6, 'mixed')):
            chain = random_chain(joints, rng, limits_of(kind, joints, rng))
            points = [*(rng.normal(size=(20, 2)) * 2.0), (0, 0), (1e308, -1.7e308), (5e-324, 0)]
            for solver in GENERAL:
                assert np.isfinite(solve_batch(chain, points, solver).q).all()
                for point in points:
                    assert np.isfinite(solve(chain, point, solver).q).all()


# --- bounds --------------------------------------------------------------------------------------

BEYOND = [1.01, 1e3, 1e300, 1e302]


@pytest.mark.parametrize('sign', [1.0, -1.0])
@pytest.mark.parametrize('times', BEYOND)
def test_angles_and_lengths_that_nobody_meets_are_refused(times: float, sign: float) -> None:
    angle, length = sign * LARGEST_ANGLE * times, sign * LARGEST_LENGTH * times
    for place in ('offset', 'lower', 'upper'):
        with pytest.raises(ChainError, match=r"'elbow': .*from -1000000 to 1000000, in rad"):
            CALLS[place][0](angle)
    for link in ((length, 0.0), (0.0, length)):
        with pytest.raises(ChainError, match=r"'elbow': link is .*-1000000 to 1000000, in m"):
            Joint('elbow', link)
    with pytest.raises(
        ChainError, match=r"'joint2': length is .* 0 or more, at most 1000000, in m"
    ):
        Chain.from_lengths([1.0, length])


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


def test_a_start_of_any_size_is_clamped_into_the_limits() -> None:
    limited = Chain.from_lengths([0.3, 0.25, 0.2], [(-1.0, 1.0)] * 3)
    far, near = [1e308, -1.7e308, 1e308], [1.0, -1.0, 1.0]
    expected = solve(limited, (0.3, 0.2), start=near).q.tobytes()
    for start in (far, np.array(far)):
        assert solve(limited, (0.3, 0.2), start=start).q.tobytes() == expected
    many = solve_batch(limited, [(0.3, 0.2)] * 2, start=[far, near])
    assert many.q[0].tobytes() == many.q[1].tobytes()
    for bad in (math.inf, -math.inf, math.nan):
        for start in ([0.0, bad, 0.0], np.array([0.0, bad, 0.0])):
            with pytest.raises(ArgumentError, match=r"'joint2'.*must be finite"):
                solve(limited, (0.3, 0.2), start=start)


@pytest.mark.parametrize('kind', [list, np.array])
def test_a_continuous_joint_starts_within_the_bound(kind: Callable[[list[float]], Any]) -> None:
    for solver in GENERAL:
        answer = solve(THREE, (0.3, 0.2), solver, start=kind([0.0, LARGEST_POSITION, 0.0]))
        assert answer.status is Status.REACHED
        assert abs(answer.q[1] - LARGEST_POSITION) < 4.0
    words = "'joint2' is 1e.308; it must be from -1000000000 to 1000000000 rad"
    with pytest.raises(ArgumentError, match=words):
        solve(THREE, (0.3, 0.2), start=kind([0.0, 1e308, 0.0]))
    with pytest.raises(ArgumentError, match="'joint1' is -2"):
        solve(TWO, (0.3, 0.2), start=kind([-2e9, 0.0]))


def test_a_bad_row_of_a_batch_is_named() -> None:
    targets: list[Any] = [(0.1, 0.2)] * 50
    for bad, words in (
        ((0.1, 'x'), r"targets\[49, 1\] is 'x'"),
        ((0.1, 10**400), r'targets\[49, 1\] is a whole number of 1329 bits'),
        ((math.nan, 0.0), r'targets\[49, 0\] is nan'),
        (None, r'targets\[49\] is None'),
    ):
        with pytest.raises(ArgumentError, match=words) as caught:
            solve_batch(TWO, [*targets[:-1], bad])
        assert len(str(caught.value)) < 700
    starts = np.zeros((50, 3))
    for bad, words in ((1e308, r'is 1e\+308.*1000000000 rad'), (math.nan, 'is nan.*finite')):
        starts[31, 1] = bad
        with pytest.raises(ArgumentError, match=r'start\[31, 1\] ' + words) as caught:
            solve_batch(THREE, targets, start=starts)
        assert "'joint2'" in str(caught.value)


def test_forward_takes_no_angle_whose_sums_overflow() -> None:
    assert np.isfinite(TWO.forward([[LARGEST_POSITION, -LARGEST_POSITION]])).all()
    for bad in (1e308, math.nan, math.inf):
        with pytest.raises(ArgumentError, match=r"q\[1, 0\] is .*'joint1'.*1000000000 rad"):
            TWO.forward([[0.0, 0.0], [bad, 0.0]])


# --- time and memory -----------------------------------------------------------------------------


def limited_chain(joints: int) -> Chain:
    return Chain.from_lengths([1.0 / joints] * joints, [(-0.5 / joints, 1.0 / joints)] * joints)


def test_more_joints_than_are_allowed_are_refused() -> None:
    limit = (-1.0, 1.0)
    assert len(limited_chain(MOST_LIMITED_JOINTS)) == MOST_LIMITED_JOINTS
    with pytest.raises(ChainError, match='at most 256 joints where any has limits; 1000 were'):
        limited_chain(1000)
    few, many = [limit] + [None] * 255, [limit] + [None] * 256
    assert len(Chain.from_lengths([1.0] * 256, few)) == 256
    with pytest.raises(ChainError, match='at most 256 joints where any has limits; 257 were'):
        Chain.from_lengths([1.0] * 257, many)
    with pytest.raises(ChainError, match='at most 1000 joints'):
        Chain.from_lengths([1.0] * 1001)


@pytest.mark.parametrize('solver', GENERAL)
def test_as_many_free_joints_as_are_allowed(solver: str) -> None:
    chain = Chain.from_lengths([1.0] * MOST_JOINTS)
    for point in ((500.0, 300.0), (0.0, 0.0), (0.0, -999.9), (2e3, 0.0)):
        assert np.isfinite(solve(chain, point, solver).q).all()
    assert (solve_batch(chain, [(500.0, 300.0)] * 3, solver).status == Status.REACHED).all()


def memory_of(call: Callable[[], Any]) -> int:
    """Bytes at the peak of a call, beyond those before it."""
    gc.collect()
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_forbidden_target_takes_bounded_work_with_the_most_joints() -> None:
    chain = limited_chain(MOST_LIMITED_JOINTS if FULL else 100)
    before = time.process_time()
    memory = memory_of(lambda: solve(chain, (-0.9, 0.1)))
    print(f'{len(chain)} joints: {memory / 1e6:.0f} MB, {time.process_time() - before:.1f} s')
    assert memory < 200e6
    assert solve(chain, (-0.9, 0.1)).status is Status.JOINT_LIMIT


# --- threads -------------------------------------------------------------------------------------


@pytest.mark.parametrize('solver', GENERAL)
def test_eight_threads_get_the_same_bits(solver: str) -> None:
    rng = np.random.default_rng(7)
    kinds = [None, 'mixed', 'narrow', 'symmetric']
    points = rng.normal(size=(100 if FULL else 30, 2))

    def made() -> list[Chain]:
        again = np.random.default_rng(5)
        return [
            random_chain(joints, again, limits_of(kind, joints, again))
            for joints in (2, 3, 7)
            for kind in kinds
        ]

    def answers(chains: list[Chain], order: int) -> dict[int, bytes]:
        found = {}
        for k in np.random.default_rng(order).permutation(len(chains)).tolist():
            batch = solve_batch(chains[k], points, solver)
            single = [solve(chains[k], point, solver).q.tobytes() for point in points[:5]]
            parts = (batch.q.tobytes(), batch.error.tobytes(), batch.status.tobytes(), *single)
            found[k] = b''.join(parts)
        return found

    expected = answers(made(), 0)
    for round_ in range(5 if FULL else 1):
        shared = made()  # and what they work out when they are first used, with them
        with ThreadPoolExecutor(8) as pool:
            for found in pool.map(answers, [shared] * 8, range(round_, round_ + 8)):
                assert found == expected
