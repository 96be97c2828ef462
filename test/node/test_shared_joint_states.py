"""Others publish on the topic on which the node publishes its joints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from harness import once
from node_client import TWO


@once
def test_another_publisher_of_the_joints_is_said_at_start_up_and_once(
    start: Callable[..., Any],
) -> None:
    first, client = start(TWO)
    client.connect()
    second, _ = start(TWO, '-r', '__node:=other', node='/other')
    client.wait(lambda: 'too: /ik2d; if' in second.output, 'the name of the other node')
    assert second.output.count('publish there, too') == 1
    assert first.is_running()
