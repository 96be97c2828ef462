"""Reads targets and queries from messages, and hands them on in turn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from geometry_msgs.msg import PointStamped, PoseStamped
from nav_msgs.msg import Path
from rclpy.serialization import deserialize_message
from std_msgs.msg import Header

from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.node.driver import Driver
from ik2d_ros.node.frames import Frames, NoTransformError
from ik2d_ros.node.turns import Turns, Worker
from ik2d_ros.pilot.answer import Target, direction_of
from ik2d_ros.pilot.parameters import Configuration
from ik2d_ros.pilot.report import NO_PLACE
from ik2d_ros.pilot.waiting import WaitingLine
from ik2d_ros.ros import qos, stamps
from ik2d_ros.ros.clock_watch import ClockWatch
from ik2d_ros.ros.parameter_node import ParameterNode

PERIOD = 0.05  # s between checks of waiting targets
MOST_TARGETS = 100  # that wait for their transforms; more can only be a flood
MOST_QUERIES = 10
MOST_POINTS = 20_000  # of a path; Python takes and frees the poses of more in too long a time
MOST_BYTES = 200 * MOST_POINTS  # of its message; each pose has the name of a frame
SECONDS_BETWEEN_LOGS = 10.0


@dataclass(frozen=True)
class Shared:
    """What the arms of a process share.

    Attributes:
        turns: decides which arm answers next.
        frames: the frames of targets, by the topics of the transforms.
    """

    turns: Turns = field(default_factory=Turns)
    frames: dict[tuple[str, ...], Frames] = field(default_factory=dict)


class Incoming:
    """Subscribes to targets and queries, and hands each on when it is its turn.

    Attributes:
        worker: runs jobs that take longer than the time between ticks.
    """

    def __init__(
        self,
        node: ParameterNode[Configuration],
        clock_watch: ClockWatch,
        driver: Driver,
        answer_target: Callable[[Target], object],
        answer_query: Callable[[Target], object],
        shared: Shared,
    ) -> None:
        """Subscribe.

        Args:
            node: the node.
            clock_watch: of the node's clock.
            driver: has the arm's timer, and knows its pose.
            answer_target: answers a target.
            answer_query: answers a query.
            shared: with the other arms of the process.
        """
        self._node, self._clock_watch, self._driver = node, clock_watch, driver
        self._turns = turns = shared.turns
        # Robots whose transforms do not meet have TF topics of their own, by remapping.
        topics = tuple(node.resolve_topic_name(topic) for topic in ('/tf', '/tf_static'))
        self._frames = shared.frames.setdefault(topics, Frames(node))
        self._missed = 0
        self.worker = Worker()
        line = partial(WaitingLine, self.updated, gives_up_at=self._gives_up_at)
        self._targets = line(answer_target, last_wins=True, most=MOST_TARGETS)
        self._queries = line(answer_query, last_wins=False, most=MOST_QUERIES)
        go, ask = partial(self._on_point, self._targets), partial(self._on_point, self._queries)
        subscribe = node.create_subscription
        subscribe(PointStamped, '~/target', go, **qos.overridable(qos.LATEST))
        subscribe(PoseStamped, '~/target_pose', self._on_pose, **qos.overridable(qos.LATEST))
        subscribe(PointStamped, '~/query', ask, qos.EACH)
        # Raw, and read in the worker: for thousands of poses rclpy takes longer than a tick.
        follow, judge = partial(self._on_path, self._targets), partial(self._on_path, self._queries)
        subscribe(Path, '~/path', follow, qos.LATEST, raw=True)
        subscribe(Path, '~/query_path', judge, qos.EACH, raw=True)
        turns.join(driver.timer, self._answer_next)
        driver.timer.follow(turns.run)
        node.poll_every(PERIOD, turns.run)  # ticks may be rare

    def forget_targets(self) -> Target | None:
        """Forget the targets that wait, also for a transform; return the newest, if any."""
        return self._targets.clear()

    def updated(self, target: Target) -> Target:
        """Return a target as it is now: its age, and whether its frame is known."""
        now = self._clock_watch.now()
        if not target.is_stamped and not stamps.nanoseconds(target.stamp):
            target = target._replace(stamp=stamps.stamp_at(now) or target.stamp)
        time = stamps.nanoseconds(target.stamp)
        clock_fault = self._clock_watch.fault_at(now)
        target = target._replace(
            age=(now - time) * 1e-9 if target.is_stamped and not clock_fault else 0.0,
            stamp_fault=stamps.fault(time),
            clock_fault=clock_fault,
            state_fault=self._driver.supervisor.fault,
            frame=None,
            frame_fault='',
        )
        base_frame = self._node.settings.arm.base_frame
        if target.frame_id in ('', base_frame):
            return target
        if target.stamp_fault or target.fault or not target.is_finite:
            return target  # it is refused anyway
        try:
            # A target without a stamp means the latest transform.
            time_of_frame = time if target.is_stamped else 0
            frame = self._frames.pose(target.frame_id, base_frame, time_of_frame)
            return target._replace(frame=frame)
        except NoTransformError as error:
            return target._replace(frame_fault=str(error))

    def _on_point(self, line: WaitingLine, message: PointStamped) -> None:
        point = message.point
        self._add(line, message.header, (point.x, point.y, point.z))

    def _on_pose(self, message: PoseStamped) -> None:
        point, turn = message.pose.position, message.pose.orientation
        direction, fault = direction_of((turn.x, turn.y, turn.z, turn.w))
        place = point.x, point.y, point.z
        self._add(self._targets, message.header, place, direction=direction, fault=fault)

    def _on_path(self, line: WaitingLine, message: bytes) -> None:
        if line is self._queries and self.worker.count > MOST_QUERIES:
            self._miss()
        else:
            header = deserialize_message(message, Header)  # with which a path begins
            self._add(line, header, (0.0, 0.0, 0.0), message=message)

    def _add(self, line: WaitingLine, header: Header, point: Vector, **more: Any) -> None:
        # Unchanged to the bit: clients identify their target by its stamp.
        is_stamped = bool(stamps.nanoseconds(header.stamp))
        now = None if is_stamped else stamps.stamp_at(self._clock_watch.now())
        stamp = now or header.stamp
        target = Target(point, header.frame_id, stamp=stamp, is_stamped=is_stamped, **more)
        if not line.add(target):
            self._miss()
        self._turns.run()

    def _miss(self) -> None:
        self._missed += 1
        self._node.get_logger().warning(
            f'{self._missed} queries since start got no answer: they come faster than they '
            f'can be solved, and {MOST_QUERIES} wait already',
            throttle_duration_sec=SECONDS_BETWEEN_LOGS,
        )

    def _answer_next(self) -> bool:
        return self.worker.take() or self._targets.answer_next() or self._queries.answer_next()

    def _gives_up_at(self, arrival: float) -> float:
        return self._frames.gives_up_at(arrival, self._node.settings.settings.tf_timeout)


def with_points(target: Target) -> Target:
    """Return a path with the points of its message, or with what is wrong with that."""
    message = target.message
    if len(message) > MOST_BYTES:
        fault = f'of {len(message)} bytes; {MOST_BYTES} are allowed, and {MOST_POINTS} points'
        return target._replace(point=NO_PLACE, fault=f'begins a path {fault}')
    poses = deserialize_message(message, Path).poses
    places = [(each.x, each.y, each.z) for each in (pose.pose.position for pose in poses)]
    target = target._replace(path=np.array(places).reshape(-1, 3))
    if 2 <= len(places) <= MOST_POINTS:
        return target._replace(point=places[0])
    count = f'{len(places)}; it must be 2 to {MOST_POINTS:,}'
    fault = f'begins a path whose number of points is {count}'
    return target._replace(point=places[0] if places else NO_PLACE, fault=fault)
