"""Reads targets and queries from messages, and hands them on in turn."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import PointStamped, PoseStamped
from nav_msgs.msg import Path
from rclpy.serialization import deserialize_message
from std_msgs.msg import Header

from ik2d_ros.kinematics.bounds import LARGEST_LENGTH
from ik2d_ros.node.answer import Target, direction_of
from ik2d_ros.node.driver import Driver
from ik2d_ros.node.frames import NoTransformError
from ik2d_ros.node.parameters import Configuration
from ik2d_ros.node.process_context import ProcessContext
from ik2d_ros.node.report import NO_PLACE
from ik2d_ros.node.waiting import WaitingLine, Worker
from ik2d_ros.ros import qos, stamps
from ik2d_ros.ros.clock_watch import ClockWatch
from ik2d_ros.ros.parameter_node import ParameterNode

PERIOD = 0.05  # s between checks of waiting targets
MOST_TARGETS = 100  # that wait for their transforms; more can only be a flood
MOST_QUERIES = 10
MOST_POINTS = 20_000  # of a path; Python takes and frees the poses of more in too long a time
MOST_BYTES = 200 * MOST_POINTS  # of its message; each pose has the name of a frame
SECONDS_BETWEEN_LOGS = 10.0


class Incoming:
    """Subscribes to targets and queries, and hands each on when it is its turn.

    Attributes:
        worker: runs jobs that take longer than the time between ticks.
        tf_timeout: how long targets wait for their transforms, in s.
    """

    def __init__(
        self,
        node: ParameterNode[Configuration],
        context: ProcessContext,
        clock_watch: ClockWatch,
        driver: Driver,
        answer_target: Callable[[Target], object],
        answer_query: Callable[[Target], object],
    ) -> None:
        """Subscribe.

        Args:
            node: the node.
            context: has the frames, and the turns of the arms of this process.
            clock_watch: of the node's clock.
            driver: has the arm's timer, and knows its pose.
            answer_target: answers a target.
            answer_query: answers a query.
        """
        self._node, self._clock_watch, self._driver = node, clock_watch, driver
        self._turns, self._frames = context.turns, context.frames(node)
        self._base_frame = node.settings.arm.base_frame
        self.tf_timeout = 0.0
        self._missed = self._arrivals = 0
        self.worker = Worker()
        self._targets = WaitingLine(
            self.updated, answer_target, self._gives_up_at, last_wins=True, most=MOST_TARGETS
        )
        self._queries = WaitingLine(
            self.updated, answer_query, self._gives_up_at, last_wins=False, most=MOST_QUERIES
        )
        subscribe, on_point, on_path = node.create_subscription, self._on_point, self._on_path
        for kind, topic in ((PointStamped, '~/target'), (PoseStamped, '~/target_pose')):
            how = node.overridable(topic, 'subscription', qos.LATEST)
            subscribe(kind, topic, partial(on_point, self._targets), **how)
        subscribe(PointStamped, '~/query', partial(on_point, self._queries), qos.EACH)
        # Raw, and read in the worker: for thousands of poses rclpy takes longer than a tick.
        subscribe(Path, '~/path', partial(on_path, self._targets), qos.LATEST, raw=True)
        subscribe(Path, '~/query_path', partial(on_path, self._queries), qos.EACH, raw=True)
        self._turns.join(driver.timer, self._answer_next)
        driver.timer.follow(self._turns.run)
        node.poll_every(PERIOD, self._turns.run)  # ticks may be rare

    def forget_targets(self) -> Target | None:
        """Forget the targets that wait, also for a transform; return the newest, if any."""
        self._arrivals += 1
        return self._targets.clear()

    def updated(self, target: Target) -> Target:
        """Return a target as it is now: its age, and whether its frame is known."""
        now = self._clock_watch.now()
        if not target.is_stamped and not stamps.nanoseconds(target.stamp):
            target = target._replace(stamp=stamps.stamp_at(now) or target.stamp)
        time = stamps.nanoseconds(target.stamp)
        clock_fault = self._clock_watch.look(now)
        target = target._replace(
            age=(now - time) * 1e-9 if target.is_stamped and not clock_fault else 0.0,
            stamp_fault=stamps.fault(time),
            clock_fault=clock_fault,
            state_fault=self._driver.supervisor.fault,
            frame=None,
            frame_fault='',
        )
        if target.frame_id in ('', self._base_frame):
            return target
        if target.stamp_fault or target.fault or not target.is_finite:
            return target  # it is refused anyway
        try:
            # A target without a stamp means the latest transform.
            time_of_frame = time if target.is_stamped else 0
            frame = self._frames.pose(target.frame_id, self._base_frame, time_of_frame)
            return target._replace(frame=frame)
        except NoTransformError as error:
            return target._replace(frame_fault=str(error))

    def _on_point(self, line: WaitingLine, message: PointStamped | PoseStamped) -> None:
        self._arrivals += line is self._targets
        self._add(line, self._arrived(message))
        self._turns.run()

    def _on_path(self, line: WaitingLine, message: bytes) -> None:
        moves = line is self._targets
        self._arrivals += moves
        count, now = self._arrivals, stamps.stamp_at(self._clock_watch.now())

        def is_replaced() -> bool:
            return moves and count != self._arrivals

        def then(target: Target | None) -> None:
            if target is not None and not is_replaced():
                self._add(line, target)

        if moves or self.worker.count <= MOST_QUERIES:
            self.worker.add(lambda: None if is_replaced() else _read(message, now, moves), then)
        else:
            self._miss()

    def _add(self, line: WaitingLine, target: Target) -> None:
        if not line.add(target):
            self._miss()

    def _miss(self) -> None:
        self._missed += 1
        self._node.get_logger().warning(
            f'{self._missed} queries since start got no answer: they come faster than they '
            f'can be solved, and {MOST_QUERIES} wait already',
            throttle_duration_sec=SECONDS_BETWEEN_LOGS,
        )

    def _arrived(self, message: PointStamped | PoseStamped) -> Target:
        """Return the target in a message that arrives now."""
        header, direction, fault = message.header, None, ''
        if isinstance(message, PoseStamped):
            point, turn = message.pose.position, message.pose.orientation
            direction, fault = direction_of((turn.x, turn.y, turn.z, turn.w))
        else:
            point = message.point
        # Unchanged to the bit: clients identify their target by its stamp.
        is_stamped = bool(stamps.nanoseconds(header.stamp))
        now = None if is_stamped else stamps.stamp_at(self._clock_watch.now())
        return Target(
            (point.x, point.y, point.z),
            header.frame_id,
            direction=direction,
            fault=fault,
            stamp=now or header.stamp,
            is_stamped=is_stamped,
        )

    def _answer_next(self) -> bool:
        return self.worker.take() or self._targets.answer_next() or self._queries.answer_next()

    def _gives_up_at(self, arrival: float) -> float:
        return self._frames.gives_up_at(arrival, self.tf_timeout)


def _read(message: bytes, now: Time | None, moves: bool) -> Target:
    """Return the path in a serialized message that arrived at a time.

    Args:
        message: the message.
        now: when it arrived.
        moves: whether the arm moves: then a path without points ends the one before.
    """
    header: Header = deserialize_message(message, Header)  # with which a path begins
    is_stamped = bool(stamps.nanoseconds(header.stamp))
    stamp = header.stamp if is_stamped else now or header.stamp
    target = Target(
        NO_PLACE, header.frame_id, stamp=stamp, is_stamped=is_stamped, path=np.array([NO_PLACE])
    )
    if len(message) > MOST_BYTES:
        fault = f'of {len(message)} bytes; {MOST_BYTES} are allowed, and {MOST_POINTS} points'
        return target._replace(fault=f'begins a path {fault}')
    places = [each.pose.position for each in deserialize_message(message, Path).poses]
    points = np.array([(place.x, place.y, place.z) for place in places]).reshape(-1, 3)
    wrong = np.flatnonzero(~(np.abs(points) <= LARGEST_LENGTH).all(axis=1))
    fault = ''
    if not places:
        if moves:  # it ends a path, whatever the frame
            return target._replace(frame_id='', path=points)
        return target._replace(fault='begins a path of no points; two or more are needed')
    if len(points) == 1:
        fault = 'begins a path of one point; two or more are needed'
    elif len(points) > MOST_POINTS:
        fault = f'begins a path of {len(points)} points; at most {MOST_POINTS} are allowed'
    elif len(wrong):
        x, y, z = points[wrong[0]].tolist()
        fault = (
            f'begins a path whose point {wrong[0] + 1}, ({x}, {y}, {z}), is not finite and within '
            f'{LARGEST_LENGTH:g} m'
        )
    first = places[0]
    return target._replace(point=(first.x, first.y, first.z), fault=fault, path=points)
