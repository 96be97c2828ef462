"""The way in: targets and queries from their messages to an answer, as soon as TF knows them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from geometry_msgs.msg import PointStamped, PoseStamped
from rclpy.clock import Clock, ClockType
from rclpy.timer import Timer

from ik2d_ros.node.answer import Target
from ik2d_ros.node.direction import direction_of
from ik2d_ros.node.frames import Frames, NoTransformError
from ik2d_ros.node.target_message import Asked, Reader
from ik2d_ros.node.waiting import WaitingLine
from ik2d_ros.ros import qos, stamps
from ik2d_ros.ros.clock_watch import ClockWatch
from ik2d_ros.ros.parameter_node import ParameterNode
from ik2d_ros.ros.stamps import Stamp

TRANSFORM_PERIOD = 0.01  # s between looks for the transforms of waiting targets
NO_STAMP = Stamp(0, 0)


class Arrival(NamedTuple):
    """A target or query, and its stamp, by default the time of its arrival."""

    asked: Asked
    stamp: Stamp


class Incoming:
    """Subscribes to targets and queries, and hands each on when its transform is there, or late."""

    def __init__(
        self,
        node: ParameterNode[Any],
        frames: Frames,
        clock_watch: ClockWatch,
        state_fault: Callable[[], str],
        answer_target: Callable[[Arrival, Target], object],
        answer_query: Callable[[Arrival, Target], object],
    ) -> None:
        """Subscribe; :meth:`configure` comes before the first message.

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
        self._targets = WaitingLine(self.target_of, answer_target, self._gives_up_at, True)
        self._queries = WaitingLine(self.target_of, answer_query, self._gives_up_at, False)
        self._timer: Timer | None = None
        self._waits = False  # whether that timer runs
        self._point, self._pose = Reader(PointStamped).read, Reader(PoseStamped).read
        for kind, topic, callback in (
            (PointStamped, '~/target', self._on_target),
            (PoseStamped, '~/target_pose', self._on_target_pose),
        ):
            node.subscribe_overridable(kind, topic, callback, qos.LATEST, raw=True)
        node.create_subscription(PointStamped, '~/query', self._on_query, qos.EACH, raw=True)

    def configure(self, base_frame: str, tf_timeout: float) -> None:
        """Set the frame that targets are brought into, and for how long they wait for that in s."""
        self._base_frame, self._tf_timeout = base_frame, tf_timeout

    def arrival(self, asked: Asked) -> Arrival:
        """Return a target or query that arrives now."""
        # Unchanged to the bit: clients identify their target by it.
        stamp = asked.stamp
        if stamp == NO_STAMP:
            stamp = Stamp.at(self._clock_watch.now()) or stamp
        return tuple.__new__(Arrival, (asked, stamp))  # in half the time of `Arrival(...)`

    def target_of(self, arrival: Arrival) -> Target:
        """Return a target as plain data, as it is now: its age, and whether its frame is known."""
        asked, stamp = arrival
        point, frame_id, _, orientation = asked
        now, time_of_stamp = self._clock_watch.now(), stamps.nanoseconds(stamp)
        clock_fault, stamp_fault = self._clock_watch.look(now), stamps.fault(time_of_stamp)
        age = 0.0 if clock_fault else (now - time_of_stamp) * 1e-9
        faults = stamp_fault, clock_fault, None, '', self._state_fault()
        target = Target(point, frame_id, age, *faults)
        if orientation is not None:
            direction, direction_fault = direction_of(orientation)
            target = target._replace(direction=direction, direction_fault=direction_fault)
        if frame_id in ('', self._base_frame):
            return target
        if target.stamp_fault or target.direction_fault or not target.is_finite:
            return target  # which is refused
        try:
            # A target without a stamp means the latest transform.
            time_of_frame = stamps.nanoseconds(asked.stamp)
            frame = self._frames.pose(target.frame_id, self._base_frame, time_of_frame)
            return target._replace(frame=frame)
        except NoTransformError as error:
            return target._replace(frame_fault=str(error))

    def _on_target(self, data: bytes) -> None:
        self._targets.add(self.arrival(self._point(data)))
        self._wait_for_transforms()

    def _on_target_pose(self, data: bytes) -> None:
        self._targets.add(self.arrival(self._pose(data)))
        self._wait_for_transforms()

    def _on_query(self, data: bytes) -> None:
        self._queries.add(self.arrival(self._point(data)))
        self._wait_for_transforms()

    def _look_for_transforms(self) -> None:
        self._targets.look()
        self._queries.look()
        self._wait_for_transforms()

    def _wait_for_transforms(self) -> None:
        """Let the timer run while anything waits for a transform."""
        waits = not (self._targets.is_empty and self._queries.is_empty)
        if waits == self._waits:
            return
        self._waits = waits
        if self._timer is None:
            # Only when it is needed, for each clock with a timer may be a thread of the executor.
            self._timer = self._node.create_timer(
                TRANSFORM_PERIOD,
                self._look_for_transforms,
                clock=Clock(clock_type=ClockType.STEADY_TIME),
            )
        elif waits:
            self._timer.reset()
        else:
            self._timer.cancel()

    def _gives_up_at(self, arrival: float) -> float:
        return self._frames.gives_up_at(arrival, self._tf_timeout)
