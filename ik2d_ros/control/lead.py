"""How far commands are ahead of the measured arm; no ROS imports."""

from __future__ import annotations

import math

from ik2d_ros.control.joints import CommandedJoints, Pose

PATIENCE = 0.25  # s for which an arm may make no progress towards its command
LONGEST_TICK = 0.1  # s, of that
PROGRESS = 0.05  # the least that counts, as a share of the tolerance


class Lead:
    """Bounds the lead of commands by a tolerance, and by what the arm has just been seen to do.

    A joint whose servo is late moves on while its command is ahead; one that is held, or of which
    nothing is measured, does not: its command gets one tolerance ahead.

    Attributes:
        late: index of the joint whose command was furthest ahead.
        stalled: s for which the motion has waited for it without progress.
    """

    def __init__(self) -> None:
        """Begin with nothing seen."""
        self.late, self.stalled = 0, 0.0
        self._seen: list[tuple[float, Pose]] = []  # s ago; the newest is the last
        self._excess = self._least = math.inf  # in tolerances; and the least since it waits

    def look(self, measured: Pose, dt: float, delay: float) -> None:
        """Note where the arm is, (k,), dt s after the last look; remember that for a delay in s."""
        seen = [(age + dt, pose) for age, pose in self._seen]
        lately = [(age, pose) for age, pose in seen if age <= delay + 1e-9]
        self._seen = [*(lately or seen[-1:]), (0.0, measured)]

    def allows(self, pose: Pose, joints: CommandedJoints) -> bool:
        """Return whether a command, (k,), is not too far ahead of the joints."""
        (age, before), (_, now), following = self._seen[0], self._seen[-1], joints.following
        share = min(following.delay / age, 1.0) if age else 0.0
        excesses = []
        for command, was, there, reach in zip(pose, before, now, joints.reaches, strict=True):
            ahead = command - there
            made = math.copysign(share, ahead) * (there - was)
            excesses.append((abs(ahead) - max(made, 0.0)) / (following.tolerance * reach) - 1.0)
        self._excess = max(excesses)
        self.late = excesses.index(self._excess)
        if self._excess > 0.0:
            return False
        self.stalled, self._least = 0.0, math.inf
        return True

    def wait(self, dt: float) -> None:
        """Note that the motion waits for dt s, as no command is allowed."""
        if self._excess < self._least - PROGRESS:
            self._least, self.stalled = self._excess, 0.0
        else:
            self.stalled += min(dt, LONGEST_TICK)
