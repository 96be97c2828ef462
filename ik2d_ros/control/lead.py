"""How far commands are ahead of the measured arm; no ROS imports."""

from __future__ import annotations

import math

from ik2d_ros.control.joints import Following, Pose


class Lead:
    """Bounds the lead of commands by a tolerance, and by what the arm has just been seen to do.

    A joint whose servo is late moves on while its command is ahead; one that is held, or of which
    nothing is measured, does not: its command gets one tolerance ahead.
    """

    def __init__(self) -> None:
        """Begin with nothing seen."""
        self._seen: list[tuple[float, Pose]] = []  # s ago; the newest is the last

    def look(self, measured: Pose, dt: float, delay: float) -> None:
        """Note where the arm is.

        Args:
            measured: (k,) positions.
            dt: s since the last look.
            delay: for how long in s it is remembered, if not from one look to the next.
        """
        seen = [(age + dt, pose) for age, pose in self._seen]
        lately = [(age, pose) for age, pose in seen if age <= delay + 1e-9]
        self._seen = [*(lately or seen[-1:]), (0.0, measured)]

    def excess(self, pose: Pose, following: Following, reaches: Pose) -> tuple[float, int]:
        """Return by how much a command would be too far ahead, in tolerances, and for which joint.

        Args:
            pose: (k,) the command.
            following: the tolerance and the delay.
            reaches: (k,) factors of tolerances.
        """
        (age, before), (_, now) = self._seen[0], self._seen[-1]
        share = min(following.delay / age, 1.0) if age else 0.0
        excesses = []
        for command, was, there, reach in zip(pose, before, now, reaches, strict=True):
            ahead = command - there
            made = math.copysign(share, ahead) * (there - was)
            excesses.append((abs(ahead) - max(made, 0.0)) / (following.tolerance * reach) - 1.0)
        worst = max(excesses)
        return worst, excesses.index(worst)
