"""Others publish joints on the topic on which the node publishes its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from harness import HAS_ROS
from node_client import HOME, TWO, Client

if HAS_ROS:
    from sensor_msgs.msg import JointState

ELSEWHERE = {'chain.shoulder.home': -1.0, 'chain.elbow.home': -2.0}
MANY = 100  # messages


def places(client: Client) -> set[tuple[float, ...]]:
    return {tuple(message.position) for message in client.joint_states}


def test_the_second_of_two_nodes_with_the_same_joints_waits_for_the_end_of_the_first(
    start: Callable[..., Any],
) -> None:
    first, client = start(TWO)
    client.connect()
    second, _ = start({**TWO, **ELSEWHERE}, '-r', '__node:=other', node='/other')
    client.wait(lambda: 'arm: /ik2d;' in second.output, 'the name of the first node')
    client.wait(lambda: len(client.joint_states) > MANY, 'its poses')
    assert places(client) == {HOME}
    assert first.stop() == 0
    client.wait(lambda: places(client) == {HOME, (-1.0, -2.0)}, 'the poses of the second node')
    assert second.output.count('another node') == 1
    assert 'another node' not in first.output


def test_a_node_keeps_its_joints_back_while_another_publishes_them(
    start: Callable[..., Any],
) -> None:
    process, client = start(TWO)
    client.connect()
    node, heard = client.node, client.joint_states
    publisher = node.create_publisher(JointState, 'joint_states', 10)
    message = JointState(name=['gripper'], position=[9.0])
    node.create_timer(0.02, lambda: publisher.publish(message))

    def own() -> int:
        return [tuple(each.position) for each in heard].count(HOME)

    # Joints of others do not matter, once it listens to them.
    client.wait(
        lambda: len(node.get_subscriptions_info_by_topic('/joint_states')) > 1, 'a listener'
    )
    count = own()
    client.wait(lambda: own() > count + MANY, 'poses beside those of others')
    assert 'another node' not in process.output
    message.name.append('elbow')
    message.position.append(9.0)

    def is_alone() -> bool:
        if own():
            heard.clear()
        return len(heard) > MANY

    for _ in range(2):
        client.wait(is_alone, 'silence of the node')
        message.position[1] = float('nan')  # a joint without a position
        client.wait(own, 'its poses after others have been silent')
        message.position[1] = 9.0
    assert process.output.count('another node publishes joints of this arm: /client;') == 1
