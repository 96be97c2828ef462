"""Publishing the markers: complete, rarely, only for subscribers, and without blocking the node."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from geometry_msgs.msg import Point
from visualization_msgs.msg import MarkerArray

from ik2d_ros.arm.background_area import BackgroundArea
from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics import Arm, Chain
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.node.answer import JudgedPath
from ik2d_ros.node.outcome import Code
from ik2d_ros.ros import qos
from ik2d_ros.ros.parameter_node import ParameterNode

if TYPE_CHECKING:  # loaded once somebody listens, in the thread that computes the area
    from ik2d_ros.node.markers import Corners

PERIOD = 0.05  # s, minimum between two messages


class AnsweredTarget(NamedTuple):
    """A target and its outcome.

    Attributes:
        code: the outcome.
        place: the target in m in the base frame; not finite if unknown.
        path: the target's path; None for a point.
    """

    code: Code
    place: Vector
    path: JudgedPath | None = None


@dataclass(frozen=True)
class Snapshot:
    """Everything to draw except the reachable area and body, which follow from the arm.

    Attributes:
        arm: the arm.
        positions: (m,) the commanded pose.
        target: the last target; None before the first.
    """

    arm: ArmDescription
    positions: tuple[float, ...]
    target: AnsweredTarget | None = None


class MarkerPublisher:
    """Publishes markers of the arm on ``~/markers``.

    Only the last message is kept for late joiners, so each one is complete. Without subscribers
    nothing is drawn: the next one gets the last message from the middleware and, if that is
    outdated, a new one at the next look.

    The reachable area takes a while to compute, and so does the body that a turntable or a lift
    makes of it. Threads do that, once for an arm, and the markers wait for them.
    """

    def __init__(self, node: ParameterNode[Any], snapshot: Callable[[], Snapshot]) -> None:
        """Start to look whether anybody listens.

        Args:
            node: the node to publish with.
            snapshot: returns what to draw; called at each look with subscribers.
        """
        self._snapshot = snapshot
        self._drawn: Snapshot | None = None
        complain = node.get_logger().error
        self._area: BackgroundArea[Chain, Corners] = BackgroundArea(_area, (), complain)
        self._swept: BackgroundArea[Arm, list[Point]] = BackgroundArea(_swept, [], complain)
        self._publisher = node.create_publisher(MarkerArray, '~/markers', qos.LATEST_KEPT)
        node.poll_every(PERIOD, self._publish)

    def _publish(self) -> None:
        if not self._publisher.get_subscription_count():
            return
        snapshot = self._snapshot()
        if snapshot == self._drawn:
            return
        arm = snapshot.arm
        area = self._area.of(arm.chain)
        swept = [] if arm.carrier is None else self._swept.of(arm.kinematics)
        if area is not None and swept is not None:
            from ik2d_ros.node.markers import markers  # noqa: PLC0415

            self._publisher.publish(markers(snapshot, area, swept))
            self._drawn = snapshot


def _area(chain: Chain) -> Corners:
    from ik2d_ros.node.markers import area_corners  # noqa: PLC0415

    return area_corners(chain)


def _swept(arm: Arm) -> list[Point]:
    from ik2d_ros.node.markers import swept_corners  # noqa: PLC0415

    return swept_corners(arm)
