"""An interactive marker by the protocol of the package interactive_markers, in messages alone.

A client, such as RViz, subscribes to updates, asks the service for the marker, and from then on
applies updates as long as their numbers follow one another; else it begins anew. Clients of ROS 2
expect no keep-alives.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from rclpy.node import Node
from visualization_msgs.msg import (
    InteractiveMarker,
    InteractiveMarkerFeedback,
    InteractiveMarkerPose,
    InteractiveMarkerUpdate,
)
from visualization_msgs.srv import GetInteractiveMarkers

from ik2d_ros.ros import qos


class InteractiveMarkerServer:
    """Shows one interactive marker to any number of clients."""

    def __init__(
        self,
        node: Node,
        topic: str,
        refresh: Callable[[], object],
        hear: Callable[[InteractiveMarkerFeedback], None],
    ) -> None:
        """Offer the service and the topics below ``topic``, which clients call the namespace.

        ``refresh`` shows the present marker, if another one was shown last, or none; ``hear`` takes
        the feedback of all clients.
        """
        self._refresh = refresh
        # A restarted server begins elsewhere, so that clients notice.
        self._number = time.time_ns()
        self._shown: InteractiveMarker | None = None
        self._updates = node.create_publisher(InteractiveMarkerUpdate, f'{topic}/update', qos.ALL)
        node.create_subscription(InteractiveMarkerFeedback, f'{topic}/feedback', hear, qos.EACH)
        name = f'{topic}/get_interactive_markers'
        node.create_service(GetInteractiveMarkers, name, self._answer)

    @property
    def is_watched(self) -> bool:
        """Whether there are clients."""
        return bool(self._updates.get_subscription_count())

    def show(self, marker: InteractiveMarker) -> None:
        """Send a marker to all clients: its pose alone, which spares them work, where that is all.

        It must not change afterwards.
        """
        before, self._shown = self._shown, marker
        self._number += 1
        update = InteractiveMarkerUpdate(seq_num=self._number, type=InteractiveMarkerUpdate.UPDATE)
        if before is not None and _without_pose(before) == _without_pose(marker):
            pose = InteractiveMarkerPose(header=marker.header, pose=marker.pose, name=marker.name)
            update.poses.append(pose)
        else:
            update.markers.append(marker)
        self._updates.publish(update)

    def _answer(
        self, _: GetInteractiveMarkers.Request, response: GetInteractiveMarkers.Response
    ) -> GetInteractiveMarkers.Response:
        self._refresh()
        response.sequence_number = self._number
        response.markers = [] if self._shown is None else [self._shown]
        return response


def _without_pose(marker: InteractiveMarker) -> tuple[Any, ...]:
    names = marker.get_fields_and_field_types()
    return tuple(getattr(marker, name) for name in names if name != 'pose')
