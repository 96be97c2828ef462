"""The node where time comes from a simulation, or does not come."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Sequence
from typing import Any

from harness import DEFAULT_TIMEOUT, HAS_ROS
from node_client import CHAIN, HOME, NEAR, TWO, Client, only, tip, values

from ik2d_ros.kinematics import solve
from ik2d_ros.pilot.outcome import Level

if HAS_ROS:
    from sensor_msgs.msg import JointState

SIMULATED = {**TWO, 'use_sim_time': True}
BILLION, MILLISECOND = 10**9, 10**6
SPEED, RATE = 1.0, 50.0
SLOW = {
    'publish_rate': RATE,
    'chain.shoulder.max_velocity': SPEED,
    'chain.elbow.max_velocity': SPEED,
}
AWAY = (0.1, -0.4, 0.0)


def time_of(message: JointState) -> int:
    return message.header.stamp.sec * BILLION + message.header.stamp.nanosec


def test_without_a_clock_the_target_waits(start: Any) -> None:
    _, arm = start({**SIMULATED, 'target_timeout': 1e9})
    arm.connect(poses=False)
    message = arm.ask(NEAR)
    stamp = message.header.stamp
    assert (values(message)['code'], only(message).level) == ('NO_CLOCK', bytes([Level.ERROR]))
    assert '/clock' in only(message).message
    assert only(message).message.endswith('The arm holds.')
    assert arm.joint_states == []
    # As soon as the clock comes, all is well by itself: the arm goes where it was sent.
    arm.statuses.clear()
    arm.run_until(lambda: len(arm.joint_states) > 3, 'poses', first=100)
    assert all(100 <= message.header.stamp.sec < 10**6 for message in arm.joint_states)
    arm.wait(lambda: arm.statuses, 'the answer')
    assert [(m.header.stamp, values(m)['code']) for m in arm.statuses] == [(stamp, 'REACHED')]
    assert math.dist(tip(tuple(arm.joint_states[-1].position)), NEAR[:2]) <= 1e-6

    # A clock beyond the largest stamp is reported, until it is valid again.
    arm.wait(
        lambda: arm.show(2**31 - 1, 2**32 - 1) or arm.status['code'] == 'NO_CLOCK',
        'the loss of the clock',
    )
    arm.run_until(lambda: arm.status['code'] == 'READY', 'health', first=10**6)


def test_stamps_of_poses_increase_while_the_clock_stands_still(start: Any) -> None:
    _, arm = start(SIMULATED)
    arm.run_until(lambda: arm.joint_states, 'poses', first=200)
    arm.connect()
    for turn in range(5):
        # No tick in between: whoever keeps the latest stamp must see the latest pose.
        x, y = 0.4 * math.cos(0.2 * turn), 0.4 * math.sin(0.2 * turn)
        arm.ask((x, y, 0.0))

        def is_there(goal: tuple[float, float] = (x, y)) -> bool:
            """Poses of before may still be on their way."""
            latest = max(arm.joint_states, key=time_of)
            return math.dist(tip(tuple(latest.position)), goal) <= 1e-6

        arm.wait(is_there, 'the latest pose')
    stamps = [time_of(message) for message in arm.joint_states]
    assert stamps == sorted(set(stamps))


class Strides:
    """A clock that runs in strides, each of which has time to be seen."""

    def __init__(self, arm: Client) -> None:
        self.arm, self.now = arm, 86_400 * BILLION

    def show(self) -> None:
        self.arm.show(*divmod(self.now, BILLION))

    def run(self, stride: int, predicate: Callable[[], Any], what: str) -> None:
        """Let it run until a condition holds."""
        deadline = time.monotonic() + DEFAULT_TIMEOUT
        while not predicate():
            assert time.monotonic() < deadline, f'no sign of {what}'
            self.now += stride
            seen, patience = len(self.arm.joint_states), time.monotonic() + 0.2
            self.show()
            while len(self.arm.joint_states) == seen and time.monotonic() < patience:
                self.arm.executor.spin_once(timeout_sec=0.005)

    def run_poses(self, count: int) -> None:
        seen = len(self.arm.joint_states)
        self.run(20 * MILLISECOND, lambda: len(self.arm.joint_states) > seen + count, 'poses')

    def rest(self) -> None:
        """Let time stand still until nothing has changed for a while."""
        stood, since = (), time.monotonic()
        while time.monotonic() < since + 0.5:
            self.show()
            if self.arm.joint_states[-1].position != stood:
                stood, since = self.arm.joint_states[-1].position, time.monotonic()


def ways_left(states: Sequence[JointState]) -> list[float]:
    """How far the first joint still has to go at each pose, in rad."""
    goal = solve(CHAIN, AWAY[:2], start=HOME).q[0]
    return [abs(goal - state.position[0]) for state in states]


def steps(states: Sequence[JointState]) -> list[float]:
    """The longest way of a joint from each pose to the next, in rad."""
    return [
        max(abs(a - b) for a, b in zip(after.position, before.position, strict=True))
        for before, after in itertools.pairwise(states)
    ]


def test_the_arm_moves_with_simulated_time(start: Any) -> None:
    _, arm = start({**SIMULATED, **SLOW, 'target_timeout': 5.0})
    clock = Strides(arm)
    clock.run(20 * MILLISECOND, lambda: arm.joint_states, 'poses')
    arm.connect()
    begin = len(arm.joint_states)
    stamp = arm.ask(AWAY, stamp=clock.now // BILLION).header.stamp
    clock.run(20 * MILLISECOND, lambda: any(steps(arm.joint_states[begin:])), 'motion')
    # It stands still: so does the arm, and afterwards it does not make up for it.
    clock.rest()
    assert arm.told(stamp)[-1]['at_goal'] == 'false'
    assert ways_left(arm.joint_states)[-1] > 0.1
    clock.run_poses(3)
    # It jumps, forwards and back: the arm goes on as if it had not.
    for jump in (1000, -2000):
        clock.now += jump * BILLION
        clock.run_poses(3)
    assert max(steps(arm.joint_states)) <= 2.0 * SPEED / RATE * 1.01
    # In long strides, the arm moves by the time of each.
    seen = len(arm.joint_states)
    there = lambda: arm.told(stamp)[-1]['at_goal'] == 'true'  # noqa: E731
    clock.run(100 * MILLISECOND, there, 'arrival')
    strided = arm.joint_states[seen:]
    for step, (before, after) in zip(steps(strided), itertools.pairwise(strided), strict=True):
        assert step <= SPEED * (time_of(after) - time_of(before)) / BILLION * 1.01 + 1e-9
    assert max(steps(strided)) > 4.0 * SPEED / RATE
    left = ways_left(arm.joint_states[begin:])
    assert left == sorted(left, reverse=True)
    assert math.dist(tip(tuple(arm.joint_states[-1].position)), AWAY[:2]) <= 1e-6

    # Stamps are judged by this clock.
    now = clock.now // BILLION
    for offset, code in ((-9, 'STALE_TARGET'), (1, 'REACHED'), (9, 'STALE_TARGET')):
        assert values(arm.ask(NEAR, stamp=now + offset))['code'] == code
    clock.now += 9 * BILLION
    clock.run_poses(1)
    assert values(arm.ask(NEAR, stamp=now + 9))['code'] == 'REACHED'
