"""Others publish joints on the topic on which the node publishes its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from harness import once
from node_client import HOME, TWO, Client

ELSEWHERE = {'chain.shoulder.home': -1.0, 'chain.elbow.home': -2.0}
MANY = 30  # messages


def places(client: Client) -> set[tuple[float, ...]]:
    return {tuple(message.position) for message in client.joint_states}


@once
def test_one_of_two_nodes_with_the_same_joints_waits_for_the_end_of_the_other(
    start: Callable[..., Any],
) -> None:
    """The second, unless it comes to publish before it has discovered the first."""
    first, client = start(TWO)
    client.connect()
    second, _ = start({**TWO, **ELSEWHERE}, '-r', '__node:=other', node='/other')
    sides = [(first, HOME), (second, (-1.0, -2.0))]

    def second_waits() -> bool:
        return 'arm: /ik2d;' in second.output

    client.wait(
        lambda: second_waits() or 'arm: /other;' in first.output, 'the name of the other node'
    )
    (goes_on, pose), (waits, other) = sides if second_waits() else sides[::-1]

    def is_alone() -> bool:
        if other in places(client):
            client.joint_states.clear()
        return len(client.joint_states) > MANY

    client.wait(is_alone, 'poses of one node')
    assert places(client) == {pose}
    assert goes_on.stop() == 0
    client.wait(lambda: places(client) == {pose, other}, 'the poses of the other node')
    assert waits.output.count('another node') == 1
