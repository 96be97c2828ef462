"""The measured pose: whatever the form of the messages, the joints that they name count."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.control.measurements import TIMEOUT, Measurements

JOINTS = ('shoulder', 'elbow')
ANGLES = st.floats(-10.0, 10.0)
USELESS = st.sampled_from([math.nan, math.inf, -math.inf, 1e300])


@given(
    st.permutations([('shoulder', 0.1), ('elbow', 0.2), ('gripper', 9.0), ('', 7.0)]),
    st.integers(0, 3),
)
def test_order_foreign_joints_and_the_number_of_messages_do_not_matter(
    pairs: list[tuple[str, float]], cut: int
) -> None:
    measurements = Measurements(JOINTS)
    for part in (pairs[:cut], pairs[cut:]):
        said = measurements.hear([name for name, _ in part], [value for _, value in part])
        assert said == []
    assert measurements.positions == {'shoulder': 0.1, 'elbow': 0.2}
    assert measurements.fault() == ''


@given(
    st.lists(st.sampled_from([*JOINTS, 'gripper']), max_size=6),
    st.lists(ANGLES | USELESS, max_size=6),
)
def test_only_usable_positions_count_whatever_arrives(
    names: list[str], positions: list[float]
) -> None:
    measurements = Measurements(JOINTS)
    measurements.hear(JOINTS, (0.1, 0.2))
    measurements.hear(names, positions)
    assert measurements.positions.keys() == set(JOINTS)
    for name, known in zip(JOINTS, (0.1, 0.2), strict=True):
        given = [q for n, q in zip(names, positions, strict=False) if n == name and abs(q) <= 10.0]
        assert measurements.positions[name] == (given[0] if given else known)
    assert measurements.first == {'shoulder': 0.1, 'elbow': 0.2}


def test_an_empty_array_changes_nothing() -> None:
    measurements = Measurements(JOINTS)
    measurements.hear(JOINTS, (0.1, 0.2))
    measurements.hear(JOINTS, ())
    measurements.hear((), ())
    assert measurements.positions == {'shoulder': 0.1, 'elbow': 0.2}


def test_a_position_without_a_name_and_a_name_without_a_position_are_ignored() -> None:
    measurements = Measurements(JOINTS)
    assert len(measurements.hear(JOINTS, (0.1,))) == 1
    assert measurements.positions == {'shoulder': 0.1}
    measurements.hear(('elbow',), (0.2, 0.3))
    assert measurements.positions == {'shoulder': 0.1, 'elbow': 0.2}


def test_the_first_usable_position_counts_if_a_joint_is_named_twice() -> None:
    measurements = Measurements(JOINTS)
    said = measurements.hear(('elbow', 'elbow', 'elbow'), (math.nan, 0.2, 0.3))
    assert measurements.positions == {'elbow': 0.2}
    assert len(said) == 2


@pytest.mark.parametrize(
    ('names', 'positions', 'word'),
    [
        (JOINTS, (0.1,), '2 names, but 1 positions'),
        (JOINTS, (0.1, math.nan), "'elbow' is nan"),
        (JOINTS, (math.inf, 0.1), "'shoulder' is inf"),
        (('elbow', 'elbow'), (0.1, 0.2), "'elbow' more than once"),
    ],
)
def test_a_problem_is_said_once(
    names: tuple[str, ...], positions: tuple[float, ...], word: str
) -> None:
    measurements = Measurements(JOINTS)
    (said,) = measurements.hear(names, positions)
    assert word in said
    assert measurements.hear(names, positions) == []


def test_what_is_wrong_with_foreign_joints_does_not_matter() -> None:
    said = Measurements(JOINTS).hear(('gripper', 'gripper', *JOINTS), (math.nan, 1.0, 0.1, 0.2))
    assert said == []


def test_the_pose_is_known_once_all_joints_were_seen() -> None:
    measurements = Measurements(JOINTS)
    assert measurements.fault() == 'no position of shoulder, elbow was received'
    measurements.hear(('elbow', 'gripper'), (0.2, 0.0))
    assert measurements.fault() == 'no position of shoulder was received'
    measurements.hear(('shoulder',), (0.1,))
    assert measurements.fault() == ''


class Clocks:
    """Two clocks, which let time pass for measurements."""

    def __init__(self, measurements: Measurements) -> None:
        self._measurements = measurements
        self._clock, self._wall = 1e9, 50.0
        measurements.pass_time(self._clock, self._wall)

    def go_on(self, clock: float = 0.1, wall: float = 0.1) -> None:
        self._clock += clock
        self._wall += wall
        self._measurements.pass_time(self._clock, self._wall)


def test_nothing_is_missed_in_the_first_second_of_the_wall_clock() -> None:
    measurements = Measurements(JOINTS)
    clocks = Clocks(measurements)
    for _ in range(9):
        clocks.go_on(clock=0.0)
        assert measurements.are_new
    for _ in range(2):
        clocks.go_on(clock=0.0)
    assert not measurements.are_new


def test_a_process_that_stood_still_has_not_listened() -> None:
    measurements = Measurements(JOINTS)
    clocks = Clocks(measurements)
    clocks.go_on(wall=100.0)
    assert measurements.are_new
    clocks.go_on(wall=-100.0)
    assert measurements.are_new


def test_each_joint_may_be_silent_for_a_while_only() -> None:
    measurements = Measurements(JOINTS)
    measurements.hear(JOINTS, (0.1, 0.2))
    clocks = Clocks(measurements)
    for _ in range(4):
        clocks.go_on()
        measurements.hear(('elbow', 'gripper'), (0.2, 0.0))
        assert measurements.fault() == ''
    for _ in range(4):
        clocks.go_on()
        measurements.hear(('elbow', 'gripper'), (0.2, 0.0))
    assert measurements.fault() == 'for more than 0.5 s, no position of shoulder was received'
    measurements.hear(('shoulder',), (math.nan,))
    assert measurements.fault()
    measurements.hear(('shoulder',), (0.3,))
    assert measurements.fault() == ''


def test_foreign_messages_are_no_sign_of_life() -> None:
    measurements = Measurements(JOINTS)
    measurements.hear(JOINTS, (0.1, 0.2))
    clocks = Clocks(measurements)
    for _ in range(10):
        clocks.go_on()
        measurements.hear(('gripper',), (0.2,))
    assert 'shoulder, elbow' in measurements.fault()


@pytest.mark.parametrize(
    ('clock', 'wall', 'falls_silent'),
    [
        (0.1, 0.1, True),
        (0.0, 0.1, False),  # paused
        (-1000.0, 0.1, False),  # jumps back
        (1.0, 0.0, False),  # fast, and this process has no time
        (1000.0, 0.1, True),
        (1000.0, 1000.0, True),
    ],
)
def test_time_passes_as_fast_as_the_slower_clock(
    clock: float, wall: float, falls_silent: bool
) -> None:
    measurements = Measurements(JOINTS)
    measurements.hear(JOINTS, (0.1, 0.2))
    clocks = Clocks(measurements)
    clocks.go_on(clock, wall)
    assert measurements.fault() == ''  # not at once, however long it was
    for _ in range(10):
        clocks.go_on(clock, wall)
    assert bool(measurements.fault()) == falls_silent


@given(st.lists(st.tuples(st.floats(-1e3, 1e3), st.floats(0.0, 0.2)), max_size=20))
def test_nobody_is_silent_for_longer_than_the_wall_clock_says(
    ticks: list[tuple[float, float]],
) -> None:
    measurements = Measurements(JOINTS)
    measurements.hear(JOINTS, (0.1, 0.2))
    clocks = Clocks(measurements)
    for clock, wall in ticks:
        clocks.go_on(clock, wall)
    if sum(wall for _, wall in ticks) < TIMEOUT:
        assert measurements.fault() == ''


def test_another_joint_must_be_measured_once_where_that_counts() -> None:
    measurements = Measurements(JOINTS, ('gripper', 'wrist'))
    measurements.hear(JOINTS, (0.1, 0.2))
    clocks = Clocks(measurements)
    assert measurements.fault() == ''
    assert measurements.fault(['gripper']) == 'no position of gripper was received'
    measurements.hear(('gripper',), (0.3,))
    for _ in range(10):
        clocks.go_on()
        measurements.hear((*JOINTS, 'gripper'), (0.1, 0.2, 0.3 + _))
    assert measurements.fault(['gripper']) == ''
    for _ in range(10):
        clocks.go_on()
        measurements.hear(JOINTS, (0.1, 0.2))
    assert measurements.fault(['gripper']) == ''
    assert measurements.first['gripper'] == 0.3
