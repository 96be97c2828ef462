"""A client of an interactive marker, with the states of the one in C++ that RViz uses."""

from __future__ import annotations

import math
from collections import deque
from typing import Any

from harness import HAS_ROS, asking
from node_client import Client

if HAS_ROS:
    from visualization_msgs.msg import (
        InteractiveMarker,
        InteractiveMarkerFeedback,
        InteractiveMarkerUpdate,
    )
    from visualization_msgs.srv import GetInteractiveMarkers


class HandleClient:
    """Shows the handle of a node, and drags it.

    Attributes:
        marker: what is shown; None before the first answer.
        resets: how often it began anew.
        loses: how many updates to lose from now on.
        is_dragging: between press and release; updates wait until then.
    """

    def __init__(self, arm: Client, name: str) -> None:
        self.arm, self.name = arm, name
        self.marker: InteractiveMarker | None = None
        self.resets = self.loses = 0
        self.is_dragging = False
        node, topic = arm.node, f'{arm.name}/handle'
        self._service = node.create_client(
            GetInteractiveMarkers, f'{topic}/get_interactive_markers'
        )
        self._feedback = node.create_publisher(InteractiveMarkerFeedback, f'{topic}/feedback', 100)
        node.create_subscription(InteractiveMarkerUpdate, f'{topic}/update', self._hear, 100)
        self._begin_anew()

    def _begin_anew(self) -> None:
        self._number = self._ask = None
        self._is_running = False
        self._queue: deque[Any] = deque()

    def _hear(self, update: InteractiveMarkerUpdate) -> None:
        if self.loses:
            self.loses -= 1
            return
        if self._number is not None and update.seq_num != self._number + 1:
            self.resets += 1
            self._begin_anew()
            return
        self._number = update.seq_num
        self._queue.append(update)

    def look(self) -> InteractiveMarker | None:
        """Go on, as RViz does in each frame; return the marker if it is up to date."""
        if not self._service.service_is_ready():
            if self._ask is not None:
                self.resets += 1
                self._begin_anew()
                self.marker = None
        elif self._ask is None:
            self._ask = asking(self._service, GetInteractiveMarkers.Request())
        elif not self._is_running and (answer := self._ask()):
            while self._queue and self._queue[0].seq_num <= answer.sequence_number:
                self._queue.popleft()
            (self.marker,) = answer.markers
            self._is_running = True
        while self._is_running and self._queue and not self.is_dragging:
            update = self._queue.popleft()
            for marker in update.markers:
                self.marker = marker
            for pose in update.poses:
                assert pose.name == self.marker.name
                self.marker.pose, self.marker.header = pose.pose, pose.header
        return self.marker if self._is_running else None

    def wait(self, holds: Any = lambda marker: True, what: str = 'the handle') -> InteractiveMarker:
        """Wait until the marker is shown, and a condition holds for it."""

        def found() -> InteractiveMarker | None:
            marker = self.look()
            return marker if marker is not None and holds(marker) else None

        return self.arm.wait(found, what)

    def wait_at(self, *place: float) -> None:
        """Wait until it is at a place, to a tenth of a millimetre."""

        def is_there(marker: InteractiveMarker) -> bool:
            at = marker.pose.position
            return math.dist((at.x, at.y, at.z)[: len(place)], place) < 1e-4

        self.wait(is_there, f'the handle at {place}')

    def send(self, kind: int, **more: Any) -> None:
        """Publish feedback of a kind, with the marker where it is shown."""
        self.arm.wait(self._feedback.get_subscription_count, 'the subscription of feedback')
        message = InteractiveMarkerFeedback(
            client_id=self.name,
            marker_name=self.marker.name,
            control_name='plane',
            event_type=kind,
            header=self.marker.header,
            pose=self.marker.pose,
            **more,
        )
        self._feedback.publish(message)

    def press(self) -> None:
        self.is_dragging = True
        self.send(InteractiveMarkerFeedback.POSE_UPDATE)
        self.send(InteractiveMarkerFeedback.MOUSE_DOWN)

    def move(self, *place: float) -> None:
        at = self.marker.pose.position
        at.x, at.y, at.z = place
        self.send(InteractiveMarkerFeedback.POSE_UPDATE)

    def release(self) -> None:
        self.send(InteractiveMarkerFeedback.POSE_UPDATE)
        self.send(InteractiveMarkerFeedback.MOUSE_UP)
        self.is_dragging = False

    def choose(self, title: str) -> None:
        """Choose an entry of the menu, once it is there."""

        def entry_of(marker):
            return next((each for each in marker.menu_entries if each.title == title), None)

        entry = entry_of(self.wait(entry_of, title))
        self.send(InteractiveMarkerFeedback.MENU_SELECT, menu_entry_id=entry.id)
