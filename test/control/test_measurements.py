"""The measured pose: whatever the form of the messages, the joints that they name count."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sizes import count

from ik2d_ros.control.measurements import LIMIT_MARGIN, MeasurementBounds, Measurements

JOINTS = ('shoulder', 'elbow')
BOUNDS = [MeasurementBounds(name, -2.0, 2.0, 1.5) for name in JOINTS]
USELESS = st.sampled_from([math.nan, math.inf, -math.inf, 1e300])
PERIOD = 0.01  # s
FEW = count(20_000, 40)


class Measured:
    """Measurements, and the clocks that pass for them."""

    def __init__(self, bounds: Sequence[MeasurementBounds] = BOUNDS) -> None:
        self.measurements = Measurements(bounds)
        self.clock, self.wall = 1e5, 50.0
        self.measurements.pass_time(self.clock, self.wall)

    def go_on(self, clock: float = PERIOD, wall: float = PERIOD) -> None:
        self.clock, self.wall = self.clock + clock, self.wall + wall
        self.measurements.pass_time(self.clock, self.wall)

    def say(self, *positions: float, times: int = 1) -> tuple[float, ...]:
        """Let a driver say so, one period after the other."""
        for _ in range(times):
            self.go_on()
            self.measurements.update(JOINTS[: len(positions)], positions)
        return self.measurements.positions

    def known(self, *positions: float) -> Measured:
        """Let it be said until it is believed."""
        assert self.say(*positions, times=60) == positions
        assert self.measurements.fault == ''
        return self


@given(
    st.lists(st.sampled_from([*JOINTS, 'gripper']), max_size=6),
    st.lists(st.floats(-0.05, 0.05) | USELESS, max_size=6),
)
def test_unusable_positions_are_ignored(names: list[str], positions: list[float]) -> None:
    measured = Measured().known(0.0, 0.0)
    said = dict(zip(names, positions, strict=False))
    measured.measurements.update(names, positions)
    for name, known in zip(JOINTS, measured.measurements.positions, strict=True):
        assert known == (said.get(name, 0.0) if abs(said.get(name, 0.0)) <= 1.0 else 0.0)


def test_a_robot_too_far_outside_its_limits_is_a_fault() -> None:
    measured = Measured()
    measured.say(0.0, 2.0 + 0.9 * LIMIT_MARGIN['rad'], times=12)
    assert measured.measurements.fault == ''
    for further in (1.5, 2.0):
        measured.say(0.0, 2.0 + further * LIMIT_MARGIN['rad'], times=24)
    assert measured.measurements.fault == (
        "joint 'elbow' is measured at 2.2 rad, more than 0.1 rad outside its limits of -2 to 2 rad"
    )
    for position in (2.15, 2.05, 1.95):
        measured.say(0.0, position, times=12)
    assert measured.measurements.fault == ''


@pytest.mark.parametrize('seed', range(20))
def test_where_a_driver_wraps_noise_is_no_fault_from_the_first_measurement_on(seed: int) -> None:
    measured, random = Measured([MeasurementBounds('shoulder', velocity=1.5)]), Random(seed)
    for sample in range(100):
        (q,) = measured.say(math.remainder(math.pi + random.gauss(0.0, 0.01), math.tau))
        assert sample < 12 or measured.measurements.fault == ''
        assert sample < 12 or abs(q) == pytest.approx(math.pi, abs=0.1)


@given(st.floats(-20.0, 20.0), st.floats(-20.0, 20.0), st.floats(0.0, 3.0))
def test_a_driver_that_counts_turns_anew_is_not_believed_until_that_is_confirmed(
    before: float, after: float, silence: float
) -> None:
    """A command in the old turn would send the joint round."""
    measured = Measured([MeasurementBounds('shoulder', velocity=1.5)]).known(before)
    for _ in range(round(silence / PERIOD)):
        measured.go_on()
    positions = measured.say(after, times=60)
    assert positions in [(before,), (pytest.approx(after),)] or max(abs(before), abs(after)) < 6.3
    assert abs(positions[0] - before) <= 0.1 + 0.1 * 1.5 + 1e-9
    if positions == (before,) != (after,):
        assert f'cannot have come from {positions[0]:.5g} rad' in measured.measurements.fault
        measured.measurements.confirm()
        measured.known(after)


class Joint(Measured):
    """A joint that somebody moves, and a driver that says where it is."""

    def __init__(self, seed: int) -> None:
        self.random = random = Random(seed)
        self.speed = random.choice([0.3, 1.5, 3.0])
        self.period = random.choice([0.001, 0.004, 0.01, 0.02, 0.05, 0.1])
        self.repeats = random.choice([1, 1, 2, 5]) if self.period < 0.1 else 1  # of each sample
        self.noise = random.choice([0.0, 1e-3, 5e-3])
        self.at = random.uniform(-1.5, 1.5)
        super().__init__([MeasurementBounds('joint', -99.0, 99.0, self.speed)])
        self.faults: list[str] = []
        self.move(0.3)
        self.faults.clear()

    def move(self, seconds: float, offset: float = 0.0, speed: float = 0.0) -> None:
        """Move at a speed, and let the driver be off."""
        for _ in range(max(round(seconds / self.period), 1)):
            self.at += speed * self.period
            said = self.at + offset + self.random.uniform(-self.noise, self.noise)
            for _ in range(self.repeats):
                self.go_on(self.period / self.repeats, self.period / self.repeats)
                self.measurements.update(['joint'], [said])
                self.faults += [self.measurements.fault] if self.measurements.fault else []

    def be_silent(self, seconds: float) -> None:
        for _ in range(round(seconds / 0.1)):
            self.go_on(0.1, 0.1)

    @property
    def believed(self) -> float:
        return self.measurements.positions[0]


@pytest.mark.parametrize('seed', range(FEW))
def test_hands_that_move_a_joint_smoothly_are_believed(seed: int) -> None:
    """At up to ten times its own speed, however often and in how many messages it is measured."""
    joint, random = Joint(seed), Random(seed)
    for _ in range(4):
        hands = random.uniform(-10.0, 10.0) * joint.speed
        joint.move(random.uniform(3.0, 6.0) * joint.period + random.uniform(0.0, 0.3), 0.0, hands)
        joint.move(random.uniform(0.0, 0.3))
        joint.at = random.uniform(-0.01, 0.01) + joint.at
    joint.move(0.3)
    assert joint.faults == []
    assert joint.believed == pytest.approx(joint.at, abs=joint.noise + 1e-9)


@pytest.mark.parametrize('seed', range(2 * FEW))
def test_a_jump_is_never_believed_by_itself_however_long_it_lasts(seed: int) -> None:
    """Nor another soon after: each is a fault until the joint is back, or somebody confirms it."""
    joint, random = Joint(seed), Random(seed)
    unseen = joint.speed * min(joint.period, 0.1)  # of a joint that moves by itself
    before, least = joint.at, 0.12 + max(unseen, 0.1) + 4.0 * joint.noise
    if random.random() < 0.3:
        joint.be_silent(random.uniform(0.0, 2.0))
    for _ in range(3):
        farthest = random.choice([2.0 * least, 3.0])
        offset = math.copysign(random.uniform(least, farthest), random.uniform(-1.0, 1.0))
        spans = 0.05, 0.3, 1.2, joint.period, 20.0 * joint.period, 100.0 * joint.period
        joint.move(span := random.choice(spans), offset)
        assert joint.believed == pytest.approx(before, abs=joint.noise + 1e-9)
        if span > 0.1 + 2.0 * joint.period:
            assert joint.measurements.fault == joint.faults[-1]
            assert f'cannot have come from {joint.believed:.5g} rad' in joint.faults[-1]
            if random.random() < 0.5:
                joint.measurements.confirm()
                assert joint.measurements.fault == ''
                joint.move(0.05)
                assert joint.believed == pytest.approx(joint.at + offset, abs=joint.noise + 1e-9)
                joint.move(0.5, offset)
                assert joint.measurements.fault == ''
                return
        joint.move(0.1 + 3.0 * joint.period)
        assert joint.measurements.fault == ''
        assert joint.believed == pytest.approx(before, abs=joint.noise + 1e-9)


@pytest.mark.parametrize('seed', range(FEW))
def test_after_a_silence_a_joint_is_believed_near_where_it_was_alone(seed: int) -> None:
    joint, random = Joint(seed), Random(seed)
    before, moved = joint.at, random.uniform(-0.3, 0.3)
    joint.be_silent(random.uniform(0.7, 5.0))
    assert 'no valid position of joint was received in the last 0.5 s' in joint.measurements.fault
    joint.measurements.confirm()  # nothing
    joint.at += moved
    joint.move(0.3 + 3.0 * joint.period)
    if abs(moved) < 0.1 - 2.0 * joint.noise:
        assert joint.measurements.fault == ''
        assert joint.believed == pytest.approx(joint.at, abs=joint.noise + 1e-9)
    elif abs(moved) > 0.1 + 2.0 * joint.noise:
        assert 'cannot have come' in joint.measurements.fault
        assert joint.believed == pytest.approx(before, abs=joint.noise + 1e-9)


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
    measured = Measured().known(0.1, 0.2)
    measured.go_on(clock, wall)
    assert measured.measurements.fault == ''  # not at once, however long it was
    for _ in range(10):
        measured.go_on(clock, wall)
    assert bool(measured.measurements.fault) == falls_silent
