"""Poses of foreign frames: what is asked of TF, and what is said where there is no answer."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable

import pytest
from harness import DEFAULT_TIMEOUT

from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.node.frames import DISCOVERY_TIME, Frames, Lookup, NoTransformError


def pose(frames: Frames, frame: str = 'camera', stamp: int = 0) -> Plane:
    """The pose of a frame, once what looks it up is loaded."""
    deadline = time.monotonic() + DEFAULT_TIMEOUT
    while True:
        try:
            return frames.pose(frame, 'base', stamp)
        except NoTransformError as error:
            if 'being loaded' not in str(error) or time.monotonic() > deadline:
                raise
        time.sleep(0.001)


def frames_with(lookup: Lookup, clock: Callable[[], float] = time.monotonic) -> Frames:
    return Frames(lambda: lambda: lookup, clock)


@pytest.mark.parametrize(
    ('xyz', 'quaternion', 'words'),
    [
        ((math.nan, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0), 'finite'),
        ((0.0, 0.0, 0.0), (0.0, 0.0, math.inf, 1.0), 'finite'),
        ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0), 'quaternion is zero'),
    ],
)
def test_a_transform_that_is_none_is_refused_with_the_reason(xyz, quaternion, words) -> None:
    with pytest.raises(NoTransformError, match=words):
        pose(frames_with(lambda *_: (xyz, quaternion)))


def test_the_cause_is_told_in_one_line_and_what_comes_later_is_found() -> None:
    known = []

    def lookup(target, source, stamp):
        if not known:
            raise LookupError(f'"{source}" does\nnot exist.\x1b[2J {"x" * 10_000} ')
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)

    frames = frames_with(lookup)
    with pytest.raises(NoTransformError) as raised:
        pose(frames)
    message = str(raised.value)
    assert message.startswith('"camera" does not exist.\\x1b[2J')
    assert message.endswith('(LookupError)')
    assert len(message) < 500
    known.append(True)
    assert pose(frames).point(0.1, 0.2, 0.3) == (0.1, 0.2, 0.3)


def test_loading_takes_its_time_and_nobody_waits_for_it() -> None:
    may_go_on = threading.Event()

    def load() -> Callable[[], Lookup]:
        may_go_on.wait(DEFAULT_TIMEOUT)
        return lambda: lambda *_: ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))

    frames = Frames(load)
    with pytest.raises(NoTransformError, match='being loaded'):
        frames.pose('camera', 'base', 0)
    assert frames.gives_up_at(5.0, 0.1) == math.inf  # and the target still has its chance
    may_go_on.set()
    assert pose(frames).origin == (0.0, 0.0, 0.0)


def test_a_target_waits_for_its_time_and_the_first_ones_until_tf_is_heard() -> None:
    frames = frames_with(lambda *_: ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)), lambda: 100.0)
    pose(frames)
    heard = 100.0 + DISCOVERY_TIME
    assert frames.gives_up_at(100.0, 0.1) == heard
    assert frames.gives_up_at(heard, 0.1) == heard + 0.1
    assert frames.gives_up_at(100.0, 10.0) == 110.0
    assert frames.gives_up_at(heard, 0.0) == heard
