"""What the nodes of a process share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from rclpy.node import Node

from ik2d_ros.node.frames import Frames, Lookup
from ik2d_ros.node.turns import Turns
from ik2d_ros.ros.parameter_node import ParameterNode

if TYPE_CHECKING:
    from ik2d_ros.node.merge_node import MergeNode


def own_frames(node: Node) -> Frames:
    """Return the frames of foreign targets, listened to with a node."""
    return Frames(partial(_load_tf, node))


def _load_tf(node: Node) -> Callable[[], Lookup]:
    from ik2d_ros.node.tf_listener import TfListener  # noqa: PLC0415  # slow, and may be missing

    return partial(TfListener, node)


class SharedFrames:
    """The frames for the nodes of a process: one listener for all with the same topics."""

    def __init__(self) -> None:
        """Start without listening."""
        self._frames: dict[tuple[str, ...], Frames] = {}

    def __call__(self, node: Node) -> Frames:
        """Return the frames for a node."""
        # Robots whose transforms do not meet have TF topics of their own, by remapping.
        topics = tuple(node.resolve_topic_name(topic) for topic in ('/tf', '/tf_static'))
        return self._frames.setdefault(topics, own_frames(node))


@dataclass(frozen=True)
class ProcessContext:
    """What a node shares with the others of its process; by default it is alone.

    Attributes:
        arguments: ROS arguments for this node alone, such as its namespace.
        frames: returns the frames for the node, which may be those of other nodes.
        turns: says who answers when.
        merger: sends its commands with those of others; None if it sends its own.
        first: the first node of the process; None for that node itself.
    """

    arguments: Sequence[str] = ()
    frames: Callable[[Node], Frames] = field(default=own_frames)
    turns: Turns = field(default_factory=Turns)
    merger: MergeNode | None = None
    first: ParameterNode[Any] | None = None


def in_namespace(namespace: str) -> list[str]:
    """Return the ROS arguments that put a node into a namespace, whichever the process is in."""
    return ['--ros-args', '-r', f'__ns:={namespace}']
