"""Publishing the picture: whole, seldom, only while somebody looks, and never in the node's way."""

from __future__ import annotations

from collections.abc import Callable

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from visualization_msgs.msg import MarkerArray

from ik2d_ros.arm.background_area import BackgroundArea
from ik2d_ros.node.markers import Corners, Snapshot, area_corners, markers
from ik2d_ros.ros import qos

PERIOD = 0.05  # s between two pictures at least


class MarkerPublisher:
    """Publishes a picture of the arm on ``~/markers``.

    Only the last message is kept for those who join late, so each one holds everything. Nothing
    is drawn while nobody listens: whoever comes next gets the last picture from the middleware and,
    if that is old by then, a new one from the next turn of the timer.

    The area of reach takes a while to compute. A thread does that, and the picture waits for it.
    """

    def __init__(self, node: Node, snapshot: Callable[[], Snapshot]) -> None:
        """Begin.

        Args:
            node: the node to publish with.
            snapshot: what there is to be seen at present; asked for at each turn of the timer.
        """
        self._snapshot = snapshot
        self._drawn: Snapshot | None = None
        self._area: BackgroundArea[Corners] = BackgroundArea(
            area_corners, (), node.get_logger().error
        )
        self._publisher = node.create_publisher(MarkerArray, '~/markers', qos.LATEST_KEPT)
        # Simulated time may stand still; whoever looks then still wants to see.
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
