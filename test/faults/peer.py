"""A client of a node that must not go down: one message, one answer."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness import HAS_ROS
from node_client import Client, values

if HAS_ROS:
    from visualization_msgs.msg import MarkerArray

FULL = bool(os.environ.get('IK2D_FAULTS_FULL'))
"""Whether attacks have their full size and length; without, they are as small as still tells."""


def count(full: int, short: int) -> int:
    """How many of something: ``full`` for ``make faults``, else ``short``."""
    return full if FULL else short


def resident_kib(process: int) -> int:
    """The memory of a process that is in use, in KiB."""
    found = re.search(r'VmRSS:\s*(\d+)', Path(f'/proc/{process}/status').read_text())
    assert found, 'the process has ended'
    return int(found[1])


class Peer(Client):
    """A client of ``/ik2d`` that judges each of its poses and pictures at once.

    Attributes:
        wrong: what was.
    """

    def __init__(self, limits: Mapping[str, tuple[float, float]], spin_until: Any) -> None:
        """``limits`` are the arm's position limits by joint, in rad."""
        self._limits = limits
        self.wrong: list[str] = []
        super().__init__(None, spin_until)
        self._markers = self.node.create_subscription(
            MarkerArray, '/ik2d/markers', self._on_picture, 100
        )

    def look_away(self) -> None:
        """Do without the markers: nothing is drawn then, nor is an area of reach computed."""
        self.node.destroy_subscription(self._markers)

    def _on_pose(self, message: Any) -> None:
        super()._on_pose(message)
        pose = dict(zip(message.name, message.position, strict=True))
        stamp = message.header.stamp
        if pose.keys() != self._limits.keys() or (stamp.sec, stamp.nanosec) <= (0, 0):
            self.wrong.append(str(message))
        for name, (lower, upper) in self._limits.items():
            if not lower <= pose.get(name, math.nan) <= upper:
                self.wrong.append(str(message))

    def _on_picture(self, message: Any) -> None:
        for marker in message.markers:
            place, turn, scale = marker.pose.position, marker.pose.orientation, marker.scale
            points = [(p.x, p.y, p.z) for p in (place, scale, turn, *marker.points)]
            if not all(math.isfinite(value) for point in points for value in point):
                self.wrong.append(f'marker {marker.ns} {marker.id}')


def code(status: Any) -> str:
    """The code of a status array."""
    return values(status)['code']
