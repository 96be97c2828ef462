"""What the tests of hostile input share: a real node, and who talks to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from peer import CONFIG, Peer

LIMITS = {'shoulder': (-2.6, 2.6), 'elbow': (-2.6, 2.6)}


@pytest.fixture
def arm_node(start_process: Any, ros_environment: int) -> Any:
    """The process of a node with the arm of ``config/two_bone.yaml``."""
    file = CONFIG / 'two_bone.yaml'
    process = start_process('-m', 'ik2d_ros.node', '--ros-args', '--params-file', file)
    process.wait_for_output('ready')
    return process


@pytest.fixture
def peer(ros: int, spin_until: Any) -> Iterator[Peer]:
    """Who talks to the node; not connected yet."""
    own = Peer(LIMITS, spin_until)
    try:
        yield own
    finally:
        own.close()
