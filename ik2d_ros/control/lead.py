"""How far commands are ahead of the measured arm; no ROS imports."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from ik2d_ros.control.joints import Following, Pose

RESOLUTION = 1e-3
"""The shortest move that measurements show, in rad, or in reaches of a joint that slides."""

SHARE = 0.25
"""The least share of its commanded move that a joint makes if it follows."""


class _Seen(NamedTuple):
    """Where a joint was seen to follow last.

    Attributes:
        measured: its position then.
        commanded: where it was commanded to be.
        age: s of motion since then.
    """

    measured: float
    commanded: float
    age: float = 0.0


class Lead:
    """Knows where the arm may be by its commands, and where it is seen to follow them.

    Two rules bound a command. It is within ``following_tolerance`` of the measured pose, or the
    joint was commanded there in the last ``following_delay``. And where a joint was not seen to
    follow for ``following_delay``, its command gets at most ``following_tolerance`` further ahead
    of it than it was, whatever holds the joint or its measurements.
    """

    def __init__(self, pose: Pose) -> None:
        """Begin where the arm stands: at (k,) positions."""
        self._trail: list[tuple[float, Pose]] = [(0.0, pose)]  # s ago; the newest is the last
        self._seen = [_Seen(q, q) for q in pose]

    def look(self, measured: Pose, reaches: Pose) -> None:
        """Note which joints have followed.

        Args:
            measured: (k,) positions.
            reaches: (k,) factors of tolerances.
        """
        commanded = self._trail[-1][1]
        for i, (q, there, seen) in enumerate(zip(commanded, measured, self._seen, strict=True)):
            way = q - seen.commanded
            made = math.copysign(1.0, way) * (there - seen.measured)
            follows = made >= max(RESOLUTION * reaches[i], SHARE * abs(way))
            if follows or abs(q - there) <= abs(seen.commanded - seen.measured):
                self._seen[i] = _Seen(there, q)

    def excess(
        self, pose: Pose, span: float, measured: Pose, following: Following, reaches: Pose
    ) -> tuple[float, int]:
        """Return by how much a command would be too far ahead, in tolerances, and for which joint.

        Args:
            pose: (k,) the command.
            span: s from the command before.
            measured: (k,) positions.
            following: the tolerance and the delay.
            reaches: (k,) factors of tolerances.
        """
        trail = [q for _, q in self._trail_after(pose, span, following.delay)]
        worst, joint = -1.0, 0
        for i, (course, there, seen) in enumerate(
            zip(zip(*trail, strict=True), measured, self._seen, strict=True)
        ):
            ahead = max(min(course) - there, there - max(course))
            if seen.age + span > following.delay:
                ahead = max(ahead, abs(pose[i] - there) - abs(seen.commanded - seen.measured))
            excess = ahead / (following.tolerance * reaches[i]) - 1.0
            if excess > worst:
                worst, joint = excess, i
        return worst, joint

    def go_on(self, pose: Pose, span: float, delay: float) -> None:
        """Take note of a command, by its pose and the span in s from the one before."""
        self._trail = self._trail_after(pose, span, delay)
        self._seen = [seen._replace(age=seen.age + span) for seen in self._seen]

    def _trail_after(self, pose: Pose, span: float, delay: float) -> list[tuple[float, Pose]]:
        """Return the trail of the last s of a delay when a pose is added after a span."""
        trail = [*((age + span, before) for age, before in self._trail), (0.0, pose)]
        while len(trail) > 1 and trail[1][0] >= delay:
            del trail[0]
        age, begin = trail[0]
        if age > delay and len(trail) > 1:
            later, end = trail[1]
            share = (age - delay) / (age - later)
            between: Sequence[float] = [
                q + share * (p - q) for q, p in zip(begin, end, strict=True)
            ]
            trail[0] = delay, tuple(between)
        return trail
