"""Who listens to a topic that is named after a node."""

from __future__ import annotations

from rclpy.node import Node


def owner_subscribes(node: Node, topic: str) -> bool:
    """Return whether the node after which a topic is named listens to it.

    Others may listen, too: tools that look on, maybe with a type that nobody sends.

    Args:
        node: any node.
        topic: full name of the topic.
    """
    owner = topic.rpartition('/')[0]
    return any(
        f'{each.node_namespace.rstrip("/")}/{each.node_name}' == owner
        for each in node.get_subscriptions_info_by_topic(topic)
    )
