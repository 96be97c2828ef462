"""Targets in other frames than the arm's, and at an angle: with tf2 or a stand-in for it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pytest
from harness import once, without
from node_client import THREE, TWO, values
from transforms import Transforms, with_tf

FOR_EVER = 1e6  # s

# A point in a frame that is turned by 90 degrees about z, and the shift of that frame.
SEEN, SHIFT = (0.2, -0.2, 0.1), (0.1, 0.0, -0.1)


def is_at_meant(said: Mapping[str, str], shift: tuple[float, float, float] = SHIFT) -> bool:
    """Whether an answer is about SEEN in a frame with a shift."""
    found = [float(said[name]) for name in ('x', 'y', 'out_of_plane')]
    meant = [0.2 + shift[0], 0.2 + shift[1], 0.1 + shift[2]]
    in_base = [float(said[f'target_{axis}']) for axis in 'xyz']
    return (
        said['code'] == 'REACHED' and max(math.dist(found, meant), math.dist(in_base, meant)) < 1e-9
    )


def test_targets_in_any_frame(start: Any) -> None:
    arm = start(THREE, env=with_tf())[1].connect()
    frames = Transforms(arm.node)
    assert not frames.are_heard()  # it costs processor time

    # No transform at all, then one.
    stamp = arm.send(SEEN, 'camera')
    said = arm.wait_for(stamp, 'UNKNOWN_FRAME')
    assert "'camera'" in said['message']
    assert "'base_link'" in said['message']
    assert 'does not exist (LookupException). The arm holds.' in said['message']
    arm.wait(frames.are_heard, 'a listener')
    frames.place('camera', *SHIFT)
    arm.wait(lambda: is_at_meant(values(arm.ask(SEEN, frame_id='camera'))), 'a known frame')
    # With a stamp or without; a query too.
    assert is_at_meant(values(arm.ask(SEEN, frame_id='camera', query=True)))
    # The frame, turned by a quarter, takes an orientation with it, too.
    said = values(arm.ask(SEEN, frame_id='camera', turn=(math.sin(-0.3), math.cos(-0.3))))
    assert is_at_meant(said)
    assert float(said['angle']) == pytest.approx(0.5 * math.pi - 0.6, abs=1e-6)
    assert sum(arm.pose()) == pytest.approx(0.5 * math.pi - 0.6, abs=1e-6)
    count = len(arm.statuses)
    arm.send(SEEN, 'camera', stamp=0)
    arm.wait(lambda: len(arm.statuses) > count, 'a status')
    assert is_at_meant(values(arm.statuses[-1]))
    # The goal is kept in the base frame.
    assert arm.set({'solver': 'ccd'}).successful
    said = values(arm.wait(lambda: arm.statuses[count + 1 :], 'the changed status')[-1])
    assert is_at_meant(said)
    assert said['solver'] == 'ccd'

    assert arm.set({'tf_timeout': FOR_EVER}).successful
    # With a transform before its stamp, a target waits for one after it.
    waiting, asked = arm.send(SEEN, 'hand', 100), arm.send(SEEN, 'hand', 99, query=True)

    def is_answered() -> bool:
        frames.place('hand', *SHIFT, stamp=99, moving=True)
        return asked in [message.header.stamp for message in arm.answers]

    arm.wait(is_answered, 'the answer at the time of the transform')
    assert arm.told(waiting) == []
    frames.place('hand', *SHIFT, stamp=101, moving=True)
    assert is_at_meant(arm.wait_for(waiting, 'REACHED'))


@once
def test_simulated_time_that_stands_or_jumps_back(start: Any) -> None:
    _, arm = start({**TWO, 'use_sim_time': True}, env=with_tf())
    frames = Transforms(arm.node)

    def is_told(code: str) -> bool:
        return code in [values(message)['code'] for message in arm.statuses]

    arm.wait(lambda: arm.show(1000) or is_told('READY'), 'the clock')
    # It stands still, and a target is refused all the same.
    arm.wait(lambda: arm.send(SEEN, 'hand') and is_told('UNKNOWN_FRAME'), 'a refusal')
    arm.wait(frames.are_heard, 'a listener')

    def is_found_at(stamp: int, shift: tuple[float, float, float]) -> bool:
        """Whether the latest transform, as the node knows it, has a shift."""
        arm.show(stamp)
        frames.place('hand', *shift, stamp=stamp, moving=True)
        count = len(arm.answers)
        arm.send(SEEN, 'hand', stamp=0, query=True)
        arm.wait(lambda: len(arm.answers) > count, 'an answer')
        return is_at_meant(values(arm.answers[-1]), shift)

    arm.wait(lambda: is_found_at(1001, SHIFT), 'the transform')
    # The latest transform before the jump is in the future after it.
    arm.wait(lambda: is_found_at(10, (0.0, 0.1, -0.1)), 'the transform after the jump')


@once
def test_without_tf2_the_status_says_what_to_install(start: Any) -> None:
    arm = start(TWO, env=without('tf2_ros'))[1].connect()
    said = values(arm.ask(SEEN, frame_id='camera'))
    assert said['code'] == 'UNKNOWN_FRAME'
    assert 'tf2_ros_py' in said['message']
    assert values(arm.ask((0.2, 0.3, 0.0)))['code'] == 'REACHED'
