"""A background computation that fails; test/viewer/test_page.py has one that takes long."""

from __future__ import annotations

import time

from harness import DEFAULT_TIMEOUT

from ik2d_ros.arm.background_area import BackgroundArea
from ik2d_ros.kinematics import Chain


def test_a_failed_computation_is_reported_once_and_gives_an_empty_area():
    complaints, chain = [], Chain.from_lengths([0.3])

    def compute(chain):
        raise OverflowError('too long')

    background = BackgroundArea(compute, (), complaints.append)
    deadline = time.monotonic() + DEFAULT_TIMEOUT
    while background.of(chain) is None:
        assert time.monotonic() < deadline
        time.sleep(0.001)
    assert background.of(chain) == ()
    assert len(complaints) == 1
    assert 'too long' in complaints[0]
