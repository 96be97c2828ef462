"""The way in: from messages to targets and queries, which are answered in turn."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import PointStamped, PoseStamped
from nav_msgs.msg import Path
from rclpy.serialization import deserialize_message

from ik2d_ros.kinematics.bounds import LARGEST_LENGTH
from ik2d_ros.node.answer import Target
from ik2d_ros.node.direction import direction_of
from ik2d_ros.node.frames import Frames, NoTransformError
from ik2d_ros.node.report import NO_PLACE
from ik2d_ros.node.turns import Turns
from ik2d_ros.node.waiting import WaitingLine
from ik2d_ros.node.worker import Worker
from ik2d_ros.ros import qos, stamps
from ik2d_ros.ros.clock_watch import ClockWatch
from ik2d_ros.ros.parameter_node import ParameterNode
from ik2d_ros.ros.tick_timer import TickTimer

PERIOD = 0.05  # s between looks at what waits
MOST_TARGETS = 100  # that wait for their transforms; more can only be a flood
MOST_QUERIES = 10
MOST_POINTS = 20_000  # of a path; Python takes and frees the poses of more in too long a time
MOST_BYTES = 200 * MOST_POINTS  # of its message; each pose has the name of a frame
SECONDS_BETWEEN_LOGS = 10.0


class Incoming:
    """Subscribes to targets and queries, and hands each on when it is its turn.

    Attributes:
        worker: computes what takes longer than the time between ticks.
    """

    def __init__(
        self,
        node: ParameterNode[Any],
        frames: Frames,
        clock_watch: ClockWatch,
        state_fault: Callable[[], str],
        answer_target: Callable[[Target], object],
        answer_query: Callable[[Target], object],
    ) -> None:
        """Subscribe; :meth:`configure` and :meth:`start` come before the first message.

        Args:
            node: the node.
            frames: of targets in foreign frames.
            clock_watch: of the node's clock.
            state_fault: returns what is wrong with the measured pose; empty for nothing.
            answer_target: answers a target.
            answer_query: answers a query.
        """
        self._node, self._frames, self._clock_watch = node, frames, clock_watch
        self._state_fault = state_fault
        self._base_frame, self._tf_timeout = '', 0.0
        self._missed = self._arrivals = 0
        self.worker = Worker()
        more = self.updated, answer_target, self._gives_up_at
        self._targets = WaitingLine(*more, last_wins=True, most=MOST_TARGETS)
        more = self.updated, answer_query, self._gives_up_at
        self._queries = WaitingLine(*more, last_wins=False, most=MOST_QUERIES)
        for kind, topic in ((PointStamped, '~/target'), (PoseStamped, '~/target_pose')):
            how = node.overridable(topic, 'subscription', qos.LATEST)
            node.create_subscription(kind, topic, self._on_target, **how)
        node.create_subscription(PointStamped, '~/query', self._on_query, qos.EACH)
        follow, judge = partial(self._on_path, moves=True), partial(self._on_path, moves=False)
        node.create_subscription(Path, '~/path', follow, qos.LATEST, raw=True)
        node.create_subscription(Path, '~/query_path', judge, qos.EACH, raw=True)

    def start(self, turns: Turns, timer: TickTimer) -> None:
        """Let targets and queries be answered.

        Args:
            turns: of the arms of this process.
            timer: that of this arm.
        """
        self._turns = turns
        turns.join(timer, self._answer_next)
        timer.follow(turns.run)
        self._node.poll_every(PERIOD, turns.run)  # ticks may be rare

    def configure(self, base_frame: str, tf_timeout: float) -> None:
        """Set the frame that targets are brought into, and for how long they wait for that in s."""
        self._base_frame, self._tf_timeout = base_frame, tf_timeout

    def forget_targets(self) -> None:
        """Forget the targets that wait, also for a transform."""
        self._arrivals += 1
        self._targets.clear()

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
            state_fault=self._state_fault(),
            frame=None,
            frame_fault='',
        )
        if target.frame_id in ('', self._base_frame):
            return target
        if target.stamp_fault or target.fault or not target.is_finite:
            return target  # which is refused
        try:
            # A target without a stamp means the latest transform.
            time_of_frame = time if target.is_stamped else 0
            frame = self._frames.pose(target.frame_id, self._base_frame, time_of_frame)
            return target._replace(frame=frame)
        except NoTransformError as error:
            return target._replace(frame_fault=str(error))

    def _on_target(self, message: PointStamped | PoseStamped) -> None:
        self._arrivals += 1
        self._targets.add(self._arrived(message))
        self._turns.run()

    def _on_query(self, message: PointStamped) -> None:
        self._add_query(self._arrived(message))
        self._turns.run()

    def _on_path(self, message: bytes, moves: bool) -> None:
        """Read a path beside: for thousands of poses rclpy takes longer than a tick."""
        self._arrivals += moves
        count, now = self._arrivals, stamps.stamp_at(self._clock_watch.now())

        def add(target: Target) -> None:
            if not moves:
                self._add_query(target)
            elif count == self._arrivals:  # else there is a newer one
                self._targets.add(target)

        if moves:
            self.worker.add(partial(_read, message, now), add, kind='path')
        elif self.worker.count <= MOST_QUERIES:
            self.worker.add(partial(_read, message, now), add)
        else:
            self._miss()

    def _add_query(self, target: Target) -> None:
        if not self._queries.add(target):
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
        return self._frames.gives_up_at(arrival, self._tf_timeout)


def _read(message: bytes, now: Time | None) -> Target:
    """Return the path in a serialized message that arrived at a time."""
    if len(message) > MOST_BYTES:
        fault = f'of {len(message)} bytes; {MOST_BYTES} are allowed, and {MOST_POINTS} points'
        return Target(NO_PLACE, stamp=now, fault=f'begins a path {fault}', path=np.empty((1, 3)))
    path = deserialize_message(message, Path)
    header, places = path.header, [each.pose.position for each in path.poses]
    points = np.array([(place.x, place.y, place.z) for place in places]).reshape(-1, 3)
    wrong = np.flatnonzero(~(np.abs(points) <= LARGEST_LENGTH).all(axis=1))
    fault = ''
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
    is_stamped = bool(stamps.nanoseconds(header.stamp))
    return Target(
        (places[0].x, places[0].y, places[0].z) if places else NO_PLACE,
        # Without points it ends a path, whatever the frame.
        header.frame_id if places else '',
        fault=fault,
        stamp=header.stamp if is_stamped else now or header.stamp,
        is_stamped=is_stamped,
        path=points,
    )
