"""A real node for tests of hostile input, and its client."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from harness import CONFIG
from node_client import Client


@pytest.fixture(scope='module')
def arm_node(start_lasting: Any, ros_environment: int) -> Iterator[Any]:
    """The process of a node with the arm of ``config/two_bone.yaml``, for all tests of a file."""
    file = CONFIG / 'two_bone.yaml'
    process = start_lasting('-m', 'ik2d_ros.node', '--ros-args', '--params-file', file)
    process.wait_for_output('ready')
    yield process
    assert process.stop() == 0
    assert 'internal error' not in process.output, process.output
    assert 'Traceback' not in process.output


@pytest.fixture
def peer(ros: int, spin_until: Any) -> Iterator[Client]:
    """A client of the node, not connected yet."""
    own = Client(None, spin_until)
    try:
        yield own
    finally:
        own.close()
