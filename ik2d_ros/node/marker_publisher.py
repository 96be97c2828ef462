"""Publishing the picture: whole, seldom, only while somebody looks, and never in the node's way."""

from __future__ import annotations

import threading
from collections.abc import Callable

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from visualization_msgs.msg import MarkerArray

from ik2d_ros.kinematics import Chain
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
        self._area = _Area(node.get_logger().error)
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


class _Area:
    """The area of reach of the last chain that was asked for, computed beside the node's work."""

    def __init__(self, complain: Callable[[str], object]) -> None:
        self._complain = complain
        self._thread: threading.Thread | None = None
        self._known: tuple[Chain, Corners] | None = None

    def of(self, chain: Chain) -> Corners | None:
        """The area, or None where it is not known yet: ask again."""
        if self._known is not None and self._known[0] == chain:
            return self._known[1]
        if self._thread is None or not self._thread.is_alive():
            # A daemon, so that the end of the process does not wait for it.
            self._thread = threading.Thread(target=self._compute, args=(chain,), daemon=True)
            self._thread.start()
        return None

    def _compute(self, chain: Chain) -> None:
        try:
            self._known = chain, area_corners(chain)
        except Exception as error:
            # An arm as long as a float can hold, say: a picture without it is better than none.
            self._complain(f'the area of reach cannot be drawn: {error!r}')
            self._known = chain, ()
