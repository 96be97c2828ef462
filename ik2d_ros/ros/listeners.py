"""The subscriptions to a topic that is named after a node."""

from __future__ import annotations

from rclpy.node import Node


def owner_subscriptions(node: Node, topic: str) -> frozenset[tuple[int, ...]]:
    """Return the identities of the subscriptions of the node after which a topic is named.

    Tools that look on may subscribe, too, maybe with a type that nobody sends.

    Args:
        node: any node.
        topic: full name of the topic.
    """
    owner = topic.rpartition('/')[0]
    return frozenset(
        tuple(each.endpoint_gid)
        for each in node.get_subscriptions_info_by_topic(topic)
        if f'{each.node_namespace.rstrip("/")}/{each.node_name}' == owner
    )
