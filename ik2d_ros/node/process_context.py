"""The parts that the nodes of a process share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rclpy.node import Node

from ik2d_ros.node.frames import Frames
from ik2d_ros.node.waiting import Turns
from ik2d_ros.ros.parameter_node import ParameterNode

if TYPE_CHECKING:
    from ik2d_ros.node.merge_node import MergeNode


@dataclass(frozen=True)
class ProcessContext:
    """The parts that a node shares with the others of its process; by default it is alone.

    Attributes:
        arguments: ROS arguments for this node alone, such as its namespace.
        frames: returns the frames for the node, which other nodes may use, too.
        turns: decides which arm answers next.
        merger: sends its commands with the others'; None if it sends its own.
        first: the first node of the process; None for that node itself.
    """

    arguments: Sequence[str] = ()
    frames: Callable[[Node], Frames] = Frames
    turns: Turns = field(default_factory=Turns)
    merger: MergeNode | None = None
    first: ParameterNode[Any] | None = None


def in_namespace(namespace: str) -> list[str]:
    """Return the ROS arguments that put a node into a namespace; none for an empty one."""
    return ['--ros-args', '-r', f'__ns:={namespace}'] if namespace else []
