"""Publishing the markers: complete, rarely, only for subscribers, and without blocking the node."""

from __future__ import annotations

from collections.abc import Callable

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from visualization_msgs.msg import MarkerArray

from ik2d_ros.arm.background_area import BackgroundArea
from ik2d_ros.node.markers import Corners, Snapshot, area_corners, markers
from ik2d_ros.ros import qos

PERIOD = 0.05  # s, minimum between two messages


class MarkerPublisher:
    """Publishes markers of the arm on ``~/markers``.

    Only the last message is kept for late joiners, so each one is complete. Without subscribers
    nothing is drawn: the next one gets the last message from the middleware and, if that is
    outdated, a new one when the timer fires.

    The reachable area takes a while to compute. A thread does that, and the markers wait for it.
    """

    def __init__(self, node: Node, snapshot: Callable[[], Snapshot]) -> None:
        """Start the timer.

        Args:
            node: the node to publish with.
            snapshot: returns what to draw; called whenever the timer fires.
        """
        self._snapshot = snapshot
        self._drawn: Snapshot | None = None
        self._area: BackgroundArea[Corners] = BackgroundArea(
            area_corners, (), node.get_logger().error
        )
        self._publisher = node.create_publisher(MarkerArray, '~/markers', qos.LATEST_KEPT)
        # Simulated time may stand still; the markers must appear anyway.
        clock = Clock(clock_type=ClockType.STEADY_TIME)
        node.create_timer(PERIOD, self._publish, clock=clock)

    def _publish(self) -> None:
        if not self._publisher.get_subscription_count():
            return
        snapshot = self._snapshot()
        if snapshot == self._drawn:
            return
        area = self._area.of(snapshot.arm.chain)
        if area is not None:
            self._publisher.publish(markers(snapshot, area))
            self._drawn = snapshot
