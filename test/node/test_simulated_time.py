"""The node where time comes from a simulation, or does not come."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

from harness import HAS_ROS
from node_client import NEAR, Client, only, tip, values
from refusals import TWO

from ik2d_ros.node.outcome import Level

if HAS_ROS:
    from builtin_interfaces.msg import Time as TimeMessage
    from rosgraph_msgs.msg import Clock
    from sensor_msgs.msg import JointState


class Ticks:
    """A simulation's clock, which stands still unless it is told to move."""

    def __init__(self, arm: Client) -> None:
        self._arm = arm
        self._publisher = arm.node.create_publisher(Clock, '/clock', 10)
        arm.wait(self._publisher.get_subscription_count, 'the subscription of /clock')

    def show(self, seconds: int, nanoseconds: int = 0) -> None:
        """Show a time, and give it a moment to be seen."""
        self._publisher.publish(Clock(clock=TimeMessage(sec=seconds, nanosec=nanoseconds)))
        self._arm.executor.spin_once(timeout_sec=0.05)

    def run_until(self, predicate: Callable[[], Any], what: str, first: int) -> None:
        """Let it run, a second a tick, until a condition holds."""
        times = itertools.count(first)

        def holds() -> bool:
            self.show(next(times))
            return bool(predicate())

        self._arm.wait(holds, what)


SIMULATED = {**TWO, 'use_sim_time': True}


def test_nothing_is_published_before_simulated_time_begins(start: Any) -> None:
    process, arm = start(SIMULATED)
    ticks = Ticks(arm)
    arm.connect(poses=False)
    message = arm.ask(NEAR, query=False)
    assert (values(message)['code'], only(message).level) == ('NO_CLOCK', bytes([Level.ERROR]))
    assert values(message)['at_goal'] == 'false'
    assert '/clock' in only(message).message
    assert only(message).message.endswith('The arm holds.')
    assert arm.joint_states == []
    process.wait_for_output('there is no valid time: use_sim_time is true')
    # As soon as the clock comes, all is well by itself: the arm goes where it was sent.
    ticks.run_until(lambda: len(arm.joint_states) > 3, 'poses', first=100)
    assert {100 <= message.header.stamp.sec < 10**6 for message in arm.joint_states} == {True}
    healed = arm.wait(
        lambda: [m for m in arm.statuses if values(m)['code'] == 'REACHED'], 'the answer'
    )
    assert [m.header.stamp for m in healed] == [message.header.stamp]
    assert math.dist(tip(tuple(arm.joint_states[-1].position)), NEAR[:2]) <= 1e-6


def test_a_refused_target_does_not_replace_the_one_that_waits_for_the_clock(start: Any) -> None:
    _, arm = start({**SIMULATED, 'target_timeout': 1e9})
    ticks = Ticks(arm)
    arm.connect(poses=False)
    stamp = arm.ask(NEAR).header.stamp
    assert values(arm.ask((math.inf, 0.0, 0.0)))['code'] == 'INVALID_TARGET'
    arm.statuses.clear()
    ticks.run_until(lambda: arm.statuses, 'the answer', first=100)
    assert [(m.header.stamp, values(m)['code']) for m in arm.statuses] == [(stamp, 'REACHED')]


def test_a_clock_beyond_all_stamps_is_told_of_and_passes(start: Any) -> None:
    process, arm = start(SIMULATED)
    ticks = Ticks(arm)
    ticks.run_until(lambda: arm.joint_states, 'poses', first=100)
    arm.connect()
    stamp = arm.ask(NEAR).header.stamp

    def is_lost() -> bool:
        ticks.show(2**31 - 1, 2**32 - 1)
        return values(arm.statuses[-1])['code'] == 'NO_CLOCK'

    arm.wait(is_lost, 'the loss of the clock')
    assert arm.statuses[-1].header.stamp == stamp
    assert 'after 2147483647 s' in only(arm.statuses[-1]).message
    process.wait_for_output('there is no valid time: the clock shows')
    arm.joint_states.clear()
    ticks.run_until(lambda: values(arm.statuses[-1])['code'] == 'READY', 'health', first=10**6)
    ticks.run_until(lambda: arm.joint_states, 'poses', first=2 * 10**6)
    assert math.dist(tip(tuple(arm.joint_states[-1].position)), NEAR[:2]) <= 1e-6


def test_poses_have_later_stamps_one_after_the_other_also_while_the_clock_stands(
    start: Any,
) -> None:
    _, arm = start(SIMULATED)
    ticks = Ticks(arm)
    ticks.run_until(lambda: arm.joint_states, 'poses', first=100)
    arm.connect()
    for turn in range(5):
        # No tick in between: whoever keeps the latest stamp must see the latest pose.
        angle = 0.2 * turn
        x, y = 0.4 * math.cos(angle), 0.4 * math.sin(angle)
        arm.ask((x, y, 0.0))

        def latest_tip() -> tuple[float, float]:
            return tip(tuple(max(arm.joint_states, key=stamp_of).position))

        # Poses of before may still be on their way.
        arm.wait(lambda goal=(x, y): math.dist(latest_tip(), goal) <= 1e-6, 'the latest pose')
    stamps = [stamp_of(message) for message in arm.joint_states]
    assert stamps == sorted(set(stamps))


def stamp_of(message: JointState) -> tuple[int, int]:
    return message.header.stamp.sec, message.header.stamp.nanosec


def test_the_node_is_ready_as_soon_as_there_is_a_clock(start: Any) -> None:
    _, arm = start(SIMULATED)
    ticks = Ticks(arm)
    arm.wait(lambda: arm.statuses, 'the first status')
    assert [values(m)['code'] for m in arm.statuses] == ['NO_CLOCK']
    ticks.run_until(lambda: len(arm.statuses) > 1, 'the next', first=100)
    assert [values(m)['code'] for m in arm.statuses] == ['NO_CLOCK', 'READY']
    assert arm.statuses[-1].header.stamp.sec >= 100
