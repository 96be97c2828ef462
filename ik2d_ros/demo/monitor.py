"""Checking what the demo sees: which pose answers which target, and is the tip where it should be?

No ROS imports: messages are plain data with the time (ns) at which they were sent, so that every
order of arrival can be tested.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import atan2, cos, hypot, inf, isfinite, sin
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.node.report import ReceivedStatus

Array = NDArray[np.float64]


def rotation(angle: float) -> Array:
    """Return the rotation matrix (2, 2) of an angle in rad."""
    return np.array([[cos(angle), -sin(angle)], [sin(angle), cos(angle)]])


def joint_points(arm: ArmDescription, positions: Sequence[float]) -> Array:
    """Return the position of every joint and, last, the tip: (n + 1, 2) m in the arm's plane.

    Deliberately independent of ``Chain.forward`` and the solvers: a check that shares code with
    what it checks proves nothing. This is the textbook product of rotation matrices,
    with the links of joints that slide made longer.
    """
    turn, points = np.eye(2), [np.zeros(2)]
    for joint, position in zip(arm.chain.joints, arm.in_plane(positions), strict=True):
        link = np.array(joint.link)
        if joint.slides:
            turn = turn @ rotation(joint.offset)
            way = atan2(link[1], link[0])  # dividing by the length would lose the smallest numbers
            link = link + joint.axis * position * np.array([cos(way), sin(way)])
        else:
            turn = np.eye(2) if joint.absolute else turn
            turn = turn @ rotation(joint.axis * position + joint.offset)
        points.append(points[-1] + turn @ link)
    points[-1] = points[-1] + np.array(arm.chain.tool)
    return np.array(points)


def plane_axes(arm: ArmDescription) -> Array:
    """Return the axes of the arm's plane and its normal in the base frame, as columns (3, 3).

    That is Rz(yaw) Ry(pitch) Rx(roll).
    """
    (sr, sp, sy), (cr, cp, cy) = (tuple(map(f, arm.base_rpy)) for f in (sin, cos))
    about_x = np.array([[1.0, 0.0, 0.0], [0.0, cr, -sr], [0.0, sr, cr]])
    about_y = np.array([[cp, 0.0, sp], [0.0, 1.0, 0.0], [-sp, 0.0, cp]])
    about_z = np.array([[cy, -sy, 0.0], [sy, cy, 0.0], [0.0, 0.0, 1.0]])
    return np.asarray(about_z @ about_y @ about_x)


def turned(point: Sequence[float] | Array, axis: Sequence[float], angle: float) -> Array:
    """Rotate a vector (3,) about an axis through the origin by an angle (rad): Rodrigues."""
    vector, unit = np.asarray(point), np.asarray(axis) / np.linalg.norm(axis)
    return np.asarray(
        vector * cos(angle)
        + np.cross(unit, vector) * sin(angle)
        + unit * (unit @ vector) * (1.0 - cos(angle))
    )


def in_plane(arm: ArmDescription, point: Sequence[float], positions: Sequence[float]) -> Array:
    """Return a point in coordinates of the arm's plane, where a pose carries it.

    Args:
        arm: the arm.
        point: (x, y, z) in m in the base frame.
        positions: (m,) of all joints.

    Returns:
        (3,) x, y and, last, how far out of the plane it is, in m.
    """
    place = np.asarray(point, dtype=np.float64)
    if arm.turntable is not None:
        origin = np.asarray(arm.turntable.xyz)
        place = origin + turned(place - origin, arm.turntable.axis, -positions[0])
    x, y, out = plane_axes(arm).T @ (place - np.asarray(arm.base_xyz))
    return np.array([x, y, out - arm.lift.axis * positions[0] if arm.lift else out])


def tip_place(arm: ArmDescription, positions: Sequence[float]) -> Array:
    """Return the tip (3,) in m in the base frame, at (m,) positions of all joints."""
    x, y = joint_points(arm, positions)[-1]
    out = arm.lift.axis * positions[0] if arm.lift else 0.0
    place = np.asarray(arm.base_xyz) + plane_axes(arm) @ np.array([x, y, out])
    if arm.turntable is None:
        return np.asarray(place)
    origin = np.asarray(arm.turntable.xyz)
    return np.asarray(origin + turned(place - origin, arm.turntable.axis, positions[0]))


class SentPose(NamedTuple):
    """A joint_states message: when it was sent (ns), and positions by joint name."""

    sent: int
    positions: Mapping[str, float]


class SentStatus(NamedTuple):
    """A status of the node: when it was sent, the stamp of its target (both ns), what it says."""

    sent: int
    stamp: int
    said: ReceivedStatus


@dataclass(frozen=True)
class Sample:
    """One target with its answer; lengths in m, in the arm's plane, where the pose carries it.

    Attributes:
        place: (3,) the target in the base frame; not finite if unknown.
        target: (2,).
        positions: (m,) joint positions, in the arm's order.
        points: (n + 1, 2) every joint and, last, the tip.
        distance: distance from the tip to the target; to its projection into the plane, if no
            joint carries that.
        status: what the node says of the target.
    """

    place: Array
    target: Array
    positions: tuple[float, ...]
    points: Array
    distance: float
    status: ReceivedStatus


def judge(
    arm: ArmDescription,
    target: Sequence[float],
    pose: Mapping[str, float],
    status: ReceivedStatus,
) -> Sample:
    """Combine a target, (x, y, z) in m in the base frame, with its pose and status."""
    positions = tuple(pose[name] for name in arm.names)
    points = joint_points(arm, positions)
    with np.errstate(over='ignore', invalid='ignore'):  # targets may be anything
        x, y, out = in_plane(arm, target, positions)
        wanted = np.array([x, y])
        distance = hypot(*(points[-1] - wanted), out if arm.carrier else 0.0)
    place = np.asarray(target, dtype=np.float64)
    return Sample(place, wanted, positions, points, distance, status)


class Matcher:
    """Finds the pose and the target that belong to each status.

    A status carries its target's stamp. The node publishes the pose of a solve just before the
    status, so the status belongs to the last pose sent before it. Poses arrive in the order in
    which they were sent, so a later pose proves that none is still in transit.

    The node repeats its last status while nothing is new; that counts once.
    """

    def __init__(self, arm: ArmDescription, memory: int = 500) -> None:
        """Start empty, with room for ``memory`` messages of each kind."""
        self._arm = arm
        self._targets: dict[int, tuple[float, ...]] = {}
        self._poses: deque[SentPose] = deque(maxlen=memory)
        self._waiting: deque[SentStatus] = deque()
        self._last: SentStatus | None = None
        self._asked = self._answered = 0  # stamps of the last target and of the last answer
        self._memory = memory
        self.unmatched = 0
        """Answers whose target or pose was not received."""

    def add_target(self, stamp: int, point: Sequence[float]) -> None:
        """Add a target: its stamp in ns, and (x, y, z) in m in the base frame."""
        self._targets[stamp], self._asked = tuple(point), stamp
        while len(self._targets) > self._memory:
            del self._targets[next(iter(self._targets))]

    def add_pose(self, pose: SentPose) -> None:
        """Add a complete pose: a position for each joint of the arm."""
        self._poses.append(pose)

    def add_status(self, status: SentStatus) -> None:
        """Add a status, unless it repeats the last one."""
        if self._last is None or status[1:] != self._last[1:]:
            self._waiting.append(status)
        self._last = status

    @property
    def is_waiting(self) -> bool:
        """Whether the last target has no answer yet."""
        return self._answered < self._asked

    def samples(self) -> Iterator[Sample]:
        """Yield every new sample that is complete by now."""
        while self._waiting and self._poses and self._poses[-1].sent > self._waiting[0].sent:
            status = self._waiting.popleft()
            self._answered = status.stamp
            target = self._targets.get(status.stamp)
            pose = next((p for p in reversed(self._poses) if p.sent <= status.sent), None)
            if target is None or pose is None:
                self.unmatched += 1
                continue
            yield judge(self._arm, target, pose.positions, status.said)


@dataclass
class Distances:
    """The number of distances, and the smallest, the largest and the mean of them (m).

    A target that is not finite, or in a frame unknown to the demo, has no distance: it is only
    counted, and ``smallest`` stays infinite if there are no others.
    """

    count: int = 0
    smallest: float = inf
    largest: float = 0.0
    mean: float = 0.0
    _finite: int = field(default=0, init=False, repr=False)

    def add(self, distance: float) -> None:
        """Add a distance."""
        self.count += 1
        if isfinite(distance):
            self.smallest = min(self.smallest, distance)
            self.largest = max(self.largest, distance)
            self._finite += 1
            self.mean += (distance - self.mean) / self._finite


@dataclass
class Tally:
    """The demo's statistics; their size does not grow with the running time.

    Attributes:
        reached: distances of the targets reported as reached, by code.
        missed: distances of all other targets, by code.
        under_way: distances at the statuses of an arm that is still moving to its pose.
        elapsed: time from the first target to the last, in s.
    """

    reached: dict[str, Distances] = field(default_factory=dict)
    missed: dict[str, Distances] = field(default_factory=dict)
    under_way: Distances = field(default_factory=Distances)
    elapsed: float = 0.0

    def add(self, sample: Sample) -> None:
        """Add a target; it counts once the arm has arrived."""
        status = sample.status
        if status.is_on_the_way:
            self.under_way.add(sample.distance)
            return
        books = self.reached if status.reachable else self.missed
        books.setdefault(status.code, Distances()).add(sample.distance)

    @property
    def farthest_reached(self) -> float:
        """The largest distance (m) of a target reported as reached."""
        return max((distances.largest for distances in self.reached.values()), default=0.0)

    @property
    def total(self) -> int:
        """The number of targets at whose pose the arm arrived."""
        return sum(d.count for d in (*self.reached.values(), *self.missed.values()))
