"""The node where time comes from a simulation, or does not come."""

from __future__ import annotations

import itertools
import math

from harness import HAS_ROS
from node_client import NEAR, TWO, only, tip, values

if HAS_ROS:
    pass

SIMULATED = {**TWO, 'use_sim_time': True}
BILLION = 10**9
SPEED = 1.0
LIMITED = {f'chain.{joint}.max_velocity': SPEED for joint in ('shoulder', 'elbow')}


def time_of(message):
    return message.header.stamp.sec * BILLION + message.header.stamp.nanosec


def test_a_target_waits_for_the_clock_stamps_increase_and_the_arm_moves_with_it(start):
    _, arm = start({**SIMULATED, 'target_timeout': 1e9})
    message = arm.connect(poses=False).ask(NEAR)
    assert (values(message)['code'], arm.joint_states) == ('NO_CLOCK', [])
    assert '/clock' in only(message).message
    # As soon as the clock comes, all is well by itself: the arm goes where it was sent.
    arm.statuses.clear()
    seconds = itertools.count(200)
    arm.wait(lambda: arm.show(next(seconds)) or arm.joint_states, 'poses')
    assert arm.joint_states[0].header.stamp.sec >= 200
    arm.wait_for(message.header.stamp, 'REACHED')
    arm.connect()
    for turn in range(5):
        # No tick in between: whoever keeps the latest stamp must see the latest pose.
        x, y = 0.4 * math.cos(0.2 * turn), 0.4 * math.sin(0.2 * turn)
        arm.ask((x, y, 0.0))

        def is_there(goal=(x, y)):
            """Poses of before may still be on their way."""
            latest = max(arm.joint_states, key=time_of)
            return math.dist(tip(tuple(latest.position)), goal) <= 1e-6

        arm.wait(is_there, 'the latest pose')
    stamps = [time_of(message) for message in arm.joint_states]
    assert stamps == sorted(set(stamps))

    assert arm.set({**LIMITED, 'target_timeout': 5.0}).successful
    ticks = itertools.count(1000 * BILLION, BILLION // 20)
    # The clock may come to the node later than a target that is sent after it.
    arm.wait(
        lambda: arm.show(1000) or arm.joint_states[-1].header.stamp.sec >= 1000, 'the new time'
    )
    arm.joint_states.clear()
    stamp = arm.ask((0.1, -0.4, 0.0), stamp=1001).header.stamp

    def is_there():
        arm.show(*divmod(next(ticks), BILLION))
        return arm.told(stamp)[-1]['at_goal'] == 'true'

    arm.wait(is_there, 'arrival')
    for before, after in itertools.pairwise(arm.joint_states):
        step = max(abs(a - b) for a, b in zip(after.position, before.position, strict=True))
        assert step <= SPEED * (time_of(after) - time_of(before)) / BILLION * 1.01 + 1e-9
