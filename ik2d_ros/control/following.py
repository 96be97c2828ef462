"""How far commands are ahead of the measured arm; no ROS imports."""

from __future__ import annotations

import math
from typing import NamedTuple

from ik2d_ros.control.joints import CommandedJoints
from ik2d_ros.motion.state import Positions

PATIENCE = 0.25  # s without progress towards the command: a controller is switched in less
MOST_STALL_PER_TICK = 0.1  # s, of that: no single tick may use it up
PROGRESS = 0.05  # the least that counts, as a share of the tolerance: more than noise


class FollowingError(NamedTuple):
    """Bounds how far commands are ahead: by a tolerance, and what the arm has just been seen to do.

    A joint whose servo is late moves on while its command is ahead; one that is held, or of which
    nothing is measured, does not: its command gets one tolerance ahead.

    Attributes:
        seen: s ago, and the measured (k,) pose then; the newest is the last.
        worst_joint: index of the joint whose command was furthest ahead.
        stalled: s for which the motion has waited for it without progress.
        pending_stall: s of stall that no measurement has confirmed yet.
        best_excess: the least by which it was too far ahead since it waits, in tolerances.
    """

    seen: tuple[tuple[float, Positions], ...] = ()
    worst_joint: int = 0
    stalled: float = 0.0
    pending_stall: float = 0.0
    best_excess: float = math.inf

    def measured(self, pose: Positions, dt: float, delay: float) -> FollowingError:
        """Return it when the arm is in a (k,) pose, dt s later; a delay in s is remembered."""
        seen = [(age + dt, before) for age, before in self.seen]
        lately = [(age, before) for age, before in seen if age <= delay + 1e-9]
        return self._replace(seen=(*(lately or seen[-1:]), (0.0, pose)))

    def of(self, command: Positions, joints: CommandedJoints) -> tuple[float, int]:
        """Return by how much a (k,) command is too far ahead, in tolerances, and which joint's."""
        (age, before), (_, now), following = self.seen[0], self.seen[-1], joints.drive.following
        share = min(following.delay / age, 1.0) if age else 0.0
        excesses = []
        for q, was, there, scale in zip(command, before, now, joints.tolerance_scales, strict=True):
            ahead = q - there
            made = math.copysign(share, ahead) * (there - was)
            excesses.append((abs(ahead) - max(made, 0.0)) / (following.tolerance * scale) - 1.0)
        most = max(excesses)
        return most, excesses.index(most)

    def stalled_by(self, excess: float, joint: int, dt: float, silence: float) -> FollowingError:
        """Return it when the motion waits for dt s, as a joint's command is too far ahead.

        An arm that was silent for so many s may have moved: time without ticks, or without
        measurements, is not the arm's.
        """
        if excess < self.best_excess - PROGRESS:
            return FollowingError(self.seen, joint, best_excess=excess)
        stalled, pending = self.stalled, self.pending_stall + dt
        if silence < pending:
            stalled, pending = stalled + min(pending, MOST_STALL_PER_TICK), 0.0
        return FollowingError(self.seen, joint, stalled, pending, self.best_excess)
