"""Who subscribes to a topic that is named after a node, and who else publishes one."""

from __future__ import annotations

from rclpy.node import Node
from rclpy.topic_endpoint_info import TopicEndpointInfo

UNKNOWN = '_NODE_NAME_UNKNOWN_'  # in rmw


def owner_subscriptions(node: Node, topic: str) -> tuple[frozenset[tuple[int, ...]], bool]:
    """Return who of the node after which a topic is named in full subscribes, and if all are named.

    Tools that look on may subscribe, too, maybe with a type that nobody sends. A subscription is
    found before the name of its node.
    """
    owner, ends = topic.rpartition('/')[0], node.get_subscriptions_info_by_topic(topic)
    of_owner = frozenset(tuple(each.endpoint_gid) for each in ends if _full_name(each) == owner)
    return of_owner, not any(UNKNOWN in each.node_name for each in ends)


def other_publishers(node: Node, topic: str) -> list[str]:
    """Return the full names of all nodes that publish a topic, but for one's own.

    A publisher is found before the name of its node: until all are known, there are none.
    """
    names = sorted(map(_full_name, node.get_publishers_info_by_topic(topic)))
    if (own := node.get_fully_qualified_name()) in names:
        names.remove(own)  # once: another one may have the same name
    return [] if any(UNKNOWN in name for name in names) else names


def _full_name(end: TopicEndpointInfo) -> str:
    return f'{end.node_namespace.rstrip("/")}/{end.node_name}'
