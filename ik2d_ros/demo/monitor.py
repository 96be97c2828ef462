"""Checking what the demo sees: which pose answers which target, and is the tip where it should be?

No ROS imports: messages are plain data with the time (ns) at which they were sent, so that every
order of arrival can be tested.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import atan2, cos, dist, hypot, inf, isfinite, nan, sin
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.pilot.report import Report

Array = NDArray[np.float64]

MEMORY = 500  # messages of each kind
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def tip_place(arm: ArmDescription, positions: Sequence[float]) -> Array:
    """Return the tip (3,) in m in the base frame, at (m,) positions of all joints.

    Deliberately independent of ``Chain.forward`` and the solvers: a check that shares code with
    what it checks proves nothing.
    """
    heading, x, y, out = 0.0, *arm.chain.tool, 0.0
    for joint, q in zip(arm.chain.joints, arm.in_plane(positions), strict=True):
        length, way = hypot(*joint.link), atan2(joint.link[1], joint.link[0])
        if joint.slides:
            length += joint.axis * q
        heading = (0.0 if joint.absolute else heading) + joint.turns * q + joint.offset
        x, y = x + length * cos(heading + way), y + length * sin(heading + way)
    if arm.lift is not None:
        out = arm.lift.axis * positions[0]
    place = np.array(arm.base_xyz) + from_plane(arm, (x, y, out))
    if arm.turntable is None:
        return place
    origin = np.array(arm.turntable.xyz)
    return origin + turned(place - origin, arm.turntable.axis, positions[0])


def from_plane(arm: ArmDescription, vector: Sequence[float]) -> Array:
    """Return a vector (3,) of the plane's frame, turntable or lift at 0, in the base frame."""
    about = zip((X, Y, Z), arm.base_rpy, strict=True)  # fixed axes, in this order
    result = np.array(vector)
    for axis, angle in about:
        result = turned(result, axis, angle)
    return result


def turned(vector: Array, axis: Sequence[float], angle: float) -> Array:
    """Return a vector (3,) after a rotation about an axis by an angle in rad (Rodrigues)."""
    unit = np.asarray(axis) / np.linalg.norm(axis)
    along: Array = unit * (unit @ vector)
    return vector * cos(angle) + np.cross(unit, vector) * sin(angle) + along * (1.0 - cos(angle))


class SentPose(NamedTuple):
    """A joint_states message.

    Attributes:
        sent: when it was sent, in ns.
        positions: (m,) in the arm's order.
        number: its number among its publisher's messages; always the same if unknown.
    """

    sent: int
    positions: Sequence[float]
    number: int = 0


class SentStatus(NamedTuple):
    """A status of the node: when it was sent and the stamp of its target (ns), and its content."""

    sent: int
    stamp: int
    said: Report


@dataclass(frozen=True)
class Sample:
    """One target with its answer, in m in the base frame.

    Attributes:
        target: (3,); not finite if unknown.
        positions: (m,) joint positions, in the arm's order.
        tip: (3,).
        distance: distance from the tip to the target; to its projection into the plane, if no
            joint carries that.
        status: what the node says of the target.
    """

    target: Array
    positions: Sequence[float]
    tip: Array
    distance: float
    status: Report


def judge(
    arm: ArmDescription,
    target: Sequence[float],
    positions: Sequence[float],
    status: Report,
) -> Sample:
    """Combine a target, (x, y, z) in m in the base frame, with its (m,) pose and status."""
    place, tip = np.array(target, dtype=np.float64), tip_place(arm, positions)
    with np.errstate(over='ignore', invalid='ignore'):  # targets may be anything
        missing = place - tip
        if arm.carrier is None:
            normal = from_plane(arm, Z)
            missing -= (missing @ normal) * normal
        distance = hypot(*missing)
    return Sample(place, positions, tip, distance, status)


@dataclass
class Distances:
    """The number of distances (m), and the largest and the sum of those that are finite.

    A target that is not finite, in a frame unknown to the demo, or on the way to which the arm
    still is, has none that is.
    """

    count: int = 0
    largest: float = -inf
    total: float = 0.0

    def add(self, distance: float) -> None:
        """Add a distance."""
        self.count += 1
        if isfinite(distance):
            self.largest = max(self.largest, distance)
            self.total += distance


class Monitor:
    """Finds the pose and the target that belong to each status, and counts them.

    A status carries its target's stamp. The node publishes the pose of a solve just before the
    status, so the status belongs to the last pose sent before it. Poses arrive in the order in
    which they were sent, so a later pose proves that none is still in transit, and its number
    whether one was lost.

    The node repeats its last status while nothing is new; that counts once.

    Attributes:
        arm: the arm.
        books: distances from the tip to the targets by code; NaN while the arm moves. Their size
            does not grow with the running time.
        lags: distances from the measured tip to the commanded one, if the arm is measured.
        unmatched: number of answers whose target or pose was not received, or perhaps not.
        elapsed: time from the first answer to the last in s, as the session sets it.
    """

    def __init__(self, arm: ArmDescription) -> None:
        """Start empty."""
        self.arm = arm
        self.books: dict[str, Distances] = {}
        self.lags = Distances()
        self.unmatched, self.elapsed = 0, 0.0
        self._targets: dict[int, tuple[float, ...]] = {}
        self._poses: deque[SentPose] = deque(maxlen=MEMORY)
        self._waiting: deque[SentStatus] = deque()
        self._last: SentStatus | None = None

    def add_target(self, stamp: int, point: Sequence[float]) -> None:
        """Add a target: its stamp in ns, and (x, y, z) in m in the base frame."""
        self._targets[stamp] = tuple(point)
        while len(self._targets) > MEMORY:
            del self._targets[next(iter(self._targets))]

    def add_pose(self, pose: SentPose) -> None:
        """Add a commanded pose."""
        self._poses.append(pose)

    def add_measured(self, positions: Sequence[float]) -> None:
        """Add a measured pose, (m,)."""
        if self._poses:
            commanded = self._poses[-1].positions
            self.lags.add(dist(*(tip_place(self.arm, pose) for pose in (positions, commanded))))

    def add_status(self, status: SentStatus) -> None:
        """Add a status, unless it repeats the last one."""
        last, self._last = self._last, status
        if last is None or status.stamp != last.stamp or not status.said.says_the_same(last.said):
            self._waiting.append(status)

    def samples(self) -> Iterator[Sample]:
        """Yield every new sample that is complete by now."""
        while self._waiting and self._poses and self._poses[-1].sent > self._waiting[0].sent:
            status = self._waiting.popleft()
            target = self._targets.get(status.stamp)
            poses = pairwise(reversed(self._poses))
            around = ((pose, later) for later, pose in poses if pose.sent <= status.sent)
            pose, later = next(around, (None, None))
            if target is None or pose is None or later is None or later.number > pose.number + 1:
                self.unmatched += 1
                continue
            sample = judge(self.arm, target, pose.positions, status.said)
            distance = nan if status.said.moving else sample.distance
            self.books.setdefault(status.said.code, Distances()).add(distance)
            yield sample
