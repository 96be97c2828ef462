"""Statuses of a node, for the tests of programs."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture
def statuses(ros_node: Any) -> list[Any]:
    """All statuses received on ``ik2d/status``."""
    from diagnostic_msgs.msg import DiagnosticArray

    heard: list[Any] = []
    ros_node.create_subscription(DiagnosticArray, 'ik2d/status', heard.append, 100)
    return heard
