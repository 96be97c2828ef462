"""The area of reach is computed beside everything else, once for a chain, and never in vain."""

from __future__ import annotations

import threading
import time

from harness import DEFAULT_TIMEOUT

from ik2d_ros.arm.background_area import BackgroundArea
from ik2d_ros.kinematics import Chain

ONE, OTHER = Chain.from_lengths([0.3]), Chain.from_lengths([0.2, 0.1])


def wait_for(background, chain):
    deadline = time.monotonic() + DEFAULT_TIMEOUT
    while (area := background.of(chain)) is None:
        assert time.monotonic() < deadline
        time.sleep(0.001)
    return area


def test_asking_never_blocks_and_the_last_chain_gets_its_area():
    may_go_on, asked = threading.Event(), []

    def compute(chain):
        asked.append(chain)
        may_go_on.wait(DEFAULT_TIMEOUT)
        return len(chain)

    background = BackgroundArea(compute, 0, print)
    assert background.of(ONE) is None
    assert background.of(OTHER) is None  # while the first is still being computed
    may_go_on.set()
    assert wait_for(background, OTHER) == len(OTHER)
    assert background.of(Chain(OTHER.joints)) == len(OTHER)  # an equal chain: known already
    assert asked == [ONE, OTHER]


def test_a_failed_computation_is_reported_once_and_gives_an_empty_area():
    complaints = []

    def compute(chain):
        raise OverflowError('too long')

    background = BackgroundArea(compute, (), complaints.append)
    assert wait_for(background, ONE) == ()
    assert background.of(ONE) == ()
    assert len(complaints) == 1
    assert 'too long' in complaints[0]
