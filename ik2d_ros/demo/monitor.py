"""What the demo sees, judged: which pose answers which target, and is the tip where it should be?

No ROS in here: messages arrive as plain data with the time (ns) at which their publisher sent
them, so that every order of arrival can be tested.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import cos, hypot, inf, isfinite, sin

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.node.outcome import Level

Array = NDArray[np.float64]


def rotation(angle: float) -> Array:
    """Rotation matrix (2, 2) of an angle in rad."""
    return np.array([[cos(angle), -sin(angle)], [sin(angle), cos(angle)]])


def joint_points(arm: ArmDescription, positions: Sequence[float]) -> Array:
    """Where every joint and, last, the tip is: (n + 1, 2) m in the arm's plane.

    Deliberately not ``Chain.forward``, nor anything else of the solver: a check that shares code
    with what it checks proves nothing. This is the textbook's product of rotation matrices over
    the numbers of the parameter file.
    """
    turn, points = np.eye(2), [np.zeros(2)]
    for joint, position in zip(arm.chain.joints, positions, strict=True):
        turn = turn @ rotation(joint.axis * position + joint.offset)
        points.append(points[-1] + turn @ np.array(joint.link))
    return np.array(points)


def in_plane(arm: ArmDescription, point: Sequence[float]) -> Array:
    """A point (x, y, z) in m of the base frame, projected onto the arm's plane: (2,) m.

    The columns of Rz(yaw) Ry(pitch) Rx(roll) are the plane's axes in the base frame.
    """
    (sr, sp, sy), (cr, cp, cy) = (tuple(map(f, arm.base_rpy)) for f in (sin, cos))
    x_axis = np.array([cy * cp, sy * cp, -sp])
    y_axis = np.array([cy * sp * sr - sy * cr, sy * sp * sr + cy * cr, cp * sr])
    offset = np.subtract(point, arm.base_xyz)
    return np.array([x_axis @ offset, y_axis @ offset])


@dataclass(frozen=True)
class SentPose:
    """A joint_states message: when it was sent (ns), and the positions (rad) by joint name."""

    sent: int
    positions: Mapping[str, float]


@dataclass(frozen=True)
class SentStatus:
    """A status message of the node.

    Attributes:
        sent: When it was sent, in ns.
        stamp: The stamp of the target that it answers, in ns.
        code: What became of the target.
        sentence: The same in words.
        level: How bad that is.
        reached: Whether the node says that the tip is at the target.
    """

    sent: int
    stamp: int
    code: str
    sentence: str
    level: Level
    reached: bool


@dataclass(frozen=True)
class Sample:
    """One target with its answer; lengths in m, in the arm's plane.

    Attributes:
        target: (2,).
        positions: (n,) joint positions in rad, in the chain's order.
        points: (n + 1, 2) every joint and, last, the tip.
        distance: From the tip to the target.
        status: What the node said of it.
    """

    target: Array
    positions: tuple[float, ...]
    points: Array
    distance: float
    status: SentStatus


def judge(
    arm: ArmDescription, target: Sequence[float], pose: SentPose, status: SentStatus
) -> Sample:
    """Put together what belongs together; ``target`` is (x, y, z) m in the base frame."""
    positions = tuple(pose.positions[name] for name in arm.chain.names)
    points = joint_points(arm, positions)
    with np.errstate(over='ignore', invalid='ignore'):  # targets may be anything
        wanted = in_plane(arm, target)
        distance = hypot(*(points[-1] - wanted))
    return Sample(wanted, positions, points, distance, status)


class Matcher:
    """Finds the pose and the target that belong to each status.

    The status carries its target's stamp. The node publishes the pose of a solve just before the
    status, so the status belongs to the last pose sent before it; and since poses arrive in the
    order in which they were sent, a later one proves that none is still on its way.

    The node tells its last status again and again while nothing is new; that counts once.
    """

    def __init__(self, arm: ArmDescription, memory: int = 500) -> None:
        """Start with nothing; remember so many messages of each kind."""
        self._arm = arm
        self._targets: dict[int, tuple[float, ...]] = {}
        self._poses: deque[SentPose] = deque(maxlen=memory)
        self._waiting: deque[SentStatus] = deque()
        self._last: SentStatus | None = None
        self._memory = memory
        self.unmatched = 0
        """Answers whose target or pose was not seen."""

    def add_target(self, stamp: int, point: Sequence[float]) -> None:
        """Take a target: its stamp in ns, and (x, y, z) in m in the base frame."""
        self._targets[stamp] = tuple(point)
        while len(self._targets) > self._memory:
            del self._targets[next(iter(self._targets))]

    def add_pose(self, pose: SentPose) -> None:
        """Take a pose that is complete: a position for each joint of the chain."""
        self._poses.append(pose)

    def add_status(self, status: SentStatus) -> None:
        """Take a status, unless it is the last one told again."""
        if self._last is None or replace(status, sent=self._last.sent) != self._last:
            self._waiting.append(status)
        self._last = status

    def samples(self) -> Iterator[Sample]:
        """Everything that can be told by now and was not told before."""
        while self._waiting and self._poses and self._poses[-1].sent > self._waiting[0].sent:
            status = self._waiting.popleft()
            target = self._targets.get(status.stamp)
            pose = next((p for p in reversed(self._poses) if p.sent <= status.sent), None)
            if target is None or pose is None:
                self.unmatched += 1
                continue
            yield judge(self._arm, target, pose, status)


@dataclass
class Distances:
    """How many distances there were, and the smallest and largest of them (m).

    A target that is not finite, or in a frame that the demo does not know, has no distance: it is
    counted only, and ``smallest`` stays infinite where all are like that.
    """

    count: int = 0
    smallest: float = inf
    largest: float = 0.0

    def add(self, distance: float) -> None:
        """Take one more."""
        self.count += 1
        if isfinite(distance):
            self.smallest = min(self.smallest, distance)
            self.largest = max(self.largest, distance)


@dataclass
class Tally:
    """The demo's books; they stay small however long it runs.

    Attributes:
        reached: Distances of the targets that the node says are reached, by code.
        missed: Distances of all other targets, by code.
        elapsed: Seconds from the first target to the last.
    """

    reached: dict[str, Distances] = field(default_factory=dict)
    missed: dict[str, Distances] = field(default_factory=dict)
    elapsed: float = 0.0

    def add(self, sample: Sample) -> None:
        """Book a target."""
        status = sample.status
        books = self.reached if status.reached else self.missed
        books.setdefault(status.code, Distances()).add(sample.distance)

    @property
    def farthest_reached(self) -> float:
        """The largest distance (m) of a target that the node says is reached."""
        return max((distances.largest for distances in self.reached.values()), default=0.0)

    @property
    def total(self) -> int:
        """Number of targets booked."""
        return sum(d.count for d in (*self.reached.values(), *self.missed.values()))
